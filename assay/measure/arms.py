"""The A/A arm: which cells of the reference engine run twice in every block.

One in four of each workload and harness, drawn by the study's seed: a random sample stands for the
cells it is drawn from, and every workload is in it (docs/method.md, Noise floor).
"""

import random
from collections.abc import Hashable, Sequence
from math import ceil

ONE_IN = 4
"""Of so many cells of a workload, one carries the A/A arm; of fewer, too."""


def doubled(groups: Sequence[Hashable], seed: int) -> set[int]:
    """The positions of the cells that run in both arms; `groups` holds the group of each cell."""
    chosen: set[int] = set()
    for group in dict.fromkeys(groups):
        places = [place for place, one in enumerate(groups) if one == group]
        draw = random.Random(f"{seed}/A/A/{group}")
        chosen.update(draw.sample(places, ceil(len(places) / ONE_IN)))
    return chosen
