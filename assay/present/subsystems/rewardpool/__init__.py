"""The reward pool."""

from assay.present.kit.subsystem import Subsystem
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
from assay.present.subsystems.rewardpool.promises import PROMISES

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
    promises=PROMISES,
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
