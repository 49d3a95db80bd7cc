"""What a trainer puts labels on, by its own templates: no token of what must not be learned is among it.

TRL's `assistant_only_loss` learns the tokens that its training templates mark as the assistant's. Only the tokenizer is
of ours: one of bytes.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from compiling.conversations import agent, crashed
from message_history.formats.registry import FORMATS
from message_history_compile import Plan
from message_history_compile.reading import Found, conversations_of
from message_history_compile.rows import Row, Source, compile_conversation
from trainers.compiled import inputs

pytest.importorskip("message_history_measure")
tokenizers: Any = pytest.importorskip("tokenizers")
transformers: Any = pytest.importorskip("transformers")

MASKED, STUB, RAW = "a text that must not be learned", "No result is recorded", "_raw"
NEVER = (MASKED, STUB, RAW, "unknown_tool", "The conversation began", "Please continue")
COUNT = 30


def templates() -> dict[str, Path]:
    spec = find_spec("trl")
    if spec is None or spec.origin is None:
        return {}
    folder = Path(spec.origin).parent / "chat_templates"
    return {path.stem.removesuffix("_training"): path for path in sorted(folder.glob("*_training.jinja"))}


def chat(role: str, content: Any, **keys: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **keys}


def broken_call(**keys: Any) -> dict[str, Any]:
    function = {"name": "weather", "arguments": '{"city": "Par'}
    return chat("assistant", "I look.", tool_calls=[{"id": "c1", "type": "function", "function": function}], **keys)


def hostile() -> list[dict[str, Any]]:
    """Make conversations of each of which something must not be learned."""
    sound = [chat("user", "Sure?"), chat("assistant", "Yes.")]
    asked = [chat("user", "Weather?"), chat("assistant", "I may look.")]
    return [
        {"messages": [*asked, chat("user", "Do."), chat("assistant", MASKED, **mask), *sound]}
        for mask in ({"weight": 0}, {"train": False}, {"loss": False}, {"synthetic": True})
    ] + [
        {"messages": [*asked, chat("user", "Do."), broken_call(), chat("tool", "b", tool_call_id="c1"), *sound]},
        {"messages": [chat("user", "Do."), chat("assistant", MASKED, weight=0), *sound]},
        {"messages": [chat("assistant", "Hello."), *sound]},
        {"messages": [*asked, chat("user", "Do."), broken_call()]},
        crashed(),
        agent(),
    ]


@cache
def conversations() -> list[Found]:
    lines = [json.loads(line) for line in (inputs() / "b.jsonl").read_bytes().split(b"\n")[:COUNT] if line[-1:] == b"}"]
    found = [each for item in (*hostile(), *lines) for each in conversations_of(item, Source(), FORMATS["log"])]
    return [each for each in found if isinstance(each, Found)]


@cache
def tokenizer() -> Any:
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    bytewise = tokenizers.Tokenizer(tokenizers.models.BPE({letter: n for n, letter in enumerate(letters)}, []))
    bytewise.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = tokenizers.decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>")


def learned(row: dict[str, Any], template: str) -> str:
    """Return the text on whose tokens TRL puts labels."""
    made = tokenizer().apply_chat_template(
        row["messages"],
        tools=row["tools"],
        chat_template=template,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    pairs = zip(made["input_ids"], made["assistant_masks"], strict=True)
    text: str = tokenizer().decode([token for token, label in pairs if label])
    return text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("synthetic", [None, "mask"])
@pytest.mark.parametrize("name", templates())
def test_trl_puts_no_label_on_what_must_not_be_learned(name: str, synthetic: Any) -> None:
    from message_history_compile import read_template  # noqa: PLC0415 - an extra

    settings = read_template(templates()[name])
    plan = Plan(target="chat-template", settings=settings, synthetic=synthetic)
    rows = [compile_conversation(each.conversation, plan, each.source) for each in conversations()]
    made = [json.loads(row.line) for row in rows if isinstance(row, Row)]
    assert len(made) > COUNT / 2
    for row in made:
        text = learned(row, str(settings.template))
        assert text.strip()
        assert not [each for each in NEVER if each in text]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["qwen2_5", "qwen3", "qwen3_instruct_2507"])
def test_trl_puts_no_label_on_what_must_not_be_learned_of_its_own_rows(name: str) -> None:
    template = templates().get(name)
    if template is None:
        pytest.skip("TRL, which ships chat templates, is not installed")
    rows = [compile_conversation(each.conversation, Plan(target="trl"), each.source) for each in conversations()]
    made = [json.loads(row.line) for row in rows if isinstance(row, Row)]
    assert len(made) > COUNT / 2
    for row in made:
        text = learned(row, template.read_text(encoding="utf-8"))
        assert text.strip()
        assert not [each for each in NEVER if each in text]
