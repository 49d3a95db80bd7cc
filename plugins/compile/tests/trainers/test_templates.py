"""transformers renders what is compiled for chat templates: those that ship inside TRL, and small ones of our own."""

from __future__ import annotations

import json
import signal
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.needs import needs_processes

from compiling.conversations import agent
from message_history.formats.registry import FORMATS
from message_history_compile import Plan
from message_history_compile.reading import Found, Part, conversations_of, read_part
from message_history_compile.rows import Rejected, Row, Source, compile_conversation
from trainers.compiled import inputs

pytest.importorskip("message_history_measure")

from message_history_compile import read_template, rendering
from message_history_compile.template_forms import form_of
from message_history_compile.templates import render
from message_history_measure import TemplateRefusedError

if TYPE_CHECKING:
    from message_history_compile.targets.base import Settings

FAMILIES = (
    *(
        "cohere2",
        "deepseek_r1_distill",
        "deepseekv3",
        "gemma",
        "gemma3",
        "gemma4",
        "glm4moe",
        "gptoss",
        "lfm2",
        "llama3",
        "llama3_1",
    ),
    *("llava_next", "nemotron_3_nano", "phi3", "qwen2_5", "qwen3", "qwen3_6", "smolvlm"),
)

UNTRUE = ("nothing_to_learn", "empty", "joined", "no_mask")
"""The reasons why nothing true can be learned from a conversation, whatever the template."""

ALTERNATING = """
{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif %}
<{{ message.role }}>{{ message.content | trim }}
{%- endfor %}
"""
SHORT_IDS = """
{%- set state = namespace(turn='user') %}
{%- for message in messages %}
{%- if message.role in ('user', 'assistant') and not message.tool_calls %}
{%- if message.role != state.turn %}{{ raise_exception('roles must alternate') }}{% endif %}
{%- set state.turn = 'assistant' if message.role == 'user' else 'user' %}
{%- endif %}
{%- if message.tool_calls %}
{%- for call in message.tool_calls %}
{%- if call.id | length != 9 %}{{ raise_exception('Tool call IDs should have length 9!') }}{% endif %}
{{ call.function | tojson }}
{%- endfor %}
{%- else %}
<{{ message.role }}>{{ message.content }}
{%- endif %}
{%- endfor %}
"""
ONE_CALL = """
{%- for message in messages %}
{%- if 'tool_calls' in message %}
{%- if message.tool_calls | length != 1 %}{{ raise_exception('only single tool-calls at once!') }}{% endif %}
{{ message.tool_calls[0].function.name }}: {{ message.tool_calls[0].function.arguments | tojson }}
{%- else %}
<{{ message.role }}>{{ message.content }}
{%- endif %}
{%- endfor %}
"""
TEXT_ARGUMENTS = """
{%- for message in messages %}
{{ '<' + message.role + '>' + message.content }}
{%- for call in message.tool_calls or [] %}{{ call.function.name + '(' + call.function.arguments + ')' }}{% endfor %}
{%- endfor %}
"""
PARTS = """
{%- for message in messages %}
{%- for part in message.content %}{{ part['text'] }}{% endfor %}
{%- for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %}
{%- endfor %}
"""
FIRST_TEXT = """
{%- set state = namespace(called=false) %}
{%- for message in messages %}
{%- if not message.tool_calls or not state.called %}<{{ message.role }}>{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}{{ call.function | tojson }}{% set state.called = true %}{% endfor %}
{%- endfor %}
"""
OWN = {
    "first text": FIRST_TEXT,
    "alternating": ALTERNATING,
    "short ids": SHORT_IDS,
    "one call": ONE_CALL,
    "text arguments": TEXT_ARGUMENTS,
    "parts": PARTS,
}


def shipped(family: str) -> Settings:
    spec = find_spec("trl")
    if spec is None or spec.origin is None:
        pytest.skip("TRL, which ships chat templates, is not installed")
    return read_template(Path(spec.origin).parent / "chat_templates" / f"{family}.jinja")


def of_text(template: str, tmp_path: Path) -> Settings:
    (tmp_path / "template.jinja").write_text(template, encoding="utf-8")
    return read_template(tmp_path / "template.jinja")


def found(count: int) -> list[Found]:
    path = inputs() / "b.jsonl"
    every = read_part(Part(str(path), 0, path.stat().st_size, "log"))
    return [each for each in every if isinstance(each, Found)][:count]


def judge(settings: Settings, count: int = 60) -> float:
    """Let transformers render all rows that were compiled.

    Returns:
        The part of the conversations that could be learned from which became rows.
    """
    chat_templates = pytest.importorskip("transformers.utils.chat_template_utils")
    plan, made, learnable = Plan(target="chat-template", settings=settings), 0, 0
    for each in found(count):
        row = compile_conversation(each.conversation, plan, each.source)
        learnable += not (isinstance(row, Rejected) and row.code in UNTRUE)
        if isinstance(row, Rejected):
            assert row.code in ("template", "template_omits", *UNTRUE), row
            continue
        made += 1
        values: dict[str, Any] = json.loads(row.line)
        chat_templates.render_jinja_template(
            [values["messages"]], tools=values["tools"], chat_template=settings.template, **dict(settings.tokens)
        )
        for message in values["messages"]:
            assert message["train"] is (message["role"] == "assistant" and not message.get("synthetic", False))
    return made / learnable


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_renders_every_row_of_a_family(family: str) -> None:
    assert judge(shipped(family)) == 1.0


@pytest.mark.parametrize("name", OWN)
def test_transformers_renders_every_row_of_a_strict_template(name: str, tmp_path: Path) -> None:
    assert judge(of_text(OWN[name], tmp_path)) == 1.0


def test_the_form_of_a_template_is_found_by_trying_it(tmp_path: Path) -> None:
    assert form_of(of_text(ALTERNATING, tmp_path)).calls_as_text
    assert form_of(of_text(ALTERNATING, tmp_path)).system_first
    assert form_of(of_text(SHORT_IDS, tmp_path)).short_ids
    assert form_of(of_text(SHORT_IDS, tmp_path)).user_in_results
    assert form_of(of_text(ONE_CALL, tmp_path)).single_calls
    assert form_of(of_text(ONE_CALL, tmp_path)).text_apart
    assert form_of(of_text(TEXT_ARGUMENTS, tmp_path)).text_arguments
    assert form_of(of_text(PARTS, tmp_path)).parts
    assert form_of(of_text(FIRST_TEXT, tmp_path)).text_apart


def test_what_a_template_drops_without_a_word_is_rejected(tmp_path: Path) -> None:
    forgets = "{% for message in messages[-3:] %}{{ message.content }}{% endfor %}"
    plan = Plan(target="chat-template", settings=of_text(forgets, tmp_path))
    (each,) = found(1)
    made = compile_conversation(each.conversation, plan, each.source)
    assert isinstance(made, Rejected)
    assert made.code == "template_omits"


def test_a_template_is_read_from_a_tokenizers_folder(tmp_path: Path) -> None:
    config: dict[str, Any] = {
        "chat_template": [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]
    }
    config |= {"bos_token": {"content": "<s>"}, "eos_token": "</s>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    assert read_template(tmp_path).template == "t"
    assert dict(read_template(tmp_path).tokens) == {"bos_token": "<s>", "eos_token": "</s>"}
    (tmp_path / "chat_template.jinja").write_text("own", encoding="utf-8")
    assert read_template(tmp_path).template == "own"
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no chat template"):
        read_template(tmp_path / "empty")


@pytest.mark.parametrize(
    "hostile",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for a in range(10**9) %}{% endfor %}",
    ],
)
def test_a_template_cannot_leave_its_sandbox(hostile: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateRefusedError):
        render(of_text(hostile, tmp_path), [{"role": "user", "content": agent()["system"]}], [])


@needs_processes
@pytest.mark.parametrize(
    "hostile",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% set n = namespace(t='x' * 9999) %}{% for a in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}{{ n.t }}",
    ],
    ids=["time", "memory"],
)
def test_a_template_that_does_not_end_is_stopped(hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "SECONDS", 2.0)
    settings = of_text(hostile, tmp_path)
    for _ in range(2):
        with pytest.raises(TemplateRefusedError, match=r"longer than|more than|memory"):
            rendering.render(settings, [{"role": "user", "content": "a"}], [])
    sound = of_text("{{ messages[0].content }}", tmp_path)
    assert rendering.render(sound, [{"role": "user", "content": "a"}], []) == "a"


@needs_processes
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system does not stop processes")
def test_a_row_is_not_rejected_because_other_programs_have_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "SECONDS", 0.5)
    settings = of_text("{{ messages[0].content }}", tmp_path)
    assert rendering.render(settings, [{"role": "user", "content": "a"}], []) == "a"
    (renderer,) = rendering._open.values()
    assert renderer._process is not None
    renderer._process.send_signal(signal.SIGSTOP)
    threading.Timer(1, renderer._process.send_signal, [signal.SIGCONT]).start()
    assert rendering.render(settings, [{"role": "user", "content": "b"}], []) == "b"


def test_what_a_template_leaves_out_is_in_the_receipt(tmp_path: Path) -> None:
    settings = of_text("{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}", tmp_path)
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "reasoning_content": "I guess."}]
    shown = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    for messages, tools, left in ((said, [], ["thinking"]), (shown, [tool], []), (shown, [], [])):
        (each,) = conversations_of({"messages": messages, "tools": tools}, Source(), FORMATS["log"])
        assert isinstance(each, Found)
        row = compile_conversation(each.conversation, Plan(target="chat-template", settings=settings), each.source)
        assert isinstance(row, Row)
        gone = [repair["detail"] for repair in row.receipt["repairs"] if repair["code"] == "withheld"]
        assert [detail.partition(",")[0] for detail in gone] == left


def test_a_template_that_takes_nothing_says_why_of_each_row(tmp_path: Path) -> None:
    plan = Plan(target="chat-template", settings=of_text("{{ raise_exception('Never.') }}", tmp_path))
    (each,) = found(1)
    made = compile_conversation(each.conversation, plan, each.source)
    assert isinstance(made, Rejected)
    assert (made.code, "Never." in made.why) == ("template", True)
