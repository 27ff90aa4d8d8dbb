"""What an answer of each engine promises, and what the scorecard rates it by."""

from assay.present.kit.subsystem import Promise, Score
from assay.present.subsystems.acp.operations import (
    CHECK,
    NEW,
    OLD,
    REFERENCE,
    REGISTER,
    REGISTER_PERSISTENT,
)

_SCORES = (
    Score("write", "register a document", REGISTER.workload, REGISTER.variant(), "time_per_doc"),
    Score("read", "check the access of an owner", CHECK.workload, CHECK.variant()),
    Score(
        "space",
        "disk a document",
        REGISTER_PERSISTENT.workload,
        REGISTER_PERSISTENT.variant(),
        "disk_per_doc",
    ),
    Score("memory", "memory a document", REGISTER.workload, REGISTER.variant(), "memory_per_doc"),
)

PROMISES = (
    Promise("one owner a document, and only an owner shares", (REFERENCE, NEW, OLD), _SCORES),
    Promise("no owners: a write needs no authority", ("openfga", "spicedb", "casbin"), _SCORES),
    Promise("nothing is stored: the caller holds the facts", ("cedar-go",), _SCORES),
)
