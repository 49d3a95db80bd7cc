"""Every dialect keeps what `DialectConformance` asks of all: a new one is tested here as soon as it is public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from message_history import DocumentBlock, ImageBlock, MessageHistory, TextBlock
from message_history.dialects import Gemini, PydanticAI
from message_history.dialects.registry import DIALECTS
from message_history.testing.conformance import DialectConformance
from message_history.testing.conformance.dialects import ASSISTANTS
from tests.dialects.odd_pieces import PNG

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.block_base import Block


class TestEveryDialect(DialectConformance):
    # What writes objects of a package is tested where that is installed, in `tests/integrations`.
    @pytest.fixture(autouse=True, params=DIALECTS)
    def _of_a_dialect(self, request: pytest.FixtureRequest) -> None:
        self.dialect = DIALECTS[request.param]


ODD: list[Any] = [
    71234567,
    "(odd)",
    ["(odd)"],
    {"unheard": "(odd)"},
    {"role": "martian", "unheard": "(odd)"},
    {"type": "unheard", "of": "(odd)"},
    {"kind": "unheard", "of": "(odd)"},
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", DIALECTS)
def test_an_entry_that_is_no_message_is_kept_or_in_a_repair(name: str, odd: Any) -> None:
    raw = [{"role": "user", "content": "q"}, odd, {"role": "user", "content": "r"}]
    history = MessageHistory.from_list(raw, dialect=DIALECTS[name])
    held = repr(history.to_list()) + repr([(repair.removed, repair.detail) for repair in history.repairs])
    assert "(odd)" in held or "71234567" in held


@pytest.mark.parametrize("role", ASSISTANTS)
def test_the_assistant_goes_by_other_names_over_parts_too(role: str) -> None:
    raw = [{"role": "user", "parts": [{"text": "a"}]}, {"role": role, "parts": [{"text": "a"}]}]
    history = MessageHistory.from_list(raw, dialect=Gemini())
    assert [message.role for message in history] == ["user", "assistant"]
    assert history.repairs == ()


def held(blocks: Iterable[Block]) -> list[Any]:
    return [block.source if isinstance(block, ImageBlock) else getattr(block, "text", None) for block in blocks]


@pytest.mark.parametrize("key", ["content", "parts"])
@pytest.mark.parametrize("name", DIALECTS)
def test_blocks_of_this_library_in_a_raw_message_are_taken_as_they_are(name: str, key: str) -> None:
    entry: dict[str, Any] = {"kind": "request"} if (name, key) == ("pydantic_ai", "parts") else {"role": "user"}
    raw = [{**entry, key: [TextBlock("a"), ImageBlock(PNG)]}]
    assert held(MessageHistory.from_list(raw, dialect=DIALECTS[name])[0].content) == ["a", PNG]


def test_blocks_of_this_library_are_taken_in_what_the_parts_of_an_agent_hold() -> None:
    prompt = {"part_kind": "user-prompt", "content": [TextBlock("a"), ImageBlock(PNG)]}
    call = {"part_kind": "tool-call", "tool_call_id": "c", "tool_name": "f", "args": {}}
    returned = {"part_kind": "tool-return", "tool_call_id": "c", "tool_name": "f", "content": ImageBlock(PNG)}
    parts = [("request", prompt), ("response", call), ("request", returned)]
    raw = [{"kind": kind, "parts": [part]} for kind, part in parts]
    history = MessageHistory.from_list(raw, dialect=PydanticAI())
    assert held(history[0].content) == ["a", PNG]
    assert held(history[2].results[0].content) == [PNG]


@pytest.mark.parametrize("name", DIALECTS)
def test_the_system_prompt_is_in_the_list_or_next_to_it_as_the_dialect_says(name: str) -> None:
    dialect = DIALECTS[name]
    alone, prompted = (history.add_user("q").export(dialect) for history in (MessageHistory(), with_prompt()))
    assert (prompted.system is None) is dialect.has_system_in_list()
    assert (repr(prompted.messages) == repr(alone.messages)) is not dialect.has_system_in_list()


def with_prompt() -> MessageHistory:
    return MessageHistory().with_system("Be brief.")


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_that_is_known_by_its_form_claims_no_entry_without_one(name: str) -> None:
    assert not DIALECTS[name].owns({"role": "narrator", "content": "q"})


@pytest.mark.parametrize("name", [name for name in DIALECTS if not DIALECTS[name].takes_cache_marks()])
def test_a_dialect_without_cache_marks_puts_none_on_a_content(name: str) -> None:
    blocks = [{"type": "text", "text": "a"}]
    assert not DIALECTS[name].mark_cache(blocks, "1h")
    DIALECTS[name].unmark_cache(blocks)
    assert blocks == [{"type": "text", "text": "a"}]


@pytest.mark.parametrize("kind", [ImageBlock, DocumentBlock])
@pytest.mark.parametrize("name", DIALECTS)
def test_a_type_that_the_source_of_a_url_names_is_sent_or_told(
    name: str, kind: type[ImageBlock | DocumentBlock]
) -> None:
    block = kind({"type": "url", "url": "https://a.example/b", "media_type": "(odd)"})
    exported = MessageHistory().add_user([block, "q"]).export(DIALECTS[name])
    assert "(odd)" in repr(exported.messages) + repr([repair.removed for repair in exported.repairs])


@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "native"])
def test_what_differs_by_model_is_given_by_name(name: str) -> None:
    kind: Any = type(DIALECTS[name])
    with pytest.raises(TypeError, match="positional"):
        kind(None)
