"""A small file of each format, made by hand. All tell the same story, as far as their format can."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

QUESTION = "What is in a.txt?"
LOOKING = "Let me look."
THOUGHT = "I should read the file."
RESULT = "three lines"
ANSWER = "It has three lines."
ARGUMENTS = {"path": "a.txt"}
TEXT_ARGUMENTS = json.dumps(ARGUMENTS)
FULL = ("user", "assistant", "call", "result", "answer")


class Sample(NamedTuple):
    """A file: its format's name, its content, and what of the story is in it."""

    format: str
    data: bytes
    holds: tuple[str, ...] = FULL
    tool: str = "read_file"


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def value(whole: Any) -> bytes:
    return json.dumps(whole, indent=1).encode()


def text(written: str) -> dict[str, Any]:
    return {"type": "text", "text": written}


CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": LOOKING, "tool_calls": [CHAT_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]
TOOL_USE = {"type": "tool_use", "id": "c1", "name": "read_file", "input": ARGUMENTS}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": RESULT}
CLAUDE: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": [text(LOOKING), TOOL_USE]},
    {"role": "user", "content": [TOOL_RESULT]},
    {"role": "assistant", "content": [text(ANSWER)]},
]
GEMINI: list[Any] = [
    {"role": "user", "parts": [{"text": QUESTION}]},
    {
        "role": "model",
        "parts": [{"text": LOOKING}, {"functionCall": {"id": "c1", "name": "read_file", "args": ARGUMENTS}}],
    },
    {
        "role": "user",
        "parts": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": RESULT}}}],
    },
    {"role": "model", "parts": [{"text": ANSWER}]},
]


DOCKER_AGENT = [{"message": {"agentName": "root", "message": each}} for each in CHAT]


def linked(kind: str, messages: list[Any], **more: Any) -> list[dict[str, Any]]:
    """Wrap messages in rows that name their parents."""
    return [
        {"type": kind, "id": f"m{n}", "parentId": f"m{n - 1}" if n else None, "message": message, **more}
        for n, message in enumerate(messages)
    ]


PI: list[dict[str, Any]] = [
    {"role": "user", "content": [text(QUESTION)]},
    {
        "role": "assistant",
        "content": [text(LOOKING), {"type": "toolCall", "id": "c1", "name": "read_file", "arguments": ARGUMENTS}],
    },
    {"role": "toolResult", "toolCallId": "c1", "toolName": "read_file", "content": [text(RESULT)], "isError": False},
    {"role": "assistant", "content": [text(ANSWER)], "stopReason": "stop"},
]
QWEN = [
    {"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s", "type": kind, "message": message}
    for n, (kind, message) in enumerate(zip(("user", "assistant", "tool_result", "assistant"), GEMINI, strict=True))
]
CLAUDE_CODE = [
    {
        "type": message["role"],
        "uuid": f"u{n}",
        "parentUuid": f"u{n - 1}" if n else None,
        "sessionId": "s",
        "message": message,
    }
    for n, message in enumerate(CLAUDE)
]
CODEX = [
    {"type": "session_meta", "payload": {"id": "s"}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
    },
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": LOOKING}]},
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    },
    {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": RESULT}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    },
]
GEMINI_CALL = {
    "id": "c1",
    "name": "read_file",
    "args": ARGUMENTS,
    "status": "success",
    "result": GEMINI[2]["parts"],
}
GEMINI_CLI: list[Any] = [
    {"id": "1", "timestamp": "t", "type": "user", "content": [{"text": QUESTION}]},
    {"id": "2", "timestamp": "t", "type": "gemini", "content": LOOKING, "toolCalls": [GEMINI_CALL]},
    {"id": "3", "timestamp": "t", "type": "info", "content": "Saved."},
    {"id": "4", "timestamp": "t", "type": "gemini", "content": ANSWER},
]
GEMINI_HEADER = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"}
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
DROID_STREAM = [
    {"type": "system", "session_id": "s", "model": "m"},
    {"type": "message", "session_id": "s", "role": "user", "text": QUESTION},
    {"type": "message", "session_id": "s", "role": "assistant", "text": LOOKING},
    {"type": "tool_call", "session_id": "s", "toolCallId": "c1", "toolName": "read_file", "parameters": ARGUMENTS},
    {"type": "tool_result", "session_id": "s", "toolCallId": "c1", "value": RESULT},
    {"type": "completion", "session_id": "s", "finalText": ANSWER},
]
CLAUDE_STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s", "tools": ["read_file"], "uuid": "u0"},
    {"type": "user", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[0]},
    {"type": "stream_event", "session_id": "s", "event": {"type": "message_start", "message": {}}},
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": None,
        "message": {"role": "assistant", "id": "m", "content": [text(LOOKING)]},
    },
    {
        "type": "assistant",
        "session_id": "s",
        "parent_tool_use_id": None,
        "message": {"role": "assistant", "id": "m", "content": [TOOL_USE]},
    },
    {"type": "user", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[2]},
    {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": CLAUDE[3]},
    {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": ANSWER},
]
CODEX_STREAM = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": LOOKING}},
    {
        "type": "item.started",
        "item": {"id": "item_1", "type": "command_execution", "command": "cat a.txt", "status": "in_progress"},
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_1",
            "type": "command_execution",
            "command": "cat a.txt",
            "aggregated_output": RESULT,
            "exit_code": 0,
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": ANSWER}},
    {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
]
PI_STREAM: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/tmp"},
    {"type": "agent_start"},
    *(
        {"type": kind, "message": {**message, "timestamp": 1}}
        for message in (
            {"role": "user", "content": [text(QUESTION)]},
            {
                "role": "assistant",
                "content": [
                    text(LOOKING),
                    {"type": "toolCall", "id": "c1", "name": "read_file", "arguments": ARGUMENTS},
                ],
                "stopReason": "toolUse",
            },
            {"role": "toolResult", "toolCallId": "c1", "toolName": "read_file", "content": [text(RESULT)]},
            {"role": "assistant", "content": [text(ANSWER)], "stopReason": "stop"},
        )
        for kind in ("message_start", "message_end")
    ),
    {"type": "agent_end", "messages": []},
]
GEMINI_STREAM = [
    {"type": "init", "timestamp": "t", "session_id": "s", "model": "m"},
    {"type": "message", "timestamp": "t", "role": "user", "content": QUESTION},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": LOOKING[:5], "delta": True},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": LOOKING[5:], "delta": True},
    {"type": "tool_use", "timestamp": "t", "tool_name": "read_file", "tool_id": "c1", "parameters": ARGUMENTS},
    {"type": "tool_result", "timestamp": "t", "tool_id": "c1", "status": "success", "output": RESULT},
    {"type": "message", "timestamp": "t", "role": "assistant", "content": ANSWER, "delta": True},
    {"type": "result", "timestamp": "t", "status": "success", "stats": {}},
]
_CURSOR_CALL = {"type": "tool_call", "call_id": "c1", "session_id": "s"}
CURSOR_STREAM = [
    {"type": "system", "subtype": "init", "apiKeySource": "login", "session_id": "s"},
    {"type": "user", "message": {"role": "user", "content": [text(QUESTION)]}, "session_id": "s"},
    {"type": "thinking", "subtype": "delta", "text": THOUGHT[:4], "session_id": "s"},
    {"type": "thinking", "subtype": "delta", "text": THOUGHT[4:], "session_id": "s"},
    {"type": "thinking", "subtype": "completed", "session_id": "s"},
    *(
        {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": [text(piece)]}, **about}
        for piece, about in (
            (LOOKING[:5], {"timestamp_ms": 1}),
            (LOOKING[5:], {"timestamp_ms": 2}),
            (LOOKING, {"timestamp_ms": 3, "model_call_id": "m"}),
        )
    ),
    {**_CURSOR_CALL, "subtype": "started", "tool_call": {"readToolCall": {"args": ARGUMENTS}}},
    {
        **_CURSOR_CALL,
        "subtype": "completed",
        "tool_call": {"readToolCall": {"args": ARGUMENTS, "result": {"success": {"content": RESULT}}}},
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [text(ANSWER)]}, "session_id": "s"},
    {"type": "result", "subtype": "success", "is_error": False, "result": f"{LOOKING}{ANSWER}", "session_id": "s"},
]
OPENCODE_STREAM: list[dict[str, Any]] = [
    {"type": kind, "timestamp": 1, "sessionID": "s", "part": part}
    for kind, part in (
        ("step_start", {"type": "step-start"}),
        ("text", {"type": "text", "text": LOOKING}),
        (
            "tool_use",
            {
                "type": "tool",
                "callID": "c1",
                "tool": "read_file",
                "state": {"status": "completed", "input": ARGUMENTS, "output": RESULT},
            },
        ),
        ("text", {"type": "text", "text": ANSWER}),
        ("step_finish", {"type": "step-finish"}),
    )
]
OPENCODE_EVENTS = [
    {"type": "server.connected", "properties": {}},
    {"type": "session.updated", "properties": {"info": {"id": "s", "title": "A file"}}},
    {"type": "message.updated", "properties": {"info": {"id": "m1", "role": "user", "sessionID": "s"}}},
    {"type": "message.part.updated", "properties": {"part": {"id": "p1", "messageID": "m1", **text(QUESTION)}}},
    {"type": "message.updated", "properties": {"info": {"id": "m2", "role": "assistant", "sessionID": "s"}}},
    *(
        {"type": "message.part.updated", "properties": {"part": {**event["part"], "id": f"p{n}", "messageID": "m2"}}}
        for n, event in enumerate(OPENCODE_STREAM, 2)
    ),
]
VIBE: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION, "injected": False, "message_id": "m1"},
    {
        "role": "assistant",
        "content": LOOKING,
        "injected": False,
        "reasoning_content": THOUGHT,
        "reasoning_message_id": "r1",
        "tool_calls": [{**CHAT_CALL, "index": 0}],
        "message_id": "m2",
    },
    {"role": "tool", "content": RESULT, "injected": False, "name": "read_file", "tool_call_id": "c1"},
    {"role": "assistant", "content": ANSWER, "injected": False, "message_id": "m3"},
]
MANAGED: list[dict[str, Any]] = [
    {"type": "session.status_running", "id": "sevt_1", "processed_at": "2026-11-20T09:00:00.100Z"},
    {"type": "user.message", "id": "sevt_2", "processed_at": "2026-11-20T09:00:00.200Z", "content": [text(QUESTION)]},
    {"type": "agent.thinking", "id": "sevt_3", "processed_at": "2026-11-20T09:00:01.100Z"},
    {"type": "agent.message", "id": "sevt_4", "processed_at": "2026-11-20T09:00:01.200Z", "content": [text(LOOKING)]},
    {
        "type": "agent.tool_use",
        "id": "sevt_5",
        "processed_at": "2026-11-20T09:00:01.300Z",
        "name": "read_file",
        "input": ARGUMENTS,
        "evaluated_permission": "allow",
    },
    {
        "type": "agent.tool_result",
        "id": "sevt_6",
        "processed_at": "2026-11-20T09:00:02.100Z",
        "tool_use_id": "sevt_5",
        "content": [text(RESULT)],
        "is_error": False,
    },
    {"type": "agent.message", "id": "sevt_7", "processed_at": "2026-11-20T09:00:03.100Z", "content": [text(ANSWER)]},
]
REPLAY_MESSAGES: list[dict[str, Any]] = [
    {"role": 1, "content": [{"type": 1, "text": QUESTION}, {"type": 3, "cacheType": "ephemeral"}]},
    {"role": 2, "content": [{"type": 1, "text": LOOKING}], "toolCalls": [CHAT_CALL]},
    {"role": 3, "content": [{"type": 1, "text": RESULT}], "toolCallId": "c1"},
]
REPLAY_LOGS: list[dict[str, Any]] = [
    {"id": "e1", "kind": "element", "name": "AgentPrompt", "tokens": 403, "maxTokens": 99003},
    {
        "id": "r1",
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "requestMessages": {"messages": REPLAY_MESSAGES[:1]},
        "response": {"type": "success", "message": [LOOKING]},
    },
    {"id": "c1__vscode-1", "kind": "toolCall", "tool": "read_file", "args": TEXT_ARGUMENTS, "response": [RESULT]},
    {
        "id": "r2",
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "metadata": {"model": "gpt-5.2", "tools": []},
        "requestMessages": {"messages": REPLAY_MESSAGES},
        "response": {"type": "success", "message": [ANSWER]},
    },
]
REPLAY: dict[str, Any] = {
    "exportedAt": "2026-11-20T09:00:00.000Z",
    "totalPrompts": 1,
    "totalLogEntries": 4,
    "prompts": [{"prompt": QUESTION, "hasSeen": False, "logCount": 4, "logs": REPLAY_LOGS}],
}
GROK = [
    {"type": "system", "content": "You are Grok."},
    {"type": "user", "content": [text(QUESTION)], "prompt_index": 0},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": THOUGHT}], "encrypted_content": "x"},
    {
        "type": "assistant",
        "content": LOOKING,
        "tool_calls": [{"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS}],
        "model_id": "grok",
    },
    {"type": "tool_result", "tool_call_id": "c1", "content": RESULT},
    {"type": "assistant", "content": ANSWER, "model_id": "grok"},
]
ANTIGRAVITY = [
    {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": QUESTION},
    {
        "step_index": 1,
        "source": "MODEL",
        "type": "PLANNER_RESPONSE",
        "content": LOOKING,
        "tool_calls": [{"name": "read_file", "args": ARGUMENTS}],
    },
    {"step_index": 2, "source": "MODEL", "type": "VIEW_FILE", "status": "DONE", "content": RESULT},
    {"step_index": 3, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": ANSWER},
]
KIMI_CODE = [
    {"type": "metadata", "protocol_version": "1.4"},
    {"type": "config.update", "systemPrompt": "You are Kimi."},
    {"type": "turn.prompt", "input": [text(QUESTION)]},
    {"type": "context.append_message", "message": {"role": "user", "content": [text(QUESTION)], "toolCalls": []}},
    {"type": "context.append_loop_event", "event": {"type": "content.part", "part": text(LOOKING)}},
    {
        "type": "context.append_loop_event",
        "event": {"type": "tool.call", "toolCallId": "c1", "name": "read_file", "args": ARGUMENTS},
    },
    {
        "type": "context.append_loop_event",
        "event": {"type": "tool.result", "toolCallId": "c1", "result": {"output": RESULT}},
    },
    {"type": "context.append_loop_event", "event": {"type": "content.part", "part": text(ANSWER)}},
]
KIMI_WIRE = [
    {"type": "metadata", "protocol_version": "1.2"},
    *(
        {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}
        for kind, payload in (
            ("TurnBegin", {"user_input": QUESTION}),
            ("StepBegin", {"n": 1}),
            ("ContentPart", text(LOOKING)),
            ("ToolCall", {"id": "c1", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS[:5]}}),
            ("ToolCallPart", {"arguments_part": TEXT_ARGUMENTS[5:]}),
            ("ToolResult", {"tool_call_id": "c1", "return_value": {"is_error": False, "output": RESULT}}),
            ("ContentPart", text(ANSWER)),
        )
    ),
]
GOOSE_CALL = {
    "type": "toolRequest",
    "id": "c1",
    "toolCall": {"status": "success", "value": {"name": "read_file", "arguments": ARGUMENTS}},
}
GOOSE: list[dict[str, Any]] = [
    {"role": "user", "created": 1, "content": [text(QUESTION)]},
    {"role": "assistant", "created": 2, "content": [text(LOOKING), GOOSE_CALL]},
    {
        "role": "user",
        "created": 3,
        "content": [{"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": [text(RESULT)]}}],
    },
    {"role": "assistant", "created": 4, "content": [text(ANSWER)]},
]
GOOSE_STREAM = [
    *(
        {"type": "message", "message": {"id": f"m{message['created']}", **message, "content": [item]}}
        for message in GOOSE
        for part in message["content"]
        for item in ([text(part["text"][:5]), text(part["text"][5:])] if part["type"] == "text" else [part])
    ),
    {"type": "complete", "total_tokens": 3},
]
OPENCODE_TOOL = {
    "type": "tool",
    "callID": "c1",
    "tool": "read_file",
    "state": {"status": "completed", "input": ARGUMENTS, "output": RESULT},
}
OPENCODE = {
    "info": {"id": "s", "title": "A file"},
    "messages": [
        {"info": {"id": "1", "role": "user"}, "parts": [text(QUESTION)]},
        {
            "info": {"id": "2", "role": "assistant"},
            "parts": [{"type": "step-start"}, text(LOOKING), OPENCODE_TOOL, text(ANSWER)],
        },
    ],
}
AIDER = f"""
# aider chat started at 2026-01-02 03:04:05

> Model: m
#### {QUESTION}

{ANSWER}

> Tokens: 1k sent
"""
CLINE = [
    {"ts": 1, "type": "say", "say": "task", "text": QUESTION},
    {"ts": 2, "type": "say", "say": "api_req_started", "text": "{}"},
    {"ts": 3, "type": "say", "say": "text", "text": LOOKING},
    {"ts": 4, "type": "ask", "ask": "command", "text": "cat a.txt"},
    {"ts": 5, "type": "say", "say": "command_output", "text": RESULT},
    {"ts": 6, "type": "say", "say": "completion_result", "text": ANSWER},
]
UI_TOOL = {
    "type": "tool-read_file",
    "toolCallId": "c1",
    "state": "output-available",
    "input": ARGUMENTS,
    "output": RESULT,
}
UI_5 = [
    {"id": "1", "role": "user", "parts": [text(QUESTION)]},
    {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, text(LOOKING), UI_TOOL, text(ANSWER)]},
]
UI_4 = [
    {"id": "1", "role": "user", "content": QUESTION},
    {
        "id": "2",
        "role": "assistant",
        "content": LOOKING,
        "toolInvocations": [
            {"state": "result", "toolCallId": "c1", "toolName": "read_file", "args": ARGUMENTS, "result": RESULT}
        ],
    },
    {"id": "3", "role": "assistant", "content": ANSWER, "parts": [text(ANSWER)]},
]
MODEL_MESSAGES = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": [
            text(LOOKING),
            {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": ARGUMENTS},
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "toolName": "read_file",
                "output": {"type": "text", "value": RESULT},
            }
        ],
    },
    {"role": "assistant", "content": [text(ANSWER)]},
]
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
LLAMA_INDEX: list[dict[str, Any]] = [
    {"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": QUESTION}]},
    {
        "role": "assistant",
        "additional_kwargs": {},
        "blocks": [
            {"block_type": "text", "text": LOOKING},
            {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "read_file", "tool_kwargs": ARGUMENTS},
        ],
    },
    {"role": "tool", "additional_kwargs": {"tool_call_id": "c1"}, "blocks": [{"block_type": "text", "text": RESULT}]},
    {"role": "assistant", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": ANSWER}]},
]
LLAMA_INDEX_MEMORY = {
    "chat_store": {"store": {"chat_history": LLAMA_INDEX[:1]}, "class_name": "SimpleChatStore"},
    "chat_store_key": "chat_history",
    "token_limit": 3000,
    "class_name": "ChatMemoryBuffer",
}
LLAMA_INDEX_STATE = {
    "memory": json.dumps({"__is_component": True, "value": LLAMA_INDEX_MEMORY, "qualified_name": "memory"}),
    "scratchpad": json.dumps(
        [{"__is_pydantic": True, "value": each, "qualified_name": "types.ChatMessage"} for each in LLAMA_INDEX[1:]]
    ),
    "max_iterations": "20",
}
"""The context of a run that was stopped: its memory has the question only."""
HAYSTACK_CALL = {"tool_name": "read_file", "arguments": ARGUMENTS, "id": "c1"}
HAYSTACK = [
    {"role": "user", "meta": {}, "name": None, "content": [{"text": QUESTION}]},
    {"role": "assistant", "meta": {}, "name": None, "content": [{"text": LOOKING}, {"tool_call": HAYSTACK_CALL}]},
    {
        "role": "tool",
        "meta": {},
        "name": None,
        "content": [{"tool_call_result": {"result": RESULT, "origin": HAYSTACK_CALL, "error": False}}],
    },
    {"role": "assistant", "meta": {}, "name": None, "content": [{"text": ANSWER}]},
]
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
ADK = {
    "id": "s",
    "appName": "a",
    "userId": "u",
    "events": [
        {"id": str(n), "invocationId": "i", "author": "user" if n == 0 else "agent", "content": content, "actions": {}}
        for n, content in enumerate(GEMINI)
    ],
}
CREWAI = {
    "raw": ANSWER,
    "tasks_output": [{"description": QUESTION, "agent": "reader", "raw": ANSWER, "messages": CHAT, "name": "read"}],
    "token_usage": {},
}


def chatgpt(role: str, kind: str, written: str, recipient: str = "all", name: str | None = None) -> dict[str, Any]:
    content = {"content_type": kind, **({"parts": [written]} if kind == "text" else {"text": written})}
    return {"author": {"role": role, "name": name}, "content": content, "recipient": recipient}


CHATGPT_MESSAGES = [
    chatgpt("user", "text", QUESTION),
    chatgpt("assistant", "text", LOOKING),
    chatgpt("assistant", "code", "open('a.txt')", "read_file"),
    chatgpt("tool", "execution_output", RESULT, name="read_file"),
    chatgpt("assistant", "text", ANSWER),
]
CHATGPT = [
    {
        "title": "A file",
        "conversation_id": "s",
        "current_node": "n5",
        "mapping": {
            "n0": {"id": "n0", "message": None, "parent": None, "children": ["n1", "other"]},
            **{
                f"n{n}": {"id": f"n{n}", "message": {"id": f"n{n}", **message}, "parent": f"n{n - 1}", "children": []}
                for n, message in enumerate(CHATGPT_MESSAGES, 1)
            },
            "other": {
                "id": "other",
                "message": {"id": "other", **chatgpt("user", "text", "Rewound.")},
                "parent": "n0",
                "children": [],
            },
        },
    }
]
DEEPSEEK_EXPORT: list[dict[str, Any]] = [
    {
        "id": "s",
        "title": "A file",
        "inserted_at": "2026-01-01T00:00:00.000000+08:00",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
            "1": {
                "id": "1",
                "parent": "root",
                "children": ["2"],
                "message": {"files": [], "fragments": [{"type": "REQUEST", "content": QUESTION}]},
            },
            "2": {
                "id": "2",
                "parent": "1",
                "children": [],
                "message": {
                    "model": "deepseek-reasoner",
                    "fragments": [{"type": "THINK", "content": THOUGHT}, {"type": "RESPONSE", "content": ANSWER}],
                },
            },
        },
    }
]
GROK_EXPORT: dict[str, Any] = {
    "conversations": [
        {
            "conversation": {"id": "s", "title": "A file", "create_time": "2026-01-01T00:00:00Z"},
            "responses": [
                {"response": {"_id": "1", "sender": "human", "message": QUESTION}, "share_link": None},
                {"response": {"_id": "2", "sender": "ASSISTANT", "message": "Other.", "parent_response_id": "1"}},
                {
                    "response": {
                        "_id": "3",
                        "sender": "grok-4",
                        "message": ANSWER,
                        "thinking_trace": THOUGHT,
                        "parent_response_id": "1",
                    }
                },
            ],
        }
    ],
    "projects": [],
    "tasks": [],
}
CLAUDE_EXPORT = [
    {
        "uuid": "s",
        "name": "A file",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": QUESTION, "content": [text(QUESTION)]},
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [
                    text(LOOKING),
                    {"type": "tool_use", "name": "read_file", "input": ARGUMENTS},
                    {"type": "tool_result", "name": "read_file", "content": [text(RESULT)]},
                    text(ANSWER),
                ],
            },
        ],
    }
]
LIBRECHAT = {
    "conversationId": "s",
    "title": "A file",
    "messages": [
        {
            "messageId": "1",
            "isCreatedByUser": True,
            "text": QUESTION,
            "children": [
                {
                    "messageId": "2",
                    "isCreatedByUser": False,
                    "content": [
                        text(LOOKING),
                        {
                            "type": "tool_call",
                            "tool_call": {"id": "c1", "name": "read_file", "args": TEXT_ARGUMENTS, "output": RESULT},
                        },
                        text(ANSWER),
                    ],
                    "children": [],
                }
            ],
        }
    ],
}
OPEN_WEBUI = [
    {
        "id": "s",
        "title": "A file",
        "chat": {
            "history": {
                "currentId": "2",
                "messages": {
                    "1": {"id": "1", "parentId": None, "childrenIds": ["2"], "role": "user", "content": QUESTION},
                    "2": {"id": "2", "parentId": "1", "childrenIds": [], "role": "assistant", "content": ANSWER},
                },
            }
        },
    }
]
THREADS = {
    "object": "list",
    "data": [
        {
            "id": f"m{time}",
            "object": "thread.message",
            "created_at": time,
            "thread_id": "s",
            "role": role,
            "content": [{"type": "text", "text": {"value": written, "annotations": []}}],
        }
        for time, role, written in ((2, "assistant", ANSWER), (1, "user", QUESTION))
    ],
}
LANGFUSE = [
    {"id": "1", "traceId": "t", "type": "SPAN", "input": {}, "output": {}},
    {"id": "2", "traceId": "t", "type": "GENERATION", "input": {"messages": CHAT[:3]}, "output": CHAT[3]},
]
PHOENIX_CALL = {"tool_call": {"id": "c1", "function": {"name": "read_file", "arguments": TEXT_ARGUMENTS}}}
PHOENIX = {
    "name": "llm",
    "context": {"span_id": "s"},
    "attributes": {
        "llm.input_messages": [
            {"message.role": "user", "message.content": QUESTION},
            {"message": {"role": "assistant", "content": LOOKING, "tool_calls": [PHOENIX_CALL]}},
            {"message": {"role": "tool", "tool_call_id": "c1", "content": RESULT}},
        ],
        "llm.output_messages": [{"message": {"role": "assistant", "content": ANSWER}}],
    },
}
INSPECT_CALL = {"id": "c1", "function": "read_file", "arguments": ARGUMENTS, "type": "function"}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "t"},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "input": QUESTION,
            "messages": [
                {"role": "user", "content": QUESTION},
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "reasoning": THOUGHT}, text(LOOKING)],
                    "tool_calls": [INSPECT_CALL],
                },
                {"role": "tool", "tool_call_id": "c1", "function": "read_file", "content": RESULT},
                {"role": "assistant", "content": ANSWER},
            ],
        }
    ],
}
SWE_AGENT = {
    "environment": "main",
    "history": [
        {"role": "user", "content": QUESTION, "agent": "main"},
        {"role": "assistant", "content": LOOKING, "agent": "main", "tool_calls": [CHAT_CALL]},
        {"role": "tool", "content": [text(RESULT)], "agent": "main", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": ANSWER, "agent": "main"},
    ],
    "info": {},
    "trajectory": [],
}
MINI_SWE_AGENT = {
    "trajectory_format": "mini-swe-agent-1.1",
    "info": {"exit_status": "Submitted", "submission": ""},
    "messages": [*CHAT, {"role": "exit", "content": ""}],
}
OPENHANDS_RESPONSE = {
    "id": "r",
    "choices": [{"message": {"role": "assistant", "content": LOOKING, "tool_calls": [CHAT_CALL]}}],
}
OPENHANDS_CALL = {"function_name": "read_file", "tool_call_id": "c1", "model_response": OPENHANDS_RESPONSE}
OPENHANDS = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": QUESTION}},
    {"id": 1, "source": "agent", "action": "read", "args": ARGUMENTS, "tool_call_metadata": OPENHANDS_CALL},
    {"id": 2, "source": "agent", "observation": "read", "content": RESULT, "tool_call_metadata": OPENHANDS_CALL},
    {"id": 3, "source": "agent", "action": "message", "args": {"content": ANSWER}},
    {"id": 4, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
]
OPENHANDS_SDK = [
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [text(QUESTION)]}},
    {
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [text(LOOKING)],
        "tool_name": "read_file",
        "tool_call_id": "c1",
        "tool_call": {"id": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    },
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_call_id": "c1",
        "observation": {"content": [text(RESULT)]},
    },
    {"kind": "MessageEvent", "source": "agent", "llm_message": {"role": "assistant", "content": [text(ANSWER)]}},
]
TAU_2 = {
    "timestamp": "t",
    "simulations": [
        {
            "id": "s",
            "task_id": "1",
            "messages": [
                {"role": "user", "content": QUESTION},
                {
                    "role": "assistant",
                    "content": LOOKING,
                    "tool_calls": [{"id": "c1", "name": "read_file", "arguments": ARGUMENTS}],
                },
                {"role": "tool", "id": "c1", "content": RESULT, "requestor": "assistant", "error": False},
                {"role": "assistant", "content": ANSWER},
            ],
        }
    ],
}
ATIF = {
    "schema_version": "ATIF-v1.4",
    "session_id": "s",
    "agent": {"name": "a", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": QUESTION},
        {
            "step_id": 2,
            "source": "agent",
            "message": LOOKING,
            "tool_calls": [{"tool_call_id": "c1", "function_name": "read_file", "arguments": ARGUMENTS}],
            "observation": {"results": [{"source_call_id": "c1", "content": RESULT}]},
        },
        {"step_id": 3, "source": "agent", "message": ANSWER},
    ],
}
LLAMA_FACTORY = [
    {"role": "user", "content": [{"type": "text", "value": QUESTION}], "loss_weight": 0.0},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "value": THOUGHT},
            {"type": "text", "value": LOOKING},
            {"type": "tool_call", "value": json.dumps({"name": "read_file", "arguments": ARGUMENTS})},
        ],
    },
    {"role": "tool", "content": [{"type": "text", "value": RESULT}]},
    {"role": "assistant", "content": [{"type": "text", "value": ANSWER}], "loss_weight": 1.0},
]
SHAREGPT_CALL = json.dumps({"name": "read_file", "arguments": ARGUMENTS})
SHAREGPT = [
    {
        "conversations": [
            {"from": "human", "value": QUESTION},
            {"from": "function_call", "value": SHAREGPT_CALL},
            {"from": "observation", "value": RESULT},
            {"from": "gpt", "value": ANSWER},
        ],
        "tools": "[]",
    }
]
HERMES_TURNS = {
    "conversations": [
        {"from": "human", "value": QUESTION},
        {"from": "gpt", "value": f"{LOOKING}\n<tool_call>\n{SHAREGPT_CALL}\n</tool_call>"},
        {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
        {"from": "gpt", "value": f"<think>\n{THOUGHT}\n</think>\n{ANSWER}"},
    ]
}
CONTINUE: list[dict[str, Any]] = [
    {"message": CHAT[0], "contextItems": []},
    {
        "message": {"role": "assistant", "content": LOOKING, "toolCalls": [CHAT_CALL]},
        "contextItems": [],
        "toolCallStates": [{"toolCallId": "c1", "status": "done", "output": [{"name": "x", "content": RESULT}]}],
    },
    {"message": {"role": "tool", "content": RESULT, "toolCallId": "c1"}, "contextItems": []},
    {"message": CHAT[3], "contextItems": []},
]
CLINE_ROWS: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": [text(QUESTION)], "ts": 1},
    {
        "id": "m2",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": THOUGHT}, text(LOOKING), TOOL_USE],
        "ts": 2,
        "modelInfo": {"id": "m"},
    },
    {"id": "m3", "role": "user", "content": [{**TOOL_RESULT, "name": "read_file"}], "ts": 3},
    {"id": "m4", "role": "assistant", "content": [text(ANSWER)], "ts": 4},
]
ROO_ROWS: list[dict[str, Any]] = [
    {"role": "user", "content": "Said before the summary.", "ts": 1, "condenseParent": "s1"},
    {"role": "user", "content": [text(QUESTION)], "ts": 2, "isSummary": True, "condenseId": "s1"},
    {"type": "reasoning", "encrypted_content": "x", "summary": [], "ts": 3},
    *({key: each[key] for key in ("role", "content", "ts")} for each in CLINE_ROWS[1:]),
]
CLINE_SESSION = {"version": 1, "updated_at": "t", "agent": "lead", "sessionId": "s", "messages": CLINE_ROWS}
AMP: dict[str, Any] = {
    "v": 85,
    "id": "T-1",
    "created": 1,
    "title": "A file",
    "messages": [
        {"role": "user", "messageId": 0, "content": [text(QUESTION)]},
        {"role": "assistant", "messageId": 1, "content": [text(LOOKING), {**TOOL_USE, "complete": True}]},
        {
            "role": "user",
            "messageId": 2,
            "content": [{"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": RESULT}}],
        },
        {"role": "assistant", "messageId": 3, "content": [text(ANSWER)], "usage": {"inputTokens": 1}},
    ],
}
WINDSURF: list[dict[str, Any]] = [
    {"status": "done", "type": "user_input", "user_input": {"user_response": QUESTION}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": LOOKING}},
    {"status": "done", "type": "view_file", "view_file": {"path": "a.txt", "content": RESULT}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": ANSWER}},
]
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


def kiro(kind: str, *content: dict[str, Any]) -> dict[str, Any]:
    """Make a line of a session of Kiro."""
    return {"version": "v1", "kind": kind, "data": {"message_id": "m", "content": list(content)}}


KIRO: list[dict[str, Any]] = [
    kiro("Prompt", {"kind": "text", "data": QUESTION}),
    kiro(
        "AssistantMessage",
        {"kind": "thinking", "data": {"text": THOUGHT, "signature": None, "redactedContent": [], "modelId": "auto"}},
        {"kind": "text", "data": LOOKING},
        {"kind": "toolUse", "data": {"toolUseId": "c1", "name": "read_file", "input": ARGUMENTS}},
    ),
    kiro(
        "ToolResults",
        {
            "kind": "toolResult",
            "data": {"toolUseId": "c1", "content": [{"kind": "text", "data": RESULT}], "status": "success"},
        },
    ),
    kiro("AssistantMessage", {"kind": "text", "data": ANSWER}),
]


def kiro_row(id: str, type: str, /, **payload: Any) -> dict[str, Any]:
    """Make a line of a session of Kiro's editor."""
    return {"id": id, "timestamp": "t", "payload": {"type": type, **payload}}


KIRO_3: list[dict[str, Any]] = [
    kiro_row("u1", "user", content=QUESTION, images=[], documents=[]),
    kiro_row("e1", "turn_start", executionId="x"),
    kiro_row("r1", "assistant", content=THOUGHT, operationType="Reasoning", reasoningSignature="s"),
    kiro_row("a1", "assistant", content=LOOKING, operationType="Say"),
    kiro_row("c1", "tool_call", toolCallId="c1", toolName="read_file", args=ARGUMENTS, status="completed"),
    kiro_row("c1-result", "tool_result", toolCallId="c1", content=RESULT, success=True),
    kiro_row("a2", "assistant", content=ANSWER, operationType="Say"),
    kiro_row("e2", "usage_summary", promptTurnSummaries=[{"unit": "credit", "usage": 0.1}]),
    kiro_row("e3", "turn_end", stopReason="end_turn"),
]
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
BATCH_RESULT = {"custom_id": "s", "response": {"status_code": 200, "body": {"choices": [{"message": CHAT[3]}]}}}
TALK = ("user", "answer")

LANGCHAIN_ROWS = [
    {"id": n, "session_id": "s", "message": {"type": kind, "data": fields}}
    for n, (kind, fields) in enumerate(LANGCHAIN_FIELDS)
]
LANGSMITH = {
    "id": "r",
    "name": "model",
    "run_type": "llm",
    "inputs": {"messages": [DUMPD[:-1]]},
    "outputs": {"generations": [[{"text": ANSWER, "message": DUMPD[-1]}]]},
}
LANGSMITH_OF_OPENAI = {**LANGSMITH, "inputs": {"messages": CHAT[:-1]}, "outputs": {"choices": [{"message": CHAT[-1]}]}}
AGNO = {
    "session_id": "s",
    "session_type": "agent",
    "runs": [
        {"run_id": "r1", "messages": CHAT[:-1]},
        {"run_id": "r2", "messages": [{**CHAT[0], "from_history": True}, CHAT[-1]]},
    ],
}
CONVERSE: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": QUESTION}]},
    {
        "role": "assistant",
        "content": [{"text": LOOKING}, {"toolUse": {"toolUseId": "c1", "name": "read_file", "input": ARGUMENTS}}],
    },
    {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": RESULT}]}}]},
    {"role": "assistant", "content": [{"text": ANSWER}]},
]
STRANDS: list[dict[str, Any]] = [
    {"message": each, "message_id": n, "redact_message": None} for n, each in enumerate(CONVERSE)
]
LETTA = {
    "name": "a",
    "id": "agent-0",
    "agent_type": "memgpt_agent",
    "system": "",
    "in_context_message_ids": ["0", "1", "2", "3"],
}
LETTA_MESSAGES = [
    {**each, "id": str(n), "content": [text(str(each["content"]))], "tool_returns": []} for n, each in enumerate(CHAT)
]
SMOLAGENTS: list[dict[str, Any]] = [
    {"task": QUESTION, "task_images": None},
    {"step_number": 1, "model_output": LOOKING, "tool_calls": [CHAT_CALL], "error": None, "observations": RESULT},
    {
        "step_number": 2,
        "model_output": None,
        "observations": None,
        "is_final_answer": True,
        "action_output": ANSWER,
    },
]
DIFY_THOUGHT = {
    "id": "c1",
    "thought": LOOKING,
    "tool": "read_file",
    "tool_input": TEXT_ARGUMENTS,
    "observation": RESULT,
}
DIFY = {"id": "1", "conversation_id": "s", "query": QUESTION, "answer": ANSWER, "agent_thoughts": [DIFY_THOUGHT]}
USED_TOOLS = [{"tool": "read_file", "toolInput": ARGUMENTS, "toolOutput": RESULT}]
FLOWISE = [
    {"id": "1", "role": "userMessage", "content": QUESTION, "chatId": "s", "usedTools": None},
    {"id": "2", "role": "apiMessage", "content": ANSWER, "chatId": "s", "usedTools": USED_TOOLS},
]
_OUTPUT = {"type": "text", "text": RESULT}
AGENTS_JS: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": QUESTION},
    {"type": "reasoning", "content": [{"type": "input_text", "text": THOUGHT}], "providerData": {}},
    {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": LOOKING, "providerData": {"annotations": []}}],
    },
    {"type": "function_call", "id": "i1", "callId": "c1", "name": "read_file", "arguments": TEXT_ARGUMENTS},
    {"type": "function_call_result", "callId": "c1", "name": "read_file", "status": "completed", "output": _OUTPUT},
    {"role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": ANSWER}]},
]
AGENTS_JS_STATE = {
    "$schemaVersion": "1.1",
    "currentTurn": 2,
    "originalInput": QUESTION,
    "generatedItems": [{"type": "run_item", "rawItem": each} for each in AGENTS_JS[1:]],
}
CODEBUDDY: list[dict[str, Any]] = [
    *({**each, "type": "message", **each, "sessionId": "s", "timestamp": 1, "cwd": "/tmp"} for each in AGENTS_JS),
    {"type": "file-history-snapshot", "id": "f", "sessionId": "s", "snapshot": {}},
    {"type": "topic", "topic": "A file", "sessionId": "s"},
]
HUMAN_AND_AI = [{"role": "human", "content": QUESTION}, {"role": "AI", "content": ANSWER}]
SAMPLES = (
    Sample("claude-code", lines({"type": "summary", "summary": "x", "leafUuid": "u3"}, *CLAUDE_CODE)),
    Sample("codex", lines(*CODEX)),
    Sample("pi", lines({"type": "session", "version": 3, "id": "s", "cwd": "/tmp"}, *linked("message", PI))),
    Sample("gemini-cli", value({**GEMINI_HEADER, "messages": GEMINI_CLI})),
    Sample("gemini-cli", lines(GEMINI_HEADER, *GEMINI_CLI, {"$set": {"lastUpdated": "u"}})),
    Sample("qwen-code", lines(*QWEN, {"uuid": "u4", "parentUuid": "u3", "sessionId": "s", "type": "system"})),
    Sample("cursor", lines(*({"role": each["role"], "message": {"content": each["content"]}} for each in CLAUDE))),
    Sample("copilot-cli", lines(*COPILOT)),
    Sample("droid", lines({"type": "session_start", "id": "s", "title": "x"}, *linked("message", CLAUDE))),
    Sample("droid-stream", lines(*DROID_STREAM)),
    Sample("claude-stream", lines(*CLAUDE_STREAM)),
    Sample("claude-stream", value(CLAUDE_STREAM)),
    Sample("codex-stream", lines(*CODEX_STREAM), FULL[1:], tool="command_execution"),
    Sample("pi-stream", lines(*PI_STREAM)),
    Sample("gemini-stream", lines(*GEMINI_STREAM)),
    Sample("cursor-stream", lines(*CURSOR_STREAM), tool="readToolCall"),
    Sample("goose-stream", lines(*GOOSE_STREAM)),
    Sample("opencode-events", value(OPENCODE_EVENTS)),
    Sample("opencode-events", lines(*({"directory": "/tmp", "payload": each} for each in OPENCODE_EVENTS))),
    Sample("opencode-stream", lines(*OPENCODE_STREAM), FULL[1:]),
    Sample("grok-cli", lines(*GROK)),
    Sample(
        "kimi-cli", lines({"role": "_system_prompt", "content": "Kimi."}, *CHAT, {"role": "_usage", "token_count": 1})
    ),
    Sample("kimi-wire", lines(*KIMI_WIRE)),
    Sample("kimi-code", lines(*KIMI_CODE)),
    Sample("antigravity", lines(*ANTIGRAVITY)),
    Sample("goose", lines({"working_dir": "/tmp", "description": "A file"}, *GOOSE)),
    Sample("goose", value({"id": "s", "working_dir": "/tmp", "name": "A file", "conversation": GOOSE})),
    Sample("hermes", value({"session_id": "s", "session_start": "t", "platform": "cli", "messages": CHAT})),
    Sample("hermes", lines({"role": "session_meta", "model": "m"}, *CHAT)),
    Sample("cline", value(CLINE_SESSION)),
    Sample("cline", value(ROO_ROWS)),
    Sample("cline-display", value(CLINE), tool="execute_command"),
    Sample("amp", value(AMP)),
    Sample("amazon-q", value(AMAZON_Q)),
    Sample("amazon-q", value(AMAZON_Q_OLD)),
    Sample("kiro-cli", lines(*KIRO)),
    Sample("kiro", lines(*KIRO_3)),
    Sample("windsurf", lines(*WINDSURF), tool="view_file"),
    Sample("zed", value(ZED)),
    Sample("zed", value(ZED_OLD)),
    Sample("zed", value(ZED_TEXT), TALK),
    Sample("vscode-chat", value({**VSCODE_CHAT, "requests": [VSCODE_REQUEST]})),
    Sample("vscode-chat", lines(*VSCODE_LOG)),
    Sample("copilot-replay", value(REPLAY)),
    Sample("mistral-vibe", lines(*VIBE)),
    Sample("managed-agents", lines(*MANAGED)),
    Sample("managed-agents", value({"data": MANAGED, "next_page": None})),
    Sample("managed-agents", value(MANAGED[::-1])),
    Sample("opencode", value(OPENCODE)),
    Sample("aider", AIDER.encode(), TALK),
    Sample(
        "continue",
        value({"sessionId": "s", "title": "x", "history": [{"message": CHAT[0]}, {"message": CHAT[3]}]}),
        TALK,
    ),
    Sample("continue", value({"sessionId": "s", "title": "x", "history": CONTINUE})),
    Sample("ai-sdk", value(UI_5)),
    Sample("ai-sdk", value(UI_4)),
    Sample("ai-sdk-model", value(MODEL_MESSAGES)),
    Sample("ai-sdk-model", lines(*MODEL_MESSAGES)),
    Sample("ai-sdk-model", value({"id": "c", "messages": MODEL_MESSAGES})),
    Sample("openai-agents-js", value(AGENTS_JS)),
    Sample("openai-agents-js", value(AGENTS_JS_STATE)),
    Sample("openai-agents-js", lines(*CODEBUDDY)),
    Sample("langchain", value(DUMPD)),
    Sample("langchain", value([{"type": kind, "data": fields} for kind, fields in LANGCHAIN_FIELDS])),
    Sample(
        "langchain", value({"values": {"messages": [{"type": kind, **fields} for kind, fields in LANGCHAIN_FIELDS]}})
    ),
    Sample("autogen", value(AUTOGEN), ("user", "call", "result", "answer")),
    Sample("llama-index", value(LLAMA_INDEX)),
    Sample("llama-index", value({"store": {"u": LLAMA_INDEX}, "class_name": "SimpleChatStore"})),
    Sample("llama-index", value({"version": 2, "state": {"state_data": {"_data": LLAMA_INDEX_STATE}}, "workers": {}})),
    Sample("haystack", value(HAYSTACK)),
    Sample("agent-framework", value(SEMANTIC_KERNEL)),
    Sample("agent-framework", value(AGENT_FRAMEWORK)),
    Sample("adk", value(ADK)),
    Sample("docker-agent", value({"id": "s", "title": "A file", "messages": DOCKER_AGENT, "cost": 0.1})),
    Sample("crewai", value(CREWAI)),
    Sample("chatgpt-export", value(CHATGPT)),
    Sample("claude-export", value(CLAUDE_EXPORT)),
    Sample("deepseek-export", value(DEEPSEEK_EXPORT), ("user", "answer")),
    Sample("grok-export", value(GROK_EXPORT), ("user", "answer")),
    Sample("librechat", value(LIBRECHAT)),
    Sample("open-webui", value(OPEN_WEBUI), TALK),
    Sample("assistants-threads", value(THREADS), TALK),
    Sample("langfuse", value(LANGFUSE)),
    Sample("phoenix", value([PHOENIX])),
    Sample("inspect", value(INSPECT)),
    Sample("swe-agent", value(SWE_AGENT)),
    Sample("mini-swe-agent", value(MINI_SWE_AGENT)),
    Sample("openhands", value(OPENHANDS)),
    Sample("openhands", value(OPENHANDS_SDK)),
    Sample("tau-bench", value([{"task_id": 1, "reward": 1.0, "traj": CHAT, "trial": 0}])),
    Sample("tau2-bench", value(TAU_2)),
    Sample("atif", value(ATIF)),
    Sample("session-traces", lines({"type": "session", "harness": "x", "id": "s"}, *linked("message", CHAT))),
    Sample("sharegpt", value(SHAREGPT), ("user", "call", "result", "answer")),
    Sample("sharegpt", lines(HERMES_TURNS)),
    Sample("llama-factory", lines({"messages": LLAMA_FACTORY, "tools": "[]"})),
    Sample("batch-results", lines(BATCH_RESULT), ("answer",)),
    Sample("exchanges", lines({"messages": CHAT[:3], "response": {"choices": [{"message": CHAT[3]}]}, "cost": 1})),
    Sample("exchanges", value({"request": {"messages": CLAUDE[:3]}, "response": CLAUDE[3]})),
    Sample("preferences", lines({"prompt": CHAT[:1], "completion": CHAT[1:]})),
    Sample("instructions", value([{"instruction": QUESTION, "input": "", "output": ANSWER}]), ("user", "answer")),
    Sample("instructions", lines({"prompt": QUESTION, "completion": ANSWER}), ("user", "answer")),
    Sample(
        "instructions",
        lines({"chosen": f"\n\nHuman: {QUESTION}\n\nAssistant: {ANSWER}", "rejected": "\n\nHuman: a\n\nAssistant: b"}),
        ("user", "answer"),
    ),
    Sample("request-logs", lines({"msg": "started"}, {"body": json.dumps({"model": "m", "messages": CHAT})})),
    Sample("named-lists", lines({"dialogue": CHAT, "score": 1})),
    Sample("named-lists", value({"first": CHAT, "second": {"messages": CHAT[:1]}})),
    Sample("preferences", lines({"input": {"messages": CHAT[:1]}, "preferred_output": CHAT[1:]})),
    Sample("langchain-rows", value(LANGCHAIN_ROWS)),
    Sample("langchain-rows", lines(*({**row, "message": json.dumps(row["message"])} for row in LANGCHAIN_ROWS))),
    Sample("langsmith", lines(LANGSMITH)),
    Sample("langsmith", lines(LANGSMITH_OF_OPENAI, {"id": "c", "run_type": "chain", "inputs": {}})),
    Sample("agno", value([AGNO])),
    Sample("agno", value({"run_id": "r", "agent_id": "a", "session_id": "s", "content": ANSWER, "messages": CHAT})),
    Sample("strands", value(STRANDS)),
    Sample("strands", value([{"agent_id": "a", "messages": STRANDS}])),
    Sample("letta", value({"agents": [{**LETTA, "messages": LETTA_MESSAGES}]})),
    Sample("letta", value({**LETTA, "core_memory": [], "messages": LETTA_MESSAGES})),
    Sample("smolagents", value(SMOLAGENTS)),
    Sample("dify", value({"data": [DIFY]})),
    Sample("other-roles", value(FLOWISE), ("user", "call", "result", "answer")),
    Sample("other-roles", lines({"messages": HUMAN_AND_AI}, {"messages": HUMAN_AND_AI}), TALK),
    Sample("log", value([{"messages": CHAT, "label": True}])),
    Sample("log", value({"conversations": [{"id": "1", "messages": CHAT}, {"id": "2", "messages": CHAT}]})),
    Sample(
        "log",
        lines({"custom_id": "1", "params": {"messages": CLAUDE}}, {"custom_id": "2", "params": {"messages": CLAUDE}}),
    ),
    Sample("messages", value(CHAT)),
    Sample("messages", value({"model": "m", "messages": CLAUDE})),
)
