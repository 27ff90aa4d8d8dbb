"""The reward pool."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.rewardpool.figures import FIGURES
from assay.present.subsystems.rewardpool.headlines import findings
from assay.present.subsystems.rewardpool.operations import CHANNEL_TEXT, REFERENCE

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        CHANNEL_TEXT: "channel-text (stand-in for the published engine)",
        "tidwall-wal": "tidwall/wal",
        "etcd-wal": "etcd WAL",
        "raft-wal": "raft-wal",
        "rosedb-wal": "rosedb WAL",
        "pebble-record": "Pebble record log",
    },
    headlines=findings,
    figures=FIGURES,
)
