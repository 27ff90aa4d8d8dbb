"""Print one Go benchmark line: 100 ns an operation, times a factor, with log-normal noise.

The noise is drawn from the seed and the name of the working directory, which is the id of the
shot. The same plan gives the same numbers.
"""

import argparse
import random
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--factor", type=float, required=True)
parser.add_argument("--sd", type=float, required=True, help="of the logarithm of the time")
parser.add_argument("--seed", required=True)
parser.add_argument("--scale", type=int, required=True)
arguments = parser.parse_args()

shot = Path.cwd().name
noise = random.Random(f"{arguments.seed}/{shot}").lognormvariate(0, arguments.sd)
time_ns = 100 * arguments.factor * noise
print(f"BenchmarkReplay-2 \t{arguments.scale}\t{time_ns:.4f} ns/op\t{arguments.scale} ops")
print("PASS")
