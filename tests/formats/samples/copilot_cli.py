from __future__ import annotations

from tests.formats.story import ANSWER, ARGUMENTS, LOOKING, QUESTION, RESULT, Sample, lines

COPILOT = [
    {
        "type": kind,
        "data": data,
        "id": f"00000000-0000-4000-8000-{n:012}",
        "timestamp": "2026-01-02T03:04:05.000Z",
        "parentId": f"00000000-0000-4000-8000-{n - 1:012}" if n else None,
    }
    for n, (kind, data) in enumerate(
        (
            (
                "session.start",
                {
                    "sessionId": "s",
                    "version": 1,
                    "producer": "copilot-agent",
                    "copilotVersion": "1.0.39",
                    "startTime": "2026-01-02T03:04:05.000Z",
                },
            ),
            ("user.message", {"content": QUESTION}),
            (
                "assistant.message",
                {
                    "messageId": "m1",
                    "content": LOOKING,
                    "toolRequests": [{"toolCallId": "c1", "name": "read_file", "arguments": ARGUMENTS}],
                },
            ),
            ("tool.execution_start", {"toolCallId": "c1", "toolName": "read_file", "arguments": ARGUMENTS}),
            ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": RESULT}}),
            ("assistant.message", {"messageId": "m2", "content": ANSWER, "toolRequests": []}),
        )
    )
]
SAMPLES = (Sample("copilot-cli", lines(*COPILOT)),)
