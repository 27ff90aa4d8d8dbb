"""`settings.py STORE TEMPORARY`: writes the settings of Lakesuperior and prints the folder they are in.

They are the ones it comes with, but for where data and logs are, and without the route of messages
to a broker of another program.
"""

import os
import sys

import yaml

# Importing the package itself reads no settings yet; most of its modules do.
import lakesuperior

store, temporary = map(os.path.abspath, sys.argv[1:])
os.makedirs(store, exist_ok=True)
folder = os.path.join(temporary, "settings")
os.makedirs(folder, exist_ok=True)
defaults = os.path.join(os.path.dirname(lakesuperior.__file__), "etc.defaults")
for name in os.listdir(defaults):
    if not name.endswith(".yml"):
        continue
    with open(os.path.join(defaults, name)) as file:
        settings = yaml.safe_load(file)
    if name == "application.yml":
        settings["data_dir"] = store
        settings["messaging"]["routes"] = []
    if name == "logging.yml":
        settings["handlers"]["logfile"]["filename"] = os.path.join(temporary, "lakesuperior.log")
    with open(os.path.join(folder, name), "w") as file:
        yaml.safe_dump(settings, file)
print(folder)
