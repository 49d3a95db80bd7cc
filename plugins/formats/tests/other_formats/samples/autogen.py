from __future__ import annotations

from tests.formats.story import ANSWER, QUESTION, RESULT, TEXT_ARGUMENTS, THOUGHT, Sample, value

AUTOGEN = {
    "type": "AssistantAgentState",
    "version": "1.0.0",
    "llm_context": {
        "messages": [
            {"type": "UserMessage", "content": QUESTION, "source": "user"},
            {
                "type": "AssistantMessage",
                "content": [{"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS}],
                "thought": THOUGHT,
                "source": "a",
            },
            {
                "type": "FunctionExecutionResultMessage",
                "content": [{"content": RESULT, "name": "read_file", "call_id": "c1", "is_error": False}],
            },
            {"type": "AssistantMessage", "content": ANSWER, "source": "a"},
        ]
    },
}
SAMPLES = (Sample("autogen", value(AUTOGEN), ("user", "call", "result", "answer")),)
