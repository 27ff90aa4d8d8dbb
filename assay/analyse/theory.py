"""How many nodes a sparse Merkle trie of random keys has to hash, in closed form.

A key's path is a random string of bits. An inner node stands at a prefix that at least two keys
share; of the 2^d prefixes of d bits, each holds a key with probability 2^-d. A leaf or inner node
is hashed once after a batch when one of its keys was in the batch.
"""

from math import expm1, log1p, nan

from assay.inputs.variant import variant_keys
from assay.tables.rows import Row

DEPTHS = 256

LIBRARY = "pokt-smt-v0-10"
OF_THIS_FORMAT = ("reference", LIBRARY, "pokt-smt-v0-14")
"""The engines whose nodes, and so whose roots, are those of the published library."""

HASHED = ("fill", "fill_one_by_one", "update_commit")
"""Workloads whose number of node hashes follows from the shape of a trie of random keys."""

_DIGESTS = {"smt": 32, "smst": 48}


def digest(trie: str, engine: str = "reference") -> int:
    """Bytes of a node's digest: a hash, and in the sum trie the sum and the count of leaves.

    v0.10.2 counts no leaves.
    """
    return 40 if engine == LIBRARY and trie == "smst" else _DIGESTS[trie]


def expected(row: Row) -> float:
    """What a median is in theory: the node hashes of an operation, or the digests of a proof.

    NaN for anything else.
    """
    keys = variant_keys(row["variant"])
    if row["engine"] not in OF_THIS_FORMAT:
        return nan
    if row["metric"] == "hashes_per_op" and row["workload"] in HASHED:
        batch = int(keys.get("batch") or row["scale"])
        return hashes_per_update(row["scale"], min(batch, row["scale"]))
    if row["metric"] == "proof_bytes":
        return proof_siblings(row["scale"]) * digest(keys["trie"], row["engine"])
    return nan


def hashes_per_update(keys: float, batch: float) -> float:
    """Expected node hashes a key, when `batch` random keys of a trie of `keys` change together.

    A fill is the batch of all keys: 2.4427, of which the leaf is 1 and 1.4427 = 1 / ln 2 are inner
    nodes. A batch of one takes about log2(keys) + 2.33, one of b about log2(keys / b) + 2.4.
    """
    inner = sum(
        # 2^d prefixes: those with a key of the batch, less those where it is the only key.
        2.0**d * _held(d, batch) - batch * (1 - _held(d, keys - 1))
        for d in range(DEPTHS)
    )
    return 1 + inner / batch


def proof_siblings(keys: float) -> float:
    """Expected side nodes that are not empty, about log2(keys) + 0.33: what no codec can leave out.

    The levels without one are those that the leaf shares with its nearest neighbour.
    """
    return sum(_held(d + 1, keys - 1) for d in range(DEPTHS))


def _held(depth: int, keys: float) -> float:
    """The probability that one of `keys` random keys has a given prefix of `depth` bits."""
    return float(keys > 0) if depth == 0 else -expm1(keys * log1p(-(2.0**-depth)))
