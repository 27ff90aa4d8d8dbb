"""The machine that published numbers come from, beside the one of a session."""

from assay import published
from assay.present.kit.evidence import Evidence
from assay.present.kit.tables import Html, table, text
from assay.present.sections.report import processor

NOT_STATED = "not stated"


def beside(evidence: Evidence) -> Html:
    """One row a fact, one column a machine: the published ones, then that of the session."""
    known = published.machines()
    theirs = known[known["subsystem"] == evidence.folder.name].to_dict("records")
    facts = evidence.facts["machine_facts"]
    ours = {
        "machine": evidence.facts["machine"],
        "cpu": processor(evidence.facts),
        "cpus": str(facts["cpus"]),
        "memory": f"{facts['memory_gib']} GiB",
        "disk": str(facts["file_system"]),
        "os": str(facts["system"]),
        "profile": evidence.facts["profile"],
        "not_stated": "",
    }
    names = {"cpu": "processor", "cpus": "CPUs", "disk": "disk, file system", "os": "system"}
    rows = [
        {
            "fact": names.get(fact, fact.replace("_", " ")),
            **{
                f"published{i}": machine.get(fact) or NOT_STATED for i, machine in enumerate(theirs)
            },
            "ours": ours[fact] or ("" if fact == "not_stated" else NOT_STATED),
        }
        for fact in ours
    ]
    columns = [text("fact", "fact")]
    columns += [
        text(f"published: {machine['source']}", f"published{i}") for i, machine in enumerate(theirs)
    ]
    return table(rows, [*columns, text("here", "ours")], "The machines")
