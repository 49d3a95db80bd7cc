"""Find what is wrong with the order of roles in a list, as far as a provider minds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from message_history.dialects.openai_chat.model_fields import Fields

Fault: TypeAlias = tuple[str, "int | None", str, int]
"""What is wrong, in which entry, in words, and the entry before it that matters."""


def faults_of_order(wire: Sequence[Mapping[Any, Any]], dialect: Fields) -> Iterator[Fault]:
    """Go through the roles of a list."""
    roles = [entry.get("role") for entry in wire]
    yield from _systems(roles, dialect)
    if dialect.alternate:
        yield from _turns(wire, roles, dialect)
    elif dialect.bridge:
        for n in range(1, len(roles)):
            if roles[n - 1 : n + 1] == ["tool", "user"]:
                yield "user after tool", n, "a user message right after a tool message", 0
    if dialect.needs_user and "user" not in roles:
        yield "no user", None, "no user message", 0
    is_last = roles[-1] == "assistant" and not (dialect.prefix and wire[-1].get("prefix") is True)
    if dialect.prefill is False and (is_last or (dialect.tools == "text" and roles[-1] not in ("user", "assistant"))):
        yield "last", len(roles) - 1, f"the last message is of role {short_repr(roles[-1])}", 0
    if roles[-2:] == ["assistant", "assistant"]:
        yield "last two", len(roles) - 1, "two assistant messages at the end", 0


def _systems(roles: Sequence[object], dialect: Fields) -> Iterator[Fault]:
    """Find system messages after the first message, or a second one."""
    fault = "late system"
    if dialect.alternate:
        fault = "late system in turns" if dialect.tools == "text" else "late system beside tools"
    begun = False
    systems = 0
    for n, role in enumerate(roles):
        if role not in ("system", "developer"):
            begun = True
            continue
        systems += 1
        if (begun and not dialect.late_system) or (systems > 1 and dialect.one_system):
            yield fault, n, f"a {short_repr(role)} message after the first message", 0


def _turns(wire: Sequence[Mapping[Any, Any]], roles: Sequence[object], dialect: Fields) -> Iterator[Fault]:
    """Find two of a kind in a row: calls and results do not count where a provider knows them."""
    beside = dialect.tools == "messages"
    expected = "user"
    before = 0
    for n, (entry, role) in enumerate(zip(wire, roles, strict=True)):
        if role in ("system", "developer") and (n > 0 or dialect.system_role != "user"):
            continue
        if beside and (role == "tool" or entries(entry.get("tool_calls"))):
            continue
        if dialect.bridge and role == "user" and n > 0 and roles[n - 1] == "tool":
            yield "user after tool", n, "a user message right after a tool message", 0
        elif role in ("system", "developer"):
            yield "alternation", n, "a system message, which this template does not know", before
            continue
        elif role != expected:
            fault = "alternation beside tools" if beside else "alternation"
            yield fault, n, f"role {short_repr(role)}, where {expected} should speak", before
        expected = "user" if role == "assistant" else "assistant"
        before = n
