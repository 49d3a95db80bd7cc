from __future__ import annotations

from tests.formats.story import ANSWER, QUESTION, TALK, Sample

AIDER = f"""
# aider chat started at 2026-01-02 03:04:05

> Model: m
#### {QUESTION}

{ANSWER}

> Tokens: 1k sent
"""
SAMPLES = (Sample("aider", AIDER.encode(), TALK),)
