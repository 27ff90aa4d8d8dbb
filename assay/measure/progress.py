"""How far a session is: one line that stays in place on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Mapping

from assay.inputs.variant import variant_string
from assay.measure.plan import duration
from assay.raw.records import Plan, Planned

# Between two lines where the output is not a terminal, and between two updates where it is.
LINE_S = 10.0
UPDATE_S = 0.1


class Progress:
    """Prints block, shot and the time left, which is scaled by how long past shots really took.

    `expected` has the seconds of each shot that is missing, by its id.
    """

    def __init__(self, plan: Plan, expected: Mapping[str, float]) -> None:
        self._plan = plan
        self._out = sys.stdout
        self._terminal = self._out.isatty()
        self._expected = expected
        self._left_s = sum(expected.values())
        self._expected_s = 0.0
        self._start = time.monotonic()
        self._printed = -LINE_S
        self._done = len(plan["shots"]) - len(expected)

    def begin(self, shot: Planned) -> None:
        """A shot is about to run."""
        self._done += 1
        now = time.monotonic() - self._start
        if now - self._printed < (UPDATE_S if self._terminal else LINE_S):
            return
        self._printed = now
        # With the first minute of expectations as a weight, one odd shot does not make it jump.
        pace = (now + 60) / (self._expected_s + 60)
        text = (
            f"{self._plan['subsystem']}/{self._plan['profile']}:"
            f" block {shot['block'] + 1}/{self._plan['blocks']},"
            f" shot {self._done}/{len(self._plan['shots'])},"
            f" about {duration(pace * self._left_s)} left;"
            f" {shot['workload']} {shot['engine']} {variant_string(shot['variant'])}"
        )
        self._out.write(f"\r\033[K{text[:118]}" if self._terminal else f"{text.rstrip()}\n")
        self._out.flush()

    def end(self, shot: Planned) -> None:
        """A shot is done."""
        self._left_s -= self._expected[shot["id"]]
        self._expected_s += self._expected[shot["id"]]

    def close(self) -> None:
        """Leave the line, so that what is printed next stands alone."""
        if self._terminal:
            self._out.write("\n")
