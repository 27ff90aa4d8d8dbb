"""Tables as files: parquet and CSV, checked against their schema when written and when read."""

from pathlib import Path

import pandas as pd

from assay.system import files
from assay.tables import schemas


def write(name: str, table: pd.DataFrame, folder: Path) -> None:
    """Write the table called `name` to `folder` as parquet, and as CSV for people.

    ValueError when it does not agree with its schema; then nothing is written.
    """
    schemas.check(name, table, str(folder / name))
    files.replace(folder / f"{name}.parquet", lambda path: table.to_parquet(path, index=False))
    files.replace(folder / f"{name}.csv", lambda path: table.to_csv(path, index=False))


def read(path: Path | str) -> pd.DataFrame:
    """The table in a parquet file that `write` made; its name picks the schema.

    ValueError when it does not agree with it.
    """
    path = Path(path)
    return schemas.check(path.stem, pd.read_parquet(path), str(path))
