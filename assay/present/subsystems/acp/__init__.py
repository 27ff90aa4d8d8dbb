"""Document access control."""

from assay.present.kit.subsystem import Subsystem
from assay.present.subsystems.acp.figures import FIGURES
from assay.present.subsystems.acp.headlines import findings
from assay.present.subsystems.acp.operations import NEW, OLD, REFERENCE

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
    headlines=findings,
    figures=FIGURES,
)
