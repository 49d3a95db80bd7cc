from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, TALK, TEXT_ARGUMENTS, Sample, text, value

ZED_CALL = {"id": "c1", "name": "read_file", "raw_input": TEXT_ARGUMENTS, "input": ARGUMENTS, "is_input_complete": True}
ZED_RESULT = {"tool_use_id": "c1", "tool_name": "read_file", "is_error": False, "output": None}
ZED: dict[str, Any] = {
    "version": "0.3.0",
    "title": "A file",
    "updated_at": "t",
    "messages": [
        {"User": {"id": "u", "content": [{"Text": QUESTION}]}},
        {
            "Agent": {
                "content": [{"Text": LOOKING}, {"ToolUse": ZED_CALL}],
                "tool_results": {"c1": {**ZED_RESULT, "content": [{"Text": RESULT}]}},
                "reasoning_details": None,
            }
        },
        "Resume",
        {"Agent": {"content": [{"Text": ANSWER}], "tool_results": {}}},
    ],
}
ZED_OLD: dict[str, Any] = {
    "version": "0.2.0",
    "summary": "A file",
    "updated_at": "t",
    "messages": [
        {"id": 0, "role": "user", "segments": [text(QUESTION)], "context": "", "is_hidden": False},
        {
            "id": 1,
            "role": "assistant",
            "segments": [text(LOOKING)],
            "tool_uses": [{"id": "c1", "name": "read_file", "input": ARGUMENTS}],
            "tool_results": [{**ZED_RESULT, "content": RESULT}],
        },
        {"id": 2, "role": "assistant", "segments": [text(ANSWER)]},
    ],
}
ZED_TEXT: dict[str, Any] = {
    "id": "s",
    "zed": "context",
    "version": "0.4.0",
    "text": f"{QUESTION}\n{ANSWER}\n",
    "messages": [
        {"id": {"replica_id": 0, "value": 0}, "start": 0, "metadata": {"role": "user", "status": "Done"}},
        {
            "id": {"replica_id": 0, "value": 1},
            "start": len(QUESTION) + 1,
            "metadata": {"role": "assistant", "status": "Done"},
        },
    ],
    "summary": "A file",
}
SAMPLES = (
    Sample("zed", value(ZED)),
    Sample("zed", value(ZED_OLD)),
    Sample("zed", value(ZED_TEXT), TALK),
)
