"""Tell the topic of an error text whose words no rule has, by the signs in `topics.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Final, final

from attrs import frozen

from message_history.explaining.places import places_of, surroundings
from message_history.explaining.reading import words_of

_FILE: Final = "topics.toml"
_SENTENCE_END: Final = re.compile(
    r"""[\n{}]|(?<!["'`])(?<!["'`]\s)\|(?!\s?["'`])|(?<=[.;!?])\s|["']\s?,|\bnull\s?,"""
    r"""|(?<!["'\\])["'\\]++(?:message|error|type|code|param|status|detail)["'\\]++\s?:"""
    r"""|\b(?:message|type|code|param|status|detail): (?=["'\\]|some\(|none\b)"""
)
"""Where a sentence or a value of a JSON body ends, and the keys that many bodies have."""
_ELSEWHERE: Final = re.compile(
    r"""(?<=['"`])/(?!(?:messages?|contents?|input|history)\b)[\w/*-]{1,200}(?=['"`])"""
    r"""|\bcontent-(?:disposition|encoding|language|length|md5|range|security|transfer|type)(?!\w)"""
)
"""A place that is not in the list, as a JSON pointer, or a header: its words are not what a sentence is about."""
_ENVELOPE: Final = re.compile(r"""\btype["'\\]+\s?:\s?["'\\]+error(?=["'\\])""")
"""What Anthropic's bodies begin with; it is no complaint about a type."""
_REFUSED_BEFORE: Final = re.compile(
    r"\b(?:error|http|status|code)(?:\W{1,6}(?:code|status))?\W{1,6}(?:429|50[234]|52\d)\b"
)
"""A status with which no provider speaks of a list: it is busy, or a gateway is."""
_REFUSED: Final = re.compile(r"\b(?:400|422|500)\b")
_ROLES_TO_CHOOSE: Final = re.compile(
    r"""['"`\\]user['"`\\]{1,3}\s?,?\s?(?:or\s|and\s)?['"`\\]{1,3}assistant['"`\\]"""
    r"""|['"`\\]assistant['"`\\]{1,3}\s?,?\s?(?:or\s|and\s)?['"`\\]{1,3}user['"`\\]"""
)
"""How a validator lists the roles that it takes."""
_OF_A_CLASS: Final = re.compile(r"\bvalidation errors? for \w")
"""How a program speaks of what it could not make of a reply."""
_LIST_AT_FAULT: Final = re.compile(
    r"""["'\\]invalid (?:input|messages|contents|request)\.?["'\\].{0,200}"""
    r"""\bparam["'\\]+\s?:\s?["'\\]+(?:messages|input|contents)["'\\]"""
)
"""How an error's body names the whole list as what is wrong, without a word on why."""
_IN_SYSTEM: Final = re.compile(r"\bsystem(?:\[|\.\d|\.\{)")
_SYSTEM: Final = "the system prompt"
_FORM: Final = "the form of content"
_ROLES: Final = "roles and turns"
_CALLS: Final = "calls and results"
_EMPTY: Final = "empty and absent content"
_OFTEN_NAMED: Final = (_FORM, _ROLES)
"""Topics of places that are named for what is wrong elsewhere, too."""
_OF_ANY_PLACE: Final = (_FORM, _EMPTY)
_CONTENT: Final = frozenset({"content", "contents", "parts", "text"})
_SERVER_TOOLS: Final = "server tools"
_CACHE_MARKS: Final = "cache marks"
_NUMBERED: Final = re.compile(r"\b(?:message|turn|part)s? \d")
"""How a sentence tells which message of a list it is about."""
_OF_ANY_MAIL: Final = frozenset({"messages"})
"""What does not show that empty content is of a model: mails and chats among people are never empty either."""
_TOGETHER: Final = 2
"""How many words that other programs use too make a text one of models."""
_CLASS: Final = "@"
"""What the name of a class of words begins with."""
_NOT: Final = re.compile(r"\b(can|does|do|did|is|are|was|were|has|have|had|should|must|could|would)n? (?:t|not)\b")
_ASIDE: Final = re.compile(r" (?:currently|yet|also|presently|explicitly|simply|either|already)\b")
"""What stands between the words of a sign and says nothing of its own."""
_AT_A_KEY: Final = re.compile(
    r"""\b(?:extraneous|unknown|unexpected|unrecognized|unsupported|extra|additional)\s"""
    r"""(?:name|key|field|property|parameter)s?\W{1,5}([a-z]\w{1,40})"""
)
"""How an error names the key that is not wanted, next to the place where it is."""


@final
@frozen(kw_only=True)
class Topic:
    """What rules of several providers have in common."""

    name: str
    id: str  # the id of the rule that stands for it
    demand: str
    cause: str
    repair: str
    keys: frozenset[str]  # the keys of a place in the list that the topic is about
    # Each sign is a list of groups of words, one of each of which a sentence holds.
    signs: tuple[tuple[re.Pattern[str], ...], ...]
    veto: tuple[re.Pattern[str], ...]  # words that keep the topic away


@cache
def topic_table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))


@cache
def topics() -> tuple[Topic, ...]:
    rows = topic_table()["topic"]
    names = ("name", "id", "demand", "cause", "repair")
    return tuple(
        Topic(
            keys=frozenset(row.get("keys", ())),
            signs=tuple(tuple(_pattern(words) for words in sign) for sign in row["signs"]),
            veto=tuple(_pattern(words) for words in row.get("veto", ())),
            **{key: row[key] for key in names},
        )
        for row in rows
    )


@cache
def _by_name(name: str) -> Topic:
    return next(topic for topic in topics() if topic.name == name)


@cache
def _by_key() -> dict[str, Topic]:
    return {_joined(key): topic for topic in topics() for key in topic.keys}


def _joined(key: str) -> str:
    """Return a key as it is compared: one API writes `mime_type`, another `mimeType`."""
    return key.replace("_", "").lower()


def _of_key(key: str) -> Topic | None:
    return _by_key().get(_joined(key))


def is_key(name: str) -> bool:
    return _of_key(name) is not None


@cache
def is_of_list(word: str) -> bool:
    """Return whether a word names something that a list of messages holds."""
    return word.startswith(_nouns())


def names_list(word: str, words: frozenset[str]) -> bool:
    """Return whether a word names something that a list of messages holds, where it stands among these words."""
    if not is_of_list(word):
        return False
    beside = next((beside for stem, beside in _shared_nouns().items() if word.startswith(stem)), None)
    return beside is None or any(other.startswith(beside) for other in words)


@cache
def _nouns() -> tuple[str, ...]:
    return tuple(topic_table()["of_list"]["stems"])


@cache
def _shared_nouns() -> dict[str, tuple[str, ...]]:
    """Return the words that other programs have too, each with those next to which it names something in a list."""
    rows = topic_table()["of_list"]["beside"]
    return {stem: tuple(beside) for stem, beside in rows.items()}


def leaves_of(text: str) -> frozenset[str]:
    """Return the names of the topics that the places of a plain text end in; none for one that ends with an index."""
    found = (_of_key(place.leaf) for place in places_of(text))
    beside = {_SYSTEM} if _IN_SYSTEM.search(text) else set()
    return frozenset(topic.name for topic in found if topic is not None) | beside


def is_elsewhere(text: str) -> bool:
    """Return whether a plain text is of a program that speaks of messages of its own, or of access or load."""
    words = " ".join(words_of(text))
    if _of_others().search(words):
        return True
    return _REFUSED_BEFORE.search(text) is not None and _REFUSED.search(text) is None


def is_of_models(text: str, topic: Topic | None = None) -> bool:
    """Return whether a plain text has a word of models, or is about a topic that other programs do not speak of."""
    names, sure, weak = _of_models()
    # Where a sentence or a value ends, no words belong together; no word is two dots.
    words = " .. ".join(_sentences(text))
    of_any_mail = _OF_ANY_MAIL if topic is not None and topic.name == _EMPTY else frozenset()
    found = set(sure.findall(words))
    if (topic is not None and topic.name not in names) or found - of_any_mail or _NUMBERED.search(words):
        return True
    return len(found | set(weak.findall(words))) >= _TOGETHER


@cache
def _of_models() -> tuple[frozenset[str], re.Pattern[str], re.Pattern[str]]:
    row = topic_table()["models"]
    return frozenset(row["topics"]), _pattern(row["words"]), _pattern(row["weak"])


@cache
def _of_others() -> re.Pattern[str]:
    return _pattern(topic_table()["elsewhere"]["words"])


def topic_of_key(text: str) -> Topic | None:
    """Find what the first place is about that a plain text names, where its keys tell more than that it is content."""
    found = (_topic_of_keys(place.keys) for place in places_of(text))
    return next((topic for topic in found if topic is not None and topic.name != _FORM), None)


def topic_of(text: str) -> Topic | None:
    """Find the topic of a plain text: by the key of the place that it names, or by the first sentence with a sign."""
    named = _by_place(text)
    if named is not None and named.name not in _OFTEN_NAMED:
        return named
    near = [around for _, around in surroundings(text)]
    by_sign = (_by_sign(part) for part in (*near, text))
    if named is not None and named.name == _ROLES:
        # A role is named as the place where a message is at fault that its neighbours have made impossible.
        return next((topic for topic in by_sign if topic is not None and topic.name == _CALLS), named)
    found = next((topic for topic in by_sign if topic is not None), named)
    if found is None and _ROLES_TO_CHOOSE.search(text) and not _OF_A_CLASS.search(text):
        return _by_name(_ROLES)
    return found or (_by_name(_FORM) if _LIST_AT_FAULT.search(text) else None)


def topic_of_place(text: str) -> Topic | None:
    """Find what the place is about where a plain text says that something is wrong, if about more than content."""
    named = _by_place(text)
    return named if named is not None and named.name not in _OF_ANY_PLACE else None


def _by_sign(text: str) -> Topic | None:
    """Return the topic of the first sentence that has a sign of one."""
    sentences = _sentences(_ELSEWHERE.sub(" ", text))
    return next((topic for sentence in sentences for topic in topics() if _has(topic, sentence)), None)


def _sentences(text: str) -> list[str]:
    return [words for words in (_compared(part) for part in _SENTENCE_END.split(text)) if words]


def _compared(text: str) -> str:
    """Return the words of a text as signs are compared with them: `can't`, `can not` and `cannot` are one."""
    words = _NOT.sub(lambda found: f"{found[1]} not", " ".join(words_of(text)))
    return _ASIDE.sub("", words.replace("can not", "cannot"))


def _by_place(text: str) -> Topic | None:
    """Return the topic of the first place in the list of which a text says that something is wrong."""
    for place, around in surroundings(text):
        words = " ".join(words_of(_ENVELOPE.sub(" ", around)))
        if _complaint().search(words):
            topic = _topic_of_keys(place.keys) or _by_name(_FORM)
            if topic.name == _FORM and (unwanted := _AT_A_KEY.search(around)) is not None:
                topic = _of_key(unwanted[1]) or topic
            missing = topic.name == _FORM and place.leaf in _CONTENT and _class("absent").search(words)
            return _by_name(_EMPTY) if missing else topic
    return None


def _topic_of_keys(keys: tuple[str, ...]) -> Topic | None:
    """Return the topic of the keys to a place: the last that is not of any content, or the provider's own tools."""
    found = [topic for topic in map(_of_key, reversed(keys)) if topic is not None]
    own = next((topic for topic in found if topic.name == _SERVER_TOOLS), None)
    if own is not None and found[0].name != _CACHE_MARKS:
        return own
    return next((topic for topic in found if topic.name != _FORM), found[0] if found else None)


def _has(topic: Topic, sentence: str) -> bool:
    if not any(all(group.search(sentence) for group in sign) for sign in topic.signs):
        return False
    return not any(group.search(sentence) for group in topic.veto)


@cache
def _classes() -> dict[str, list[str]]:
    table = topic_table()
    return {**table["words"], **table["parts"]}


def _members(word: str) -> list[str]:
    return _classes()[word[1:]] if word.startswith(_CLASS) else [word]


@cache
def _complaint() -> re.Pattern[str]:
    return _pattern([f"{_CLASS}{name}" for name in topic_table()["words"]])


@cache
def _class(name: str) -> re.Pattern[str]:
    return _pattern([f"{_CLASS}{name}"])


def _pattern(words: list[str]) -> re.Pattern[str]:
    """Return what finds any of these words, or words of these classes, in words that are joined by spaces."""
    plain = [" ".join(one) for word in words for one in product(*map(_members, word.split(" ")))]
    alternatives = "|".join(r"\w*".join(re.escape(_compared(part)) for part in word.split("*")) for word in plain)
    return re.compile(rf"\b(?:{alternatives})\b")
