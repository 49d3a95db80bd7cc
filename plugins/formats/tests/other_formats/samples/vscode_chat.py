from __future__ import annotations

from typing import Any

from tests.formats.story import ANSWER, LOOKING, QUESTION, TEXT_ARGUMENTS, THOUGHT, Sample, lines, value

VSCODE_ROUNDS = [
    {"response": LOOKING, "toolCalls": [{"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS}]},
    {"response": ANSWER, "toolCalls": []},
]
VSCODE_NODE = {"node": {"type": 1, "children": [{"type": 2, "text": "three"}, {"type": 2, "text": " lines"}]}}
VSCODE_REQUEST: dict[str, Any] = {
    "requestId": "r1",
    "message": {"text": QUESTION, "parts": []},
    "variableData": {"variables": []},
    "response": [
        {"kind": "thinking", "value": THOUGHT, "id": "t"},
        {"value": LOOKING, "supportThemeIcons": False},
        {"kind": "toolInvocationSerialized", "toolCallId": "u1", "toolId": "copilot_readFile", "isComplete": True},
        {"value": ANSWER},
    ],
    "result": {
        "metadata": {"toolCallRounds": VSCODE_ROUNDS, "toolCallResults": {"c1": {"content": [{"value": VSCODE_NODE}]}}}
    },
}
VSCODE_CHAT: dict[str, Any] = {"version": 3, "sessionId": "s", "responderUsername": "GitHub Copilot", "requests": []}
VSCODE_LOG = (
    {"kind": 0, "v": VSCODE_CHAT},
    {"kind": 2, "k": ["requests"], "v": [{"requestId": "r0", "message": {"text": "Undone."}}]},
    {"kind": 2, "k": ["requests"], "v": [{**VSCODE_REQUEST, "result": None}], "i": 0},
    {"kind": 1, "k": ["requests", 0, "result"], "v": VSCODE_REQUEST["result"]},
    {"kind": 1, "k": ["customTitle"], "v": "A file"},
    {"kind": 3, "k": ["requests", 0, "vote"]},
)
SAMPLES = (
    Sample("vscode-chat", value({**VSCODE_CHAT, "requests": [VSCODE_REQUEST]})),
    Sample("vscode-chat", lines(*VSCODE_LOG)),
)
