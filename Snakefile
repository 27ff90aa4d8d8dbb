# Assay: engines are built, checked, measured and reported.
# What to measure is in config/study.yaml; how a step works is in assay/; why is in docs/design.md.

from assay.inputs import study, validation
from snakemake.utils import min_version

min_version("9.0")

# Snakemake would take the last of two equal keys, and name no file where a byte is not UTF-8.
validation.read_yaml(study.FILE)


configfile: "config/study.yaml"


##### load rules #####


include: "workflow/rules/common.smk"
include: "workflow/rules/engines.smk"
include: "workflow/rules/measurement.smk"
include: "workflow/rules/analysis.smk"
include: "workflow/rules/reports.smk"


##### what a run tells at its ends #####


onstart:
    running.begin()
    provide_tools()
    steps = steps_to_do()
    outlook.write(steps, Path(STEPS))
    print(
        *outlook.table(sessions_among(steps)), outlook.left(Path(STEPS)), sep="\n", flush=True
    )


onsuccess:
    tell_outcome()


onerror:
    tell_outcome()


##### target rules #####


rule all:
    default_target: True
    input:
        "build/complete.txt",
        # What else is to be made again when it was deleted: Snakemake looks at targets only.
        pages(),
        outcomes(),
        expand("{folder}/{notebook}", folder=["figures", "reports/figures"], notebook=NOTEBOOKS),
        "reports/index.html",
        "reports/data",
    localrule: True
