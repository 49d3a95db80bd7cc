"""Fuzz one target, guided by the branches that are reached: `python -m tests.fuzzing NAME FOLDER -max_total_time=60`.

It needs atheris, and for `proxy` what is in `plugins`; FOLDER keeps the inputs that reached something new. What is
found goes to `test_found.py`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

atheris = import_module("atheris")

with atheris.instrument_imports(include=["message_history", "message_history_healing", "message_history_proxy"]):
    from tests.fuzzing.targets import TARGETS

    if find_spec("message_history_proxy"):
        sys.path.append(str(Path(__file__).parents[2] / "plugins/proxy/tests"))
        TARGETS |= import_module("proxying.targets").TARGETS

name, folder = sys.argv[1:3]
run, seeds = TARGETS[name]
Path(folder).mkdir(parents=True, exist_ok=True)
for number, seed in enumerate(seeds):
    (Path(folder) / f"seed-{number}").write_bytes(seed)
atheris.Setup([sys.argv[0], folder, *sys.argv[3:]], run)
atheris.Fuzz()
