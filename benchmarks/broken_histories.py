"""The 18 ways in which saved conversations are broken in the field, as small lists of the Messages API's form.

Every text and every result is said once in its case, so that what is lost can be told. All but the dangling tail end
with the user's turn. Tests and benchmarks share them.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

__all__ = ["CASES", "Case", "as_chat", "known_results", "text_of", "user_texts"]

Message = dict[str, Any]


class Case(NamedTuple):
    """One broken list.

    Args:
        name: what is broken, in the field's words.
        shape: how, in a few words.
        messages: the list.
    """

    name: str
    shape: str
    messages: list[Message]


def _user(*content: str | Message) -> Message:
    return {"role": "user", "content": _blocks(content)}


def _assistant(*content: str | Message) -> Message:
    return {"role": "assistant", "content": _blocks(content)}


def _blocks(content: tuple[str | Message, ...]) -> list[Message]:
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]


def _call(id: str, city: str) -> Message:
    return {"type": "tool_use", "id": id, "name": "weather", "input": {"city": city}}


def _result(id: str, text: str) -> Message:
    return {"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]}


_PARIS: Final = _call("toolu_paris", "Paris")
_ROME: Final = _call("toolu_rome", "Rome")
_PARIS_RESULT: Final = _result("toolu_paris", "sunny in Paris")
_ROME_RESULT: Final = _result("toolu_rome", "rain in Rome")
_BOTH: Final = "Weather in Paris and Rome?"
_ONE: Final = "Weather in Paris?"
_THANKS: Final = "Thank you."

CASES: Final = (
    Case("dangling tail", "the list ends with a call", [_user(_ONE), _assistant("I will look.", _PARIS)]),
    Case(
        "dangling middle",
        "a call that nothing answers, and the conversation goes on",
        [_user(_ONE), _assistant(_PARIS), _user("Never mind."), _assistant("As you like."), _user(_THANKS)],
    ),
    Case(
        "orphan head",
        "the list begins with a result whose call was cut away",
        [
            _user(_result("toolu_gone", "snow in Oslo")),
            _assistant("Snow."),
            _user(_ONE),
            _assistant("Sunny."),
            _user(_THANKS),
        ],
    ),
    Case("leading assistant", "the assistant speaks first", [_assistant("How can I help?"), _user(_ONE)]),
    Case(
        "late result",
        "a result comes after the conversation went on without it",
        [
            _user(_ONE),
            _assistant(_PARIS),
            _user("Are you still there?"),
            _assistant("Yes, it takes a while."),
            _user(_PARIS_RESULT),
            _assistant("Sunny."),
            _user(_THANKS),
        ],
    ),
    Case(
        "user text between call and result",
        "the user speaks while a tool runs",
        [
            _user(_ONE),
            _assistant(_PARIS),
            _user("In Celsius, please."),
            _user(_PARIS_RESULT),
            _assistant("21."),
            _user(_THANKS),
        ],
    ),
    Case(
        "partial parallel",
        "one of two parallel calls has a result",
        [_user(_BOTH), _assistant(_PARIS, _ROME), _user(_ROME_RESULT), _assistant("Rain in Rome."), _user(_THANKS)],
    ),
    Case(
        "duplicate results",
        "a call has two results",
        [
            _user(_ONE),
            _assistant(_PARIS),
            _user(_PARIS_RESULT),
            _user(_result("toolu_paris", "cloudy in Paris")),
            _assistant("It changes."),
            _user(_THANKS),
        ],
    ),
    Case(
        "reused ids",
        "a later turn's call has the id of an earlier one",
        [
            _user(_ONE),
            _assistant(_call("call_0", "Paris")),
            _user(_result("call_0", "sunny in Paris")),
            _assistant("Sunny.", _call("call_0", "Rome")),
            _user(_result("call_0", "rain in Rome")),
            _assistant("Rain."),
            _user(_THANKS),
        ],
    ),
    Case(
        "same id twice",
        "two calls of one turn have the same id",
        [
            _user(_BOTH),
            _assistant(_call("call_0", "Paris"), _call("call_0", "Rome")),
            _user(_result("call_0", "sunny in Paris"), _result("call_0", "rain in Rome")),
            _assistant("Sunny, and rain."),
            _user(_THANKS),
        ],
    ),
    Case(
        "result before call",
        "a result was saved before its call",
        [_user(_ONE), _user(_PARIS_RESULT), _assistant(_PARIS), _assistant("Sunny."), _user(_THANKS)],
    ),
    Case(
        "text before result",
        "the user's text stands before the result in its message",
        [_user(_ONE), _assistant(_PARIS), _user("And tomorrow?", _PARIS_RESULT), _assistant("Sunny."), _user(_THANKS)],
    ),
    Case(
        "consecutive assistants",
        "the assistant speaks twice in a row",
        [_user(_ONE), _assistant("I will look."), _assistant("It is sunny."), _user(_THANKS)],
    ),
    Case(
        "split results",
        "the results of one turn came in two messages",
        [
            _user(_BOTH),
            _assistant(_PARIS, _ROME),
            _user(_PARIS_RESULT),
            _user(_ROME_RESULT),
            _assistant("Done."),
            _user(_THANKS),
        ],
    ),
    Case(
        "blank assistant", "the assistant says white space", [_user(_ONE), _assistant(" \n"), _user("Are you there?")]
    ),
    Case(
        "wrong id",
        "a result has an id that no call has",
        [
            _user(_ONE),
            _assistant(_PARIS),
            _user(_result("toolu_other", "sunny in Paris")),
            _assistant("Sunny."),
            _user(_THANKS),
        ],
    ),
    Case(
        "calls split over two messages",
        "the parallel calls of one turn came in two messages",
        [
            _user(_BOTH),
            _assistant(_PARIS),
            _assistant(_ROME),
            _user(_PARIS_RESULT, _ROME_RESULT),
            _assistant("Done."),
            _user(_THANKS),
        ],
    ),
    Case(
        "user text between parallel results",
        "the user speaks between the results of one turn",
        [
            _user(_BOTH),
            _assistant(_PARIS, _ROME),
            _user(_PARIS_RESULT),
            _user("Hurry, please."),
            _user(_ROME_RESULT),
            _assistant("Done."),
            _user(_THANKS),
        ],
    ),
)


def user_texts(messages: list[Message]) -> list[str]:
    """Give what the user says in a list, in order.

    Args:
        messages: a list of the Messages API's form.

    Returns:
        The texts.
    """
    return [
        block["text"]
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "text"
    ]


def known_results(messages: list[Message]) -> list[str]:
    """Give the texts of the results that have a call in a list, by their id or by their place, in order.

    Args:
        messages: a list of the Messages API's form.

    Returns:
        The texts.
    """
    blocks = [block for message in messages for block in message["content"]]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    results = [block for block in blocks if block["type"] == "tool_result"]
    answered = {block["tool_use_id"] for block in results}
    unknown = answered - calls
    in_place = unknown if len(unknown) == len(calls - answered) else set()
    return [text_of(block) for block in results if block["tool_use_id"] in calls | in_place]


def text_of(result: Message) -> str:
    """Give the text of a result.

    Args:
        result: a block of the Messages API's form, with a text as its content, or one block of text.

    Returns:
        The text.
    """
    content = result["content"]
    text: str = content if isinstance(content, str) else content[0]["text"]
    return text


def as_chat(messages: list[Message]) -> list[Message]:
    """Write a list in the form of Chat Completions, broken as it is: every block stays where it stands.

    Args:
        messages: a list of the Messages API's form.

    Returns:
        The list; a message with calls or results becomes as many as it takes.
    """
    chat: list[Message] = []
    for message in messages:
        calls = [_chat_call(block) for block in message["content"] if block["type"] == "tool_use"]
        texts = [block["text"] for block in message["content"] if block["type"] == "text"]
        if message["role"] == "assistant":
            assistant: Message = {"role": "assistant", "content": "\n".join(texts) if texts else None}
            chat.append({**assistant, "tool_calls": calls} if calls else assistant)
            continue
        for block in message["content"]:
            if block["type"] == "text":
                chat.append({"role": "user", "content": block["text"]})
            else:
                chat.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": text_of(block)})
    return chat


def _chat_call(block: Message) -> Message:
    function = {"name": block["name"], "arguments": json.dumps(block["input"])}
    return {"id": block["id"], "type": "function", "function": function}
