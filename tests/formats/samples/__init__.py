"""Small files of each format, made by hand, in one module for each module of `message_history.formats`.

Where `message_history_formats` is installed, its samples are among them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tests.formats.story import samples_in

SAMPLES = samples_in(__name__, __path__)
if find_spec("message_history_formats") is not None:
    SAMPLES += import_module("other_formats.samples").SAMPLES
