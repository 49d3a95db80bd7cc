"""The table of rules that an oracle judges is what the oracles say of the dialects' own examples."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from message_history import check
from message_history.dialects import Gemini, Mistral, Portable, PydanticAI
from message_history.dialects.registry import DIALECTS
from tests.dialects import test_anthropic, test_bedrock, test_mistral, test_openai_chat, test_openai_responses
from tests.dialects.gemini import FLASH, WRONG
from tests.dialects.test_gemini import ON_VERTEX
from tests.oracles.covered import COVERED, ORACLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from message_history.dialects import Dialect

OF_THE_AGENT = {"PA-12", "PA-17", "PA-18"}
"""What `test_the_agent_says_what_the_rules_say` hears from the agent itself."""
Example = tuple[str, "Dialect[Any]", list[Any]]
NEEDED = {"anthropic": "anthropic", "openai": "openai", "google-genai": "google.genai", "botocore": "botocore"}
NEEDED |= {"mistral-common": "mistral_common", "templates": "jinja2", "pydantic-ai": "pydantic_ai"}


def examples(name: str) -> list[Example]:
    """Give lists that break one rule each, as the dialect's own tests have them."""
    if name == "anthropic":
        return [(case.rule, case.dialect, case.raw) for case in test_anthropic.CASES]
    if name == "openai_chat":
        return [(rule, test_openai_chat.served(by), raw) for rule, by, raw, _ in test_openai_chat.BROKEN]
    if name == "openai_responses":
        return [(rule, dialect, raw) for rule, _, _, raw, dialect in test_openai_responses.REFUSED]
    if name == "gemini":
        developer = [(rule, Gemini.for_model(FLASH), raw) for rule, _, raw in WRONG]
        return [*developer, *((rule, Gemini(vertex=True), raw) for rule, _, raw in ON_VERTEX)]
    if name == "mistral":
        return [(rule, dialect, raw) for rule, dialect, raw, _, _ in test_mistral.REFUSED]
    if name == "bedrock":
        return [(rule, dialect, raw) for rule, dialect, raw, _, _ in test_bedrock.REFUSED]
    if name == "portable":
        return [(rule, Portable(), raw) for rule, raw in test_openai_chat.PORTABLY_BROKEN]
    if name == "pydantic_ai":
        module = import_module("tests.oracles.test_pydantic_ai")
        return [(rule, PydanticAI(), raw) for raw, rule in module.OF_THE_TYPES]
    return []


def judges(oracle: str, name: str, dialect: Dialect[Any]) -> list[tuple[Dialect[Any], Callable[[list[Any]], object]]]:
    """Give what refuses a list of a dialect by raising, each with the fields that say the same."""
    if oracle == "anthropic":
        return [(dialect, import_module("tests.oracles.test_anthropic").assert_typed)]
    if oracle == "openai":
        of_it = "test_openai_responses" if name == "openai_responses" else "test_openai_chat"
        return [(dialect, import_module(f"tests.oracles.{of_it}").judge)]
    if oracle == "google-genai":
        module = import_module("tests.oracles.test_gemini")
        return [(dialect, lambda raw: module.judge(raw, dialect))]
    if oracle == "botocore":
        return [(dialect, lambda raw: refuse(import_module("tests.oracles.test_bedrock").errors_of(raw)))]
    if oracle == "mistral-common":
        module = import_module("tests.oracles.test_mistral")
        return [(Mistral.for_version(version), partial(module.judge, version=version)) for version in module.JUDGES]
    if oracle == "templates":
        module = import_module("tests.oracles.test_chat_templates")
        rows = [case.values for case in module.CASES if case.values[0].name == name]
        return [(of_it, partial(rendered, template, values)) for of_it, template, values in rows]
    return [(dialect, import_module("tests.oracles.test_pydantic_ai").validated)]


def refuse(errors: str) -> None:
    """Raise when there are errors."""
    if errors:
        raise ValueError(errors)


def rendered(template: str, values: dict[str, Any], raw: list[Any]) -> None:
    """Raise what a template raises; what our reading of the list for it raises is no refusal."""
    import jinja2  # noqa: PLC0415 - may not be installed

    module = import_module("tests.oracles.test_chat_templates")
    with suppress(KeyError, TypeError, AttributeError):
        try:
            module.judge(template, raw, **values)
        except (module.RefusedError, json.JSONDecodeError, jinja2.UndefinedError) as refused:
            raise ValueError(str(refused)) from None


def is_judged(oracle: str, name: str, rule: str, value: Dialect[Any], raw: list[Any]) -> bool:
    """Tell whether an oracle refuses a list for this rule: it breaks no other, or the oracle says so itself."""
    for dialect, judge in judges(oracle, name, value):
        found = check(raw, dialect)
        try:
            judge(raw)
        except Exception as refused:  # noqa: BLE001 - each oracle has errors of its own
            words = str(refused)
            if {violation.rule for violation in found} == {rule} or any(
                violation.rule == rule and violation.error and violation.error in words for violation in found
            ):
                return True
    return False


PAIRS = [(oracle, name) for name, by_oracle in COVERED.items() for oracle in by_oracle]


@pytest.mark.parametrize(("oracle", "name"), PAIRS)
def test_the_table_says_what_the_oracle_says(oracle: str, name: str) -> None:
    pytest.importorskip(NEEDED[oracle])
    judged = {rule for rule, dialect, raw in examples(name) if is_judged(oracle, name, rule, dialect, raw)}
    if oracle == "pydantic-ai":
        judged |= OF_THE_AGENT
    assert [rule.id for rule in DIALECTS[name].rules if rule.id in judged] == list(COVERED[name][oracle])


def test_every_oracle_is_described_and_used() -> None:
    assert {oracle for oracle, _ in PAIRS} == ORACLES.keys() == NEEDED.keys()
