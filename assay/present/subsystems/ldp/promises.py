"""What an answer of each engine promises, and what the scorecard rates it by."""

from assay.present.kit.subsystem import Promise, Score
from assay.present.subsystems.ldp import operations as ldp

_STORE = "store_bytes_per_resource"


def _scores(durability: str) -> tuple[Score, ...]:
    get, start, put = ldp.GET, ldp.START, ldp.write_variant(durability)
    return (
        Score("write", "PUT", "put", put),
        Score("read", "GET of the parent", get.workload, get.variant()),
        Score("space", "store, a resource", start.workload, start.variant(), _STORE),
        Score("memory", "peak of the server, PUT", "put", put, "peak_memory"),
        Score("start", "until the first answer", start.workload, start.variant()),
    )


PROMISES = tuple(
    Promise(
        words,
        (
            ldp.REFERENCE,
            *(
                name
                for name, own in ldp.DURABILITY.items()
                if own == durability and name != ldp.REFERENCE
            ),
        ),
        _scores(durability),
    )
    for durability, words in ldp.DURABLE.items()
)
