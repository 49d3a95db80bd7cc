"""The catalogues of rules that lie beside the project: each is known, quoted, found in its own example, and mended.

An example that is written out in full is taken as it stands. A rule whose example is no offence to a list alone is in
`NOT_IN_A_LIST`, with the reason.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pytest

from message_history import MessageHistory, check
from message_history.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, OpenAIChat, OpenAIResponses
from message_history.dialects.registry import DIALECTS
from tests.shared.material import SHARED, needs_material

pytestmark = needs_material

FILES = ("anthropic_rules", "openai_rules", "other_rules")
RULES = [rule for dialect in DIALECTS.values() for rule in dialect.rules]
CELL = re.compile(r"(?<!\\)\|")


class Row(NamedTuple):
    """A rule of a catalogue."""

    id: str
    file: str
    cells: dict[str, str]

    @property
    def name(self) -> str:
        """Return the id; Mistral's and Bedrock's begin with letters that Anthropic's have too."""
        return f"{self.file[:4]}-{self.id}"

    def cell(self, start: str) -> str:
        """Give the cell under the first heading that begins so."""
        return next((text for heading, text in self.cells.items() if heading.startswith(start)), "")

    @property
    def example(self) -> list[Any] | None:
        """Return the minimal list that breaks the rule; None when it is not written out."""
        try:
            found = json.loads(re.sub(r"\s+\([^\"]*\)$", "", self.cell("minimal").strip("` ")))
        except ValueError:
            return None
        return found if isinstance(found, list) else None


def catalogue() -> list[Row]:
    """Read all rows that have an id."""
    found: list[Row] = []
    for name in FILES:
        path = SHARED / "reference" / f"{name}.md"
        heads: list[str] = []
        for line in path.read_text().splitlines() if path.is_file() else ():
            cells = [cell.replace("\\|", "|").strip() for cell in CELL.split(line)[1:-1]]
            if cells[:1] == ["id"]:
                heads = cells
            elif not line.startswith("|"):
                heads = []
            elif heads and set(cells[0]) - set("-: "):
                found.append(Row(cells[0], name, dict(zip(heads, cells, strict=True))))
    return found


ROWS = catalogue()
SAME = {"X1": "BR-B06", "X2": "BR-B07", "X3": "BR-B13", "X4": "BR-B15"}
"""Rules that two catalogues have, by the id that is used here."""
ABROAD = re.compile(r"C0\d")
"""Cohere's rules: it has no dialect of its own."""
HOSTS = {
    "AZ-03": "azure on your data", "AZ": "azure", "DS-0[78]|DS-10": "deepseek-r1", "DS-1[5-8]": "deepseek.responses",
    "DS": "deepseek", "KM": "kimi", "QW": "qwen", "GQ": "groq", "CB": "cerebras", "XA": "xai", "MM": "minimax",
    "GW-01": "litellm", "GW-02": "zen", "GW": "gateway", "MI": "mistral", "HF-01": "vllm:gemma-3",
    "HF-02": "vllm:devstral", "HF-03": "vllm:gemma-2b-it", "HF-0[45]": "vllm:qwen3.5", "HF-06": "vllm:llama-3.1",
    "HF-07": "vllm.responses", "HF-08": "vllm:qwen3-coder", "HF-09": "mlx", "HF-10": "lm studio", "HF": "llama.cpp",
    "OL-01": "ollama native", "OL": "ollama",
}  # fmt: skip


def dialect_of(row: Row) -> Dialect[Any]:
    """Choose the dialect that minds a rule."""
    rule = row.id
    if row.file == "anthropic_rules":
        return Anthropic(system_in_list=rule in ("AN-A6", "AN-A7", "AN-A8", "AN-A10", "AN-A11"))
    if row.file == "other_rules":
        if rule.startswith("G"):
            return Gemini(vertex=True, ids=False) if rule == "GM-G21" else Gemini()
        newer = {"MS-M06d": 13, "MS-M07a": 13, "MS-M11": 7}.get(rule)
        return Bedrock() if rule.startswith("B") else Mistral() if newer is None else Mistral.for_version(newer)
    host = next((host for start, host in HOSTS.items() if re.match(start, rule)), "")
    if rule.startswith("OR") or host.endswith("responses"):
        return OpenAIResponses.for_provider(host)
    return OpenAIChat.for_model("o1-mini") if rule == "OC-17" else OpenAIChat.for_provider(host)


NOT_IN_A_LIST = {
    "it is accepted": "A2 A3 A14 T9 OR-24 OR-25 M14 OC-21",
    "it depends on the request": "A13 C16 C18 T2 S9 S11 S12 OR-22 G26 M15 M16 M17 M18 M20 B11",
    "only the issuer can tell": "T1 T4 T6 T13 S5 G13 OR-21",
    "an older model minded it": "T3 M21",
    "the server changes the list in silence": "DS-18",
    "it tells what to do, and the example does": "AN-S6",
    "the example is a stand-in": "M5 OR-15 OR-23 DS-13",
    "it is written in another API's form": "X1 X2 X3 X4",
}
EXAMPLES = [pytest.param(row, id=row.name) for row in ROWS if row.example is not None and not ABROAD.fullmatch(row.id)]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in ROWS if not ABROAD.fullmatch(row.id)])
def test_every_rule_is_known_with_its_source(row: Row) -> None:
    dialect = Bedrock() if row.id in SAME else dialect_of(row)
    (rule,) = [rule for rule in dialect.rules if rule.id == SAME.get(row.id, row.id)]
    assert rule.source
    assert rule.date


def quoted(text: str) -> re.Pattern[str]:
    """Make a pattern of a provider's text: what stands in its open places is anything."""
    return re.compile(".*?".join(map(re.escape, re.split(r"\{\w+\}", text))), re.DOTALL)


TEXTS = [quoted(error) for rule in RULES for error in rule.errors if len(re.sub(r"\{\w+\}", "", error)) > 12]
UNQUOTED = {
    "AN-A17": "no text was seen",
    "OC-12": "the newer text is the older with another number",
    "OR-07": "the text is cut short in the catalogue",
    "OR-08": "it is the text of OR-07",
    "DS-11": "the text is cut short in the catalogue",
    "GM-G01": "it is not confirmed",
    "AN-C8": "the text is cut short in the catalogue",
    "AN-S6": "only its end is known",
    "AN-S13": "the text is cut short in the catalogue",
    "MI-09": "the text is cut short in the catalogue",
    "MM-01": "the number stands behind it here",
}


def texts_of(row: Row) -> list[str]:
    """Give the texts that a catalogue quotes in full."""
    cell = row.cell("exact error")
    if cell.startswith(("(", "[")) or row.id in UNQUOTED:
        return []
    if row.cells.get("minimal messages") is not None:
        parts = [
            re.sub(r"^(LEGACY: |same text as C1; legacy: )|\(.*?from memory.*\)$", "", part)
            for part in cell.split(" | ")
        ]
        return [part.strip(" .") for part in parts if not part.strip().startswith(("C1 text", "..."))]
    if cell.startswith("`` "):
        parts = cell[3:-3].split("  |  ")
        return [
            text
            for part in parts
            if (text := re.sub(r"\s{2,}\(.*\)\s*$", "", part).strip(" `")) and text[0] not in "(."
        ]
    return []


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.name) for row in ROWS if texts_of(row) and not ABROAD.match(row.id)]
)
def test_every_text_is_quoted(row: Row) -> None:
    for text in texts_of(row):
        assert any(known.search(text) or known.search(f"{text}.") for known in TEXTS), text


@pytest.mark.parametrize("row", EXAMPLES)
def test_the_example_is_found(row: Row) -> None:
    reason = next((reason for reason, ids in NOT_IN_A_LIST.items() if row.id in ids.split()), None)
    raw = row.example or []
    found = {violation.rule for violation in check(raw, dialect_of(row))}
    if reason is None:
        assert row.id in found
    else:
        assert row.id not in found, f"not only {reason}"


@pytest.mark.parametrize("row", EXAMPLES)
def test_the_example_becomes_acceptable(row: Row) -> None:
    raw, dialect = row.example or [], dialect_of(row)
    for history in (MessageHistory.from_list(raw), MessageHistory.from_list(raw, dialect=dialect)):
        for target in (dialect, *DIALECTS.values()):
            wire = history.export(target).messages
            assert wire or not history
            assert not wire or not check(wire, target)
