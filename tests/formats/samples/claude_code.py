from __future__ import annotations

from tests.formats.story import CLAUDE, Sample, lines

CLAUDE_CODE = [
    {
        "type": message["role"],
        "uuid": f"u{n}",
        "parentUuid": f"u{n - 1}" if n else None,
        "sessionId": "s",
        "message": message,
    }
    for n, message in enumerate(CLAUDE)
]
SAMPLES = (Sample("claude-code", lines({"type": "summary", "summary": "x", "leafUuid": "u3"}, *CLAUDE_CODE)),)
