"""The rules of the form that every surveyed chat endpoint accepts, as data.

Each comes from rules of Chat Completions and of the servers that speak it, whose texts it repeats.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.dialects._shared.tables import RuleTable
from message_history.dialects.openai_chat.providers import faults, rule_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.dialects._shared.rules import Rule

RULES: Final = RuleTable(__package__)

_FAULTS: Final = {
    "P-01": ("no messages",),
    "P-02": ("role", "developer", "late system", "late system beside tools"),
    "P-03": ("alternation beside tools", "no user"),
    "P-04": ("user after tool",),
    "P-05": ("last", "last two"),
    "P-06": ("odd content", "no part type", "no parts", "parts", "user parts"),
    "P-07": (
        "null content",
        "null elsewhere",
        "no content beside calls",
        "no content key",
        "empty content",
        "empty result",
        "empty part",
    ),
    "P-08": ("unanswered",),
    "P-09": ("orphan", "unexpected id", "answered twice"),
    "P-10": ("id", "id twice", "used id", "no id"),
    "P-11": ("no calls", "many calls"),
    "P-12": ("call name", "long call name", "message name"),
    "P-13": ("arguments not text", "arguments not json", "arguments no object"),
    "P-14": ("no call type", "custom call"),
    "P-15": ("image elsewhere", "image in a result", "part type", "part of another role", "mixed refusal"),
    "P-16": ("refused key",),
    "P-17": ("surrogate",),
    "P-18": ("image data", "image size"),
}


def _quoting(fault: str, rule: Rule) -> Rule:
    """Return a rule with what a provider that it comes from answers to this fault."""
    asked = (rule_of(quotes[fault]) for quotes in faults().values() if quotes.get(fault))
    texts = next((origin.errors for origin in asked if set(origin.errors) & set(rule.errors)), ())
    return evolve(rule, errors=texts or rule.errors[-1:])


@cache
def quoted() -> Mapping[str, Rule]:
    """Return the rule that each fault breaks, in the text of a provider that minds it."""
    return {fault: _quoting(fault, RULES.by_id[id]) for id, faults in _FAULTS.items() for fault in faults}
