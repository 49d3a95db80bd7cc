"""The samples of all formats: of our own, and of those of `message_history_formats` where that is installed.

They are not put together in `samples`, from which those of the plug-in import.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tests.formats.samples import SAMPLES as OWN

SAMPLES = OWN
if find_spec("message_history_formats") is not None:
    SAMPLES += import_module("other_formats.samples").SAMPLES
