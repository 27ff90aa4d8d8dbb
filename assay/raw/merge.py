"""Sessions of other machines, whose folders were copied into `data/raw/` beside this one's."""

from pathlib import Path

from assay.raw import shotlog
from assay.system import files


def others(folder: Path) -> list[Path]:
    """Of each other machine, the session that is to be compared with the one in `folder`.

    It has the same version, subsystem, profile and tier, and is complete. One of the same plan goes
    first; otherwise, for example when another compiler made another plan, the one that began last.
    """
    profile, raw = folder.parent, folder.parents[3]
    wanted = shotlog.plan(folder)
    found = []
    for machine in sorted(raw.iterdir()):
        place = machine / profile.parent.name / profile.name
        if machine.name == folder.parents[2].name or not place.is_dir():
            continue
        complete = [path for path in place.iterdir() if _began(path, wanted["tier"])]
        if complete:
            found.append(
                max(complete, key=lambda p: (p.name == folder.name, _began(p, wanted["tier"])))
            )
    return found


def _began(folder: Path, tier: str) -> str:
    """When a complete session of that tier and of this version began; "" for any other folder."""
    log = folder / "shots.jsonl"
    if not log.exists() or not (folder / "plan.json").exists():
        return ""
    plan = files.read_json(folder / "plan.json")
    if (plan["version"], plan["tier"]) != (shotlog.VERSION, tier):
        return ""
    lines = list(shotlog.read(log))
    if len(lines) < len(shotlog.wanted(folder, plan)):
        return ""
    return min((str(line["started_at"]) for line in lines), default="")
