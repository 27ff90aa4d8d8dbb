"""What people and the rules of the pipeline call: `assay VERB ...` or `python -m assay VERB ...`.

Each verb writes the file it is given and prints where it is; `compare` prints what it found. A verb
imports what it needs when it runs: a step of the pipeline starts in a blink.
"""

import argparse
import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from assay.inputs.validation import ConfigurationError
from assay.system import files

VERSION = "0.1.0"
"""As in pyproject.toml, which a copy of the package may lack."""

FAILED = 2
"""Exit code of a verb that could not do its work. 1 is a finding: a hole, or something slower."""

Verb = Callable[[argparse.Namespace], None]
Verbs = Any
"""What `add_subparsers` returns; its type has no public name."""


def doctor(arguments: argparse.Namespace) -> None:
    """Tell what the study takes: time, disk, tools, rights and network."""
    from assay.inputs.study import FILE, load
    from assay.inputs.validation import read_yaml
    from assay.pipeline.doctor import report

    lines, can_begin = report(load({**read_yaml(FILE), **dict(arguments.config)}))
    print("\n".join(lines))
    if not can_begin:
        sys.exit(1)


def setting(text: str) -> tuple[str, object]:
    """A word as Snakemake takes it after --config."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: expected KEY=VALUE")
    return name, yaml.safe_load(value)


def build(arguments: argparse.Namespace) -> None:
    """Build an engine."""
    from assay.engines.build import build

    build(arguments.engine, arguments.tools, arguments.out)


def verify(arguments: argparse.Namespace) -> None:
    """Run an engine's correctness gate."""
    from assay.engines.build import verify

    verify(arguments.engine, arguments.built, arguments.out)


def cache(arguments: argparse.Namespace) -> None:
    """Show what is kept of builds and gates."""
    from assay.engines import store

    if arguments.empty:
        freed = sum(each.bytes for each in store.bound(0))
        print(f"Removed {freed / 1e9:.2f} GB")
    held = store.kept()
    for each in held:
        used = datetime.fromtimestamp(each.used, UTC).strftime("%Y-%m-%d %H:%M UTC")
        print(f"{each.bytes / 1e6:9.1f} MB  {used}  {each.path.relative_to(store.home())}")
    total = sum(each.bytes for each in held)
    print(f"{store.home()} holds {total / 1e9:.2f} GB of at most {store.LIMIT / 1e9:g} GB")


def plan(arguments: argparse.Namespace) -> None:
    """Draw up every shot of a session."""
    from assay.inputs import manifest
    from assay.inputs.study import load
    from assay.measure.expected import shots_s
    from assay.measure.plan import describe, make

    study = load(json.loads(arguments.study))
    engines = manifest.discover(Path(), study, arguments.subsystem)
    folders = {e.name: Path("build") / e.subsystem / e.name for e in engines}
    made = make(
        study,
        arguments.subsystem,
        arguments.profile,
        builds={name: files.read_json(at / "build.json") for name, at in folders.items()},
        verifications={name: files.read_json(at / "verify.json") for name, at in folders.items()},
    )
    files.write_json(arguments.out, made)
    print(describe(made, shots_s(made, Path())))


def show(arguments: argparse.Namespace) -> None:
    """Print a plan, with the time it will take."""
    from assay.measure.expected import shots_s
    from assay.measure.plan import describe

    plan = files.read_json(arguments.plan)
    print(describe(plan, shots_s(plan, Path())))


def session(arguments: argparse.Namespace) -> None:
    """Run the shots of a plan, or those that are missing."""
    from assay.measure.session import run

    run(arguments.plan, arguments.out, Path.cwd())


def left(arguments: argparse.Namespace) -> None:
    """Tell what a study has done, what comes and how long it takes."""
    from assay.pipeline.outlook import left

    print(left(arguments.steps), flush=True)


def collect(arguments: argparse.Namespace) -> None:
    """Parse raw data into one tidy table."""
    from assay.analyse.collect import collect
    from assay.raw import merge
    from assay.raw.records import Pointer

    pointers: list[Pointer] = [files.read_json(path) for path in arguments.sessions]
    folders = [Path(pointer["session_dir"]) for pointer in pointers]
    collect(
        [*folders, *(other for folder in folders for other in merge.others(folder))], arguments.out
    )


def estimate(arguments: argparse.Namespace) -> None:
    """Estimate cells, ratios and the noise floor of a tidy table."""
    from assay.analyse.estimates import estimate

    estimate(arguments.tidy)


def judge(arguments: argparse.Namespace) -> None:
    """Judge claims by the tidy tables of a session."""
    from assay.analyse.verdicts import write

    write(arguments.claims, arguments.engines, arguments.tidy)


def notebook(arguments: argparse.Namespace) -> None:
    """Run a notebook."""
    from assay.present.pages.notebook import execute

    execute(arguments.source, arguments.executed, arguments.figures, arguments.data, arguments.out)


def page(arguments: argparse.Namespace) -> None:
    """Render an executed notebook."""
    from assay.present.pages.notebook import render

    render(Path(), arguments.executed, arguments.figures, arguments.out, arguments.reports)


def numbers(arguments: argparse.Namespace) -> None:
    """Write the page of every estimate."""
    from assay.present.pages.estimates import write

    write(Path(), arguments.data, arguments.name, arguments.out, arguments.reports)


def site(arguments: argparse.Namespace) -> None:
    """Render every report on the committed run; measures nothing."""
    from assay.engines import currency
    from assay.present.pages import site

    failed = site.write(Path(), currency.COMMITTED, arguments.folder)
    print(f"Open {arguments.folder / 'index.html'}")
    if arguments.archive:
        print(f"Packed {site.archive(arguments.folder)}")
    if failed:
        sys.exit("\n".join(["Reports that are incomplete:", *failed]))


def report(arguments: argparse.Namespace) -> None:
    """Render one report; on the committed run, if nothing else is given."""
    from assay.present.pages import site

    known = site.notebooks(Path(), arguments.data)
    if arguments.name not in known:
        sys.exit(f"{arguments.name}: expected one of {', '.join(sorted(known))}")
    if arguments.only:
        try:
            print(f"Open {site.figure(arguments.name, arguments.only, arguments.data)}")
        except LookupError as error:
            sys.exit(str(error.args[0]))
        return
    with tempfile.TemporaryDirectory() as logs:
        failed = site.report(Path(), arguments.name, arguments.data, site.REPORTS, Path(logs))
    print(f"Open {site.REPORTS / arguments.name}.html")
    if failed:
        sys.exit(f"It is incomplete: {failed}")


def pdf(arguments: argparse.Namespace) -> None:
    """Print rendered reports as PDF, each on one page, by a Chromium."""
    from assay.present.pages import sheet, site

    for name in arguments.names:
        printed = site.REPORTS / f"{name}.pdf"
        try:
            sheet.write(printed.with_suffix(".html"), printed)
        except LookupError as error:
            sys.exit(str(error.args[0]))
        print(f"Wrote {printed}")


def index(arguments: argparse.Namespace) -> None:
    """Write the front page, and what is missing of the study, in words."""
    from assay.pipeline.outcome import holes, left_out
    from assay.present.pages.index import write

    missing = holes(arguments.outcomes)
    write(Path(), arguments.data, arguments.out, missing)
    told = {"left_out": left_out(arguments.outcomes), "holes": list(map(str, missing))}
    files.write_json(arguments.holes, told)


def complete(arguments: argparse.Namespace) -> None:
    """Name every hole, and fail if there is one."""
    told = files.read_json(arguments.holes)
    missing = told["holes"]
    absent = "".join(f"Left out: {peer}\n" for peer in told["left_out"])
    print(f"{absent}Read the reports: {arguments.index}")
    if missing:
        counted = "1 hole" if len(missing) == 1 else f"{len(missing)} holes"
        sys.exit("\n".join([f"The study has {counted}:", *missing]))
    files.write_text(arguments.out, f"{absent}Nothing else is missing.\n")


def compare(arguments: argparse.Namespace) -> None:
    """Say what changed from session A to session B."""
    from assay.analyse import compare, sessions
    from assay.present.pages import comparison

    try:
        before, after = (sessions.find(name, Path.cwd()) for name in (arguments.a, arguments.b))
        comparisons = compare.compare(before, after, arguments.metric or ["time"])
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(compare.LOST)
    names = (arguments.a, arguments.b)
    print(comparison.markdown(comparisons, names))
    if arguments.html:
        files.write_text(arguments.html, comparison.page(Path.cwd(), comparisons, names))
    sys.exit(compare.code(comparisons))


def history(arguments: argparse.Namespace) -> None:
    """Say how an engine's times changed over the committed runs."""
    from assay.analyse import history
    from assay.present.pages import comparison

    table = history.read(history.HISTORY, arguments.subsystem)
    print(comparison.history(history.changes(table, arguments.engine)))


def renew(arguments: argparse.Namespace) -> None:
    """Put measured sessions in the place of the committed run's."""
    from assay.engines import currency
    from assay.pipeline.renew import renew
    from assay.present import subsystems
    from assay.present.pages import heat

    for written in renew(Path(), arguments.data, arguments.figures):
        print(f"Wrote {written}")
    print(f"Wrote {heat.keep(subsystems.load_all(currency.COMMITTED), currency.FIGURES)}")


def release_check(arguments: argparse.Namespace) -> None:
    """Fail if the committed run is stale: hot files changed since it ran."""
    from assay.engines import currency

    stale = list(currency.committed(Path()))
    if stale:
        print("\n".join(stale))
        sys.exit(1)
    print(f"{currency.COMMITTED} is current")


def dictionary(arguments: argparse.Namespace) -> None:
    """Write the data dictionary."""
    from assay.analyse.dictionary import write

    write(arguments.out)


def disk(arguments: argparse.Namespace) -> None:
    """Start, ask for or stop an emulated magnetic disk."""
    from assay.disk import rig
    from assay.disk.model import Model
    from assay.system.machine import scratch

    folder = arguments.folder or scratch(Path.cwd()) / "disk"
    if arguments.action == "start":
        model = Model(arguments.seek_ms, arguments.flush_ms, arguments.mb_per_s, arguments.size_mib)
        try:
            started = rig.start(folder, model)
        except rig.UnavailableError as error:
            sys.exit(str(error))
        print(f"{started.mount}: {model.words()}; process {started.pid}")
    elif arguments.action == "status":
        running = rig.status(folder)
        print(f"{running.mount}: {running.model.words()}" if running else "no disk runs")
    else:
        print("stopped" if rig.stop(folder) else "no disk ran")


def machine(arguments: argparse.Namespace) -> None:
    """Print the facts of this machine, and what of it adds noise."""
    from assay.measure import advice
    from assay.system.machine import facts, key, volatile

    known = facts(Path.cwd())
    print(advice.report(known, key(known), volatile()))


def parser() -> argparse.ArgumentParser:
    """The verbs and their arguments."""
    main = argparse.ArgumentParser(prog="assay", description="Read, compare and check a study.")
    main.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    verbs = main.add_subparsers(required=True, metavar="VERB")
    _for_people(verbs)
    before = set(verbs.choices)
    _for_rules(verbs)
    steps = ", ".join(name for name in verbs.choices if name not in before)
    main.epilog = (
        f"What the rules of the pipeline call: {steps}. `assay VERB --help` explains each."
    )
    return main


def _verb(verbs: Verbs, function: Verb, *, listed: bool) -> argparse.ArgumentParser:
    told = function.__doc__ or ""
    about = {"help": f"{told[0].lower()}{told[1:-1]}"} if listed else {}  # else not in the list
    name = function.__name__.replace("_", "-")
    added: argparse.ArgumentParser = verbs.add_parser(name, description=told, **about)
    added.set_defaults(run=function)
    return added


def _for_people(verbs: Verbs) -> None:
    def verb(function: Verb) -> argparse.ArgumentParser:
        return _verb(verbs, function, listed=True)

    pages = verb(site)
    pages.add_argument("--out", dest="folder", type=Path, default=Path("reports"), metavar="FOLDER")
    pages.add_argument("--archive", action="store_true", help="pack the folder as a file, too")
    one_page = verb(report)
    one_page.add_argument("name", metavar="NAME", help="as in notebooks/: acp, claims ...")
    one_page.add_argument("--data", type=Path, default=Path("data/reference"), metavar="FOLDER")
    one_page.add_argument("--only", metavar="FIGURE", help="draw one figure of it, and no page")
    sheets = verb(pdf)
    sheets.add_argument("names", metavar="NAME", nargs="+", help="of reports in reports/")
    checked = verb(doctor)
    checked.add_argument(
        "--config", type=setting, nargs="*", default=[], metavar="KEY=VALUE", help="as of snakemake"
    )
    compared = verb(compare)
    compared.description = (
        "A and B are folders of tidy data, keys of sessions, or commits. Prints Markdown. Exit "
        "code 0: nothing is slower or worse beyond the margin; 1: something is; 2: something of A "
        "cannot be compared, or the input is bad."
    )
    compared.add_argument("a", metavar="A", help="what was before")
    compared.add_argument("b", metavar="B", help="what came after")
    compared.add_argument(
        "--metric", action="append", help="compare by this metric, not by time; may be repeated"
    )
    compared.add_argument("--html", type=Path, help="write a page, too")
    past = verb(history)
    past.add_argument("subsystem", help="one below engines/")
    past.add_argument("engine", nargs="?", default="reference", help="by default the reference")
    kept = verb(renew)
    kept.add_argument("--data", type=Path, default=Path("data/tidy"), metavar="FOLDER")
    kept.add_argument("--figures", type=Path, default=Path("figures"), metavar="FOLDER")
    shown = verb(show)
    shown.add_argument("plan", type=Path, help="data/plans/SUBSYSTEM.PROFILE.json")
    verb(cache).add_argument("--empty", action="store_true", help="remove what is not in use")
    verb(machine)
    emulated = verb(disk)
    emulated.add_argument("action", choices=["start", "status", "stop"])
    emulated.add_argument("folder", type=Path, nargs="?", help="usually the place of sessions")
    emulated.add_argument("--seek-ms", type=float, default=8.0)
    emulated.add_argument("--flush-ms", type=float, default=4.0)
    emulated.add_argument("--mb-per-s", type=float, default=150.0)
    emulated.add_argument("--size-mib", type=int, default=4096)
    verb(release_check)
    written = verb(dictionary)
    written.add_argument("out", type=Path, help="data/README.md")


def _for_rules(verbs: Verbs) -> None:
    def verb(function: Verb, **paths: str) -> argparse.ArgumentParser:
        added = _verb(verbs, function, listed=False)
        for name, meaning in paths.items():
            added.add_argument(name, type=Path, help=meaning)
        return added

    tidy, outcome = "folder of the subsystem's tidy tables", "JSON file for the outcome"
    built = {"engine": "manifest", "tools": "JSON file of their versions", "out": outcome}
    verb(build, **built)
    gate = {"engine": "manifest", "built": "what `build` wrote", "out": outcome}
    verb(verify, **gate)
    planned = verb(plan)
    planned.add_argument("subsystem", help="one below engines/")
    planned.add_argument("profile", help="one below config/hardware/")
    planned.add_argument("study", help="the study as JSON, in the form of config/study.yaml")
    planned.add_argument("out", type=Path, help="JSON file for the plan")
    shots = {"plan": "what `plan` wrote", "out": "JSON file that says where the raw data is"}
    verb(session, **shots)
    verb(left, steps="its steps")
    collected = verb(collect)
    collected.add_argument("sessions", type=Path, nargs="+", help="what `session` wrote")
    collected.add_argument("--out", type=Path, required=True, help=tidy)
    verb(estimate, tidy=tidy)
    judged = {"claims": "YAML file", "engines": "folder of the subsystem's engines", "tidy": tidy}
    verb(judge, **judged)
    run = {"source": "notebook", "executed": "the same with its outputs", "figures": "folder"}
    executed = verb(notebook, **run, out=outcome)
    made = verb(page, executed="notebook", figures="folder", out="HTML file")
    every = verb(numbers)
    every.add_argument("name", help="of the subsystem")
    every.add_argument("out", type=Path, help="HTML file")
    for linking in (made, every):
        linking.add_argument("--reports", nargs="+", required=True, help="the names of all")
    front = verb(index, out="HTML file", holes="JSON file")
    front.add_argument("--outcomes", type=Path, nargs="*", default=[], help="of every step")
    for reading in (executed, every, front):
        reading.add_argument("--data", type=Path, required=True, help="folder of all tidy tables")
    verb(complete, index="HTML", holes="what index wrote of them", out="text file")


def main() -> None:
    """Run the verb of the command line; one that could not do its work ends with FAILED."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arguments = parser().parse_args()
    try:
        arguments.run(arguments)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)
    except Exception:
        traceback.print_exc()
        sys.exit(FAILED)
    if "out" in arguments:
        print(f"Wrote {arguments.out}")


if __name__ == "__main__":
    main()
