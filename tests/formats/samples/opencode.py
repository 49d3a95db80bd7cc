from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, text, value

OPENCODE_TOOL = {
    "type": "tool",
    "callID": "c1",
    "tool": "read_file",
    "state": {"status": "completed", "input": ARGUMENTS, "output": RESULT},
}
OPENCODE = {
    "info": {"id": "s", "title": "A file"},
    "messages": [
        {"info": {"id": "1", "role": "user"}, "parts": [text(QUESTION)]},
        {
            "info": {"id": "2", "role": "assistant"},
            "parts": [{"type": "step-start"}, text(LOOKING), OPENCODE_TOOL, text(ANSWER)],
        },
    ],
}
SAMPLES = (Sample("opencode", value(OPENCODE)),)
