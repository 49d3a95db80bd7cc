from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines

SAMPLES = (
    Sample("preferences", lines({"prompt": CHAT[:1], "completion": CHAT[1:]})),
    Sample("preferences", lines({"input": {"messages": CHAT[:1]}, "preferred_output": CHAT[1:]})),
)
