"""What an answer of each engine promises, and what the scorecard rates it by."""

from assay.inputs.variant import variant_of
from assay.present.kit.subsystem import Promise, Score
from assay.present.subsystems.rewardpool.operations import CHANNEL_TEXT, REFERENCE

_SYNCED = variant_of(batch=1_000, sync="commit")
_SCORES = (
    Score("write", "append 1,000 records and sync", "append", _SYNCED),
    Score("space", "bytes of the log a record", "append", _SYNCED, "wal_bytes_per_record"),
    Score("memory", "heap bytes a record", "append", _SYNCED, "heap_bytes_per_record"),
)

_WRITTEN = variant_of(commit=1, durability="file")

PROMISES = (
    Promise(
        "on disk before the answer, each record with a checksum",
        (REFERENCE, "etcd-wal", "raft-wal", "rosedb-wal", "pebble-record"),
        _SCORES,
    ),
    Promise(
        "on disk before the answer, no checksum: a damaged record goes unseen",
        ("tidwall-wal",),
        _SCORES,
    ),
    Promise(
        "written before the answer at best, no checksum: a damaged draw goes unseen",
        (CHANNEL_TEXT,),
        (
            Score("write", "a draw that is written", "draw", _WRITTEN),
            Score("space", "bytes of the log a draw", "draw", _WRITTEN, "wal_bytes_per_draw"),
            Score("memory", "heap bytes a draw", "draw", _WRITTEN, "heap_bytes_per_draw"),
        ),
    ),
)
