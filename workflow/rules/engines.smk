# From sources to binaries that are known to be right.
# What the store of builds and gates holds is not done again: assay/engines/store.py.
# A step that fails says so in its JSON file and does not stop the study: rule complete reports it.


# Its file is `ancient` to what waits for it: to be measured later is no reason to be made again.
# A job that is to run hides from Snakemake the reasons of all that lies behind it, also behind such
# a file. After a checkpoint it looks again.
checkpoint turn:
    input:
        session_ahead,
        page_ahead,
    output:
        touch("build/{subsystem}/{nth}.turn"),
    localrule: True
    message:
        "It is the turn of {wildcards.subsystem}, session {wildcards.nth}"


rule engine:
    input:
        manifest=engine_manifest,
        sources=engine_sources,
        turn=ancient("build/{subsystem}/0.turn"),
    output:
        "build/{subsystem}/{engine}/build.json",
    log:
        "logs/engine/{subsystem}.{engine}.log",
    priority: 1
    params:
        tools=TOOLS,
    message:
        "Build {wildcards.subsystem}/{wildcards.engine} from source"
    shell:
        "python -m assay build {input.manifest} {params.tools} {output} > {log} 2>&1"
        " && python -m assay left logs/steps.json"


rule verification:
    input:
        manifest=engine_manifest,
        sources=gate_sources,
        build="build/{subsystem}/{engine}/build.json",
    output:
        "build/{subsystem}/{engine}/verify.json",
    log:
        "logs/verification/{subsystem}.{engine}.log",
    priority: 1
    message:
        "Check that {wildcards.subsystem}/{wildcards.engine} answers right before it is timed"
    shell:
        "python -m assay verify {input.manifest} {input.build} {output} > {log} 2>&1"
        " && python -m assay left logs/steps.json"
