# The study and its engines, and where the files of each step lie.

from pathlib import Path

from assay.engines import build, currency
from assay.inputs import claims, manifest, printed, tiers
from assay.inputs.study import load
from assay.measure import expected
from assay.pipeline import outlook, running
from assay.present.pages import site
from assay.raw import layout
from assay.system import files, machine, tools

STUDY = load(config)
ENGINES = {
    (engine.subsystem, engine.name): engine
    for subsystem in STUDY.subsystems
    for engine in manifest.discover(Path("."), STUDY, subsystem)
}
VERSIONS = {}
if workflow.is_main_process:  # a job of it may run on another machine, or while tools are installed
    running.forget_killed()
    VERSIONS = tools.versions(tools.needed(ENGINES.values()))
    build.forget_others(Path("build"), ENGINES.values(), VERSIONS)
CLAIMS = claims.load_all(Path("config/claims"), Path("engines"))
NOTEBOOKS = [*STUDY.subsystems, "overview", "claims", "method", "profiles"]
ESTIMATED = ["estimates", "ratios", "quotients", "costs", "noise", "scaling", "steps"]
TABLES = ["measurements", *ESTIMATED]
JUDGED = ["verdicts", "pairs"]
STATISTICS = ["medians", "ratios", "scaling"]  # of assay/analyse
JUDGING = ["judge", "pairs", "session", "verdicts"]
TOOLS = "build/tools.json"  # no input of a rule: other versions of its own tools forget a build
STEPS = "logs/steps.json"  # named in the rules that tell what is left
COMPLETE = "logs/complete.log"


wildcard_constraints:
    subsystem="[a-z]+",
    engine="[a-z0-9-]+",
    profile="[a-z0-9-]+",
    nth="[0-9]+",
    notebook="[a-z]+",


TEMPLATES = "notebooks/templates/assay/"
FRAME = [  # what stands around every page
    *multiext(TEMPLATES, "frame.html.j2", "page.css", "page.js", "tables.js"),
    "docs/design.md",  # the words and their meanings
]


def package(name):
    """The modules of a part of the harness: what they change, they make again."""
    return sorted(map(str, Path("assay", name).rglob("*.py")))


def modules(part, *names):
    """Single modules of a part."""
    return [f"assay/{part}/{name}.py" for name in names]


CODE_OF_PAGES = [  # of a subsystem, all pages show the names of its engines and its headlines
    *modules("inputs", "bounds", "claims", "manifest", "tiers", "variant"),
    *modules("engines", "currency"),
    *package("tables"),
    *modules("raw", "layout", "records"),
    *package("published"),
    *modules("analyse", "medians", "session", "theory"),
    *package("present/kit"),
    *package("present/sections"),
    *(
        path
        for path in package("present/subsystems")
        if Path(path).stem in ("__init__", "operations", "headlines")
    ),
]


def engine_manifest(wildcards):
    return ENGINES[wildcards.subsystem, wildcards.engine].path


def engine_sources(wildcards):
    return manifest.sources(ENGINES[wildcards.subsystem, wildcards.engine])


def gate_sources(wildcards):
    return manifest.gate_sources(ENGINES[wildcards.subsystem, wildcards.engine])


def engines_of(subsystem):
    return [name for owner, name in ENGINES if owner == subsystem]


def builds(wildcards):
    return expand(
        "build/{subsystem}/{engine}/build.json",
        subsystem=wildcards.subsystem,
        engine=engines_of(wildcards.subsystem),
    )


def verifications(wildcards):
    return expand(
        "build/{subsystem}/{engine}/verify.json",
        subsystem=wildcards.subsystem,
        engine=engines_of(wildcards.subsystem),
    )


def sessions_of(subsystem):
    return expand(
        "data/sessions/{subsystem}.{profile}.json",
        subsystem=subsystem,
        profile=STUDY.profiles_of(subsystem),
    )


def sessions(wildcards):
    return sessions_of(wildcards.subsystem)


def turn_of_session(wildcards):
    """Turns are numbered: builds wait for the first of their subsystem under whatever profile."""
    listed = STUDY.profiles_of(wildcards.subsystem)
    nth = listed.index(wildcards.profile) if wildcards.profile in listed else 0
    return f"build/{wildcards.subsystem}/{nth}.turn"


def turns(wildcards):
    listed = STUDY.profiles_of(wildcards.subsystem)
    return [f"build/{wildcards.subsystem}/{nth}.turn" for nth in range(len(listed))]


def session_ahead(wildcards):
    """The session after which it is this turn: the one before it in the study.

    Steps that were asked for by name wait for no other, and on a cluster each session has a node of
    its own.
    """
    if not one_after_the_other():
        return []
    order = [path for subsystem in STUDY.subsystems for path in sessions_of(subsystem)]
    own = order.index(sessions_of(wildcards.subsystem)[int(wildcards.nth)])
    return order[max(own - 1, 0) : own]


def page_ahead(wildcards):
    """Before a subsystem is measured under its second profile, its page shows the first."""
    waits = wildcards.nth == "1" and one_after_the_other()
    return [f"data/preview/{wildcards.subsystem}"] if waits else []


def one_after_the_other():
    """Whether sessions share a machine and none was asked for by name."""
    return workflow.local_exec and not workflow.dag_settings.targets


def sessions_of_others(wildcards):
    """Raw data of other machines, copied here.

    A session's pointer tells which machine is its own: on a cluster it is not this one.
    """
    pointers = [Path(path) for path in sessions(wildcards) if Path(path).exists()]
    own = {files.read_json(pointer)["machine"] for pointer in pointers}
    own = own or {machine.key(machine.facts(Path.cwd()))}
    found = layout.sessions(layout.RAW, wildcards.subsystem)
    logs = [folder / layout.SHOTS for folder in found if layout.place(folder).machine not in own]
    return [str(log) for log in logs if log.exists()]


def held_against(wildcards):
    """What measured values of a subsystem are held against: its printed numbers and its bounds."""
    name = wildcards.subsystem
    return filter(
        Path.exists, [Path(f"data/published/{name}.csv"), Path(f"config/bounds/{name}.yaml")]
    )


def tables_judged_by(wildcards):
    """Claims of a subsystem that is not in the study are listed without a session."""
    if wildcards.subsystem not in STUDY.subsystems:
        return []
    return expand("data/tidy/{{subsystem}}/{table}.parquet", table=TABLES)


def notebook_of(wildcards):
    return site.source(Path("."), wildcards.notebook)


def code_of_report(wildcards):
    """What a notebook is drawn with: that of a subsystem by its own figures, and by no other's."""
    if wildcards.notebook in STUDY.subsystems:
        own = package(f"present/subsystems/{wildcards.notebook}")
        return [*CODE_OF_PAGES, *own, *modules("present/pages", "frame", "method", "notebook")]
    method = [
        *modules("inputs", "study"),
        *modules(
            "analyse", "arms", "estimates", "judge", "pairs", "quotients", "scores", *STATISTICS
        ),
        *package("calibration"),
    ]
    return [*CODE_OF_PAGES, *method, *package("present/pages")]


def tables_read_by(wildcards):
    of_one = wildcards.notebook in STUDY.subsystems
    read = [wildcards.notebook] if of_one else STUDY.subsystems
    judged = (
        CLAIMS if wildcards.notebook == "claims" else set(CLAIMS).intersection([wildcards.notebook])
    )
    # Headlines compare pairs: a report shows its own, the overview all of them.
    compared = read if of_one or wildcards.notebook == "overview" else []
    names = [
        *expand("{subsystem}/{table}.parquet", subsystem=read, table=TABLES),
        *expand("{subsystem}/verdicts.parquet", subsystem=judged),
        *expand("{subsystem}/pairs.parquet", subsystem=filter(CLAIMS.get, compared)),
    ]
    # What the run of a page leaves out is shown from the committed ones.
    homes = (currency.COMMITTED, currency.REPRODUCTION)
    committed = [home / name for home in homes for name in names]
    return [*(f"data/tidy/{name}" for name in names), *filter(Path.exists, committed)]


def races_told_by(wildcards):
    """The manifests that say which metrics are raced: those of the reference engines."""
    of_one = wildcards.get("notebook") in STUDY.subsystems
    named = [wildcards.notebook] if of_one else STUDY.subsystems
    return [ENGINES[subsystem, "reference"].path for subsystem in named]


def pages():
    """Every page of this study but the front page, which stands on them."""
    return [
        *expand("reports/{notebook}.html", notebook=NOTEBOOKS),
        *expand("reports/estimates/{subsystem}.html", subsystem=STUDY.subsystems),
    ]


def outcomes():
    """Every file that can tell of a hole in this study."""
    return [
        *(
            f"build/{subsystem}/{engine}/{step}.json"
            for subsystem, engine in ENGINES
            for step in ("build", "verify")
        ),
        *expand("data/tidy/{subsystem}/measurements.parquet", subsystem=STUDY.subsystems),
        *expand("logs/notebooks/{notebook}.json", notebook=NOTEBOOKS),
    ]


def provide_tools():
    """Ask the tools for their versions before the first build; those that are missing are installed.

    Behind a turn there may be builds that are not known yet.
    """
    if any(job.rule.name in ("engine", "turn") for job in workflow.dag.needrun_jobs()):
        required = [e for e in ENGINES.values() if tiers.required(e, STUDY)]
        tools.record(ENGINES.values(), required, Path(TOOLS))


def steps_to_do():
    """What this run has to do: one subsystem after the other, then what reads all of them.

    A turn is nothing to do.
    """
    wanted = [job for job in workflow.dag.needrun_jobs() if job.output and job.rule.name != "turn"]
    return [step_to_do(job) for job in sorted(wanted, key=place)]


def place(job):
    """Where a job stands in a study: the place of its subsystem, then that of its rule."""
    rules = [rule.name for rule in workflow.rules]
    subject = job.wildcards.get("subsystem", job.wildcards.get("notebook"))
    turn = STUDY.subsystems.index(subject) if subject in STUDY.subsystems else len(ENGINES)
    return turn, rules.index(job.rule.name)


def step_to_do(job):
    name, words = job.rule.name, job.wildcards
    if name == "session":
        seconds = expected.session_s(STUDY, words.subsystem, words.profile)
    elif name == "engine":
        seconds = outlook.build_s(ENGINES[tuple(words)], VERSIONS) / workflow.cores
    elif name == "verification":
        seconds = outlook.gate_s(ENGINES[tuple(words)], VERSIONS) / workflow.cores
    else:
        seconds = outlook.RULE_S.get(name, outlook.SHORT_S) / workflow.cores
    return outlook.Step(
        f"{name} of {'/'.join(words)}" if words else name, str(job.output[0]), seconds
    )


def sessions_among(steps):
    """The expected seconds of each session that is to do, by its name."""
    return {step.name: step.seconds for step in steps if step.name.startswith("session of ")}


def tell_outcome():
    """Print what rule complete found in this run, so that it is the last that is read."""
    found = Path(COMPLETE)
    if found.exists() and found.stat().st_mtime >= Path(STEPS).stat().st_mtime:
        print(found.read_text(), end="", flush=True)
