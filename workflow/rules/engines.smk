# From sources to binaries that are known to be right.
# What the store of builds and gates holds is not done again: assay/store.py.
# A step that fails says so in its JSON file and does not stop the study: rule complete reports it.


rule toolchain:
    output:
        "build/toolchain.json",
    log:
        "logs/toolchain.log",
    localrule: True
    params:
        versions=toolchain.versions(),
    message:
        "Ask the tools for their versions"
    shell:
        "python -m assay toolchain {output} > {log} 2>&1"


rule engine:
    input:
        manifest=engine_manifest,
        sources=engine_sources,
        toolchain="build/toolchain.json",
    output:
        "build/{subsystem}/{engine}/build.json",
    log:
        "logs/engine/{subsystem}.{engine}.log",
    priority: 2
    message:
        "Build {wildcards.subsystem}/{wildcards.engine} from source"
    shell:
        "python -m assay build {input.manifest} {input.toolchain} {output} > {log} 2>&1"


rule verification:
    input:
        manifest=engine_manifest,
        sources=gate_sources,
        build="build/{subsystem}/{engine}/build.json",
    output:
        "build/{subsystem}/{engine}/verify.json",
    log:
        "logs/verification/{subsystem}.{engine}.log",
    priority: 2
    message:
        "Check that {wildcards.subsystem}/{wildcards.engine} answers right before it is timed"
    shell:
        "python -m assay verify {input.manifest} {input.build} {output} > {log} 2>&1"
