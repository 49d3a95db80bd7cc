from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, FULL, LOOKING, RESULT, Sample, lines

OPENCODE_STREAM: list[dict[str, Any]] = [
    {"type": kind, "timestamp": 1, "sessionID": "s", "part": part}
    for kind, part in (
        ("step_start", {"type": "step-start"}),
        ("text", {"type": "text", "text": LOOKING}),
        (
            "tool_use",
            {
                "type": "tool",
                "callID": "c1",
                "tool": "read_file",
                "state": {"status": "completed", "input": ARGUMENTS, "output": RESULT},
            },
        ),
        ("text", {"type": "text", "text": ANSWER}),
        ("step_finish", {"type": "step-finish"}),
    )
]
SAMPLES = (Sample("opencode-stream", lines(*OPENCODE_STREAM), FULL[1:]),)
