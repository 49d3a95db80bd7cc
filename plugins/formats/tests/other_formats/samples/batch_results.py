from __future__ import annotations

from tests.formats.story import CHAT, Sample, lines

BATCH_RESULT = {"custom_id": "s", "response": {"status_code": 200, "body": {"choices": [{"message": CHAT[3]}]}}}
SAMPLES = (Sample("batch-results", lines(BATCH_RESULT), ("answer",)),)
