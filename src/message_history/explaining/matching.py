"""Compare an error text with all texts that are known: those of the rules, and those about something else.

A feature weighs more the fewer texts hold it, and proves less that a text is about the list the more texts about
something else hold it. A rule's text counts clause by clause, so that a log may hold one sentence of it alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final, final

from attrs import evolve, frozen

from message_history.dialects._shared.rules import Rule
from message_history.dialects.registry import DIALECTS
from message_history.explaining.known import Subject, further_texts, own_rules, subjects
from message_history.explaining.places import is_root, masked, parameters_of, places_of
from message_history.explaining.reading import clauses_of, features_of, is_place
from message_history.explaining.topics import is_key, is_of_list, leaves_of, names_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LEAST: Final = 0.55
"""Below this score, texts of other origin than ours begin to look alike."""
PROOF: Final = 5.0
"""What the distinctive features of a text weigh at least before it is said to be about a rule."""
PROOF_OF_PART: Final = 12.0
"""The same where only a part of a known text is there, and no topic speaks for it."""
PROOF_OF_CUT: Final = 8.0
"""The same where the text says that it was cut off there."""
HELD: Final = 0.4
"""The part of a clause's features that a text must have to count as holding it."""
SHARED: Final = 0.25
"""The part of what a known text says of its place that a text must say too."""
MOST: Final = 0.6
"""Below this part, what both share are words that stand in many texts, and no score is higher than the part allows."""
_GUESSED: Final = 0.9
"""How much of a known text is taken to be there where a log has cut off a text, all of which is in the known one."""
_CUT: Final = ("...", "\u2026")
"""What a text ends with that a log has cut off."""
_MARGIN: Final = 0.1
_ENOUGH: Final = 2.0
_PAIR, _WORD = 1.0, 0.5
_UNPLACED: Final = 3.0
"""How much less a text that names a place of the list proves when the other names none."""
_WHOLE: Final = re.compile(r"""['"`](?:messages|contents|input)['"`](?!:)""")
_LIST: Final = "the list"
_WHOLE_AT_FAULT: Final = re.compile(
    r"""(?:\binvalid|\btype for|\bparameter:) ['"`\\]+(?:messages|contents|input)['"`\\]"""
)
"""How an error says that it is about the list as a whole."""
_SHORT: Final = 4
"""A known text of no more words than this is there whole, or not at all."""
_CODE: Final = re.compile(r"[a-z]+(?:_[a-z]+)+")
_ALL_OF_IT: Final = 0.999
_QUOTED: Final = "{error}"
_DOUBT, _DOUBT_OF_WEAK = 3, 12
"""How much one text about something else speaks against a feature, compared with one about the list."""


@final
@frozen
class Known:
    """One known text."""

    dialect: str  # the name of the rule's dialect; empty for a text about something else
    about: Rule | Subject
    error: str
    whole: float  # what all its features weigh
    placed: bool  # whether it names a place of the list
    around: bool  # whether it stands around other errors: that of a weak subject, or one that ends with what it quotes
    apart: float  # how much those of its features prove that are not in the places that it names
    leaves: frozenset[str]  # the topics of the keys that those places end with
    short: bool  # whether it has so few words that a part of it says nothing
    code: bool  # whether it is one of the codes of an API, whose words stand in many sentences
    named: bool  # whether it has a word for something in the list; what else it says, texts about anything say


@final
@frozen
class Match:
    """How well a known text fits."""

    known: Known
    score: float  # how well it fits, from 0 to 1
    weight: float  # what all features weigh that both texts hold
    proof: float  # what those of them weigh that texts about the list hold rather than others
    whole: bool  # whether most is there of what distinguishes the known text


@final
@frozen
class _Index:
    """All known texts."""

    texts: tuple[Known, ...]
    clauses: tuple[tuple[int, float], ...]  # for each clause, the number of its text and the weight of its features
    weights: Mapping[str, float]  # what each feature weighs
    proofs: Mapping[str, float]  # how much each feature proves that a text is about the list
    holders: Mapping[str, list[int]]  # the numbers of the clauses that hold a feature


def matches(text: str, *, of_list: bool = False) -> list[Match]:
    """Find the known texts that are like a plain text.

    `of_list` says whether the text is known to be of an API that takes lists of messages. Returns the best match for
    each rule and each subject, those around others apart, in no order that matters. The cost is linear in the text and
    in the known texts that hold its features.
    """
    index = _index()
    has = features_of(text)
    apart = _apart(index, masked(text))
    leaves = leaves_of(text) or (frozenset({_LIST}) if _WHOLE_AT_FAULT.search(text) else frozenset())
    shared: dict[int, float] = {}
    proof: dict[int, float] = {}
    named: set[int] = set()
    all_of_it = 0.0
    for feature in sorted(has & index.holders.keys()):
        weight = index.weights[feature]
        all_of_it += weight
        for clause in index.holders[feature]:
            shared[clause] = shared.get(clause, 0.0) + weight
            proof[clause] = proof.get(clause, 0.0) + weight * index.proofs[feature]
        if names_list(feature, has) or (of_list and is_of_list(feature)):
            named.update(index.clauses[clause][0] for clause in index.holders[feature])
    cut = is_cut(text)
    unplaced = not any(is_place(feature) for feature in has)
    by_text: dict[int, list[tuple[float, float, float]]] = {}
    for clause, weight in sorted(shared.items()):
        number, whole = index.clauses[clause]
        by_text.setdefault(number, []).append((weight, whole, proof[clause]))
    best: dict[tuple[str, str, bool], Match] = {}
    for number, clauses in by_text.items():
        known = index.texts[number]
        elsewhere = bool(leaves) and bool(known.leaves) and leaves.isdisjoint(known.leaves)
        part = apart.get(number, 0.0) / known.apart if known.apart else 1.0
        if elsewhere or part < SHARED or (known.named and number not in named):
            continue
        if known.short and sum(weight for weight, _, _ in clauses) < known.whole * _ALL_OF_IT:
            continue
        if known.code and known.error not in text:
            continue
        match = _match(known, clauses, all_of_it, cut=cut and isinstance(known.about, Rule))
        if part < MOST:
            match = evolve(match, score=min(match.score, max(LEAST, part + _MARGIN)), whole=False)
        if unplaced and match.known.placed:
            match = evolve(match, proof=match.proof / _UNPLACED)
        about = match.known.about
        key = (match.known.dialect, about.name if isinstance(about, Subject) else about.id, match.known.around)
        found = best.get(key)
        if match.score >= LEAST and (found is None or _rank(match) > _rank(found)):
            best[key] = match
    return list(best.values())


def is_cut(text: str) -> bool:
    """Return whether a text says that something was cut off at its end, or ends within an object of JSON."""
    text = text.rstrip()
    return text.endswith(_CUT) or (text[-1:].isalnum() and text.count("{") > text.count("}"))


def _apart(index: _Index, text: str) -> dict[int, float]:
    """Return what a text without its places has in common with each known text."""
    found: dict[int, float] = {}
    for feature in sorted(features_of(text) & index.holders.keys()):
        for clause in index.holders[feature]:
            number = index.clauses[clause][0]
            found[number] = found.get(number, 0.0) + index.weights[feature] * index.proofs[feature]
    return found


def _rank(match: Match) -> tuple[float, int]:
    return (match.score, -len(match.known.error))


def _match(known: Known, clauses: list[tuple[float, float, float]], all_of_it: float, *, cut: bool) -> Match:
    """Score one known text by the clauses of it that are there: (weight there, weight of the clause, proof).

    Of what a log cut off the rest may have been there too, if all of the text is in the known one.
    """
    weight = sum(there for there, _, _ in clauses)
    held = [(there, whole, proof) for there, whole, proof in clauses if there >= HELD * whole]
    # All of a rule's text is there, whatever is around it; or a whole clause; or what is there is a part of the text.
    guessed = _GUESSED * weight / all_of_it if cut and weight > MOST * all_of_it else 0.0
    inside = max(weight / known.whole, guessed)
    clause = max((there / whole * there / (there + _ENOUGH) for there, whole, _ in held), default=0.0) * 0.95
    of_it = min(weight / all_of_it, 1.0)
    fit = max((max(inside, of_it) + inside) / 2, (clause + inside) / 2 if inside < clause else 0.0)
    proof = sum(proof for _, _, proof in (held or clauses))
    return Match(known, fit * weight / (weight + _ENOUGH), weight, proof, whole=True)


@cache
def _index() -> _Index:
    """Weigh the features of all known texts: the rarer, the heavier, and a pair twice as heavy as a word."""
    known = list(known_texts())
    distinct = {(error, _doubt(about)): clauses_of(error) for _, about, error in known}
    of_list: Counter[str] = Counter()
    of_else: Counter[str] = Counter()
    doubts: Counter[str] = Counter()
    for (_, doubt), clauses in distinct.items():
        features = frozenset().union(*clauses)
        (of_else if doubt else of_list).update(features)
        doubts.update(dict.fromkeys(features, doubt))
    counts = of_list + of_else
    total = len(distinct)
    weights = {
        feature: math.log(1 + total / count) * (_WORD if feature.isalnum() else _PAIR)
        for feature, count in counts.items()
    }
    proofs = {feature: of_list[feature] / (of_list[feature] + doubts[feature]) for feature in counts}
    texts: list[Known] = []
    numbered: list[tuple[int, float]] = []
    holders: dict[str, list[int]] = {}
    for dialect, about, error in known:
        whole = 0.0
        clauses = clauses_of(error)
        for clause in clauses:
            weight = sum(weights[feature] for feature in sorted(clause))
            whole += weight
            for feature in clause:
                holders.setdefault(feature, []).append(len(numbered))
            numbered.append((len(texts), weight))
        placed = any(is_place(feature) for clause in clauses for feature in clause)
        around = isinstance(about, Subject) and (about.weak or error.endswith(_QUOTED))
        apart = sum(
            weights.get(feature, 0.0) * proofs.get(feature, 0.0)
            for clause in clauses_of(masked(error.lower()))
            for feature in sorted(clause)
        )
        words = {feature for clause in clauses for feature in clause if feature.isalnum()}
        code = isinstance(about, Rule) and _CODE.fullmatch(error) is not None
        short = isinstance(about, Rule) and len(words) <= _SHORT
        named = isinstance(about, Rule) and any(is_of_list(word) for word in words)
        leaves = _leaves(error.lower())
        texts.append(Known(dialect, about, error, whole, placed, around, apart, leaves, short, code, named))
    return _Index(tuple(texts), tuple(numbered), weights, proofs, holders)


def _leaves(error: str) -> frozenset[str]:
    """Return the topics of the places that a rule's text names; the list itself is one."""
    if not places_of(error) and (_WHOLE.search(error) or _WHOLE_AT_FAULT.search(error)):
        return frozenset({_LIST})
    return leaves_of(error)


def _doubt(about: Rule | Subject) -> int:
    if isinstance(about, Subject):
        return _DOUBT_OF_WEAK if about.weak else _DOUBT
    return 0


def known_texts() -> Iterator[tuple[str, Rule | Subject, str]]:
    """Yield each known text with its dialect and rule, or with its subject."""
    further = further_texts()
    elsewhere = {error for subject in subjects() for error in subject.texts}
    for name, dialect in DIALECTS.items():
        for rule in dialect.rules:
            for error in (*rule.errors, *further.get((name, rule.id), ())):
                if error not in elsewhere and clauses_of(error):
                    yield name, rule, error
    for name, rule in own_rules():
        for error in rule.errors:
            yield name, rule, error
    for subject in subjects():
        for error in subject.texts:
            yield "", subject, error


_STOCK: Final = "extra inputs|field required|input should|input tag|list should|string should|value error"


@cache
def _field_patterns() -> tuple[tuple[Subject, re.Pattern[str]], ...]:
    """Return for each subject what an error looks like that names one of its parameters as its place."""
    found = []
    for subject in subjects():
        if subject.fields:
            names = "|".join(re.escape(field.lower()) for field in sorted(subject.fields, key=len, reverse=True))
            ways = (
                rf"""(?:param|parameter|argument|field|unsupported value)["'`\\]*[:=]? ?[`'"\\]+(?:{names})(?![\w-])""",
                rf"""(?:parameter|argument|value): (?:{names})(?![\w-])""",
                rf"""(?:^|[\s'"`])(?:{names})(?:[.\[][\w\]-]+){{0,12}}: (?:{_STOCK})""",
                rf"""(?:^|[\s'"`*.])(?:{names})(?:\.\d+|\[\d+\])(?!\w)""",
                rf"""body["',\s\\]+(?:\d{{1,2}} => ["'])?(?:{names})["'\\]""",
                rf"""\bat ['"`\\]+(?:{names})(?![\w-])""",
                rf"""\bkey \[(?:{names})\]""",
                rf"""#/(?:{names})(?![\w-])""",
                rf"""\bthe [`'"]?(?:{names})(?:[.\[][\w\]-]+){{0,12}}[`'"]? (?:field|parameter)\b""",
                rf"""(?:^|[\s'"`:])(?:{names})['"`]?\s?参数""",
            )
            found.append((subject, re.compile("|".join(ways))))
    return tuple(found)


_OF_THE_REQUEST: Final = "a parameter of the request"
# A key in snake case with no path before it stands at the top of the request, where the list is `messages` or `input`.
_TOP_LEVEL: Final = re.compile(rf"""(?:^|[\s'"`])[a-z][a-z0-9]*+(?:_[a-z0-9]++)++: (?:{_STOCK})""")
# A validator of a server that names the whole body, or what does not stand in the body, names no list.
_OF_NO_LIST: Final = re.compile(
    r"""\bloc["'\\]+\s?:\s?[\[(]\s{0,40}["'\\]+(?:body["'\\]+,?\s{0,40}[\])]|(?:query|header|cookie)["'\\]+\s?,)"""
)


def field_subject(text: str) -> Subject | None:
    """Find the subject of the parameter that an error names as its place, unless it is the list."""
    found = next((subject for subject, pattern in _field_patterns() if pattern.search(text)), None)
    if found is None and (_TOP_LEVEL.search(text) or _OF_NO_LIST.search(text) or _names_another(text)):
        return next(subject for subject in subjects() if subject.name == _OF_THE_REQUEST)
    return found


def _names_another(text: str) -> bool:
    """Return whether a text names parameters, of which none is the list or a key in it."""
    names = parameters_of(text)
    return bool(names) and not any(is_root(name) or is_key(name) for name in names)
