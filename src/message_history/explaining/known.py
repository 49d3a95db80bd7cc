"""What `explain` knows besides the rules of the dialects, read from `known.toml` and `rule_topics.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, final

from attrs import frozen

from message_history.dialects._shared.rules import Rule
from message_history.dialects.registry import DIALECTS

_FILE: Final = "known.toml"
_TOPICS_FILE: Final = "rule_topics.toml"


@final
@frozen(kw_only=True)
class Subject:
    """What an error can be about when it is not about the list.

    Args:
        name: the subject in a word or two.
        hint: what to tell a person.
        fields: the parameters of a request that belong to it.
        texts: typical error texts, with `{...}` for what differs.
        weak: whether these texts stand around other errors too, and decide nothing.
    """

    name: str
    hint: str
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    weak: bool


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the subjects that are not the list."""
    return tuple(
        Subject(
            name=row["name"],
            hint=row["hint"],
            fields=tuple(row["fields"]),
            texts=tuple(row["texts"]),
            weak=row.get("weak", False),
        )
        for row in _data()["subject"]
    )


@cache
def own_rules() -> tuple[tuple[str, Rule], ...]:
    """Return the rules that only explain, each with the name of its dialect."""
    keys = ("id", "rule", "repair", "source", "date")
    return tuple(
        (row["dialect"], Rule(errors=tuple(row["errors"]), **{key: row[key] for key in keys}))
        for row in _data()["rule"]
    )


@cache
def opaque_rules() -> frozenset[str]:
    """Return the ids of the rules whose texts do not say what is wrong."""
    return frozenset(row["id"] for row in _data()["rule"] if row.get("opaque"))


@cache
def topic_names() -> dict[str, tuple[str, ...]]:
    """Return the topics of the rules that only explain, by id: the one that it is about first, then its neighbours."""
    return {row["id"]: (row["topic"], *row.get("neighbours", ())) for row in _data()["rule"]}


@cache
def quoting_rules() -> frozenset[tuple[str, str]]:
    """Return the rules, by dialect and id, whose texts are in the first place those of another rule."""
    return frozenset((row["dialect"], id) for row in _data()["quoting"] for id in row["rules"])


@cache
def further_texts() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return texts of rules in other words, by dialect and id of the rule."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in _data()["text"]:
        key = (row["dialect"], row["rule"])
        found[key] = (*found.get(key, ()), *row["errors"])
    return found


@cache
def rule_topics() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the topics of the dialects' rules, by dialect and id: the one that it is about first, then neighbours."""
    data = _topic_data()
    found: dict[tuple[str, str], tuple[str, ...]] = {
        (dialect, id): (topic,)
        for topic, ids in data["topic"].items()
        for dialect, names in ids.items()
        for id in names.split()
    }
    for topic, ids in data["neighbour"].items():
        for dialect, names in ids.items():
            for id in names.split():
                found[dialect, id] = (*found.get((dialect, id), ()), topic)
    for name, dialect in DIALECTS.items():
        for rule in dialect.rules:
            if rule.topic:
                found.setdefault((name, rule.id), (rule.topic,))
    return found


def topics_of(dialect: str, id: str) -> tuple[str, ...]:
    """Return the topics of any rule, by dialect and id: the one that it is about first; none where it has none."""
    return topic_names().get(id) or rule_topics().get((dialect, id), ())


@cache
def rule_causes() -> dict[str, str]:
    """Return how lists come to break a rule, by id, where that is not what its topic says."""
    return {id: cause for names, cause in _topic_data()["cause"].items() for id in names.split()}


@cache
def rule_advice() -> dict[str, str]:
    """Return what to do about a rule, by id, where a repair of the list does not help, or not always."""
    return {id: advice for names, advice in _topic_data()["advice"].items() for id in names.split()}


@cache
def _topic_data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(_TOPICS_FILE).read_text(encoding="utf-8"))
