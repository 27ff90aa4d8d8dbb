"""Document access control."""

from assay.present.kit.subsystem import Promise, Score, Subsystem
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.acp.figures import FIGURES
from assay.present.subsystems.acp.headlines import answer, findings, right
from assay.present.subsystems.acp.operations import (
    CHECK,
    NEW,
    OLD,
    REFERENCE,
    REGISTER,
    REGISTER_PERSISTENT,
    STORES,
)
from assay.present.subsystems.acp.published import PRINTED

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

_PROMISES = (
    Promise("one owner a document, and only an owner shares", (REFERENCE, NEW, OLD), _SCORES),
    Promise("no owners: a write needs no authority", ("openfga", "spicedb", "casbin"), _SCORES),
    Promise("nothing is stored: the caller holds the facts", ("cedar-go",), _SCORES),
)

SUBSYSTEM = Subsystem(
    engines={
        REFERENCE: "reference engine",
        NEW: "new published engine",
        "openfga": "OpenFGA",
        "spicedb": "SpiceDB",
        "casbin": "Casbin",
        "cedar-go": "cedar-go",
        OLD: "old published engine",
    },
    words={
        **{f"store={key}": words for key, words in STORES.items()},
        "mode=warm": "many questions in a row",
        "mode=cold": "ten calls after the store is filled",
        "actor": "of a {}",
        "sync": "synced by {}",
        "waiting": "{} waiting",
        "level": "by {}",
        "end": "{} before",
        "index=scan": "by a scan",
        "goroutines=1": "one goroutine",
        "goroutines": "{} goroutines",
    },
    promises=_PROMISES,
    right=right,
    answer=answer,
    printed=PRINTED,
    bounds=Bounds([text("operation", "label"), number("documents", "scale")], "an operation"),
    headlines=findings,
    figures=FIGURES,
)
