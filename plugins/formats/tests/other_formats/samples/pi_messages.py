from __future__ import annotations

from tests.formats.samples.pi import PI
from tests.formats.story import Sample, lines, value

SAMPLES = (
    Sample("pi-messages", value(PI)),
    Sample("pi-messages", lines(*PI)),
    Sample("pi-messages", value({"systemPrompt": "", "messages": PI})),
)
