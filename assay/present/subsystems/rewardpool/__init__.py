"""The reward pool."""

from assay.inputs.variant import variant_of
from assay.present.kit.subsystem import Promise, Score, Subsystem
from assay.present.kit.tables import Column, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.rewardpool.figures import FIGURES
from assay.present.subsystems.rewardpool.headlines import answer, findings
from assay.present.subsystems.rewardpool.operations import (
    CHANNEL_TEXT,
    COMMITS,
    PRINTED,
    REFERENCE,
)

_SYNCED = variant_of(batch=1_000, sync="commit")
_SCORES = (
    Score("write", "append 1,000 records and sync", "append", _SYNCED),
    Score("space", "bytes of the log a record", "append", _SYNCED, "wal_bytes_per_record"),
    Score("memory", "heap bytes a record", "append", _SYNCED, "heap_bytes_per_record"),
)

_WRITTEN = variant_of(commit=1, durability="file")

_PROMISES = (
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

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        CHANNEL_TEXT: "channel-text stand-in",
        "tidwall-wal": "tidwall/wal",
        "etcd-wal": "etcd WAL",
        "raft-wal": "raft-wal",
        "rosedb-wal": "rosedb WAL",
        "pebble-record": "Pebble record log",
    },
    words={
        "batch=1": "a record a write",
        "batch": "{} records a write",
        "sync=none": "not synced",
        "sync=commit": "each write synced",
        "part": "{}",
        "selector": "{}",
        "commit=1": "a commit a draw",
        "commit": "a commit every {} draws",
        "durability=none": "no log",
        "durability=mmap": "a log in mapped memory",
        "durability=file": "a log written without a sync",
        "durability=each": "a sync a draw",
        "durability=group": "acknowledged after a shared sync",
        "durability=relaxed": "acknowledged before the sync",
        "durability=relaxed-mmap": "acknowledged before the sync of mapped memory",
    },
    promises=_PROMISES,
    answer=answer,
    caveat="The published engine is a stand-in of ours.",
    printed=PRINTED,
    bounds=Bounds(
        [
            Column("commit", lambda row: COMMITS[int(row["commit"])]),
            text("mode", "durability"),
        ],
        "of a draw",
    ),
    headlines=findings,
    figures=FIGURES,
)
