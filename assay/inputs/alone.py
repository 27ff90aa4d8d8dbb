"""What one engine alone has: it is compared with nothing, and may be a slip of the pen."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # assay.manifest asks this module for slips
    from assay.inputs.manifest import Manifest

NEAR, NEAR_SIZE = 2, 1
"""So many letters, more, less, changed or swapped, make a slip of the name of another; and so many
digits of a scale: 1000 and 100000 are two."""

LEAST = 4
"""Letters of a name below which no other is taken for a slip of it: get is not put."""


def slips(engines: Sequence["Manifest"]) -> Iterator[str]:
    """A line for each name of one engine alone that is nearly another's.

    Names are workloads, variant keys, and the scales of a workload. Where that engine has both,
    they are two: a bench without scales will do. The first engine, the reference, may have scales
    that no other reaches.
    """
    told = set[tuple[str, frozenset[str]]]()
    had = {engine.path: _names(engine) for engine in engines}
    for engine in reversed(engines):
        own = had[engine.path]
        for kind, names in own.items():
            others = (had[other.path].get(kind, set()) for other in engines if other is not engine)
            known = set[str]().union(*others)
            is_size = kind.startswith("scale")
            alone = set[str]() if is_size and engine is engines[0] else names - known
            for name, meant in product(sorted(alone), sorted(known - names)):
                pair = (kind, frozenset((name, meant)))
                near = min(len(name), len(meant)) >= LEAST and (
                    _distance(name, meant) <= (NEAR_SIZE if is_size else NEAR)
                )
                if near and pair not in told:
                    told.add(pair)
                    yield (
                        f"{engine.path}: {kind}: expected one that another engine has, such as"
                        f" {meant}, or both here; found {name}, which no other has"
                    )


def _names(engine: "Manifest") -> dict[str, set[str]]:
    """The names of an engine by their kind."""
    names: dict[str, set[str]] = {"workload": set(), "variant key": set()}
    for bench in engine.benches:
        names["workload"].add(bench.workload)
        names["variant key"].update(key for variant in bench.variants for key in variant)
        sizes = {str(size) for tier in bench.scales.values() for size in tier}
        names.setdefault(f"scale of {bench.workload}", set()).update(sizes)
    return names


def told(plan: Mapping[str, Any]) -> list[str]:
    """A line for each engine with what of its shots no other engine of the plan has."""
    had: dict[str, set[str]] = {engine: set() for engine in plan["engines"]}
    for shot in plan["shots"]:
        workload = shot["workload"]
        names = [f"workload {workload}"]
        names += [f"variant key {key} of {workload}" for key in shot["variant"]]
        names += [f"scale {shot['scale']:,} of {workload}"]
        had[shot["engine"]].update(names)
    lines = []
    for engine, own in had.items():
        others = set[str]().union(*(theirs for other, theirs in had.items() if other != engine))
        alone = sorted(own - others)
        gone = {name.removeprefix("workload ") for name in alone if name.startswith("workload ")}
        alone = [name for name in alone if name.rpartition(" of ")[2] not in gone]
        if alone and len(had) > 1:
            lines.append(f"  {engine}: {', '.join(alone)}")
    return lines


def _distance(name: Collection[str], other: Collection[str]) -> int:
    """How many letters more, less, changed, or swapped with the next, make `name` of `other`."""
    a, b = [*name], [*other]
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
