"""Table `slowdowns`: what a profile or a machine costs, by the same cells in several sessions."""

import pandas as pd

from assay.tables import schemas
from assay.tables.rows import records

_CELL = ["workload", "engine", "variant", "scale"]


def table(estimates: pd.DataFrame, machine: str, base: str) -> pd.DataFrame:
    """Times of each other session over those under profile `base` on `machine`.

    Sessions share no blocks, so the interval is made of the ends of both 95 % intervals of the
    medians: it is wider than it need be. It is null where either is.
    """
    times = estimates[estimates["metric"] == "time"]
    is_base = (times["machine"] == machine) & (times["profile"] == base)
    first = times[is_base].set_index(_CELL)[["median", "ci_low", "ci_high"]].add_prefix("base_")
    rows = times[~is_base].join(first, on=_CELL, how="inner")
    made = rows[["machine", "profile", *_CELL, "median", "base_median"]].copy()
    made["slowdown"] = rows["median"] / rows["base_median"]
    made["low"] = rows["ci_low"] / rows["base_ci_high"]
    made["high"] = rows["ci_high"] / rows["base_ci_low"]
    made = made.rename(columns={"low": "ci_low", "high": "ci_high"})
    return schemas.table("slowdowns", records(made))
