"""Formats and dialects of other distributions: found by entry points, and named when they cannot be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from message_history import MessageHistory, check, dialects, from_file, plugins
from message_history.cli.app import app
from message_history.dialects import OpenAIChat
from message_history.dialects.registry import DIALECTS
from message_history.explaining import cause_of, explain
from message_history.formats import registry
from tests.distributions import forget_plugins, lay_out
from tests.needs import needs_processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    Install: TypeAlias = Callable[[str, str, str, dict[str, str]], None]

FORMAT = """
    from message_history.dialects import OpenAIChat
    from message_history.formats.kit import STATE, Collector, Format, item_fit

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
DIALECT = """
    from typing import ClassVar

    from attrs import frozen
    from message_history.dialects.kit import Dialect, Export, Parsed, Reply, Rule, add_message, read_entries, text_block

    class Reader:
        def __init__(self):
            self.parsed = Parsed()

        def own_entry(self, entry, source):
            if "toy" not in entry:
                return False
            blocks = [text_block(entry["toy"])]
            add_message(self.parsed, entry, source, dialect="toys", role=entry["by"], blocks=blocks, keys={})
            return True

        def other_entry(self, entry, source):
            return False

    @frozen(kw_only=True)
    class Toys(Dialect[dict]):
        name: ClassVar = "toys"
        rules: ClassVar = (
            Rule(
                id="TY-1", rule="Toys are few.", errors=("too many toys in the box",), repair="None is needed.",
                source="none: a toy", date="2026-11", topic="ids",
            ),
        )

        def parse(self, raw, foreign=None):
            return read_entries(raw, foreign, Reader())

        def render(self, messages, system=()):
            return Export([{"by": message.role, "toy": message.text} for message in messages], None, ())

        def violations(self, wire):
            return []

        def owns(self, entry):
            return "toy" in entry

        def reply(self, response):
            return Reply([response["bear"]]) if "bear" in response else None
    """
TOYS = [{"by": "user", "toy": "Hi"}, {"by": "assistant", "toy": "Hello."}]
SAID = [{"who": "user", "said": "Hi"}, {"who": "assistant", "said": "Hello."}]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Give a function that installs a distribution: entry points of a group, and its modules."""

    def lay_out_one(name: str, group: str, points: str, modules: dict[str, str]) -> None:
        point, _, at = points.partition(" = ")
        files = {f"{module}.py": code for module, code in modules.items()}
        monkeypatch.syspath_prepend(lay_out(tmp_path, name, {group: {point: at}}, files))

    forget_plugins()
    yield lay_out_one
    forget_plugins()


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
        "broken_one:MISSING of broken (message_history.formats: broken) is left out: "
        "AttributeError: module 'broken_one' has no attribute 'MISSING'",
        "strange_one:IT of strange (message_history.formats: strange) is left out: it must be a Format or a module, "
        "not int",
        "toys_all.b of toys (message_history.formats: toys) is left out: ZeroDivisionError: division by zero",
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


def test_a_dialect_of_another_distribution_is_found_by_shape_and_by_name(install: Install, tmp_path: Path) -> None:
    install("toys", plugins.DIALECTS, "toys = toys_dialect:Toys", {"toys_dialect": DIALECT})
    history = MessageHistory.from_list(TOYS)
    assert [message.text for message in history] == ["Hi", "Hello."]
    assert history.for_send(DIALECTS["toys"]) == TOYS
    assert check(TOYS, DIALECTS["toys"]) == []
    assert history.add_response({"bear": {"by": "assistant", "toy": "Growl."}})[-1].text.endswith("Growl.")
    with pytest.raises(TypeError, match=r"write Toys\(\)"):
        history.for_send("toys")  # type: ignore[call-overload]
    found = explain("too many toys in the box")[0]
    assert (found.dialect, found.rule.id) == ("toys", "TY-1")
    assert cause_of(found)
    file = tmp_path / "toys.json"
    file.write_text(json.dumps(TOYS))
    assert from_file(file)[0].origin.format == "messages"


def test_a_file_of_a_dialect_with_roles_of_its_own_is_found_by_shape(install: Install, tmp_path: Path) -> None:
    code = DIALECT.replace('role=entry["by"]', 'role={"BOT": "assistant"}.get(entry["role"])')
    install("toys", plugins.DIALECTS, "toys = toys_dialect:Toys", {"toys_dialect": code})
    raw = [{"role": "HUMAN", "toy": "Hi"}, {"role": "BOT", "toy": "Hello.", "tool_calls": []}]
    file = tmp_path / "toys.json"
    file.write_text(json.dumps(raw))
    history = from_file(file)[0].history()
    assert history == MessageHistory.from_list(raw)
    assert [message.role for message in history] == ["user", "assistant"]
    file.write_text(json.dumps([*raw, {"role": "BOT", "game": "Hello."}]))
    with pytest.raises(ValueError, match="entry 2 is not a message of any dialect"):
        from_file(file)


def test_a_folder_of_ours_is_a_dialect_with_nothing_more(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("inside", plugins.COMMANDS, "none = none:none", {"toys/__init__": DIALECT})
    monkeypatch.setattr(dialects, "__path__", [*dialects.__path__, str(tmp_path / "inside")])
    assert MessageHistory.from_list(TOYS)[0].text == "Hi"
    assert dialects.Toys is type(DIALECTS["toys"])  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "message_history.dialects.toys")


def test_a_dialect_that_is_none_is_named_and_hurts_nothing_else(install: Install) -> None:
    install("toys", plugins.DIALECTS, "toys = toys_dialect:Toys", {"toys_dialect": DIALECT})
    install("broken", plugins.DIALECTS, "broken = broken_one:IT", {"broken_one": "IT = dict"})
    code = "from message_history.dialects import OpenAIChat"
    install("taken", plugins.DIALECTS, "taken = taken_one:OpenAIChat", {"taken_one": code})
    with pytest.warns(plugins.PluginWarning) as caught:
        assert "toys" in DIALECTS
    assert [str(each.message) for each in caught] == [
        "broken_one:IT of broken (message_history.dialects: broken) is left out: TypeError: dialect must be a dialect "
        "such as OpenAIChat() from message_history.dialects, not dict",
        "taken_one:OpenAIChat of taken (message_history.dialects: taken) is left out: there is another dialect "
        "openai_chat",
    ]
    assert type(DIALECTS["openai_chat"]) is OpenAIChat


@needs_processes
def test_nothing_is_looked_for_where_the_form_is_known() -> None:
    code = """
        import sys
        from message_history import MessageHistory
        from message_history.dialects import OpenAIChat
        raw = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        raw += [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "1"}]
        MessageHistory.from_list(raw).for_send(OpenAIChat())
        MessageHistory.from_list([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]).for_send()
        assert "importlib.metadata" not in sys.modules
        """
    subprocess.run([sys.executable, "-c", dedent(code)], check=True)
