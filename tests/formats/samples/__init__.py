"""Small files of each format, made by hand, in one module for each module of `message_history.formats`."""

from __future__ import annotations

from tests.formats.story import samples_in

SAMPLES = samples_in(__name__, __path__)
