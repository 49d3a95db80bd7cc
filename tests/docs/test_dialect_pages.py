"""The pages on dialects and on broken histories are current, complete, and linked to places that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from message_history.dialects.registry import DIALECTS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAMES = [name for name in DIALECTS if name != "native"]


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DOCS / script), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=300)


def page_of(name: str) -> str:
    return (DOCS / "dialects" / f"{name}.md").read_text(encoding="utf-8")


def test_the_pages_are_current() -> None:
    for script in ("list_dialects.py", "list_broken_histories.py", "list_alternatives.py"):
        checked = run(script, "--check")
        assert checked.returncode == 0, checked.stdout


def test_a_rule_between_two_topics_stands_in_both_rows() -> None:
    text = (DOCS / "dialects.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \*\*([a-z ]+)\*\* \|(.*)$", text, re.MULTILINE))
    for topic in ("media", "the form of content"):
        assert "[DS-11](dialects/openai_chat.md#ds-11)" in rows[topic]
    assert page_of("openai_chat").count("### DS-11") == 1


@pytest.mark.heavy
def test_a_stale_page_is_found_and_written_anew(tmp_path: Path) -> None:
    assert run("list_dialects.py", "--check", tmp_path).returncode == 1
    assert list(tmp_path.iterdir()) == []
    shutil.copy(DOCS / "dialects.md", tmp_path)
    shutil.copytree(DOCS / "dialects", tmp_path / "dialects")
    page = tmp_path / "dialects" / "bedrock.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(before.replace("### BR-B01", "### BR-B99"), encoding="utf-8")
    checked = run("list_dialects.py", "--check", tmp_path)
    assert checked.returncode == 1
    assert [line.partition(":")[0] for line in checked.stdout.splitlines()] == [str(page)]
    assert run("list_dialects.py", tmp_path).returncode == 0
    assert page.read_text(encoding="utf-8") == before


def test_every_case_of_the_broken_histories_is_valid_and_lossless() -> None:
    text = (DOCS / "broken_histories.md").read_text(encoding="utf-8")
    counts = re.findall(r"\| (\d+) of (\d+) \| (\d+) of (\d+) \|$", text, re.MULTILINE)
    assert len(counts) == 18
    assert all(valid == sent and kept == expected for valid, sent, kept, expected in counts)
    assert "Valid and lossless: **18 of 18**" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_every_rule_with_its_texts_repair_and_source(name: str) -> None:
    text = page_of(name)
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert sections.keys() == {rule.id for rule in DIALECTS[name].rules}
    for rule in DIALECTS[name].rules:
        section = sections[rule.id]
        assert rule.rule in section
        assert rule.repair in section
        assert rule.source in section
        assert rule.date in section
        for error in rule.errors:
            assert error in section


def test_the_links_to_rules_lead_to_them() -> None:
    text = (DOCS / "dialects.md").read_text(encoding="utf-8")
    links = re.findall(r"\[([\w-]+)\]\(dialects/(\w+)\.md#([\w-]+)\)", text)
    assert {(name, rule) for rule, name, _ in links} == {
        (name, rule.id) for name in NAMES for rule in DIALECTS[name].rules
    }
    headings = {name: set(re.findall(r"^### (\S+)$", page_of(name), re.MULTILINE)) for name in NAMES}
    for rule, name, anchor in links:
        assert rule in headings[name]
        assert anchor == rule.lower()
