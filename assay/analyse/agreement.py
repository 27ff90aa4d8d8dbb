"""Exact counters: the same for the same input, and where a manifest says so in all engines."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Literal

from assay.inputs.variant import variant_string
from assay.raw.records import Shot

_Counter = tuple[str, str, int, int, str]
"""Workload, variant, scale, seed and column: what engines are compared by."""

_Cell = tuple[str, str, str, int]
"""Engine, workload, variant and scale."""

_Found = dict[str, list[tuple[float, Shot]]]
"""By engine what its shots counted."""


def held(shots: list[Shot], roles: Mapping[str, str]) -> list[Shot]:
    """The shots, read, with those that exact counters contradict no longer ok.

    A counter that varies with the same seed fails the shots of its cell. An engine that counts
    otherwise than the reference engine, in what the engines are to agree in, is refused: none of
    its shots is ok. Where the reference engine has not counted, and the others disagree, each of
    them is.
    """
    wrong = _varying(shots)
    steady = [shot for shot in shots if shot["id"] not in wrong]
    refused = _disagreeing(steady, roles)
    return [
        shot
        if shot["status"] != "ok"
        else shot | {"status": "failed", "reason": wrong[shot["id"]]}
        if shot["id"] in wrong
        else shot | {"status": "refused", "reason": refused[shot["engine"]]}
        if shot["engine"] in refused
        else shot
        for shot in shots
    ]


def _varying(shots: Sequence[Shot]) -> dict[str, str]:
    """By id the shots of cells in which an exact counter varies, with the reason."""
    wrong: dict[_Cell, str] = {}
    for counter, engines in _counted(shots, "exact").items():
        for engine, counts in engines.items():
            least, most = min(counts, key=itemgetter(0)), max(counts, key=itemgetter(0))
            if least[0] < most[0]:
                wrong[(engine, *counter[:3])] = (
                    f"exact counter {counter[-1]} of {engine} varies:"
                    f" {least[0]:.15g} in shot {least[1]['id']}, {most[0]:.15g} in {most[1]['id']}"
                )
    cells = {shot["id"]: (shot["engine"], *_place(shot)) for shot in (shots if wrong else ())}
    return {id_: wrong[cell] for id_, cell in cells.items() if cell in wrong}


def _disagreeing(shots: Iterable[Shot], roles: Mapping[str, str]) -> dict[str, str]:
    """The engines that disagree with the reference engine, with the reason."""
    refused: dict[str, str] = {}
    for counter, engines in _counted(shots, "agree").items():
        values = {engine: counts[0][0] for engine, counts in engines.items()}
        ordered = sorted(values, key=lambda engine: roles[engine] != "reference")
        base, others = ordered[0], ordered[1:]
        wrong = [engine for engine in others if values[engine] != values[base]]
        if wrong and roles[base] != "reference":
            wrong = ordered
        for engine in wrong:
            against = base if engine != base else wrong[1]
            refused[engine] = (
                f"{engine} disagrees with {against} in {counter[-1]} of {counter[0]} {counter[1]}"
                f" at {counter[2]}: expected {values[against]:.15g}, found {values[engine]:.15g}"
            )
    return refused


def _counted(shots: Iterable[Shot], kind: Literal["exact", "agree"]) -> dict[_Counter, _Found]:
    """What ok shots counted, of the metrics that are `kind`: exact or agree."""
    counters: dict[_Counter, _Found] = {}
    for shot in shots:
        if shot["status"] != "ok":
            continue
        for metric in shot["metrics"].values():
            if metric[kind]:
                column = metric["column"]
                engines = counters.setdefault((*_place(shot), shot["seed"], column), {})
                engines.setdefault(shot["engine"], []).append((shot["values"][column], shot))
    return counters


def _place(shot: Shot) -> tuple[str, str, int]:
    """Workload, variant and scale."""
    return shot["workload"], variant_string(shot["variant"]), shot["scale"]
