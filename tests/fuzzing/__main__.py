"""Fuzz one target, guided by the branches that are reached: `python -m tests.fuzzing NAME FOLDER -max_total_time=60`.

It needs atheris; FOLDER keeps the inputs that reached something new. What is found goes to `test_found.py`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

atheris = import_module("atheris")

with atheris.instrument_imports(include=["message_history"]):
    from tests.fuzzing.targets import TARGETS

name, folder = sys.argv[1:3]
run, seeds = TARGETS[name]
Path(folder).mkdir(parents=True, exist_ok=True)
for number, seed in enumerate(seeds):
    (Path(folder) / f"seed-{number}").write_bytes(seed)
atheris.Setup([sys.argv[0], folder, *sys.argv[3:]], run)
atheris.Fuzz()
