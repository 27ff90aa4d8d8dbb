"""What to measure: the content of `config/study.yaml`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay import validation


@dataclass(frozen=True)
class Study:
    """A valid study.

    `exclude` holds peers as "subsystem/peer". `blocks` is the number of blocks of `tier`.
    `settings` is the whole study as canonical JSON; `load(json.loads(settings))` gives it again.
    """

    subsystems: tuple[str, ...]
    tier: str
    profiles: tuple[str, ...]
    peers: str
    exclude: frozenset[str]
    seed: int
    blocks: int
    settings: str


def load(config: Mapping[str, Any]) -> Study:
    """The study that `config`, in the form of `config/study.yaml`, describes.

    Raises ConfigurationError with a line for each key that is wrong.
    """
    validation.check(dict(config), "study", "config/study.yaml")
    return Study(
        subsystems=tuple(config["subsystems"]),
        tier=config["tier"],
        profiles=tuple(config["profiles"]),
        peers=config["peers"],
        exclude=frozenset(config["exclude"]),
        seed=config["seed"],
        blocks=config["blocks"][config["tier"]],
        settings=json.dumps(config, sort_keys=True),
    )
