"""The correctness gate of a codec peer: `gate.py BUILD CASES:FROM/TO...`, in the peer's folder.

Checks by value the output of each of its benches for each of its inputs but the largest, with the
program's command `check` where a shot has `codec`. Then counts the conformance cases that pass: of
the set CASES, FROM when JSON is read and TO when it is written, `-` where the peer has no such
direction.
"""

import itertools
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

LARGEST = 1 << 20


def filled(words: list[str], values: dict[str, str]) -> list[str]:
    """A command with its placeholders filled."""
    for name, value in values.items():
        words = [word.replace("{" + name + "}", value) for word in words]
    return words


def variants(bench: Any) -> Iterator[dict[str, str]]:
    """Every combination of the values."""
    lists = [one if isinstance(one, list) else [one] for one in bench["variants"].values()]
    for values in itertools.product(*lists):
        yield dict(zip(bench["variants"], map(str, values), strict=True))


def shot(bench: Any, values: dict[str, str]) -> dict[str, float]:
    """What a shot of a bench prints."""
    with tempfile.TemporaryDirectory() as scratch:
        done = None
        for words in [bench.get("setup"), bench["command"]]:
            if words is None:
                continue
            argv = ["check" if word == "codec" else word for word in filled(words, values)]
            done = subprocess.run(argv, cwd=scratch, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(argv)}: {done.stdout}{done.stderr}")
        assert done is not None
    lines = map(json.loads, done.stdout.splitlines())
    return {line["metric"]: line["value"] for line in lines}


def main(build: str, *sets: str) -> None:
    """Exits with a reason when a bench fails or another number of cases passes."""
    expected = {}
    for one in sets:
        name, _, counts = one.partition(":")
        of_name = zip(("from_json", "to_json"), counts.split("/"), strict=True)
        expected.update({(direction, name): count for direction, count in of_name})
    shots = 0
    for bench in yaml.safe_load(Path("engine.yaml").read_text())["benches"]:
        for variant in variants(bench):
            for scale in bench["scales"]["full"]:
                if scale > LARGEST:
                    continue
                shots += 1
                found = shot(bench, {"build": build, "scale": str(scale), "seed": "1", **variant})
                if bench["workload"] != "correctness":
                    continue
                wanted = expected.pop((variant["direction"], variant["cases"]))
                if found["cases_passed"] != float(wanted):
                    sys.exit(f"{variant}: {wanted} cases passed before, {found} do now")
    left = [f"{key}: {count}" for key, count in expected.items() if count != "-"]
    if left:
        sys.exit(f"no bench counts these cases: {', '.join(left)}")
    print(f"{shots} outputs are the expected ones")


if __name__ == "__main__":
    main(*sys.argv[1:])
