"""What a provider's error text is about: the rules that it may come from, the likeliest first.

`reading` reduces a text to its features, `places` to where in the list it points, `matching` compares both with all
known texts, `everyday` knows those that other programs say too, `cuts` finds those that begin as a truncated text ends,
and `topics` names what a text is about that no rule has. `known.toml` holds what the rules of the dialects do not:
errors about something else than the list, and rules that only explain.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, frozen

from message_history.dialects._shared.rules import Rule
from message_history.dialects.openai_chat import OpenAIChat
from message_history.dialects.portable import Portable
from message_history.dialects.registry import DIALECTS
from message_history.explaining.cuts import begun
from message_history.explaining.everyday import is_everyday, stands_alone
from message_history.explaining.known import (
    Subject,
    opaque_rules,
    own_rules,
    quoting_rules,
    rule_causes,
    topic_names,
    topics_of,
)
from message_history.explaining.matching import PROOF, PROOF_OF_CUT, PROOF_OF_PART, field_subject, is_cut, matches
from message_history.explaining.places import parameters_of, places_of
from message_history.explaining.reading import features_of, plain, words_of
from message_history.explaining.topics import (
    is_elsewhere,
    is_key,
    is_of_models,
    leaves_of,
    topic_of,
    topic_of_key,
    topic_of_place,
    topics,
)
from message_history.violations import Violation, check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from message_history.dialects.base import Dialect
    from message_history.explaining.topics import Topic

__all__ = ["Explanation", "Subject", "cause_of", "explain", "rules_named", "subject_of", "where"]

NEARLY: Final = 0.8
"""What scores less than this part of the best is not what the text is about."""
VAGUE: Final = 0.5
"""What is left of a score when the text does not say what is wrong."""
SURE: Final = 0.7
"""From this score on, a text is about the rule whatever stands around it."""
CERTAIN: Final = 0.75
"""From this score on, a text is about the rule whatever topic its words seem to have."""
LIKELY: Final = 0.6
"""Below this score, that a rule's own words look to be about the same does not say that a text is about the rule."""
PART: Final = 0.9
"""From this share of its words on that a rule's text has too, a text is a part of it."""
GUESS: Final = 0.3
"""The score of an explanation by the topic alone."""
_PAGE, _PAGE_DATE = "docs/dialects.md", "2026-11"

_HINTS: Final[Mapping[str, frozenset[str]]] = {
    "anthropic": frozenset({"anthropic", "anthropicexception", "claude"}),
    "openai_chat": frozenset({"openai", "openaiexception", "completions", "deepseek", "groq", "moonshot", "kimi"}),
    "openai_responses": frozenset({"responses"}),
    "gemini": frozenset({"gemini", "genai", "google", "googleapis", "vertexaiexception"}),
    "gemini_interactions": frozenset({"interactions", "interaction"}),
    "mistral": frozenset({"forbidden", "mistral", "mistralai", "mistralapierror"}),
    "bedrock": frozenset({"bedrock", "bedrockexception", "converse", "conversestream", "validationexception"}),
    "pydantic_ai": frozenset({"modelmessage", "modelrequest", "modelresponse"}),
}
"""Words around an error that name its provider."""
_ROOTS: Final[Mapping[str, re.Pattern[str]]] = {
    "openai_responses": re.compile(r"\binput\["),
    "gemini": re.compile(r"\bcontents\["),
    "anthropic": re.compile(r"\bmessages\.\d+\.content\.\d"),
}
"""How errors of an API write the places of its list."""
_REQUEST: Final = re.compile(
    r"""invalid_?request_?error|invalid_request_message|invalid_argument|bad_?request_?error"""
    r"""|\berror code: 4\d\d - \{|\bapi error: 4(?:00|13|22)\b|["']object["'\\]+\s?:\s?["'\\]+error\b"""
    r"""|["']param["'\\]+\s?:\s?(?:null\b|none\b|""|'')""",
    re.IGNORECASE,
)
"""What APIs of models and their SDKs call a request that they refuse."""
_EDGE: Final = " \t│|"
"""What frames the lines of a box."""
_REFUSING: Final[Mapping[str, bool | str]] = {
    "joins_neighbours": False,
    "leading_assistant": False,
    "prefill": False,
    "reasons": True,
    "result_images": "refused",
    "signatures_required": True,
}
"""The values with which a field refuses that is None where no model is known."""
_ID: Final = re.compile(r"\s*[A-Za-z]{1,9}-?(?:[A-Za-z]{1,2}-?)?\d{1,3}[a-z]?\s*")
_ANY_KEY: Final = re.compile(r"""\.\{key\}|\bproperty '\{key\}'|"\{key\}" at '[^']{1,200}': Proto""")
"""What a rule's text ends a place with when the rule is about any key there."""
_ANY_BLOCK: Final = re.compile(r"\.\{(?:tag|kind|name|type)\}(?![.\[\w])")
"""What a rule's text ends a place with when the rule is about blocks of several kinds."""
_UNWANTED: Final = re.compile(r"\b(?:extra|unknown|unexpected|unsupported|additional)\b", re.IGNORECASE)
"""How an error says that a key is not wanted where it stands."""
_OF_FORM: Final = re.compile(
    r"\bextra inputs\b|\binput tag\b|\b(?:extraneous|unknown|unexpected) (?:name|key|field|property)\b"
)
"""How an error says that a key or a type is not one of a form."""
_OF_ANY_MESSAGE: Final = frozenset({"ids", "names"})
"""Topics of keys that messages of other APIs have; where they are not wanted, it is the form that is wrong."""
_FORM: Final = "the form of content"
_LAST: Final = frozenset({"openai_chat", "gemini_interactions"})
"""Where nothing else decides, others go before: APIs of their own, and the one that more requests are sent to."""


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
        text: the error, as it was logged or raised: a whole traceback, a JSON body, a part of a line; or the id of a
            rule.
        dialect: who it came from, if that is known; it decides between rules whose texts fit about as well.

    Returns:
        The explanations, the likeliest first, one for each rule; empty when the text is about something else than the
        messages (`subject_of` says what), or like no rule's text. When no rule has the words but they show a topic, the
        one explanation has a low score and an empty `error`; what any software says of its users and uploads shows one
        only next to a word of models, or with `dialect`. `Portable` quotes other dialects: its rules are among
        them only when it is asked for, or nothing else fits.

    Raises:
        TypeError: for what is not text.

    Complexity: linear in the text, and in the texts of all rules.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}; pass str(error) for an exception")
    if _ID.fullmatch(text[:40]) and len(text) < 40:
        return rules_named(text)
    # A terminal breaks lines within words too.
    request = any(_REQUEST.search(way) for way in (text, "".join(line.strip(_EDGE) for line in text.splitlines())))
    text = plain(text)
    has = features_of(text)
    wanted = dialect.name if dialect is not None else None
    fitting = _fitting(text, of_list=dialect is not None)
    if fitting is None:
        return []
    ranked = sorted(
        fitting,
        key=lambda one: (
            -round(one.score + _favour(one.dialect, wanted, has), 9),
            one.rule.id not in opaque_rules(),
            (one.dialect, one.rule.id) in quoting_rules(),
            one.dialect in _LAST,
        ),
    )
    if ranked and ranked[0].rule.id in opaque_rules():
        ranked = [evolve(one, score=one.score * VAGUE) for one in ranked]
    others = [one for one in ranked if one.dialect != Portable.name]
    found = others if others and wanted != Portable.name else ranked
    if found and wanted is None and not request and _is_everyday(found[0]) and not is_of_models(text):
        return [evolve(found[0], score=GUESS)] if stands_alone(text, found[0].error) else []
    if found and found[0].score >= CERTAIN and not _is_of_another_place(text, found[0]):
        return [*_by_key(text, found[0]), *found]
    topic = topic_of(text)
    of_models = wanted is not None or request or is_of_models(text, topic) or bool(places_of(text))
    if found and found[0].score < LIKELY and not of_models and found[0].rule.id not in opaque_rules():
        return []
    if found and _agrees(text, topic, found[0]):
        return [*_by_key(text, found[0]), *found]
    guess = _guess(text, topic if of_models else None, wanted, has, found)
    if found and guess:
        names = {(one.dialect, one.rule.id) for one in guess}
        others = [one for one in found if (one.dialect, one.rule.id) not in names]
        most = min(found[0].score, VAGUE)
        return [evolve(one, score=min(one.score, most)) for one in (*guess, *others)]
    return found or guess


def subject_of(text: str) -> Subject | None:
    """Find what an error is about that is not about the messages.

    Args:
        text: the error, as for `explain`.

    Returns:
        The subject, with a hint for people; None when it is not known either.

    Complexity: linear in the text.
    """
    text = plain(text)
    found = field_subject(text)
    if found is not None:
        return found
    best = max(
        (match for match in matches(text) if isinstance(match.known.about, Subject)),
        key=lambda match: (match.score, match.known.error),
        default=None,
    )
    return best.known.about if best is not None and isinstance(best.known.about, Subject) else None


def cause_of(explanation: Explanation) -> str:
    """Find how lists come to break a rule.

    Args:
        explanation: what `explain` gave.

    Returns:
        The usual cause in a sentence; empty where none is known, or the text does not say what is wrong.

    Complexity: linear in the rule's text.
    """
    rule = explanation.rule
    if rule.id in opaque_rules():
        return ""
    if rule.id in rule_causes():
        return rule_causes()[rule.id]
    named = topics_of(explanation.dialect, rule.id)
    own = topic_of(plain(explanation.error or rule.rule))
    # Of what a rule is about, its text may have the words of one topic.
    first = own.name if own is not None and own.name in named else ""
    known = (topic for name in (rule.id, first, *named) for topic in topics() if name in (topic.id, topic.name))
    found = next(known, own if not named else None)
    return found.cause if found is not None else ""


def rules_named(id: str) -> list[Explanation]:
    """Find the rules with an id.

    Args:
        id: the id of a rule in any case, with the prefix of its dialect or without, as ids were before 2026-11.

    Returns:
        The rules that have it, of each dialect, or what stands for a topic; empty when none has.

    Complexity: linear in the rules.
    """
    wanted = id.strip().lower()
    stand_ins = [(Portable.name, _rule_of(topic, f"This is about {topic.name}.")) for topic in topics()]
    return [
        Explanation(dialect=name, rule=rule, error=rule.errors[0] if rule.errors else "", score=1.0)
        for name, rule in [*_all_rules(), *stand_ins]
        if wanted in (rule.id.lower(), rule.id.lower().partition("-")[2])
    ]


def where(text: str, raw: Sequence[Any], dialect: Dialect[Any]) -> list[Violation]:
    """Find the places of a list that a provider's error text is about.

    Args:
        text: the error, as for `explain`.
        raw: the list that was sent.
        dialect: what it was sent as.

    Returns:
        Those of the list's violations that are of the rules that explain the text, those first that the values in the
        text point at. Where there are none, those that are about the same: a list may be kept in the form of one API
        and be sent in that of another, and an SDK may refuse it before. Empty when there are none of these either.

    Raises:
        TypeError: when `raw` is not a list.

    Complexity: linear in the list and the text.
    """
    found = explain(text, dialect)
    own = [one for one in found if one.dialect == dialect.name]
    likely = {one.rule.id for one in own if one.score >= NEARLY * own[0].score}
    values = set(words_of(plain(text)))
    violations = check(raw, _refusing(dialect))
    places = [violation for violation in violations if violation.rule in likely] or [
        violation for violation in violations if found and _is_about(dialect, violation.rule, found[0])
    ]
    return sorted(places, key=lambda violation: -_share(words_of(violation.error.lower()), values))


def _is_about(dialect: Dialect[Any], rule: str, explanation: Explanation) -> bool:
    """Return whether a rule of a dialect is in the first place about what an explanation is about."""
    id = explanation.rule.id
    stands_for = tuple(topic.name for topic in topics() if topic.id == id)
    names = stands_for or topics_of(explanation.dialect, id)
    return id not in opaque_rules() and topics_of(dialect.name, rule)[:1] == tuple(names[:1]) != ()


def _refusing(dialect: Dialect[Any]) -> Dialect[Any]:
    """Return a dialect that takes for refused what depends on a model that is not known: this one has refused."""
    fields: dict[str, Any] = {name: value for name, value in _REFUSING.items() if getattr(dialect, name, False) is None}
    return evolve(dialect, **fields) if fields else dialect


def _all_rules() -> list[tuple[str, Rule]]:
    return [(name, rule) for name, dialect in DIALECTS.items() for rule in dialect.rules] + list(own_rules())


def _fitting(text: str, *, of_list: bool) -> list[Explanation] | None:
    """Return the rules whose texts are like this one; None when the text is rather about something else.

    Where no rule has the words, a text about something else must be sure of them: the topic may know better.
    """
    found: list[Explanation] = []
    best: tuple[float, Explanation | None] = (0.0, None)
    elsewhere = around = sure = 0.0
    known = False
    part = PROOF_OF_CUT if is_cut(text) else PROOF_OF_PART
    placed = bool(places_of(text)) or _names_a_key(text)
    for match in matches(text, of_list=of_list):
        about, mass = match.known.about, match.weight * match.score
        if isinstance(about, Subject):
            # Words that stand around any error do not say what it is about, and no other do where it names the list.
            elsewhere_too = not placed or match.known.placed
            known = known or (match.score >= SURE and elsewhere_too and not match.known.around)
            elsewhere, around = (elsewhere, max(around, mass)) if match.known.around else (max(elsewhere, mass), around)
            sure = max(sure, mass) if match.score >= SURE and not match.known.around else sure
        elif match.proof >= (PROOF if match.whole or topic_of(text) is not None else part):
            one = Explanation(dialect=match.known.dialect, rule=about, error=match.known.error, score=match.score)
            found.append(one)
            best = max(best, (mass, one), key=lambda pair: pair[0])
    here, first = best
    if any(one.score >= CERTAIN for one in found):
        # A part of a text about something else says nothing against all of a rule's text.
        elsewhere = sure
    against = max(elsewhere, around) if first is not None and first.score < SURE else elsewhere
    fitting: list[Explanation] | None = found
    if found and against >= here:
        fitting = [] if placed or elsewhere < here else None
    elif not found and known:
        fitting = None
    return None if _names_a_parameter(text, first) else fitting


def _is_everyday(one: Explanation) -> bool:
    """Return whether other programs say the text of a rule as well."""
    return is_everyday(one.dialect, one.rule.id, one.error)


def _agrees(text: str, topic: Topic | None, one: Explanation) -> bool:
    """Return whether a text with a topic and the rule's text that is a little like it may be about the same."""
    if topic is None or one.rule.id in opaque_rules():
        return True
    if _is_of_another_place(text, one):
        return False
    if one.score < LIKELY:
        is_part = _share(words_of(text), set(words_of(plain(one.error)))) >= PART
        return topic.name in (topics_of(one.dialect, one.rule.id) if is_part else topic_names().get(one.rule.id, ()))
    return topic_of(plain(one.error)) in (topic, None)


def _is_of_another_place(text: str, one: Explanation) -> bool:
    """Return whether a text names a place that is about something, which neither the rule nor its text is about."""
    topic = topic_of_place(text)
    about = topics_of(one.dialect, one.rule.id)
    if topic is None or topic.name in (*about, *_OF_ANY_MESSAGE) or _ANY_KEY.search(one.error):
        return False
    ends = {place.leaf for place in places_of(plain(one.error)) if place.leaf}
    if _ANY_BLOCK.search(one.error) or not ends.isdisjoint(place.leaf for place in places_of(text)):
        return False
    # A key or a type that is not wanted is a matter of form, too.
    of_form = _FORM in about and _OF_FORM.search(text) is not None
    return not of_form and topic.name not in leaves_of(plain(one.error))


def _by_topic(text: str, topic: Topic, wanted: str | None, has: frozenset[str]) -> list[Explanation]:
    """Return the rule that stands for the topic of a text whose words no rule has."""
    if is_elsewhere(text):
        return []
    owner = wanted or _owner(text, has)
    rule = _rule_of(topic, f"No rule has this text; it seems to be about {topic.name}.")
    return [Explanation(dialect=owner, rule=rule, error="", score=GUESS)]


def _guess(
    text: str, topic: Topic | None, wanted: str | None, has: frozenset[str], found: list[Explanation]
) -> list[Explanation]:
    """Return the rules whose texts begin as a text ends, or the one that stands for its topic.

    Of a text that is not cut off, only such a beginning counts that is a little like the text as a whole.
    """
    begun = _begun(text, wanted, has) if found or is_cut(text) else []
    errors = {one.error for one in begun}
    if begun and (not found or not errors.isdisjoint(one.error for one in found)):
        return begun
    return _by_topic(text, topic, wanted, has) if topic is not None else []


def _begun(text: str, wanted: str | None, has: frozenset[str]) -> list[Explanation]:
    """Return the rules whose texts begin as a text ends, where all are about one topic."""
    known = [one for one in begun(text) if one[0] != Portable.name or wanted == Portable.name]
    found = {
        (name, about.id): Explanation(dialect=name, rule=about, error=error, score=VAGUE)
        for name, about, error in known
        if isinstance(about, Rule)
    }
    names = {(topics_of(name, id) or (id,))[0] for name, id in found}
    if len(names) != 1 or len(known) != sum(isinstance(about, Rule) for _, about, _ in known):
        return []
    return sorted(found.values(), key=lambda one: (-_favour(one.dialect, wanted, has), one.dialect in _LAST))


def _owner(text: str, has: frozenset[str]) -> str:
    """Return whose error a text is most likely that no rule has: what it names, or what its list is called.

    What says neither is of the API that more servers have than any other.
    """
    named = next((name for name, words in _HINTS.items() if not has.isdisjoint(words)), None)
    return named or next((name for name, root in _ROOTS.items() if root.search(text)), OpenAIChat.name)


def _by_key(text: str, best: Explanation) -> list[Explanation]:
    """Return the rule that stands for the topic of the key that a text names, where the best rule is about any key."""
    topic = topic_of_key(text) if _ANY_KEY.search(best.error) else None
    if topic is None or (topic.name in _OF_ANY_MESSAGE and _UNWANTED.search(best.error)):
        return []
    return [evolve(best, rule=_rule_of(topic, f"The key that the error names is about {topic.name}."))]


def _rule_of(topic: Topic, why: str) -> Rule:
    return Rule(
        id=topic.id, rule=f"{why} {topic.demand}", errors=(), repair=topic.repair, source=_PAGE, date=_PAGE_DATE
    )


def _names_a_parameter(text: str, best: Explanation | None) -> bool:
    """Return whether an error has a parameter next to the list as its place, although the rule's own text does not."""
    if field_subject(text) is None or places_of(text):
        return False
    return best is None or field_subject(plain(best.error)) is None


def _names_a_key(text: str) -> bool:
    """Return whether an error names a key of the list, without the way to it, and no parameter that is called so."""
    return field_subject(text) is None and any(is_key(name) for name in parameters_of(text))


def _share(words: list[str], values: set[str]) -> float:
    return sum(word in values for word in words) / len(words) if words else 0.0


def _favour(dialect: str, wanted: str | None, has: frozenset[str]) -> float:
    """Decide between rules whose texts fit about as well: for the dialect that is known, then for one that is named."""
    known = 0.05 if dialect == wanted else 0.0
    return known + (0.0 if has.isdisjoint(_HINTS.get(dialect, ())) else 0.02)
