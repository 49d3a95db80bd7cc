"""The commonest mistakes end in an error that says what to write instead and quotes nothing of the history."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from message_history import InvariantError, MessageHistory, Policy, TextBlock, check
from message_history.dialects import Anthropic, OpenAIChat

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "SECRET-4711"
HISTORY: Any = MessageHistory().add_user("q")
AnyHistory: Any = MessageHistory
AnyCheck: Any = check
AnyText: Any = TextBlock
MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: HISTORY.for_send("openai"), r"dialect must be a dialect, not the text 'openai'; write OpenAIChat\(\)"),
    (lambda: HISTORY.for_send("gemini"), r"write Gemini\(\)"),
    (lambda: HISTORY.for_send(7), r"such as OpenAIChat\(\) .*, not int"),
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
    (lambda: HISTORY.add(SECRET), "message must be a Message or a dict .* `add_user` takes text"),
    (
        lambda: HISTORY.add_response(SimpleNamespace(role="assistant", content=SECRET)),
        r"`add` takes one message of it, such as response\.choices\[0\]\.message",
    ),
    (lambda: HISTORY.add_tool_result({"id": SECRET}, "x"), "call must be a ToolUseBlock or its id, not dict"),
    (lambda: HISTORY.add_response({"x": SECRET}), "response must be a whole response"),
    (lambda: Policy(on_violation="boom"), "^on_violation must be 'repair' or 'raise', not 'boom'$"),  # type: ignore[arg-type]
    (lambda: Anthropic.for_model("gpt-4o"), r"model 'gpt-4o' is not served by this API"),
]


@pytest.mark.parametrize(("mistake", "text"), MISTAKES)
def test_a_mistake_says_what_to_write_instead(mistake: Callable[[], object], text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text) as caught:
        mistake()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "instead"),
    [("append", r"write history = history\.add_user"), ("messages", r"list\(history\)"), ("last", r"history\[-1\]")],
)
def test_a_name_that_people_try_first_says_what_to_write(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=instead):
        getattr(HISTORY, name)
    assert not hasattr(HISTORY, name)
    with pytest.raises(AttributeError, match=r"^'MessageHistory' object has no attribute 'xyz'$"):
        HISTORY.xyz  # noqa: B018 - the access is the test


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
