from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, text, value

LANGCHAIN_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("human", {"content": QUESTION}),
    (
        "ai",
        {
            "content": LOOKING,
            "tool_calls": [{"name": "read_file", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}],
            "invalid_tool_calls": [],
        },
    ),
    ("tool", {"content": RESULT, "tool_call_id": "c1"}),
    ("ai", {"content": [text(ANSWER)], "tool_calls": []}),
]
LANGCHAIN_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
DUMPD = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", LANGCHAIN_CLASSES[kind]],
        "kwargs": {"type": kind, **fields},
    }
    for kind, fields in LANGCHAIN_FIELDS
]
SAMPLES = (
    Sample("langchain", value(DUMPD)),
    Sample("langchain", value([{"type": kind, "data": fields} for kind, fields in LANGCHAIN_FIELDS])),
    Sample(
        "langchain", value({"values": {"messages": [{"type": kind, **fields} for kind, fields in LANGCHAIN_FIELDS]}})
    ),
)
