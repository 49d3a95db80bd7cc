from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, value

AMAZON_Q_TOOL = {"name": "read_file", "description": "Read.", "input_schema": {"json": {"type": "object"}}}
AMAZON_Q: dict[str, Any] = {
    "conversation_id": "s",
    "next_message": None,
    "history": [
        {
            "user": {
                "additional_context": "--- CONTEXT ENTRY BEGIN ---",
                "env_context": {"env_state": {"operating_system": "linux"}},
                "content": {"Prompt": {"prompt": QUESTION}},
                "timestamp": "t",
                "images": None,
            },
            "assistant": {
                "ToolUse": {
                    "message_id": "m1",
                    "content": LOOKING,
                    "tool_uses": [
                        {
                            "id": "c1",
                            "name": "read_file",
                            "orig_name": "read_file",
                            "args": ARGUMENTS,
                            "orig_args": ARGUMENTS,
                        }
                    ],
                }
            },
            "request_metadata": {"request_id": "r1"},
        },
        {
            "user": {
                "additional_context": "",
                "content": {
                    "ToolUseResults": {
                        "tool_use_results": [{"tool_use_id": "c1", "content": [{"Text": RESULT}], "status": "Success"}]
                    }
                },
            },
            "assistant": {"Response": {"message_id": "m2", "content": ANSWER}},
            "request_metadata": None,
        },
    ],
    "valid_history_range": [0, 2],
    "transcript": [],
    "tools": {"native___": [{"ToolSpecification": AMAZON_Q_TOOL}]},
    "latest_summary": None,
}
AMAZON_Q_OLD = {**AMAZON_Q, "history": [[each["user"], each["assistant"]] for each in AMAZON_Q["history"]]}
SAMPLES = (
    Sample("amazon-q", value(AMAZON_Q)),
    Sample("amazon-q", value(AMAZON_Q_OLD)),
)
