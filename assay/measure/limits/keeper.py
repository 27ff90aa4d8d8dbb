"""The process that removes a runner's groups, and kills what is in them, when the runner is killed.

Called by `assay.measure.limits.kept` with the number of the runner's process, its parent.
"""

import os
import select
import signal
import sys
from contextlib import suppress

from assay.measure import limits


def main(runner: int) -> None:
    """Wait until the process `runner` ends, then clear its groups."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(ProcessLookupError):  # it has ended already
        ended = select.poll()
        ended.register(os.pidfd_open(runner), select.POLLIN)
        if os.getppid() == runner:  # otherwise the number may be another process's by now
            ended.poll()
    limits.clear()


if __name__ == "__main__":
    main(int(sys.argv[1]))
