"""Document access control."""

from assay.present.kit.subsystem import Subsystem
from assay.present.kit.tables import number, text
from assay.present.sections.bounds import Bounds
from assay.present.subsystems.acp.figures import FIGURES
from assay.present.subsystems.acp.headlines import answer, findings, right
from assay.present.subsystems.acp.operations import NEW, OLD, REFERENCE, STORES
from assay.present.subsystems.acp.promises import PROMISES
from assay.present.subsystems.acp.published import PRINTED

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
    promises=PROMISES,
    right=right,
    answer=answer,
    printed=PRINTED,
    bounds=Bounds([text("operation", "label"), number("documents", "scale")], "an operation"),
    headlines=findings,
    figures=FIGURES,
)
