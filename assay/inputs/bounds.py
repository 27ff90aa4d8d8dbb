"""Bounds: what cells of a reference engine cannot do without, part by part (`config/bounds/`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from pathlib import Path

from assay.inputs.validation import check, read_yaml
from assay.inputs.variant import variant_string

FOLDER = Path(__file__).parents[2] / "config" / "bounds"


@dataclass(frozen=True)
class Bound:
    """A cell, and how often it needs each part; a part is a variant of workload `floor`.

    The cell and its parts are looked up at `scale`, or each at its largest one. Where the nodes
    above keys of a trie are hashed, `hashes` is how many change together; 0 is all of them.
    """

    label: str
    workload: str
    variant: str
    parts: Mapping[str, float]
    metric: str
    scale: float
    hashes: int | None


def load(subsystem: str, folder: Path = FOLDER) -> list[Bound]:
    """The bounds of a subsystem, in their order; none where it has no file.

    Raises ConfigurationError with one line `file:line: key: expected X, found Y` a problem.
    """
    path = folder / f"{subsystem}.yaml"
    if not path.exists():
        return []
    value = read_yaml(path)
    check(value, "bounds", path)
    return [
        Bound(
            label=each.get("label", ""),
            workload=each["workload"],
            variant=variant_string(each.get("variant", {})),
            parts=each["parts"],
            metric=each.get("metric", "time"),
            scale=each.get("scale", nan),
            hashes=each.get("hashes"),
        )
        for each in value["bounds"]
    ]
