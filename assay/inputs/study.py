"""What to measure: the content of `config/study.yaml`."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

from assay.inputs import validation
from assay.inputs.validation import Keys

FILE = Path("config/study.yaml")
"""Where the study is described, below the project."""

PILOT = 8
"""Blocks before a session that was asked for a precision may end."""

MOST = 60
"""Blocks after which a session that was asked for a precision or a time ends at the latest."""

SHARE = 0.9
"""Share of the cells that must be as precise as asked."""

SUBSYSTEM = "a folder below engines/ with an engine.yaml"
PROFILE = "a file below config/hardware/, without .yaml"
PEER = "a peer below engines/"
"""What names in a study are the names of."""

_SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Study:
    """A valid study.

    `peers` is none, tier, all, or the peers that take part. These, and those of `exclude`, are
    named as "subsystem/peer". `blocks` is the number of blocks of `tier`,
    or the largest that it may have. Then `stop` says what ends a session before: `precision`, the
    relative half-width of the intervals that are wanted, or `budget_s`, a time in seconds.
    `settings` is the whole study as canonical JSON; `load(json.loads(settings))` gives it again.
    """

    subsystems: tuple[str, ...]
    tier: str
    profiles: tuple[str, ...]
    more_profiles: Mapping[str, tuple[str, ...]]
    peers: str | frozenset[str]
    exclude: frozenset[str]
    seed: int
    blocks: int
    stop: Mapping[str, float]
    settings: str

    def profiles_of(self, subsystem: str) -> tuple[str, ...]:
        """The profiles under which a subsystem is measured, each once; those of all come first."""
        more = self.more_profiles.get(subsystem, ())
        return tuple(dict.fromkeys((*self.profiles, *more)))


def load(config: Mapping[str, Any]) -> Study:
    """The study that `config`, in the form of `config/study.yaml`, describes.

    Raises ConfigurationError with a line for each key that is wrong.
    """
    validation.check(dict(config), "study", FILE)
    blocks, stop = _extent(config["blocks"][config["tier"]])
    more = config["more_profiles"][config["tier"]]
    peers = config["peers"]
    return Study(
        subsystems=tuple(config["subsystems"]),
        tier=config["tier"],
        profiles=tuple(config["profiles"]),
        more_profiles={name: tuple(profiles) for name, profiles in more.items()},
        peers=peers if isinstance(peers, str) else frozenset(peers),
        exclude=frozenset(config["exclude"]),
        seed=config["seed"],
        blocks=blocks,
        stop=stop,
        settings=json.dumps(config, sort_keys=True),
    )


def strangers(study: Study, root: Path) -> Iterator[str]:
    """A line for each name in the study, of whatever tier, that nothing below `root` has."""
    settings = json.loads(study.settings)
    yield from unknown(root, root / FILE, settings, _names(settings))


def unknown(
    root: Path, path: Path, value: Any, names: Iterable[tuple[Keys, str, str]]
) -> Iterator[str]:
    """A line for each of the `names` in `value`, read from `path`, that nothing below `root` has.

    A name comes with the keys to where it stands, and what it is the name of.
    """
    peers = root.glob("engines/*/peers/*/engine.yaml")
    known = {
        SUBSYSTEM: {path.parent.name for path in root.glob("engines/*/engine.yaml")},
        PROFILE: {path.stem for path in root.glob("config/hardware/*.yaml")},
        PEER: {f"{path.parents[2].name}/{path.parent.name}" for path in peers},
    }
    for keys, name, wanted in names:
        if name not in known[wanted]:
            where = validation.place(path, keys, reduce(getitem, keys, value))
            near = validation.nearest(name, known[wanted]) if known[wanted] else ""
            meant = f", nearest {near!r}" if near else ""
            yield f"{where}: {validation.key(keys)}: expected {wanted}{meant}, found {name!r}"


def _names(settings: Mapping[str, Any]) -> Iterator[tuple[Keys, str, str]]:
    """The names in a study: where each stands, the name, and what it is the name of."""
    lists = {"subsystems": SUBSYSTEM, "profiles": PROFILE, "exclude": PEER}
    if not isinstance(settings["peers"], str):
        lists["peers"] = PEER
    for at, what in lists.items():
        for i, name in enumerate(settings[at]):
            yield [at, i], name, what
    for tier, listed in settings["more_profiles"].items():
        for subsystem, profiles in listed.items():
            keys = ["more_profiles", tier, subsystem]
            yield keys, subsystem, SUBSYSTEM
            for i, name in enumerate(profiles):
                yield [*keys, i], name, PROFILE


def _extent(wanted: int | Mapping[str, Any]) -> tuple[int, dict[str, float]]:
    """The most blocks, and the rule that may end a session before; none for a fixed number."""
    if isinstance(wanted, int):
        return wanted, {}
    if "precision" in wanted:
        return MOST, {"precision": wanted["precision"]}
    number, unit = re.findall(r"\d+|\w+", wanted["budget"])
    return MOST, {"budget_s": int(number) * _SECONDS[unit]}
