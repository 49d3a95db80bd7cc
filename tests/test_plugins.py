"""Formats and dialects of other distributions: found by entry points, and named when they cannot be imported."""

from __future__ import annotations

import json
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from message_history import from_file, plugins
from message_history.cli.app import app
from message_history.formats import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    Install: TypeAlias = Callable[[str, str, str, dict[str, str]], None]

FORMAT = """
    from message_history.dialects import OpenAIChat
    from message_history.formats.kit.base import STATE, Collector, Format, item_fit

    def _read(document):
        collector = Collector()
        for number, item in document.numbered_items:
            collector.add(number, {"role": item["who"], "content": item["said"]})
        return collector.reading(OpenAIChat())

    TOY = Format(
        name="toy", title="Toys", files="toy.json", omits="nothing", unwritten=STATE, source="none: a toy",
        checked="2026-11-23", fit=item_fit(lambda item: {"who", "said"} <= item.keys()), read=_read,
    )
    """
SAID = [{"who": "user", "said": "Hi"}, {"who": "assistant", "said": "Hello."}]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Give a function that lays out an installed distribution: entry points of a group, and its modules."""
    forget = (plugins.entry_points_of, plugins.plugin, registry._all_formats)

    def lay_out(name: str, group: str, points: str, modules: dict[str, str]) -> None:
        folder = tmp_path / name
        about = folder / f"{name}-1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (about / "entry_points.txt").write_text(f"[{group}]\n{points}\n")
        for module, code in modules.items():
            file = folder / f"{module}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(dedent(code))
            # Another test may have imported one of this name.
            monkeypatch.delitem(sys.modules, module.removesuffix("/__init__").replace("/", "."), raising=False)
        monkeypatch.syspath_prepend(folder)

    for each in forget:
        each.cache_clear()
    yield lay_out
    for each in forget:
        each.cache_clear()


@pytest.fixture
def said(tmp_path: Path) -> Path:
    file = tmp_path / "said.json"
    file.write_text(json.dumps(SAID))
    return file


def test_a_format_of_another_distribution_is_recognised_and_known_by_its_name(install: Install, said: Path) -> None:
    install("toys", plugins.FORMATS, "toy = toys_one:TOY", {"toys_one": FORMAT})
    (found,) = from_file(said)
    assert found.origin.format == "toy"
    assert [(message.role, message.text) for message in found.history()] == [("user", "Hi"), ("assistant", "Hello.")]
    assert from_file(said, format="toy")[0].origin.format == "toy"
    assert "toy" in registry.FORMATS
    assert "toy: Toys" in CliRunner().invoke(app, ["formats"]).output


def test_one_entry_point_brings_every_format_of_a_package(install: Install, said: Path) -> None:
    other = FORMAT.replace('"toy"', '"other-toy"').replace("<= item", "> item")
    install(
        "toys", plugins.FORMATS, "toys = toys_all", {"toys_all/__init__": "", "toys_all/a": FORMAT, "toys_all/b": other}
    )
    assert list(registry.FORMATS)[-2:] != ["other-toy", "toy"], "our general formats are asked after those of others"
    assert {"toy", "other-toy"} < set(registry.FORMATS)
    assert from_file(said)[0].origin.format == "toy"


def test_what_cannot_be_imported_is_named_once_and_hurts_nothing_else(install: Install, said: Path) -> None:
    install(
        "toys",
        plugins.FORMATS,
        "toys = toys_all",
        {"toys_all/__init__": "", "toys_all/a": FORMAT, "toys_all/b": "1 / 0"},
    )
    install("broken", plugins.FORMATS, "broken = broken_one:MISSING", {"broken_one": ""})
    install("strange", plugins.FORMATS, "strange = strange_one:IT", {"strange_one": "IT = 3"})
    with pytest.warns(plugins.PluginWarning) as caught:
        assert from_file(said)[0].origin.format == "toy"
    assert sorted(str(each.message) for each in caught) == [
        "broken_one:MISSING of broken (message_history.formats: broken) is left out: it cannot be imported: "
        "AttributeError: module 'broken_one' has no attribute 'MISSING'",
        "strange_one:IT of strange (message_history.formats: strange) is left out: it must be a Format or a module, "
        "not int",
        "toys_all.b of toys (message_history.formats: toys) is left out: it cannot be imported: "
        "ZeroDivisionError: division by zero",
    ]
    assert from_file(said)[0].origin.format == "toy"


def test_a_name_that_is_taken_is_said(install: Install) -> None:
    install("toys", plugins.FORMATS, "toy = toys_one:TOY", {"toys_one": FORMAT.replace('"toy"', '"codex"')})
    with pytest.warns(plugins.PluginWarning, match="is left out: there is another format codex"):
        assert registry.FORMATS["codex"] is {**registry.FORMATS}["codex"]


def test_two_entry_points_of_one_name_are_said(install: Install) -> None:
    install("toys", plugins.FORMATS, "toy = toys_one:TOY", {"toys_one": FORMAT})
    install("others", plugins.FORMATS, "toy = others_one:TOY", {"others_one": FORMAT})
    with pytest.warns(plugins.PluginWarning, match="toys_one:TOY of toys .* is left out: 'others_one:TOY' has the"):
        assert "toy" in registry.FORMATS


@pytest.mark.filterwarnings("default")
def test_the_command_says_in_a_line_what_is_left_out(install: Install, said: Path) -> None:
    install("broken", plugins.FORMATS, "broken = broken_one:MISSING", {"broken_one": ""})
    result = CliRunner().invoke(app, ["check", str(said)])
    assert "broken_one:MISSING of broken (message_history.formats: broken) is left out: " in result.stderr
    assert "PluginWarning" not in result.stderr
