# From tidy data to pages that a person reads.


rule figures:
    input:
        notebook=notebook_of,
        tables=tables_read_by,
        races=races_told_by,
        published=sorted(map(str, Path("data/published").rglob("*.*"))),
        left_out="config/tiers/published.yaml",
        code=code_of_report,
    output:
        figures=directory("figures/{notebook}"),
        executed="logs/notebooks/{notebook}.ipynb",
        outcome="logs/notebooks/{notebook}.json",
    log:
        "logs/figures/{notebook}.log",
    priority: 2
    message:
        "Run notebook {wildcards.notebook} and draw its figures"
    shell:
        "python -m assay notebook {input.notebook} {output.executed} {output.figures}"
        " {output.outcome} --data data/tidy > {log} 2>&1"


# A first page minutes earlier. Nothing runs beside a session, so the next one waits for it. A page
# that is there already stays. Rule report makes each anew when all profiles are measured, and rule
# complete tells why it is incomplete.
rule preview:
    input:
        session=lambda wildcards: sessions_of(wildcards.subsystem)[0],
        claims=ancient("config/claims/{subsystem}.yaml"),
    output:
        directory("data/preview/{subsystem}"),
    log:
        "logs/preview/{subsystem}.log",
    message:
        "Show what the first session of {wildcards.subsystem} measured, before the next begins"
    shell:
        "(python -m assay collect {input.session} --out {output}"
        " && python -m assay estimate {output}"
        " && python -m assay judge {input.claims} engines/{wildcards.subsystem} {output}) > {log} 2>&1"
        " && (test -e reports/{wildcards.subsystem}.html"
        " || python -m assay report {wildcards.subsystem} --data data/preview 2>&1 | tee -a {log} || true)"


rule report:
    input:
        executed="logs/notebooks/{notebook}.ipynb",
        figures="figures/{notebook}",
        template=[*FRAME, *multiext(TEMPLATES, "conf.json", "index.html.j2")],
    output:
        page="reports/{notebook}.html",
        figures=directory("reports/figures/{notebook}"),
    log:
        "logs/report/{notebook}.log",
    priority: 2
    params:
        reports=NOTEBOOKS,
    message:
        "Render notebook {wildcards.notebook} as one page, its figures beside it"
    shell:
        "python -m assay page {input.executed} {input.figures} {output.page}"
        " --reports {params.reports} > {log} 2>&1"
        " && python -m assay left logs/steps.json"


rule numbers:
    input:
        tables=expand("data/tidy/{{subsystem}}/{table}.parquet", table=TABLES),
        template=[*FRAME, f"{TEMPLATES}estimates.html.j2"],
        code=[*CODE_OF_PAGES, *modules("present/pages", "estimates", "frame")],
    output:
        page="reports/estimates/{subsystem}.html",
    log:
        "logs/numbers/{subsystem}.log",
    priority: 2
    params:
        reports=NOTEBOOKS,
    message:
        "Write every estimate of {wildcards.subsystem} on a page of its own"
    shell:
        "python -m assay numbers {wildcards.subsystem} {output.page} --data data/tidy"
        " --reports {params.reports} > {log} 2>&1"


rule index:
    input:
        pages=pages(),
        tables=expand(
            "data/tidy/{subsystem}/{table}.parquet", subsystem=STUDY.subsystems, table=TABLES
        ),
        judged=expand(
            "data/tidy/{subsystem}/{table}.parquet",
            subsystem=sorted(set(CLAIMS).intersection(STUDY.subsystems)),
            table=JUDGED,
        ),
        races=races_told_by,
        published=sorted(map(str, Path("data/published").glob("*.csv"))),
        outcomes=outcomes(),
        notebooks=sorted({str(site.source(Path("."), name)) for name in NOTEBOOKS}),
        template=[*FRAME, f"{TEMPLATES}front.html.j2"],
        code=[
            *CODE_OF_PAGES,
            *modules("analyse", "judge", "scores"),
            *modules("pipeline", "outcome"),
            *package("present/pages"),
        ],
    output:
        page="reports/index.html",
        data=directory("reports/data"),
        holes="build/holes.json",
    log:
        "logs/index.log",
    localrule: True
    message:
        "Write the front page of the reports"
    shell:
        "python -m assay index {output.page} {output.holes} --data data/tidy"
        " --outcomes {input.outcomes} > {log} 2>&1"


rule complete:
    input:
        index="reports/index.html",
        holes="build/holes.json",  # and not all outcomes: an error shows the inputs of its rule
    output:
        "build/complete.txt",
    log:
        COMPLETE,
    localrule: True
    message:
        "Look for holes: whatever failed is named, and makes the run fail"
    shell:
        "python -m assay complete {input.index} {input.holes} {output} > {log} 2>&1"
