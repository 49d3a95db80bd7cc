"""The rules of the form that every surveyed chat endpoint accepts, as data.

Each comes from rules of Chat Completions and of the servers that speak it, whose texts it repeats.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from message_history.dialects.base import Rule
from message_history.dialects.openai_chat.providers import BY_ID, QUOTES, rule_of

__all__ = ["QUOTED", "RULES"]


def _rule(id: str, origins: tuple[str, ...], rule: str, repair: str, errors: tuple[str, ...] = ()) -> Rule:
    """Make a rule with the texts, the source and the date of those that it comes from."""
    texts = (error for origin in origins for error in BY_ID[origin].errors)
    return Rule(
        id=id,
        rule=rule,
        errors=(*texts, *errors),
        repair=f"{repair} It comes from {', '.join(origins)}.",
        source=BY_ID[origins[0]].source,
        date=max(BY_ID[origin].date for origin in origins),
    )


RULES: Final = (
    _rule(
        "P-01",
        ("OC-10", "DS-14", "KM-07"),
        "The list holds at least one message.",
        "None is possible: an empty history has nothing to send.",
    ),
    _rule(
        "P-02",
        ("HF-04", "GW-02", "OC-17"),
        "There is at most one system message, it comes first, and nobody is called developer.",
        "Leading system messages are one; later ones are marked text of the user's turn.",
        ("Unexpected role 'system' after role '{behind}'",),
    ),
    _rule(
        "P-03",
        ("HF-01", "HF-05", "DS-07"),
        "User and assistant take turns, calls and results aside, and the user begins.",
        "A history does that; what a turn holds becomes one message.",
    ),
    _rule(
        "P-04",
        ("HF-02",),
        "No user message stands right behind a tool message.",
        "A short assistant message is put between them.",
        ("Unexpected role 'user' after role 'tool'",),
    ),
    _rule(
        "P-05",
        ("HF-11", "HF-12", "DS-08"),
        "The last message is the user's or a tool's.",
        "A trailing answer gets a user turn behind it.",
        (
            "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for "
            "serving but got assistant",
        ),
    ),
    _rule(
        "P-06",
        ("AZ-03", "OL-01", "DS-11", "OC-08", "OC-09", "XA-01", "OL-05"),
        "Content is one text; only a user message with an image is a list of parts, each with its type.",
        "Text parts are joined.",
    ),
    _rule(
        "P-07",
        ("HF-10", "AZ-01", "GW-01", "KM-01", "KM-02", "XA-02", "OC-07", "HF-09", "OL-02"),
        "The key `content` is on every message, never null, and empty only beside calls.",
        "Content that is not there is sent as empty text beside calls, which nobody was seen to refuse: null breaks "
        "local servers, a missing key Azure and proxies. An empty result says that it is empty.",
    ),
    _rule(
        "P-08",
        ("OC-01", "DS-01", "KM-03", "QW-01"),
        "Every call is answered in the run of tool messages right behind its assistant message.",
        "A displaced result is moved to its call; a call without a result gets an honest stub.",
    ),
    _rule(
        "P-09",
        ("OC-02", "OC-03", "DS-02", "DS-03", "KM-04", "QW-02"),
        "A tool message answers a call right before it, which no other has answered.",
        "It is moved to its call, or dropped when that is not known; a second result is quoted as text.",
    ),
    _rule(
        "P-10",
        ("DS-04", "OC-06", "OC-19", "KM-04"),
        "An id is nine letters and digits, and no other call in the list has it.",
        "Another id is rewritten on both sides, from itself and those before it alone.",
        ("Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",),
    ),
    _rule(
        "P-11",
        ("HF-06", "OC-04", "OC-05", "QW-03", "DS-05"),
        "An assistant message makes one call; without one it has no `tool_calls`.",
        "Parallel calls are sent one after the other, each with its result.",
    ),
    _rule(
        "P-12",
        ("OC-11", "OC-12", "OC-14", "QW-05"),
        "Names are made of letters, digits, `_` and `-`, 64 at most.",
        "A missing name becomes `unknown_tool`, another one is rewritten.",
    ),
    _rule(
        "P-13",
        ("QW-04", "GW-03", "MM-01", "HF-07", "HF-08", "OL-03", "OC-13"),
        "Arguments are the text of a JSON object.",
        "Text that is none is sent in an object, under `_raw`.",
    ),
    _rule("P-14", ("HF-13",), "A call has the type `function`.", "The type is always written."),
    _rule(
        "P-15",
        ("OC-15", "OC-16", "OC-18", "KM-06", "OL-04"),
        "Parts are text and images, and images stand in user messages only.",
        "A tool's image is sent in a user message behind the results, with a note; other parts are left out.",
    ),
    _rule(
        "P-16",
        ("GQ-01", "GQ-02", "CB-01", "DS-10"),
        "There is no reasoning, and no key that only one provider knows.",
        "Reasoning is left out: while a model of DeepSeek or Kimi thinks (DS-09, KM-05), choose its own dialect.",
    ),
    _rule("P-17", ("OC-20",), "Text is valid Unicode: no lone surrogates.", "A lone surrogate is sent as U+FFFD."),
    _rule(
        "P-18",
        ("GQ-03", "XA-03", "OC-22", "OC-23"),
        "An image is a PNG or a JPEG that is whole; a request holds 5 of them, of 4 MB together.",
        "Another format is re-encoded, a larger image scaled; of too many, the oldest are replaced by a text.",
    ),
)

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
    "P-15": ("image elsewhere", "part type", "part of another role", "mixed refusal"),
    "P-16": ("refused key",),
    "P-17": ("surrogate",),
    "P-18": ("image data", "image size"),
}
_BY_ID: Final = {rule.id: rule for rule in RULES}


def _quoting(fault: str, rule: Rule) -> Rule:
    """Let a rule say what a provider that it comes from answers to this fault."""
    asked = (rule_of(quotes[fault]) for quotes in QUOTES.values() if quotes.get(fault))
    texts = next((origin.errors for origin in asked if set(origin.errors) & set(rule.errors)), ())
    return evolve(rule, errors=texts or rule.errors[-1:])


QUOTED: Final = {fault: _quoting(fault, _BY_ID[id]) for id, faults in _FAULTS.items() for fault in faults}
"""The rule that each fault breaks, in the words of a provider that minds it."""
