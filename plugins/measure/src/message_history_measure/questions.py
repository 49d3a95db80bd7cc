"""What is asked of a template: small conversations, and the fields with which it may show all of them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from message_history_measure.probes import (
    LONG_ID,
    SHORT_ID,
    Entry,
    calls,
    parts,
    planted,
    result,
    says,
    step,
    system,
    thinks,
    user,
)

AS_TEXT: Final = {"tools": "text"}
ONE_CALL: Final = {"max_calls": 1}
APART: Final = {"text_with_calls": False, "go_on": False}
"""Text and calls as two messages of the assistant."""
BETWEEN: Final = {"text_with_calls": False}
"""Text and calls as two messages, with one of the user between."""
NO_OUTPUT: Final = {"empty_result": "[The tool gave no output.]"}
THINKING_FIRST: Final = {"thinking_first": True}
INLINE: Final = "<think>"
"""The value of the field `reasoning` for reasoning inside the content."""


class Question(NamedTuple):
    """One question.

    Args:
        asks: what it is about, in a few words.
        lists: conversations in which all is to be shown.
        arrangements: fields, the best for the model first: the first counts with which the template shows everything.
            Where the lists are rendered as they are, the first counts when it does, and the second otherwise.
        as_is: whether the lists are rendered as they are; otherwise each arrangement writes them.
    """

    asks: str
    lists: tuple[list[Entry], ...]
    arrangements: tuple[dict[str, Any], ...]
    as_is: bool = False


FIRST: Final = Question(
    "turns of user and assistant",
    ([user()], [user(), says(), user(2)], [user(), says(), user(2), says(2), user(3)]),
    ({}, {"parts": "always"}),
)
WHOLE: Final = Question(
    "whole conversations",
    (
        [system(), user(), *step(1, 2, text=1), user(2), *step(3, text=2), *step(4), says(3), user(3)],
        [user(), *step(1, text=1), *step(2, 3, text=2), user(2), says(3), user(3), *step(4, 5), says(4)],
        [
            system(),
            system(2),
            user(),
            says(),
            user(2),
            *step(1),
            user(3),
            system(3),
            says(2),
            user(4),
            *step(2, text=3),
        ],
        [user(), *step(1, 2), *step(3, 4), *step(5, text=1), says(2), user(2), *step(6, text=3), *step(7, 8), user(3)],
    ),
    ({}, BETWEEN, ONE_CALL, {**ONE_CALL, **BETWEEN}, AS_TEXT, {**AS_TEXT, "alternate": True}),
)
ASSISTANT_FIRST: Final = Question(
    "the assistant first",
    ([says(), user()], [says()], [*step(1), user()], [*step(1, text=1), says(2), user()]),
    ({"leading_assistant": True}, {}),
)
PARTS: Final = Question(
    "content as parts",
    (
        [{**system(), "content": parts("system")}, {**user(), "content": parts("user")}],
        [user(), {**says(), "content": parts("text")}, user(2)],
        [user(), calls(1), {**result(1), "content": parts("result")}],
    ),
    ({"parts": True}, {}),
    as_is=True,
)
QUESTIONS: Final = (
    FIRST,
    Question(
        "a system prompt",
        ([system(), user(), says(), user(2)], [system(), user()]),
        ({}, {"system_role": "user"}),
    ),
    Question(
        "neighbours of one role",
        ([user(), user(2), says(), user(3)], [user(), says(), says(2), user(2)]),
        ({}, {"alternate": True}),
        as_is=True,
    ),
    Question("no user message", ([system()],), ({}, {"needs_user": True})),
    Question("the assistant last", ([user(), says()], [system(), user(), says()]), ({}, {"prefill": False})),
    Question(
        "a call and its result",
        ([user(), *step(1)], [user(), *step(1), says()], [user(), *step(1), says(), user(2)]),
        ({}, {"null_content": "null"}, {"null_content": "omit"}, {"result_names": True}, AS_TEXT),
    ),
    Question(
        "calls step by step",
        ([user(), *step(1), *step(2)], [user(), says(), user(2), *step(1), *step(2), says(2), user(3)]),
        ({}, AS_TEXT),
    ),
    Question(
        "long and short ids",
        tuple([user(), calls(1, id=id), result(1, id=id), says()] for id in (LONG_ID, SHORT_ID)),
        ({}, {"id_pattern": "SHORT_ID", "id_limit": 9}),
    ),
    Question(
        "calls in parallel",
        ([user(), *step(1, 2), says()], [user(), *step(1, 2, 3)], [user(), *step(1, 2), *step(3, 4), says()]),
        ({}, ONE_CALL, AS_TEXT),
    ),
    Question(
        "a system prompt next to calls",
        ([system(), user(), *step(1)], [system(), user(), *step(1), says(), user(2)]),
        ({}, {"system_role": "user"}, AS_TEXT),
    ),
    Question(
        "text next to calls",
        (
            [user(), *step(1, text=1)],
            [user(), *step(1, 2, text=1), says(2)],
            [user(), *step(1, text=1), *step(2, text=2), says(3), user(2)],
            [user(), *step(1, text=1), says(2), user(2), *step(2, text=3), says(4), user(3)],
        ),
        ({}, APART, BETWEEN, ONE_CALL, {**ONE_CALL, **APART}, {**ONE_CALL, **BETWEEN}, AS_TEXT),
    ),
    Question(
        "a user message after results",
        (
            [user(), *step(1), user(2)],
            [user(), *step(1, 2), user(2), says(), user(3)],
            [user(), *step(1), user(2), *step(2, text=1), user(3), says(2)],
        ),
        ({}, {"bridge": True}, AS_TEXT),
    ),
    ASSISTANT_FIRST,
    Question(
        "later system messages",
        (
            [user(), system(), user(2)],
            [system(), user(), says(), system(2), user(2), says(2)],
            [user(), *step(1), system(), user(2)],
            [user(), says(), user(2), system()],
        ),
        ({}, {"late_system": False}),
    ),
    Question("several system messages", ([system(), {**system(2), "name": "b"}, user()],), ({}, {"one_system": True})),
    Question(
        "an empty result",
        ([user(), calls(1), {**result(1), "content": ""}, says()],),
        ({}, NO_OUTPUT),
    ),
    WHOLE,
    Question(
        "empty content",
        ([user(), {**says(), "content": ""}, user(2)],),
        ({}, {"empty_content": False, **NO_OUTPUT}),
        as_is=True,
    ),
    PARTS,
    Question("names of speakers", ([user(name=planted("name"))],), ({}, {"refused_keys": ["name"]}), as_is=True),
)
GOES_ON: Final = ([user(), *step(1, thought=1)], [user(), *step(1, text=1, thought=1), *step(2, thought=2)])
"""Reasoning in the turn that goes on."""
EARLIER: Final = (
    [user(), says(thought=1), user(2), says(2, thought=2), user(3)],
    [user(), *step(1, text=1, thought=1), says(2, thought=2), user(2), *step(2, thought=3), says(3), user(3)],
    [user(), says(), says(2, thought=1), user(2)],
)
"""Reasoning in the turns before."""
MIXED: Final = (
    [user(), thinks(says(2), 1), user(2)],
    [user(), thinks(calls(1, text=2), 1), result(1), thinks(says(4), 3), user(2), says(5)],
    [user(), *step(1), thinks(says(2), 1)],
    [user(), thinks(thinks(says(3), 2), 1), user(2)],
)
"""Reasoning inside a text, after some of it, as models write it and programs record it."""
