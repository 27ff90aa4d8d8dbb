"""The committed run narrowed to the cells of tier standard: what a session of the default shows."""

from pathlib import Path

import committed
import yaml

from assay.analyse import estimates, verdicts
from assay.inputs import claims, manifest, study, tiers
from assay.inputs.variant import variant_string
from assay.system import files
from assay.tables import io

ROOT = Path(__file__).parents[2]


def standard(folder: Path, subsystem: str) -> None:
    """Fill `folder` like data/tidy/<subsystem>, as if tier standard had measured the first profile.

    Estimates, ratios, noise floors, curves and verdicts are computed anew from what is left. The
    engines count as those of today, or every verdict would be stale.
    """
    config = yaml.safe_load((ROOT / study.FILE).read_text())
    wanted = study.load(config | {"tier": "standard"})
    selections = tiers.load(ROOT, subsystem)
    session = files.read_json(committed.DATA / subsystem / "session.json")
    cells = {
        (engine.name, bench.workload, variant_string(variant), scale)
        for engine in manifest.discover(ROOT, wanted, subsystem)
        for bench, variant, scale in tiers.cells(engine, wanted, selections, session["profile"])
    }
    rows = io.read(committed.DATA / subsystem / "measurements.parquet")
    rows = rows[rows["session"] == session["key"]]
    place = zip(*(rows[name] for name in ("engine", "workload", "variant", "scale")), strict=True)
    rows = rows[[cell in cells for cell in place]].assign(tier="standard")
    today = claims.engines(ROOT / "engines" / subsystem)
    engines = {
        name: about | {"hot_hash": manifest.hot_hash(today[name])}
        for name, about in session["plan"]["engines"].items()
        if name in {cell[0] for cell in cells}
    }
    plan = session["plan"] | {"engines": engines}
    shots = int(rows["shot"].nunique())
    about = {"tier": "standard", "plan": plan, "shots": shots, "other_sessions": []}
    io.write("measurements", rows, folder)
    files.write_json(folder / "session.json", session | about)
    estimates.estimate(folder)
    verdicts.write(ROOT / f"config/claims/{subsystem}.yaml", ROOT / "engines" / subsystem, folder)
