"""The commonest mistakes end in an error that says what to write instead and quotes nothing of the history."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from message_history import (
    ImageBlock,
    InvariantError,
    MessageHistory,
    Policy,
    PromptCache,
    TextBlock,
    ToolUseBlock,
    check,
    from_file,
)
from message_history.core.values.json_values import FrozenDict
from message_history.dialects import Anthropic, OpenAIChat
from message_history.dialects.inputs import user_messages
from message_history.dialects.registry import DIALECTS
from message_history.dialects.state import from_state_text
from message_history.explaining import explain
from message_history.following import followed_from
from message_history.history import conversation_of
from message_history.streaming import Accumulator
from message_history.windows import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = "SECRET-4711"
HISTORY: Any = MessageHistory().add_user("q")
AnyHistory: Any = MessageHistory
AnyCheck: Any = check
AnyText: Any = TextBlock
AnyExplain: Any = explain
AnyPolicy: Any = Policy
AnyCache: Any = PromptCache
AnyAccumulator: Any = Accumulator
AnyList: Any = list
AnyFollowedFrom: Any = followed_from


class Pending:
    """What an asynchronous client returns before it is awaited."""

    def __await__(self) -> Iterator[None]:
        return iter(())


class SdkBlock:
    def model_dump(self) -> dict[str, Any]:
        return {"type": "text", "text": SECRET}


ANSWERED: Any = HISTORY.add_assistant(ToolUseBlock("c1", "f", {})).add_tool_result("c1", "r")

MISTAKES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: HISTORY.for_send("claude"),
        "not the text 'claude'; take one of message_history.dialects, such as Anthropic()",
    ),
    (lambda: HISTORY.for_send("Bedrock"), "not the text 'Bedrock'; write Bedrock()"),
    (
        lambda: HISTORY.add_assistant(ToolUseBlock("c1", "f", {})).record_call("c1", "answered"),
        "what may follow is waiting, approved, denied, cancelled, started; add a result with add_tool_result",
    ),
    (
        lambda: ToolUseBlock("c1", "f", AnyText("{}").text),
        "not str: '{}'; json.loads reads JSON text",
    ),
    (
        lambda: ImageBlock(AnyText("a.png").text),
        "not str: 'a.png'; from_path, from_bytes and from_url",
    ),
    (lambda: HISTORY[5], "position 5 is out of range: the history has 1 messages"),
    (lambda: HISTORY.rewind(2), "n_turns: 2 turns cannot be omitted; the history has 1"),
    (lambda: HISTORY.rewind(-1), "n_turns: -1 turns cannot be omitted; pass a number from 0 on"),
    (
        lambda: HISTORY.drop_before(3),
        "cut: 3 is not a safe cut of a history of 1 messages; the nearest safe cuts are 0",
    ),
    (lambda: HISTORY.compact("s", keep_from=3), "keep_from: 3 is not a safe cut"),
    (lambda: HISTORY.compact(" "), "summary must not be blank"),
    (lambda: HISTORY.compact(ToolUseBlock("c1", "f", {})), "summary must be made of text.*, not of a ToolUseBlock"),
    (lambda: HISTORY.window(max_messages=0), "has 1 messages; it does not fit max_messages=0: pass more$"),
    (lambda: HISTORY.window(max_tokens=0), "does not fit max_tokens=0: pass more, or shorten its results"),
    (lambda: HISTORY.trim_results(older_than=1, text=Policy().stub_text), "text must not be the text of a stub"),
    (lambda: ANSWERED.record_call("c1", "started"), "state: the call 'c1' .* is answered.* nothing, as that is final"),
    (lambda: user_messages(AnyText), r"raw must be a list of messages, not \w+; pass \[message\] for one"),
    (lambda: from_state_text("[]"), "text must be a JSON object with a list of messages.*, not a list"),
    (lambda: setattr(FrozenDict(), "a", 1), r"FrozenDict cannot be changed \(setting 'a'\); dict\(...\) makes a copy"),
    (lambda: HISTORY.for_send("openai"), r"dialect must be a dialect, not the text 'openai'; write OpenAIChat\(\)"),
    (lambda: HISTORY.for_send("gemini"), r"write Gemini\(\)"),
    (lambda: HISTORY.for_send(7), r"such as OpenAIChat\(\) .*, not int"),
    (lambda: HISTORY.extend(None), "messages must be a list of messages, not NoneType; `add` takes one"),
    (lambda: HISTORY.extend(HISTORY[0]), "not Message; `add` takes one"),
    (lambda: from_file(AnyList()), "path must be a str or a PathLike, not list; from_list reads a list"),
    (lambda: AnyFollowedFrom([], OpenAIChat()), "history must be a MessageHistory, not list; MessageHistory.from_list"),
    (lambda: AnyCheck([], "openai"), "not 'openai'; take one of message_history.dialects"),
    (lambda: AnyCheck([], Anthropic), r"not the class Anthropic; write Anthropic\(\)"),
    (lambda: AnyText([SECRET]), "^text must be a str, not list$"),
    (lambda: HISTORY.for_send(OpenAIChat), r"not the class OpenAIChat; write OpenAIChat\(\)"),
    (lambda: HISTORY.for_send_json("openai"), "dialect must be a dialect"),
    (lambda: HISTORY.export(Anthropic), r"write Anthropic\(\)"),
    (lambda: HISTORY.as_sent("openai"), "dialect must be a dialect"),
    (lambda: AnyHistory.from_list([], dialect="openai"), "dialect must be a dialect"),
    (lambda: HISTORY.add_response({"type": "message"}, dialect=Anthropic), r"write Anthropic\(\)"),
    (lambda: AnyHistory([{"role": "user", "content": SECRET}]), r"write MessageHistory\.from_list\(messages\)"),
    (lambda: AnyHistory.from_list({"messages": [SECRET]}), r"not dict; pass raw\['messages'\]"),
    (lambda: AnyHistory.from_list(f'["{SECRET}"]'), "not str; parse the JSON first"),
    (lambda: HISTORY.add_user([{"type": "text", "text": SECRET}]), r"not dict; a raw dict goes to add\(\{'role'"),
    (lambda: HISTORY.add_user(7), "content must be text or blocks, not int"),
    (
        lambda: AnyHistory().add_assistant([SdkBlock()]),
        r"not SdkBlock of \w+; an SDK's block goes to add\(\{'role'.* its whole response to add_response",
    ),
    (lambda: HISTORY.add(SECRET), "message must be a Message or a dict .* `add_user` takes text"),
    (
        lambda: HISTORY.add_response(SimpleNamespace(role="assistant", content=SECRET)),
        r"`add` takes one message of it, such as response\.choices\[0\]\.message",
    ),
    (lambda: HISTORY.add_tool_result({"id": SECRET}, "x"), "call must be a ToolUseBlock or its id, not dict"),
    (lambda: HISTORY.add_response({"x": SECRET}), "response must be a whole response"),
    (lambda: Policy(on_violation="boom"), "^on_violation must be 'repair' or 'raise', not 'boom'$"),  # type: ignore[arg-type]
    (
        lambda: AnyHistory(messages=[{"role": "user", "content": SECRET}]),
        r"write MessageHistory\.from_list\(messages\)",
    ),
    (lambda: HISTORY.calls.where("done"), "^state must be one of proposed, waiting, .*, unknown, not 'done'$"),
    (lambda: AnyExplain(ValueError(SECRET)), r"text must be a str, not ValueError; pass str\(error\)"),
    (lambda: AnyExplain(None), "^text must be a str, not NoneType; pass"),
    (lambda: AnyHistory(system=SECRET), r"write MessageHistory\(\)\.with_system\(text\)"),
    (lambda: AnyCheck(HISTORY, Anthropic()), r"not a history; check what it sends: history\.for_send\(dialect\)"),
    (
        lambda: AnyCheck({"messages": [SECRET]}, Anthropic()),
        "raw must be a list of messages, not dict; pass its 'messages'",
    ),
    (lambda: AnyCheck(SECRET, Anthropic()), "not str; parse the JSON first"),
    (lambda: AnyHistory.from_list([], policy="raise"), r"policy must be a Policy, not str; write Policy\(on_violation"),
    (lambda: HISTORY.add_user(None), "not NoneType; pass a str, a block such as TextBlock, or a list of them"),
    (lambda: HISTORY.add_response({"type": "error", "error": {"message": SECRET}}), "it is the provider's error: send"),
    (lambda: HISTORY.add_response(iter([SECRET])), "a stream goes to message_history.streaming.Accumulator"),
    (lambda: HISTORY.add_response(Pending()), "not Pending; await it first"),
    (lambda: HISTORY.window(max_tokens=1, counter=4), "counter must be a function of a message, not int"),
    (lambda: HISTORY.trim_results(older_than="4"), "older_than must be a whole number, not str"),
    (lambda: HISTORY.rewind("4"), "n_turns must be a whole number, not str"),
    (lambda: HISTORY.drop_before("4"), "cut must be a whole number, not str"),
    (lambda: HISTORY.compact("x", keep_from="4"), "keep_from must be a whole number, not str"),
    (lambda: AnyPolicy(stub_text=7), "stub_text must be a str that is not blank, not 7"),
    (lambda: AnyPolicy(denied_text=[7]), "denied_text must be a str"),
    (lambda: AnyCache(ttl="2h"), "ttl must be '5m' or '1h', not '2h'"),
    (lambda: AnyAccumulator(Anthropic, HISTORY), r"write Anthropic\(\)"),
    (lambda: AnyAccumulator("openai", HISTORY), r"write OpenAIChat\(\)"),
    (lambda: AnyAccumulator(Anthropic(), [SECRET]), "sent must be the MessageHistory that was sent, not list"),
    (
        lambda: conversation_of(AnyList([SECRET])),
        "history must be a MessageHistory, not list; MessageHistory.from_list",
    ),
    (lambda: Anthropic.for_model("gpt-4o"), r"model 'gpt-4o' is not served by this API"),
]


@pytest.mark.parametrize(("mistake", "text"), MISTAKES)
def test_a_mistake_says_what_to_write_instead(mistake: Callable[[], object], text: str) -> None:
    with pytest.raises((TypeError, ValueError, LookupError, AttributeError), match=text) as caught:
        mistake()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("append", r"write history = history\.add_user"),
        ("messages", r"list\(history\)"),
        ("last", r"history\[-1\]"),
        ("pop", r"history\.rewind\(\)"),
    ],
)
def test_a_name_that_people_try_first_says_what_to_write(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=instead):
        getattr(HISTORY, name)
    assert not hasattr(HISTORY, name)
    assert not hasattr(MessageHistory, name)
    assert name not in dir(HISTORY)
    with pytest.raises(AttributeError, match=r"^'MessageHistory' object has no attribute 'xyz'$"):
        HISTORY.xyz  # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("nope", "format must be the name of a format or None, not 'nope'; `message-history formats` lists them"),
        ("claude_code", "format must be the name of a format or None, not 'claude_code'; near to it are claude-code"),
        (AnyList(), "format must be the name of a format or None, not []; `message-history formats` lists them"),
    ],
)
def test_a_format_that_is_none_is_refused_by_name(format: str, text: str) -> None:
    with pytest.raises(KeyError) as caught:
        from_file("session.json", format=format)
    assert str(caught.value.args[0]).startswith(text)


@pytest.mark.parametrize("name", [name for name in DIALECTS if hasattr(DIALECTS[name], "for_model")])
@pytest.mark.parametrize("model", [3, None, ["gpt-5"], b"gpt-5"])
def test_a_model_that_is_no_text_is_refused_by_name(name: str, model: object) -> None:
    kind: Any = type(DIALECTS[name])
    with pytest.raises(TypeError, match=rf"model must be a str, the name of a model, not {type(model).__name__}; "):
        kind.for_model(model)
    if name.startswith("openai"):
        with pytest.raises(TypeError, match="provider must be a str, the name of a provider, not int"):
            kind.for_model("gpt-5", 7)


def test_logs_and_errors_hold_nothing_of_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "run", "input": {"path": SECRET}}
    broken: list[Any] = [
        {"role": "assistant", "content": [{"type": "text", "text": SECRET}, call]},
        {"role": "user", "content": [{"type": "text", "text": SECRET}, call, {"type": "text", "text": ""}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": SECRET}]},
        {"role": "assistant", "content": SECRET},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": SECRET}]},
        SECRET,
    ]
    with caplog.at_level("DEBUG", "message_history"):
        history = MessageHistory.from_list(broken)
        history.add({"role": "user", "content": [call]}).export(OpenAIChat())
    assert len(history.repairs) > 4
    assert len(caplog.records) > 4
    for record in caplog.records:
        assert SECRET not in record.getMessage()
        assert SECRET not in repr(vars(record))
    with pytest.raises(InvariantError) as caught:
        MessageHistory.from_list(broken, policy=Policy(on_violation="raise"))
    assert SECRET not in str(caught.value)
    assert caught.value.violations
    assert SECRET not in repr(history)


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    with pytest.raises(ValueError, match="there is no such file") as caught:
        from_file(missing)
    assert str(caught.value) == f"{missing}: there is no such file"


def test_an_estimate_of_many_messages_names_what_counts_them() -> None:
    history = MessageHistory().add_user("x")
    with pytest.raises(TypeError, match=r"must be a Message, not list; windows\.tokens counts a history"):
        estimate_tokens([history[0]])  # type: ignore[arg-type]


def test_a_window_of_a_bare_number_says_which_limits_there_are() -> None:
    with pytest.raises(TypeError, match=r"window\(max_tokens=\.\.\.\) or window\(max_messages=\.\.\.\)"):
        MessageHistory().add_user("x").window(10)  # type: ignore[arg-type]


class SdkObject:
    """An object of an SDK, whose way to a mapping takes these options or none."""

    def __init__(self, *, with_options: bool) -> None:
        self.with_options = with_options

    def model_dump(self, **options: Any) -> dict[str, Any]:
        if options and not self.with_options:
            raise TypeError("no options")
        if options and options != {"exclude_none": True, "by_alias": True, "warnings": False}:
            warnings.warn("a value that the type does not name", stacklevel=1)
        return {"role": "user", "content": "q", **({} if options.get("exclude_none") else {"name": None})}


@pytest.mark.parametrize("with_options", [True, False])
def test_an_object_of_an_sdk_is_read_without_a_warning(with_options: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = MessageHistory.from_list([SdkObject(with_options=with_options)])
    assert (history[0].text, history.repairs) == ("q", ())
