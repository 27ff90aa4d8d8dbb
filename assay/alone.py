"""What one engine alone has: it is compared with nothing, and may be a slip of the pen."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # assay.manifest asks this module for slips
    from assay.manifest import Manifest

NEAR = 2
"""So many letters, more, less, changed or swapped, make a slip of the name of another."""

LEAST = 4
"""Letters of a name below which no other is taken for a slip of it: get is not put."""


def slips(engines: Sequence["Manifest"]) -> Iterator[str]:
    """A line for each workload and variant key of one engine alone that is nearly another's.

    Where that engine has both names, they are two: a bench without scales will do.
    """
    workloads = {m.path: {bench.workload for bench in m.benches} for m in engines}
    keys = {
        m.path: {name for bench in m.benches for variant in bench.variants for name in variant}
        for m in engines
    }
    for kind, names in (("workload", workloads), ("variant key", keys)):
        told = set[frozenset[str]]()
        for path, own in reversed(names.items()):  # the reference engine, the first, is right
            others = [found for other, found in names.items() if other != path]
            known = set[str]().union(*others)
            for name, meant in product(sorted(own - known), sorted(known - own)):
                if _is_near(name, meant) and {name, meant} not in told:
                    told.add(frozenset((name, meant)))
                    yield (
                        f"{path}: {kind}: expected one that another engine has, such as {meant},"
                        f" or both here; found {name}, which no other has"
                    )


def told(plan: Mapping[str, Any]) -> list[str]:
    """A line for each engine with what of its shots no other engine of the plan has."""
    had: dict[str, dict[str, None]] = {engine: {} for engine in plan["engines"]}
    for shot in plan["shots"]:
        workload = shot["workload"]
        names = [f"workload {workload}"]
        names += [f"variant key {key} of {workload}" for key in shot["variant"]]
        names += [f"scale {shot['scale']:,} of {workload}"]
        had[shot["engine"]] |= dict.fromkeys(names)
    lines = []
    for engine, own in had.items():
        others = set[str]().union(*(found for other, found in had.items() if other != engine))
        alone = [name for name in own if name not in others]
        gone = {name.removeprefix("workload ") for name in alone if name.startswith("workload ")}
        alone = [name for name in alone if name.rpartition(" of ")[2] not in gone]
        if alone and len(had) > 1:
            lines.append(f"  {engine}: {', '.join(alone)}")
    return lines


def _is_near(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= LEAST and _distance(one, other) <= NEAR


def _distance(one: Collection[str], other: Collection[str]) -> int:
    """How many letters more, less, changed, or swapped with the next, make `one` of `other`."""
    a, b = [*one], [*other]
    rows: list[list[int]] = [[*range(len(b) + 1)]]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(row[j - 1] + 1, rows[-1][j] + 1, rows[-1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 2 : i] == [b[j - 1], b[j - 2]]:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
