"""The words that the tidy tables may hold, and the names of the columns that are made of them."""

TIERS = ["smoke", "standard", "full", "published"]
STATUSES = ["ok", "failed", "timeout", "oom", "refused"]
BETTER = ["lower", "higher"]
KINDS = ["engine", "variant", "aa"]
PAIR_KINDS = ["named", "claimed"]
QUOTIENTS = ["published", "bound", "theory", "scale", "session"]
VERDICTS = ["slower", "faster", "worse", "better", "within noise", "no inference"]
COLUMNS = ["write", "read", "space", "memory", "start"]
"""Columns of the scorecard that hold a ratio."""
BASES = ["workload", "pooled"]
LAWS = ["constant", "log n", "n", "n log n", "n^2", "power"]
"""How a cost may grow with the scale n; all but the power law with a fixed cost beside."""
NO_LAW = "no law fits within the noise"
"""What the note of a curve says that none of them fits."""
PERCENTILES = {5: 100, 25: 20, 75: 20, 95: 100}
"""Percentiles and how many values each needs: 5 beyond it."""
STATISTICS = ["", "median", "ratio", "exponent"]
CLAIM_VERDICTS = [
    *("contradicted", "contradicted by range", "stale", "inconclusive", "equivalent"),
    *("supported by range", "supported", "not testable here"),
]
"""From what weighs most in a claim over several scales to what weighs least.

By range: too few blocks for an interval, but each of them says the same.
"""


POOLED = {"workload": "*", "engine": "reference", "variant": "", "scale": 0, "metric": "time"}
"""The row of table `quotients` that has all cells of the reference engine together."""


def session_of(machine: str, profile: str) -> str:
    """A session, as the quotients over it name it."""
    return f"{profile} on {machine}"


def percentile(share: int) -> str:
    """The column of table `estimates` that holds a percentile."""
    return f"p{share:02}"


def weight_of(law: str) -> str:
    """The column of table `scaling` that holds the Akaike weight of a law."""
    return "weight_" + law.replace(" ", "_").replace("^", "")
