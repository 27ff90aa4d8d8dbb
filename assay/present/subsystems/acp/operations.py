"""What the report on document access control compares: engines, operations, contracts."""

from assay.present.kit.operations import Operation

REFERENCE, NEW, OLD = "reference", "acp-core-2025", "acp-core-2024"

PUBLISHED_ENGINES = (REFERENCE, NEW, OLD)
"""The engines of the published tables, and ours."""

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
FIRST_CHECKS, FIRST_IS_REGISTERED = (
    Operation(f"{later.label}, the first ten times", later.workload, (("mode", "cold"), _MEMORY))
    for later in (CHECK, IS_REGISTERED)
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

CONTRACT = {
    "refuses_second_owner": "refuses a second owner",
    "refuses_invalid_actor": "refuses an actor that is no DID",
    "refuses_strangers_grant": "lets only the owner share",
    "survives_close": "is there after a restart",
}
"""What a registration promises, found out by the bench itself: metric, and its meaning."""
