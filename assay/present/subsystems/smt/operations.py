"""What the report on sparse Merkle tries compares: engines, operations."""

from assay.analyse.theory import OF_THIS_FORMAT
from assay.present.kit.operations import Operation

REFERENCE, LIBRARY, LATER_LIBRARY = OF_THIS_FORMAT

TRIES = {"smt": "SMT", "smst": "SMST"}
EQUAL = {"smt": LIBRARY, "smst": LATER_LIBRARY}
"""The published library of each trie, in the first version that we know with the same roots as
ours: v0.10.2 is that of the report, but its sum trie counts no leaves."""

WITH_ROOT = "time_with_root"
"""Time with a share of the root that is asked for afterwards: fair where there is no commit, for
one engine queues keys and another changes nodes at once."""

FILL = Operation("fill an empty trie and compute its root, the fastest way", "fill")
ONE_BY_ONE = Operation("fill it one key at a time, then commit once", "fill_one_by_one")
GET = Operation("look up a key that is there", "get_hit", (("how", "single"),))
PROVE = Operation("prove a key that is there", "prove_hit", (("how", "single"),))
UPDATE_ONE = Operation("update and commit, 1 key a batch", "update_commit", (("batch", 1),))
UPDATE_THOUSAND = Operation(
    "update and commit, 1,000 keys a batch", "update_commit", (("batch", 1_000),)
)
UPDATE_MANY = Operation(
    "update and commit, 10,000 keys a batch", "update_commit", (("batch", 10_000),)
)
DELETE_MANY = Operation(
    "delete and commit, 10,000 keys a batch", "delete_commit", (("batch", 10_000),)
)
DURABLE_HUNDRED = Operation(
    "update and commit to disk, 100 keys and one sync a batch", "durable_commit", (("batch", 100),)
)
DURABLE = Operation(
    "update and commit to disk, 10,000 keys and one sync a batch",
    "durable_commit",
    (("batch", 10_000),),
)
OPERATIONS = (
    *(FILL, ONE_BY_ONE, GET, PROVE),
    *(UPDATE_ONE, UPDATE_THOUSAND, UPDATE_MANY, DELETE_MANY),
    *(DURABLE_HUNDRED, DURABLE),
)
