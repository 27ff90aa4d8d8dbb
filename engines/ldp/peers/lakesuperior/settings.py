"""Write the settings of Lakesuperior: `settings.py STORE TEMPORARY` prints the folder they are in.

They are the ones it comes with, but for where data and logs are, and without the route of messages
to a broker of another program.
"""

import sys
from pathlib import Path

import lakesuperior  # the package alone, which reads no settings yet; most of its modules do
import yaml


def write(store, temporary):
    """Writes them below the folder `temporary`, for data in the folder `store`."""
    store, temporary = Path(store).resolve(), Path(temporary).resolve()
    store.mkdir(parents=True, exist_ok=True)
    folder = temporary / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (Path(lakesuperior.__file__).parent / "etc.defaults").glob("*.yml"):
        settings = yaml.safe_load(path.read_text())
        if path.name == "application.yml":
            settings["data_dir"] = str(store)
            settings["messaging"]["routes"] = []
        if path.name == "logging.yml":
            settings["handlers"]["logfile"]["filename"] = str(temporary / "lakesuperior.log")
        (folder / path.name).write_text(yaml.safe_dump(settings))
    return folder


if __name__ == "__main__":
    print(write(*sys.argv[1:]))
