from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, TEXT_ARGUMENTS, Sample, lines, text, value

SEMANTIC_KERNEL = [
    {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": QUESTION}]},
    {
        "Role": {"Label": "assistant"},
        "Items": [
            {"$type": "TextContent", "Text": LOOKING},
            {"$type": "FunctionCallContent", "Id": "c1", "FunctionName": "read_file", "Arguments": ARGUMENTS},
        ],
    },
    {
        "Role": {"Label": "tool"},
        "Items": [
            {"$type": "TextContent", "Text": RESULT, "Metadata": {"ChatCompletionsToolCall.Id": "c1"}},
            {"$type": "FunctionResultContent", "CallId": "c1", "FunctionName": "read_file", "Result": RESULT},
        ],
    },
    {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": ANSWER}]},
]
AGENT_FRAMEWORK = {
    "type": "session",
    "session_id": "s",
    "state": {
        "memory": {
            "messages": [
                {"type": "message", "role": "user", "contents": [text(QUESTION)]},
                {
                    "type": "message",
                    "role": "assistant",
                    "contents": [
                        text(LOOKING),
                        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
                    ],
                },
                {
                    "type": "message",
                    "role": "tool",
                    "contents": [{"type": "function_result", "call_id": "c1", "result": RESULT}],
                },
                {"type": "message", "role": "assistant", "contents": [text(ANSWER)]},
            ]
        }
    },
}
DOTNET = [
    {"role": "user", "contents": [{"$type": "text", "text": QUESTION}]},
    {
        "role": "assistant",
        "contents": [
            {"$type": "text", "text": LOOKING},
            {"$type": "functionCall", "callId": "c1", "name": "read_file", "arguments": ARGUMENTS},
        ],
    },
    {"role": "tool", "contents": [{"$type": "functionResult", "callId": "c1", "result": RESULT}]},
    {"role": "assistant", "contents": [{"$type": "text", "text": ANSWER}]},
]
SAMPLES = (
    Sample("agent-framework", value(DOTNET)),
    Sample("agent-framework", lines(*DOTNET)),
    Sample("agent-framework", lines(*SEMANTIC_KERNEL)),
    Sample("agent-framework", value(SEMANTIC_KERNEL)),
    Sample("agent-framework", value(AGENT_FRAMEWORK)),
)
