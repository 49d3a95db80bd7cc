"""botocore's own validation of Converse parameters as the judge.

It knows types, required members and tagged unions (B04, B24) and lengths (B05 of the system prompt, B17); not the rules
between messages, nor patterns, formats and what depends on the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from message_history import MessageHistory, check
from message_history.integrations.strategies import broken_lists
from tests.dialects.test_bedrock import VARIANTS, every_variant, with_own_blocks

pytest.importorskip("botocore")

from botocore.session import get_session
from botocore.validate import ParamValidator

if TYPE_CHECKING:
    from message_history.dialects import Bedrock, Export

CONVERSE = get_session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def errors_of(messages: list[Any], system: Any = None) -> str:
    """Give what botocore says of a request with these messages."""
    given_system = {} if system is None else {"system": system}
    report = ParamValidator().validate({"modelId": "any", "messages": messages, **given_system}, CONVERSE)
    return str(report.generate_report())


def judge(exported: Export) -> None:
    assert errors_of(exported.messages, exported.system) == ""


@every_variant
def test_every_export_is_accepted(dialect: Bedrock) -> None:
    @given(with_own_blocks())
    def law(history: MessageHistory) -> None:
        judge(history.export(dialect))

    law()


@every_variant
def test_every_broken_list_becomes_acceptable(dialect: Bedrock) -> None:
    @given(broken_lists(dialect))
    def law(raw: list[Any]) -> None:
        judge(MessageHistory.from_list(raw, dialect=dialect).export(dialect))

    law()


@given(broken_lists(VARIANTS[1]))
def test_what_botocore_refuses_is_found(raw: list[Any]) -> None:
    if raw and errors_of(raw):
        assert check(raw, VARIANTS[1])
