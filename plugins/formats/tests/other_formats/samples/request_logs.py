from __future__ import annotations

import json

from tests.formats.story import CHAT, Sample, lines

SAMPLES = (Sample("request-logs", lines({"msg": "started"}, {"body": json.dumps({"model": "m", "messages": CHAT})})),)
