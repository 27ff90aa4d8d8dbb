# From binaries to raw data. Nothing else runs beside a session.


rule plan:
    input:
        manifests=lambda wildcards: [
            ENGINES[wildcards.subsystem, engine].path for engine in engines_of(wildcards.subsystem)
        ],
        builds=builds,
        verifications=verifications,
        hardware="config/hardware/{profile}.yaml",
        tiers=[str(path) for path in sorted(tiers.FOLDER.glob("*.yaml"))],
        printed=lambda wildcards: sorted(
            map(str, printed.FOLDER.glob(f"{wildcards.subsystem}.csv"))
        ),
        code=[
            *modules("analyse", "arms"),
            *modules("inputs", "alone", "manifest", "placeholders", "printed"),
            *modules("inputs", "study", "tiers", "validation", "variant"),
            *modules("raw", "layout", "records", "shotlog"),
            *package("measure"),
        ],
    output:
        "data/plans/{subsystem}.{profile}.json",
    log:
        "logs/plan/{subsystem}.{profile}.log",
    priority: 1
    localrule: True
    params:
        study=STUDY.settings,
    message:
        "Draw up every shot of {wildcards.subsystem} under profile {wildcards.profile}, in seeded random blocks"
    shell:
        "python -m assay plan {wildcards.subsystem} {wildcards.profile} {params.study:q} {output} > {log} 2>&1"


rule session:
    input:
        plan="data/plans/{subsystem}.{profile}.json",
        turn=ancient(turn_of_session),
    output:
        "data/sessions/{subsystem}.{profile}.json",
    log:
        "logs/session/{subsystem}.{profile}.log",
    threads: workflow.cores
    message:
        "Measure {wildcards.subsystem} under profile {wildcards.profile}, one fresh process at a time, alone on this machine"
    shell:
        "python -m assay session {input.plan} {output} 2>&1 | tee {log}"
        " && python -m assay left logs/steps.json"
