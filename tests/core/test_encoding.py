"""An export as JSON text: always the export's own, whatever is kept from the versions before."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from message_history import MessageHistory, TextBlock, ToolUseBlock
from message_history.core.messages.media_blocks import ImageBlock
from message_history.core.turns.conversation import past_of
from message_history.core.values.json_values import FrozenDict
from message_history.core.values.log import SIZE
from message_history.core.values.meta import Meta
from message_history.core.views.json_cache import json_of_settled
from message_history.dialects import Anthropic, Bedrock, Gemini, Mistral, OpenAIChat
from message_history.dialects._shared.foreign_text import TurnWithText
from message_history.dialects.registry import DIALECTS
from message_history.history import conversation_of
from message_history.integrations.strategies import histories, messages
from message_history.plain_json import compact_items

if TYPE_CHECKING:
    from message_history import Message
    from message_history.dialects import Dialect

KEPT = [Anthropic(), OpenAIChat(), Mistral(), Bedrock(), Gemini()]


def dumped(history: MessageHistory, dialect: Dialect[Any]) -> bytes:
    texts = []
    for message in history.for_send(dialect):
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=_base64)
        try:
            texts.append(text.encode())
        except UnicodeEncodeError:
            texts.append(json.dumps(message, separators=(",", ":"), default=_base64).encode())
    return b"[" + b",".join(texts) + b"]"


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def talk(turns: int) -> MessageHistory:
    history = MessageHistory()
    for n in range(turns):
        history = history.add_user(f"q {n}").add_assistant([TextBlock("a"), ToolUseBlock(f"c{n}", "f", {"n": n})])
        history = history.add_tool_result(f"c{n}", f"r {n}").add_assistant("done")
    return history.add_user("and")


@given(histories(), st.sampled_from(sorted(DIALECTS)), st.lists(messages(), max_size=5))
def test_the_text_is_the_export_s_at_every_version(history: MessageHistory, name: str, after: list[Message]) -> None:
    dialect = DIALECTS[name]
    versions = [history]
    for message in after:
        versions.append(versions[-1].add(message))
        fork = versions[-1].add(message)
        assert fork.for_send_json(dialect) == dumped(fork, dialect)
    for version in (*versions, *versions[::-1]):
        assert version.for_send_json(dialect) == dumped(version, dialect)


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_ids_that_come_again_and_pictures_are_in_the_text_as_in_the_export(name: str) -> None:
    dialect, picture = DIALECTS[name], ImageBlock({"type": "base64", "media_type": "image/png", "data": "AAAA"})
    calls, pictures = MessageHistory(), MessageHistory()
    for _ in range(3):
        calls = calls.add_user("q").add_assistant(ToolUseBlock("call_1", "f", {})).add_tool_result("call_1", "r")
        pictures = pictures.add_user([picture, "q"])
        calls, pictures = calls.add_assistant("a"), pictures.add_assistant("a")
    for history in (calls, pictures):
        assert history.add_user("q").for_send_json(dialect) == dumped(history.add_user("q"), dialect)


@pytest.mark.parametrize("dialect", KEPT)
def test_a_settled_turn_is_written_once(dialect: Dialect[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    history = talk(SIZE)
    text = history.for_send_json(dialect)
    written = []
    write_turn = type(dialect).write_turn

    def counted(self: Any, assistant: Any, user: Any) -> Any:
        written.append(assistant)
        return write_turn(self, assistant, user)

    monkeypatch.setattr(type(dialect), "write_turn", counted)
    longer = history.add_assistant("one more").add_user("and one")
    assert longer.for_send_json(dialect) == dumped(longer, dialect)
    assert [assistant.text for assistant in written if assistant is not None] == ["done", "one more"]
    assert longer.for_send_json(dialect).startswith(text[:-1])
    written.clear()
    fork = history.add_assistant("another way").add_user("and back")
    assert fork.for_send_json(dialect) == dumped(fork, dialect)
    assert [assistant.text for assistant in written if assistant is not None] == ["done", "another way"]


@pytest.mark.parametrize("dialect", KEPT)
def test_versions_of_one_chunk_are_cut_where_they_end(dialect: Dialect[Any]) -> None:
    short = talk(3)
    long = short
    for n in range(SIZE):
        long = long.add_assistant("more").add_user(f"and {n}")
    fork = short.add_assistant("another way").add_user("fine")
    for version in (long, short, fork, long):
        assert version.for_send_json(dialect) == dumped(version, dialect)


@pytest.mark.parametrize("dialect", KEPT)
def test_a_fork_takes_over_the_turns_that_it_shares_with_a_whole_chunk(dialect: Dialect[Any]) -> None:
    short = talk(3)
    long = short
    for n in range(SIZE):
        long = long.add_assistant("more").add_user(f"and {n}")
    # Encoded as a whole before the fork copies the beginning of it.
    assert long.for_send_json(dialect) == dumped(long, dialect)
    fork = short.add_assistant("another way").add_user("fine").add_assistant("good")
    assert fork.for_send_json(dialect) == dumped(fork, dialect)


@pytest.mark.parametrize("dialect", KEPT)
def test_a_turn_that_depends_on_others_is_never_kept(dialect: Dialect[Any]) -> None:
    mark = Meta(extra=FrozenDict(anthropic={"cache_control": {"type": "ephemeral"}}))
    marked = MessageHistory().add_user("q").add_assistant("a")
    for _ in range(6):
        marked = marked.add_user(TextBlock("cached", meta=mark)).add_assistant("a")
    marked = marked.add_user("end")
    assert marked.for_send_json(dialect) == dumped(marked, dialect)
    picture = ImageBlock({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="})
    pictured = talk(2).add_assistant("a").add_user(picture).add_assistant("seen").add_user("end")
    assert pictured.for_send_json(dialect) == dumped(pictured, dialect)
    past = past_of(conversation_of(pictured))
    assert json_of_settled(past, TurnWithText(dialect), compact_items) is None


def test_a_chunk_keeps_the_text_of_few_dialects() -> None:
    history = talk(2)
    dialects = [OpenAIChat(max_calls=n) for n in range(1, 10)]
    for dialect in dialects * 2:
        assert history.for_send_json(dialect) == dumped(history, dialect)
    ((chunk, _),) = past_of(conversation_of(history)).chunks()
    assert len(chunk.cache[0]) == 8


def test_an_ending_with_the_assistant_and_a_prompt_are_written_too() -> None:
    ends = MessageHistory().add_user("q").add_assistant("a ")
    prefill = Anthropic(prefill=True)
    assert ends.for_send_json(prefill) == dumped(ends, prefill)
    prompted = ends.with_system("Be brief.")
    assert prompted.for_send_json(OpenAIChat()) == dumped(prompted, OpenAIChat())
    assert MessageHistory().for_send_json() == b"[]"
