"""The arms beside A: which cells run twice in a block, and why.

Arm B is the A/A arm: cells of the reference engine that run twice in every block.

One in four of each workload and harness, drawn by the study's seed: a random sample stands for the
cells it is drawn from, and every workload is in it (docs/method.md, Noise floor). A session of few
cells draws more of them, until it has six.

Arm C runs the other cells with exact counters once more in the first block, for these counters
alone: a counter that is not the same again for the same input is none.
"""

import random
from collections.abc import Hashable, Sequence
from math import ceil

ONE_IN = 4
"""Of so many cells of a workload, one carries the A/A arm; of fewer, too."""

COUNTED = "C"
"""The arm that is compared by its exact counters, and by nothing else."""

LEAST = 6
"""Cells with the A/A arm that a session that infers has at least, if it has as many."""


def doubled(groups: Sequence[Hashable], seed: int, least: int = LEAST) -> set[int]:
    """The positions of the cells that run in both arms; `groups` holds the group of each cell.

    At least `least` of them, if there are as many.
    """
    chosen: set[int] = set()
    for group in dict.fromkeys(groups):
        places = [place for place, its_group in enumerate(groups) if its_group == group]
        draw = random.Random(f"{seed}/A/A/{group}")
        chosen.update(draw.sample(places, ceil(len(places) / ONE_IN)))
    left = [place for place in range(len(groups)) if place not in chosen]
    more = min(len(left), max(0, least - len(chosen)))
    chosen.update(random.Random(f"{seed}/A/A").sample(left, more))
    return chosen
