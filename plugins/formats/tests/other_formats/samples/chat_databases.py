from __future__ import annotations

import json

from tests.formats.samples.langchain_dumps import LANGCHAIN_FIELDS
from tests.formats.story import ANSWER, CHAT, Sample, lines, value

LANGCHAIN_ROWS = [
    {"id": n, "session_id": "s", "message": {"type": kind, "data": fields}}
    for n, (kind, fields) in enumerate(LANGCHAIN_FIELDS)
]
AGNO = {
    "session_id": "s",
    "session_type": "agent",
    "runs": [
        {"run_id": "r1", "messages": CHAT[:-1]},
        {"run_id": "r2", "messages": [{**CHAT[0], "from_history": True}, CHAT[-1]]},
    ],
}
SAMPLES = (
    Sample("langchain-rows", value(LANGCHAIN_ROWS)),
    Sample("langchain-rows", lines(*({**row, "message": json.dumps(row["message"])} for row in LANGCHAIN_ROWS))),
    Sample("agno", value([AGNO])),
    Sample("agno", value({"run_id": "r", "agent_id": "a", "session_id": "s", "content": ANSWER, "messages": CHAT})),
)
