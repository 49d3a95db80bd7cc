"""The campaign of left-out texts: what is known of a text is gone while it is explained, and back afterwards."""

from __future__ import annotations

from random import Random

import pytest

from message_history.explaining import explain
from tests.campaigns.__main__ import main
from tests.campaigns.explaining import ALONE, IN_A_BODY, Case, cases, filled, left_out, outcomes, report

ORPHAN = "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` "


@pytest.fixture(scope="module")
def known() -> list[Case]:
    return cases()


def test_a_text_is_left_out_with_its_near_copies_and_nothing_else(known: list[Case]) -> None:
    case = next(case for case in known if case.text.startswith(ORPHAN))
    rest = [error for _, _, error in left_out(case)]
    assert case.text not in rest
    assert not any(error.startswith(ORPHAN) for error in rest)
    assert len(rest) > 0.9 * len(known)


def test_each_text_is_explained_alone_and_in_a_body_and_all_are_known_again(known: list[Case]) -> None:
    case = next(case for case in known if case.text.startswith(ORPHAN))
    elsewhere = next(case for case in known if not case.topics)
    found = list(outcomes([case, elsewhere], Random(0)))
    assert [one.around for one in found] == [ALONE, IN_A_BODY] * 2
    assert [one.right for one in found] == [True] * 4
    assert explain(filled(case.text, Random(0)))[0].error == case.text
    lines = report(found)
    assert "  about the list: alone 1 of 1 (100.0%); in a body 1 of 1 (100.0%)" in lines


def test_the_command_prints_the_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], known: list[Case]
) -> None:
    monkeypatch.setattr("tests.campaigns.explaining.cases", lambda: known[:2])
    assert main(["--explain"]) == 0
    assert "by half" in capsys.readouterr().out
