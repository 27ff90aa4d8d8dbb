"""Sessions of other machines, whose folders were copied into `data/raw/` beside this one's."""

from pathlib import Path

from assay.raw import layout, shotlog
from assay.raw.records import Plan
from assay.system import files


def others(folder: Path) -> list[Path]:
    """Of each other machine, the session that is to be compared with the one in `folder`.

    It has the same version, subsystem, profile and tier, and is complete. One of the same plan goes
    first; otherwise, for example when another compiler made another plan, the one that began last.
    """
    wanted = shotlog.plan(folder / layout.PLAN)
    folders = []
    for sessions in layout.elsewhere(folder).values():
        began = {path: _began(path, wanted["tier"]) for path in sessions}
        complete = {path: moment for path, moment in began.items() if moment}
        if complete:
            folders.append(max(complete, key=lambda p: (p.name == folder.name, complete[p])))
    return folders


def _began(folder: Path, tier: str) -> str:
    """When a complete session of that tier and of this version began; "" for any other folder."""
    log = folder / layout.SHOTS
    plan: Plan = files.read_json(folder / layout.PLAN)
    if not log.exists() or (plan["version"], plan["tier"]) != (shotlog.VERSION, tier):
        return ""
    lines = list(shotlog.read(log))
    if len(lines) < len(shotlog.wanted(folder, plan)):
        return ""
    return min((line["started_at"] for line in lines), default="")
