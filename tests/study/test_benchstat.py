"""Go's tool for comparing benchmarks, on data that we compare."""

import csv
import os
import subprocess
from io import StringIO
from pathlib import Path

import installed
import numpy as np
import planted
import pytest

from assay.analyse import compare

BENCHSTAT = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"


def test_benchstat_says_the_same_of_the_same_data(tmp_path: Path) -> None:
    """Its change of medians is ours, and where its U test is clear we agree with it."""
    factors = {1: 1.0, 2: 1.001, 3: 1.5, 4: 0.6, 5: 2.0, 6: 1.0, 7: 1.12}
    cells = [planted.Simulated("work", "reference", "", n, {"time": 1e-6 * n}) for n in factors]
    changed = [
        planted.Simulated("work", "reference", "", n, {"time": 1e-6 * n * factor})
        for n, factor in factors.items()
    ]
    both = [planted.measurements(own, 10, seed) for seed, own in ((1, cells), (2, changed))]
    for name, rows in zip("ab", both, strict=True):
        arm = rows[rows["arm"] == "A"].itertuples()
        lines = [f"BenchmarkWork/scale={row.scale} 1 {row.value * 1e9!r} ns/op" for row in arm]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    command = ["go", "run", BENCHSTAT, "-format", "csv", "a", "b"]
    printed = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | installed.GO,
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = {
        int(row[0].removeprefix("Work/scale=")): row
        for row in csv.reader(StringIO(printed.stdout))
        if row and row[0].startswith("Work/")
    }
    of_folder = ("rewardpool", "native", "machine")
    a, b = ({of_folder: planted.session(rows, planted.SESSION)} for rows in both)
    [found] = compare.compare(a, b, ("time",))
    ours = {row["scale"]: row for row in found.changes}
    assert theirs.keys() == ours.keys() == factors.keys()
    for scale, row in ours.items():
        _, before, _, after, _, delta, p, *_ = theirs[scale]
        assert float(after) / float(before) == pytest.approx(row["ratio"], rel=0.005)
        assert float(p.split()[0].removeprefix("p=")) == pytest.approx(row["p"], abs=0.0006)
        clear = abs(np.log(factors[scale])) > np.log(1.3)
        assert (delta != "~") == clear or scale == 7
        if clear:
            assert row["verdict"] == ("slower" if factors[scale] > 1 else "faster")
        elif scale != 7:
            assert row["verdict"] == "within noise"
