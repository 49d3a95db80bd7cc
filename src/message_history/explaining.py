"""What a provider's error text is about: the rules that it may come from, the likeliest first.

A text is compared with the texts of all rules by its words, and by its pairs of words that stand side by side. Ids,
numbers, quotes, escapes, what an SDK wraps around and what a log cuts off then do not matter: numbers and what stands
in the places of a rule's `{...}` are not compared, and a word that only few rules' texts hold weighs more.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, final

from attrs import frozen

from message_history.dialects.openai_chat import OpenAIChat
from message_history.dialects.portable import Portable
from message_history.dialects.registry import DIALECTS
from message_history.violations import Violation, check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.base import Dialect, Rule

__all__ = ["Explanation", "explain", "where"]

LEAST: Final = 0.5
"""Below this score, texts of other origin than ours begin to look alike."""
NEARLY: Final = 0.8
"""What scores less than this part of the best is not what the text is about."""
_ENOUGH: Final = 2.0
"""What two rare words weigh; a text of less than that is told apart by chance."""

_PLACE: Final = re.compile(r"\{[a-z_]+\}")
_WORD: Final = re.compile(r"[^\W_]+")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_UNICODE: Final = re.compile(r"\\+u([0-9a-fA-F]{4})")
_SPACE: Final = re.compile(r"\\+[nrt]")
_SAYS: Final[Mapping[str, frozenset[str]]] = {
    "anthropic": frozenset({"anthropic", "anthropicexception", "claude"}),
    "openai_chat": frozenset({"openai", "openaiexception", "completions", "deepseek", "groq"}),
    "openai_responses": frozenset({"responses"}),
    "gemini": frozenset({"gemini", "genai", "google", "googleapis", "vertexaiexception"}),
    "mistral": frozenset({"forbidden", "mistral", "mistralai", "mistralapierror"}),
    "bedrock": frozenset({"bedrock", "bedrockexception", "converse", "conversestream", "validationexception"}),
    "pydantic_ai": frozenset({"modelmessage", "modelrequest", "modelresponse"}),
}
"""Words around an error that say whose it is."""


_PARAMETERS: Final = (
    "betas|frequency_penalty|functions|generationConfig|generation_config|inferenceConfig|logprobs|max_completion_tokens"
    "|max_output_tokens|max_tokens|metadata|model|parallel_tool_calls|presence_penalty|reasoning_effort|response_format"
    "|safety_settings|seed|service_tier|stop|stop_sequences|stream|stream_options|temperature|tool_choice|tools"
    "|top_k|top_logprobs|top_p|verbosity"
)
_STOCK: Final = "Extra inputs|Field required|Input should|Input tag|List should|String should|Value error"
_ELSEWHERE: Final = re.compile(
    rf"""(?:parameter|value): *[`'"\\]*(?:{_PARAMETERS})\b"""
    rf"""|(?:^|[\s'"`])(?:{_PARAMETERS})(?:\.[\w-]+|\[\w+\])*: (?:{_STOCK})""",
    re.IGNORECASE,
)
"""A parameter of the request that an error is about; what is said of it is said of messages too."""
_IN_THE_LIST: Final = re.compile(r"\b(?:messages|contents|input)[.\[]", re.IGNORECASE)
_RELAYED: Final = "OT-01"
"""What a relay says of any error of the provider behind it."""


@final
@frozen(kw_only=True)
class Explanation:
    """A rule that an error text may come from.

    Args:
        dialect: the name of the rule's dialect.
        rule: the rule: what is demanded, what this library does about it, where that was seen and when.
        error: that of the rule's texts which fits best, with `{...}` for what differs.
        score: how well it fits, from 0 to 1.
    """

    dialect: str
    rule: Rule
    error: str
    score: float


def explain(text: str, dialect: Dialect[Any] | None = None) -> list[Explanation]:
    """Find the rules that a provider's error text may come from.

    Args:
        text: the error, as it was logged or raised: a whole traceback, a JSON body, a part of a line.
        dialect: who it came from, if that is known; it decides between rules whose texts fit about as well.

    Returns:
        The explanations, the likeliest first, one for each rule; empty when no rule's text is like it, or when the
        error is about another parameter of the request than the messages. `Portable` quotes other dialects: its rules
        are among them only when it is asked for, or nothing else fits.

    Complexity: linear in the text, and in the texts of all rules.
    """
    plain = _plain(text)
    if _ELSEWHERE.search(plain) and not _IN_THE_LIST.search(plain):
        return []
    has = _features(plain)
    wanted = dialect.name if dialect is not None else None
    # Where nothing else decides, an API of its own goes before Chat Completions, which many others serve too.
    ranked = sorted(
        _fitting(has),
        key=lambda one: (
            one.rule.id == _RELAYED,
            -round(one.score + _favour(one, wanted, has), 9),
            one.dialect == OpenAIChat.name,
        ),
    )
    others = [one for one in ranked if one.dialect != Portable.name]
    return others if others and wanted != Portable.name else ranked


def where(text: str, raw: Sequence[Any], dialect: Dialect[Any]) -> list[Violation]:
    """Find the places of a list that a provider's error text is about.

    Args:
        text: the error, as for `explain`.
        raw: the list that was sent.
        dialect: what it was sent as.

    Returns:
        Those of the list's violations that are of the rules that explain the text, those first that the values in the
        text point at; empty when there are none.

    Raises:
        TypeError: when `raw` is no list.

    Complexity: linear in the list and the text.
    """
    found = [one for one in explain(text, dialect) if one.dialect == dialect.name]
    likely = {one.rule.id for one in found if one.score >= NEARLY * found[0].score}
    values = set(_WORD.findall(_plain(text)))
    violations = [violation for violation in check(raw, dialect) if violation.rule in likely]
    return sorted(violations, key=lambda violation: -_share(_WORD.findall(violation.error), values))


def _fitting(has: frozenset[str]) -> list[Explanation]:
    """Give the rules whose texts are like one with these features, each with the text that fits best."""
    known = _known()
    shared: dict[int, float] = {}
    all_of_it = 0.0
    for feature in sorted(has & known.holders.keys()):
        weight = known.weights[feature]
        all_of_it += weight
        for number in known.holders[feature]:
            shared[number] = shared.get(number, 0.0) + weight
    best: dict[tuple[str, str], Explanation] = {}
    for number, weight in sorted(shared.items()):
        owner, rule, error, whole = known.texts[number]
        # All of a rule's text is in there, whatever is around it; or what is there is a part of the rule's text.
        inside, of_it = weight / whole, weight / all_of_it
        score = (max(inside, of_it) + inside) / 2 * weight / (weight + _ENOUGH)
        found = best.get((owner, rule.id))
        if score >= LEAST and (found is None or (score, -len(error)) > (found.score, -len(found.error))):
            best[owner, rule.id] = Explanation(dialect=owner, rule=rule, error=error, score=score)
    return list(best.values())


def _share(words: list[str], values: set[str]) -> float:
    return sum(word in values for word in words) / len(words) if words else 0.0


def _favour(one: Explanation, wanted: str | None, has: frozenset[str]) -> float:
    """Decide between rules whose texts fit about as well: for the dialect that is known, then for one that is named."""
    known = 0.05 if one.dialect == wanted else 0.0
    return known + (0.0 if has.isdisjoint(_SAYS.get(one.dialect, ())) else 0.02)


def _plain(text: str) -> str:
    """Take off colours, and what the encodings around an error have put in."""
    text = _COLOUR.sub("", text)
    text = _UNICODE.sub(lambda found: chr(int(found[1], 16)), text)
    return html.unescape(_SPACE.sub(" ", text))


def _features(text: str) -> frozenset[str]:
    """Give the words of a text and the pairs of them that stand side by side; a number parts them."""
    words = _WORD.findall(text.lower())
    pairs = (f"{one} {other}" for one, other in pairwise(words) if not one.isdigit() and not other.isdigit())
    return frozenset((*(word for word in words if not word.isdigit()), *pairs))


@final
@frozen
class _Known:
    """The texts of all rules.

    Args:
        texts: the dialect, the rule, the text, and what all its features weigh.
        weights: what each feature weighs.
        holders: the positions of the texts that hold it.
    """

    texts: tuple[tuple[str, Rule, str, float], ...]
    weights: Mapping[str, float]
    holders: Mapping[str, list[int]]


@cache
def _known() -> _Known:
    """Weigh the features of all rules' texts: the rarer, the heavier, and a pair twice as heavy as a word."""
    assistant = [
        (name, rule, error, _features_of_rule(error))
        for name, dialect in DIALECTS.items()
        for rule in dialect.rules
        for error in rule.errors
    ]
    counts = Counter(feature for features in {features for *_, features in assistant} for feature in features)
    weights = {
        feature: math.log(1 + len(assistant) / count) * (1.0 if " " in feature else 0.5)
        for feature, count in counts.items()
    }
    holders: dict[str, list[int]] = {}
    texts: list[tuple[str, Rule, str, float]] = []
    for number, (name, rule, error, features) in enumerate(assistant):
        texts.append((name, rule, error, sum(weights[feature] for feature in sorted(features))))
        for feature in features:
            holders.setdefault(feature, []).append(number)
    return _Known(tuple(texts), weights, holders)


def _features_of_rule(error: str) -> frozenset[str]:
    return frozenset().union(*(_features(part) for part in _PLACE.split(error)))
