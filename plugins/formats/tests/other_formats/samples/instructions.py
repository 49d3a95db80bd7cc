from __future__ import annotations

from tests.formats.story import ANSWER, QUESTION, Sample, lines, value

SAMPLES = (
    Sample("instructions", value([{"instruction": QUESTION, "input": "", "output": ANSWER}]), ("user", "answer")),
    Sample("instructions", lines({"prompt": QUESTION, "completion": ANSWER}), ("user", "answer")),
    Sample(
        "instructions",
        lines({"chosen": f"\n\nHuman: {QUESTION}\n\nAssistant: {ANSWER}", "rejected": "\n\nHuman: a\n\nAssistant: b"}),
        ("user", "answer"),
    ),
)
