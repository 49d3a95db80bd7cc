"""Chat templates as the judge: small ones of our own, that raise what the models' own templates raise."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings

from message_history import MessageHistory, check
from message_history.dialects import Dialect, OpenAIChat, Portable
from message_history.integrations.strategies import broken_lists, histories

jinja2 = pytest.importorskip("jinja2")

TURNS_ONLY = """
{%- set begin = 1 if messages[0].role == 'system' and takes_system else 0 -%}
{%- if messages[0].role == 'system' and not takes_system -%}{{ refuse('System role not supported') }}{%- endif -%}
{%- for message in messages[begin:] -%}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) or message.role not in ['user', 'assistant'] -%}
{{ refuse('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif -%}
{{ message.role }}: {{ message.content | trim }}
{% endfor -%}
"""
"""HF-01, and HF-03 where there is no system role."""

TURNS_BESIDE_TOOLS = """
{%- set begin = 1 if messages[0].role == 'system' else 0 -%}
{%- set state = namespace(turn='user', after='') -%}
{%- for message in messages[begin:] -%}
{%- if message.role == 'tool' -%}
{%- if message.tool_call_id | length != 9 -%}{{ refuse('ids must have nine characters') }}{%- endif -%}
{%- elif message.role == 'assistant' and message.tool_calls -%}
{%- if state.turn == 'user' and state.after != 'tool' -%}{{ refuse(text) }}{%- endif -%}
{%- else -%}
{%- if message.role == 'user' and state.after == 'tool' or message.role not in ['user', 'assistant'] -%}
{{ refuse(text) }}
{%- endif -%}
{%- if message.role != state.turn -%}{{ refuse(text) }}{%- endif -%}
{%- set state.turn = 'assistant' if message.role == 'user' else 'user' -%}
{%- endif -%}
{%- set state.after = message.role -%}
{{ message.role }}: {{ message.content | trim }}
{% endfor -%}
"""
"""HF-02."""

SYSTEM_FIRST = """
{%- set state = namespace(user=false) -%}
{%- for message in messages -%}
{%- if message.role == 'system' and not loop.first -%}
{{ refuse('System message must be at the beginning.') }}
{%- endif -%}
{%- if message.role == 'user' -%}{%- set state.user = true -%}{%- endif -%}
{%- for call in message.tool_calls or [] -%}
{%- for key, value in call.function.arguments.items() -%}{{ key }}={{ value }}{%- endfor -%}
{%- endfor -%}
{{ message.role }}: {{ message.content | trim }}
{% endfor -%}
{%- if not state.user -%}{{ refuse('No user query found in messages.') }}{%- endif -%}
"""
"""HF-04, HF-05 and HF-08."""

SINGLE_CALLS = """
{%- for message in messages -%}
{%- if 'tool_calls' in message -%}
{%- if message.tool_calls | length != 1 -%}
{{ refuse('This model only supports single tool-calls at once!') }}
{%- endif -%}
{{ message.tool_calls[0].function.name }}
{%- else -%}
{{ message.role }}: {{ message.content | trim }}
{%- endif %}
{% endfor -%}
"""
"""HF-06."""


class RefusedError(Exception):
    """What a template raises."""


def refuse(text: str) -> NoReturn:
    """Raise, as templates do."""
    raise RefusedError(text)


def judge(source: str, wire: list[Any], **values: Any) -> str:
    """Render a list as a server does: arguments are read first, and a list of parts is handed on as it is."""
    messages = json.loads(json.dumps(wire))
    for message in messages:
        for call in message.get("tool_calls") or ():
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        if isinstance(message["content"], list):
            message["content"] = "".join(part.get("text", "<image>") for part in message["content"])
    template = jinja2.Environment(autoescape=False).from_string(source)
    rendered: str = template.render(messages=messages, refuse=refuse, **values)
    return rendered


TURNS = "After the optional system message, conversation roles must alternate user and assistant roles"
JUDGES: list[tuple[str, str, dict[str, Any]]] = [
    ("google/gemma-2-9b-it", TURNS_ONLY, {"takes_system": False}),
    ("mistralai/Mistral-7B-Instruct-v0.2", TURNS_ONLY, {"takes_system": False}),
    ("google/gemma-3-27b-it", TURNS_ONLY, {"takes_system": True}),
    ("meta-llama/Llama-2-7b-chat-hf", TURNS_ONLY, {"takes_system": True}),
    ("mistralai/Devstral-Small-2507", TURNS_BESIDE_TOOLS, {"text": TURNS}),
    ("Qwen/Qwen3.5-27B", SYSTEM_FIRST, {}),
    ("meta-llama/Llama-3.1-8B-Instruct", SINGLE_CALLS, {}),
]
CASES: list[Any] = [
    pytest.param(OpenAIChat.for_model(model, "vllm"), template, values, id=model) for model, template, values in JUDGES
]
for name, template, values in (
    ("HF-02", TURNS_BESIDE_TOOLS, {"text": TURNS}),
    ("HF-04", SYSTEM_FIRST, {}),
    ("HF-06", SINGLE_CALLS, {}),
):
    CASES.append(pytest.param(Portable(), template, values, id=f"portable {name}"))
    if name != "HF-02":
        CASES.append(pytest.param(OpenAIChat.for_provider("vllm"), template, values, id=f"any template {name}"))


@pytest.mark.parametrize(("dialect", "template", "values"), CASES)
def test_every_export_is_rendered(dialect: Dialect[Any], template: str, values: dict[str, Any]) -> None:
    @settings(max_examples=settings().max_examples // 2)
    @given(histories())
    def law(history: MessageHistory) -> None:
        wire = history.for_send(dialect)
        if wire:
            judge(template, wire, **values)

    law()


@pytest.mark.parametrize(("dialect", "template", "values"), CASES)
def test_every_mended_list_is_rendered(dialect: Dialect[Any], template: str, values: dict[str, Any]) -> None:
    @settings(max_examples=settings().max_examples // 3)
    @given(broken_lists(OpenAIChat()))
    def law(raw: list[Any]) -> None:
        wire = MessageHistory.from_list(raw).for_send(dialect)
        if wire:
            judge(template, wire, **values)

    law()


ASK = {"role": "user", "content": "q"}
CLEAN_ASSISTANT = {"role": "assistant", "content": "a"}
RULED = {"role": "system", "content": "s"}


def call(*ids: str) -> dict[str, Any]:
    """Write an assistant message with calls."""
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def tool(id: str) -> dict[str, Any]:
    """Write a tool message."""
    return {"role": "tool", "tool_call_id": id, "content": "r"}


REFUSED: list[tuple[str, list[Any]]] = [
    ("google/gemma-2-9b-it", [RULED, ASK]),
    ("google/gemma-2-9b-it", [ASK, call("abcdefghi"), tool("abcdefghi")]),
    ("google/gemma-3-27b-it", [RULED, RULED, ASK]),
    ("meta-llama/Llama-2-7b-chat-hf", [ASK, ASK]),
    ("mistralai/Devstral-Small-2507", [ASK, call("abcdefghi"), tool("abcdefghi"), ASK]),
    ("mistralai/Devstral-Small-2507", [ASK, CLEAN_ASSISTANT, RULED, ASK]),
    ("Qwen/Qwen3.5-27B", [ASK, CLEAN_ASSISTANT, RULED, ASK]),
    ("Qwen/Qwen3.5-27B", [RULED]),
    ("meta-llama/Llama-3.1-8B-Instruct", [ASK, call("a", "b"), tool("a"), tool("b")]),
]


@pytest.mark.parametrize(("model", "raw"), REFUSED)
def test_what_a_template_refuses_is_found(model: str, raw: list[Any]) -> None:
    template, values = next((template, values) for name, template, values in JUDGES if name == model)
    with pytest.raises(RefusedError):
        judge(template, raw, **values)
    dialect = OpenAIChat.for_model(model, "vllm")
    assert check(raw, dialect)
    judge(template, MessageHistory.from_list(raw).for_send(dialect), **values)
