# From raw data to estimates and verdicts.


rule measurements:
    input:
        sessions=sessions,
        turns=ancient(turns),  # before them it is not known whether the sessions are to be taken anew
        merged=sessions_of_others,
        code=[
            *modules("inputs", "variant"),
            *package("raw"),
            *package("tables"),
            *modules("analyse", "agreement", "collect"),
        ],
    output:
        "data/tidy/{subsystem}/measurements.parquet",
        "data/tidy/{subsystem}/measurements.csv",
        "data/tidy/{subsystem}/session.json",
    log:
        "logs/measurements/{subsystem}.log",
    priority: 2
    message:
        "Parse what the harnesses of {wildcards.subsystem} printed into one tidy, checked table"
    shell:
        "python -m assay collect {input.sessions} --out data/tidy/{wildcards.subsystem} > {log} 2>&1"


rule estimates:
    input:
        measurements="data/tidy/{subsystem}/measurements.parquet",
        against=held_against,
        code=[
            *modules("inputs", "bounds", "claims", "variant"),
            *modules("published", "__init__"),
            *package("tables"),
            *modules("analyse", "estimates", "quotients", "theory", *STATISTICS),
        ],
    output:
        expand(
            "data/tidy/{{subsystem}}/{table}.{form}",
            table=ESTIMATED,
            form=["parquet", "csv"],
        ),
    log:
        "logs/estimates/{subsystem}.log",
    priority: 2
    message:
        "Estimate medians, ratios, growth and the noise floor of {wildcards.subsystem}, with intervals"
    shell:
        "python -m assay estimate data/tidy/{wildcards.subsystem} > {log} 2>&1"


rule verdicts:
    input:
        claims="config/claims/{subsystem}.yaml",
        tables=tables_judged_by,
        code=[
            *modules("inputs", "claims", "manifest", "variant"),
            *modules("raw", "records"),
            *package("tables"),
            *modules("analyse", *JUDGING, *STATISTICS),
        ],
    output:
        expand("data/tidy/{{subsystem}}/{table}.{form}", table=JUDGED, form=["parquet", "csv"]),
    log:
        "logs/verdicts/{subsystem}.log",
    priority: 2
    message:
        "Judge what is claimed of {wildcards.subsystem} by what was measured, and compare its pairs"
    shell:
        "python -m assay judge {input.claims} engines/{wildcards.subsystem}"
        " data/tidy/{wildcards.subsystem} > {log} 2>&1"
