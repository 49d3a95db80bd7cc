from __future__ import annotations

from tests.formats.story import GEMINI, Sample, lines

QWEN = [
    {"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s", "type": kind, "message": message}
    for n, (kind, message) in enumerate(zip(("user", "assistant", "tool_result", "assistant"), GEMINI, strict=True))
]
SAMPLES = (Sample("qwen-code", lines(*QWEN, {"uuid": "u4", "parentUuid": "u3", "sessionId": "s", "type": "system"})),)
