"""A list that begins with the assistant goes back as it came to a provider that takes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from message_history import MessageHistory, Policy, RepairCode, check
from message_history.dialects import Anthropic, Bedrock, OpenAIChat, OpenAIResponses

HELLO = [{"type": "text", "text": "Hello."}]
RAW: list[Any] = [
    {"role": "assistant", "content": HELLO},
    {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "a b", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": HELLO}]},
]
TAKES = Anthropic.for_model("claude-sonnet-4-5")
STRICT = Anthropic(leading_assistant=False)
UNKNOWN = Anthropic()


def test_it_goes_out_as_it_came_without_a_repair() -> None:
    history = MessageHistory.from_list(RAW, dialect=TAKES)
    assert history.repairs == ()
    assert history[0].content[0].mark is not None
    assert history.for_send(TAKES)[0] == RAW[0]
    assert history.export(TAKES).messages == history.for_send(TAKES)
    assert json.loads(history.for_send_json(TAKES)) == history.for_send(TAKES)


def test_an_export_reads_back_to_the_same_history() -> None:
    history = MessageHistory.from_list(RAW, dialect=TAKES)
    again = MessageHistory.from_list(history.for_send(TAKES), dialect=TAKES)
    assert again.repairs == ()
    assert again.for_send(TAKES) == history.for_send(TAKES)
    assert MessageHistory.from_list(history.to_list()) == history


def test_what_is_sent_is_not_rewritten_and_its_json_is_the_same() -> None:
    history = MessageHistory.from_list(RAW, dialect=TAKES)
    sent = history.for_send(TAKES)
    for n in range(3):
        history = history.add_assistant(f"a{n}").add_user(f"u{n}")
        assert history.for_send(TAKES)[: len(sent)] == sent
        assert json.loads(history.for_send_json(TAKES)) == history.for_send(TAKES)
        assert json.loads(history.for_send_json(STRICT)) == history.for_send(STRICT)


def test_repairs_of_the_export_name_the_places_of_the_history() -> None:
    history = MessageHistory.from_list(RAW, dialect=TAKES)
    (renamed,) = history.export(TAKES).repairs
    assert history[renamed.index].calls[0].name == "a b"


def test_a_strict_dialect_sends_the_placeholder_and_a_list_of_unknown_dialect_records_it() -> None:
    assert [message["role"] for message in MessageHistory.from_list(RAW, dialect=TAKES).for_send(STRICT)][:2] == [
        "user",
        "assistant",
    ]
    (repair,) = MessageHistory.from_list(RAW).repairs
    assert repair.code is RepairCode.BOOTSTRAP_ADDED
    with_placeholder = MessageHistory.from_list(RAW, dialect=STRICT)
    assert with_placeholder.for_send(TAKES)[0] == RAW[0]


@pytest.mark.parametrize(
    ("raw", "dialect"),
    [
        (RAW, UNKNOWN),
        ([{"role": role, "content": role} for role in ("assistant", "user", "assistant")], OpenAIChat()),
        ([{"role": role, "content": role} for role in ("assistant", "user")], OpenAIResponses()),
    ],
    ids=["anthropic", "openai_chat", "openai_responses"],
)
def test_where_no_model_is_known_a_list_that_came_so_goes_back_so_and_no_other(raw: list[Any], dialect: Any) -> None:
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert history.repairs == ()
    assert history.for_send(dialect)[0] == raw[0]
    assert json.loads(history.for_send_json(dialect)) == history.for_send(dialect)
    saved = MessageHistory.from_list(history.to_list())
    assert saved == history
    assert saved.for_send(dialect)[0] == raw[0]
    longer = history.add_assistant("a").add_user("u")
    assert longer.for_send(dialect)[: len(raw) - 1] == history.for_send(dialect)[: len(raw) - 1]
    for unsaid in (MessageHistory.from_list(raw), MessageHistory().add_assistant("Hello.").add_user("Hi.")):
        assert next(iter(unsaid.repairs)).code is RepairCode.BOOTSTRAP_ADDED
        assert unsaid.for_send(dialect)[0]["role"] == "user"
        assert json.loads(unsaid.for_send_json(dialect)) == unsaid.for_send(dialect)
    assert history.for_send(STRICT)[0]["role"] == "user"


def test_the_policy_to_drop_holds_for_every_dialect() -> None:
    history = MessageHistory.from_list(RAW, dialect=TAKES, policy=Policy(leading_assistant="drop"))
    assert history[0].text == "Hi."


def test_a_list_that_loses_its_first_message_is_repaired_as_ever() -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": " "}]}
    codes = {repair.code for repair in MessageHistory.from_list([blank, *RAW], dialect=TAKES).repairs}
    assert codes == {RepairCode.BLANK_TEXT_DROPPED, RepairCode.BOOTSTRAP_ADDED}


@pytest.mark.parametrize("raw", [RAW, RAW[:1], RAW[:2]])
def test_the_policy_to_raise_takes_such_a_list(raw: list[Any]) -> None:
    history = MessageHistory.from_list(raw, dialect=TAKES, policy=Policy(on_violation="raise"))
    assert history.repairs == ()


def test_converse_takes_it_with_claude() -> None:
    raw = [{"role": "assistant", "content": [{"text": "Hello."}]}, {"role": "user", "content": [{"text": "Hi."}]}]
    claude = Bedrock.for_model("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
    assert MessageHistory.from_list(raw, dialect=claude).for_send(claude) == raw
    assert len(MessageHistory.from_list(raw, dialect=claude).for_send(Bedrock.for_model("amazon.nova-pro-v1:0"))) == 3
    assert not check(raw, Bedrock())
    assert MessageHistory.from_list(raw, dialect=Bedrock()).export(Bedrock()).messages == raw


@pytest.mark.parametrize(
    "dialect",
    [OpenAIChat.for_provider("api.openai.com"), OpenAIChat.for_provider("azure"), OpenAIChat.for_model("gpt-4o")],
)
def test_openai_s_own_addresses_take_a_list_that_begins_and_ends_with_the_assistant(dialect: OpenAIChat) -> None:
    raw = [{"role": role, "content": role} for role in ("assistant", "user", "assistant")]
    history = MessageHistory.from_list(raw, dialect=dialect)
    assert history.repairs == ()
    assert history.for_send(dialect) == raw


@pytest.mark.parametrize("raw", [[{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Hi."}]])
def test_items_that_begin_with_the_assistant_are_read_without_a_repair_where_they_are_taken(raw: list[Any]) -> None:
    takes = OpenAIResponses.for_provider("openai")
    history = MessageHistory.from_list(raw, dialect=takes)
    assert history.repairs == ()
    assert history.export(takes).messages == raw
    assert history.export(takes).repairs == ()
    assert json.loads(history.for_send_json(takes)) == raw


@pytest.mark.parametrize("dialect", [TAKES, OpenAIResponses(leading_assistant=True)], ids=["anthropic", "responses"])
def test_an_assistant_message_that_says_nothing_leads_no_list(dialect: Any) -> None:
    history = MessageHistory.from_list([{"role": "assistant", "content": ""}], dialect=dialect)
    assert list(history) == []
    assert history.as_sent(dialect).for_send(dialect) == []


def test_a_placeholder_before_a_reply_that_is_to_go_on_is_left_out_as_well() -> None:
    history = MessageHistory().add_assistant("a")
    assert len(history) == 2
    for dialect in (OpenAIChat(prefill=True, leading_assistant=True), Bedrock(prefill=True, leading_assistant=True)):
        assert [entry["role"] for entry in history.for_send(dialect)] == ["assistant"]
