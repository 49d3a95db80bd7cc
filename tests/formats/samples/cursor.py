from __future__ import annotations

from tests.formats.story import CLAUDE, Sample, lines

SAMPLES = (
    Sample("cursor", lines(*({"role": each["role"], "message": {"content": each["content"]}} for each in CLAUDE))),
)
