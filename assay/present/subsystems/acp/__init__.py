"""What the report on document access control compares: operations, engines, headlines."""

from collections.abc import Iterable

from assay.present.kit.evidence import Evidence
from assay.present.kit.operations import Operation
from assay.present.kit.quantities import sentence
from assay.present.sections.findings import Finding, NamedCell, compare, no_data, noise_floor, peers

REFERENCE, NEW, OLD = "reference", "acp-core-2025", "acp-core-2024"

TITLES = {
    REFERENCE: "reference engine",
    NEW: "new published engine",
    OLD: "old published engine",
}
"""The engines of the published tables."""

ENGINES = (REFERENCE, NEW, "openfga", "spicedb", "casbin", "cedar-go", OLD)
"""The reference, the published engine, and the peers: the order of colours."""

FIGURES = {
    "register": "register",
    "check_doc_access": "check",
    "is_doc_registered": "is-registered",
    "check_readers": "depth",
    "check_chain": "depth",
    "check_folder": "depth",
    "check_algebra": "depth",
    "check_denied": "peers",
    "grant": "sharing",
    "revoke": "sharing",
    "list_docs": "lists",
    "list_actors": "lists",
    "batch_check": "lists",
    "register_sync": "durability",
    "open": "whole-process",
    "recover": "whole-process",
    "bulk_import": "whole-process",
    "explain": "explained",
    "policy_compile": "policies",
}
"""The figure of the report that shows a workload."""

STORES = {"memory": "in memory", "persistent": "on disk"}

_MEMORY = ("store", "memory")
REGISTER = Operation("register documents, one a call", "register", (_MEMORY,))
REGISTER_PERSISTENT = Operation(
    "register documents on disk, without a sync", "register", (("store", "persistent"),)
)
CHECK = Operation("check the access of the owner", "check_doc_access", (("mode", "warm"), _MEMORY))
IS_REGISTERED = Operation(
    "ask whether a document is registered", "is_doc_registered", (("mode", "warm"), _MEMORY)
)
DENIED = Operation("refuse a stranger", "check_denied", (_MEMORY,))
GRANT = Operation("make an actor a reader", "grant", (_MEMORY,))
REVOKE = Operation("take that back", "revoke", (_MEMORY,))
BATCH = Operation("check in one call", "batch_check", (_MEMORY,))
LIST_DOCS = Operation("list all documents of an owner", "list_docs", (_MEMORY,))
LIST_ACTORS = Operation("list all readers of a document", "list_actors", (_MEMORY,))
READERS = Operation("refuse a stranger a document of many readers", "check_readers", (_MEMORY,))
CHAIN = Operation("check through a chain of groups", "check_chain")
FOLDER = Operation("check through nested folders", "check_folder")
ALGEBRA = Operation("check a union, intersection and difference", "check_algebra")
COMPILE = Operation("read a policy", "policy_compile")

PUBLISHED = (REGISTER, REGISTER_PERSISTENT, CHECK, IS_REGISTERED)
OPERATIONS = (
    *PUBLISHED,
    *(DENIED, GRANT, REVOKE, BATCH, LIST_DOCS, LIST_ACTORS),
    *(READERS, CHAIN, FOLDER, ALGEBRA),
)

_BESIDE_PEERS = (REGISTER, CHECK, IS_REGISTERED, GRANT, REVOKE, LIST_DOCS)
"""The operations whose peers are a headline: those of the report, and those where one is ahead."""

CONTRACT = {
    "refuses_second_owner": "refuses a second owner",
    "refuses_invalid_actor": "refuses an actor that is no DID",
    "refuses_strangers_grant": "lets only the owner share",
    "survives_close": "is there after a restart",
}
"""What a registration promises, found out by the bench itself: metric, and its meaning."""


def findings(evidence: Evidence) -> list[Finding]:
    """The headlines: the published engine, its two generations, right answers, peers, noise."""
    return [
        *(against_published(evidence, operation) for operation in PUBLISHED),
        generations(evidence),
        *(answers(evidence)),
        *(peers(evidence, one.workload) for one in _BESIDE_PEERS),
        noise_floor(evidence),
    ]


def against_published(evidence: Evidence, operation: Operation) -> Finding:
    """The new generation of the published engine against the reference engine."""
    cell, base = (
        NamedCell(f"the {TITLES[engine]}", engine, operation.variant())
        for engine in (NEW, REFERENCE)
    )
    return compare(evidence, operation.label.capitalize(), operation.workload, cell, base)


def generations(evidence: Evidence) -> Finding:
    """The old generation against the new one: what the published report is about."""
    cell, base = (
        NamedCell(f"the {TITLES[engine]}", engine, REGISTER.variant()) for engine in (OLD, NEW)
    )
    question = "What the published engine gained"
    return compare(evidence, question, REGISTER.workload, cell, base)


def answers(evidence: Evidence) -> list[Finding]:
    """How many checks each engine answers as set semantics does."""
    checks, right = (_counts(evidence, metric) for metric in ("checks", "right"))
    question = "Right answers"
    if not right:
        why = evidence.missing("algebra", engine=REFERENCE)
        return [no_data(question, ("the reference engine", why))]
    said = [
        f"{engine_title(engine)} {count:,.0f} of {checks[engine]:,.0f}"
        for engine, count in sorted(right.items(), key=lambda item: -item[1] / checks[item[0]])
    ]
    return [
        Finding(
            question,
            f"Checks of random policies answered as plain set semantics does: {sentence(said)}.",
            "counted",
        )
    ]


def _counts(evidence: Evidence, metric: str) -> dict[str, float]:
    """A counter of workload `algebra` by engine, at the largest scale of each."""
    cells = evidence.cells("algebra", metric).dropna(subset="median").sort_values("scale")
    return dict(zip(cells["engine"], cells["median"], strict=True))


def engine_title(engine: str) -> str:
    """The name of an engine in figures and tables."""
    return TITLES.get(engine, engine)


def promises(evidence: Evidence, engines: Iterable[str]) -> str:
    """What a registration promises with each engine that was measured, for a caption."""
    alike: dict[str, list[str]] = {}
    for engine in engines:
        tried = {
            title: evidence.cells("register", metric, engine=engine)["median"].dropna()
            for metric, title in CONTRACT.items()
        }
        if any(map(len, tried.values())):
            kept = ", ".join(title for title, found in tried.items() if found.any())
            alike.setdefault(kept or "nothing of this", []).append(engine_title(engine))
    said = [f"{sentence(names)}: {kept}" for kept, names in alike.items()]
    return "What a registration promises: " + "; ".join(said) + "."
