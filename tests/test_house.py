"""House rules that a machine can hold."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import message_history
from message_history import RepairCode, Severity
from message_history.core.turns.rules import REASONS
from message_history.dialects import folders
from message_history.words import REASONS as WORDS_OF_REASONS
from message_history.words import TITLES
from tests.needs import reads_sources
from tests.size import LIMITS, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = reads_sources

PACKAGE = "message_history"
ROOT = Path(__file__).parents[1]
SOURCE = Path(message_history.__file__).parent
# Distributions of their own in this repository, under the same rules. None of them uses another one.
TENANTS = {source.name: source for source in sorted((ROOT / "plugins").glob("*/src/*"))}
# Distributions that are built on another one: chat templates are measured and rendered in one sandbox, and the proxy
# heals as hooks and transports do.
BUILT_ON = {"message_history_compile": "message_history_measure", "message_history_proxy": "message_history_healing"}
# A module uses only layers named before its own; docs/design.md says what each of them holds.
LAYERS = (
    "core.values.json_values",
    "core.values.readable",
    "core.values.value",
    "core.values.validators",
    "core.values.sources",
    "core.values.log",
    "core.values.keys",
    "core.values.meta",
    "core.messages.block_base",
    "core.messages.media_blocks",
    "core.messages.blocks",
    "core.messages.replies",
    "core.messages.arrived",
    "core.messages.plain",
    "core.messages.denials",
    "core.messages.message",
    "core.messages.sendable",
    "core.messages.thinking",
    "core.messages.repairs",
    "core.messages.policy",
    "core.messages.parsed",
    "core.turns.past",
    "core.turns.stub_results",
    "core.turns.drafts",
    "core.turns.conversation",
    "core.turns.rules",
    "core.turns.calls",
    "core.turns.naming",
    "core.turns.matching",
    "core.turns.whole",
    "core.turns.step",
    "core.turns.stubs",
    "core.turns.states",
    "core.turns.pairing",
    "core.turns.ingest",
    "core.turns.effects",
    "core.turns.rewrites",
    "core.turns.growth",
    "core.turns.arrivals",
    "core.turns.replying",
    "core.views.costs",
    "core.views.cuts",
    "core.views.fitting",
    "core.views.windows",
    "core.views.json_cache",
    "core.views.view",
    "extras",
    "plugins",
    "violations",
    "plain_json",
    "media",
    "dialects",
    "explaining",
    "following",
    "history",
    "discarded",
    "windows",
    "forgetting",
    "streaming",
    "tools",
    "files",
    "storage",
    "formats",
    "words",
    "markup",
    "integrations",
    "testing",
    "cli",
)
# The core is four packages, each of which imports only those named before it.
ROOMS = tuple(dict.fromkeys(layer.split(".")[1] for layer in LAYERS if layer.startswith("core.")))
# The package itself and the command use every layer.
ENTRY_POINTS = {"__init__", "__main__", "core", *(f"core.{room}" for room in ROOMS)}

EVERYWHERE = {"attrs"}
THIRD_PARTY = {
    "testing": {"hypothesis", "pytest"},
    "cli": {"click", "rich"},
    "message_history_proxy": {
        "anyio",
        "backports",
        "brotli",
        "compression",
        "httpx",
        "prometheus_client",
        "sqlalchemy",
        "starlette",
        "uvicorn",
    },
}
# A dialect whose messages are a library's objects makes them in one file; the lock of session files is in one too.
ONE_FILE = {
    "message_history.media.scaling": {"PIL"},
    "message_history.dialects.pydantic_schema": {"pydantic_core"},
    "message_history.dialects.langchain.render": {"langchain_core"},
    "message_history.dialects.pydantic_ai.objects": {"pydantic_ai", "pydantic_core"},
    "message_history_compile.arrow": {"pyarrow"},
    "message_history_compile.arrow_rows": {"pyarrow"},
    "message_history_compile.command": {"click", "rich"},
    "message_history_compile.engines.datasets": {"datasets", "pyarrow"},
    "message_history_compile.engines.duckdb": {"duckdb", "pyarrow"},
    "message_history_compile.engines.polars": {"polars", "pyarrow"},
    "message_history_compile.engines.ray": {"pyarrow", "ray"},
    "message_history_compile.engines.spark": {"pyarrow", "pyspark"},
    "message_history_compile.tokens": {"tokenizers"},
    "message_history_healing.httpx": {"httpx"},
    "message_history_healing.httpx2": {"httpx2"},
    "message_history_healing.langchain": {"langchain", "langchain_core", "langgraph"},
    "message_history_healing.litellm": {"litellm"},
    "message_history_measure.command": {"click"},
    "message_history_measure.sandbox": {"jinja2"},
    "message_history_proxy.command": {"click"},
    "message_history_testing.pytest_plugin": {"pytest"},
    "message_history.plain_json": {"msgspec"},
    "message_history.storage.sessions.locking": {"filelock"},
    "message_history.storage.databases.tables": {"sqlalchemy"},
    "message_history.storage.databases.async_session": {"sqlalchemy"},
    "message_history.storage.databases.database": {"sqlalchemy"},
    "message_history.storage.databases.session": {"sqlalchemy"},
    "message_history.storage.databases.store": {"sqlalchemy"},
    "message_history.storage.databases.listing": {"sqlalchemy"},
}
# Each file of these may import the one library that it is for.
INTEGRATING = {"integrations"}
# The parameter types of the providers' SDKs are named for type checkers, which do without them if they must.
TYPED_BY_SDKS = {"dialects", "history"}

PROVIDERS = re.compile(
    r"anthropic|claude|openai|chatgpt|\bgpt|gemini|google|mistral|bedrock|amazon|azure|vertex|deepseek|groq|cohere",
    re.IGNORECASE,
)
PUBLIC = {
    *("MessageHistory", "Message", "Policy", "Repair", "RepairCode", "InvariantError", "Export", "Violation", "check"),
    *("TextBlock", "ImageBlock", "DocumentBlock", "ThinkingBlock", "RedactedThinkingBlock", "SystemBlock"),
    *("ToolUseBlock", "ToolResultBlock", "ProviderBlock"),
}


class Import(NamedTuple):
    """One import: who imports what, whether only type checkers see it, and whether it waits for a call."""

    module: str
    target: str
    typing_only: bool
    late: bool

    @property
    def layers(self) -> tuple[str, str]:
        return layer_of(self.module), layer_of(self.target)


@cache
def modules() -> dict[str, Path]:
    found = {}
    for package, source in {PACKAGE: SOURCE, **TENANTS}.items():
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join((package, *parts)).removesuffix(".__init__")] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def layer_of(module: str) -> str:
    if module == PACKAGE:
        return "__init__"
    if (package := module.partition(".")[0]) in TENANTS:
        return package
    first, _, rest = module.removeprefix(f"{PACKAGE}.").partition(".")
    return f"core.{rest}" if first == "core" and rest else first


@cache
def imports() -> list[Import]:
    found = []
    for module, path in modules().items():
        hidden = {
            id(inner)
            for node in nodes_of(path)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for statement in node.body
            for inner in ast.walk(statement)
        }
        late = {
            id(inner)
            for node in nodes_of(path)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for inner in ast.walk(node)
        }
        for node in nodes_of(path):
            targets = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} imports relatively"
                # `from package import module` imports the module.
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [name if name in modules() else str(node.module) for name in inner]
            found += [Import(module, target, id(node) in hidden, id(node) in late) for target in dict.fromkeys(targets)]
    return found


def within() -> list[Import]:
    return [each for each in imports() if each.target.split(".")[0] in {PACKAGE, *TENANTS}]


def test_every_module_is_in_a_layer() -> None:
    assert {layer_of(module) for module in modules()} <= {*LAYERS, *ENTRY_POINTS, *TENANTS}


def test_the_table_in_the_design_names_the_layers_in_their_order() -> None:
    table = (
        (ROOT / "docs/design.md").read_text(encoding="utf-8").partition("| module | holds |")[2].partition("\n\n")[0]
    )
    first_column = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| `"))
    named = [name.removesuffix(".py").rstrip("/") for name in re.findall("`([^`]+)`", first_column)]
    assert named == [layer.replace(".", "/") for layer in LAYERS]


def test_a_module_uses_only_layers_named_before_its_own() -> None:
    wrong = []
    for each in within():
        here, there = each.layers
        if (
            here in ENTRY_POINTS
            or here == there
            or (here in TENANTS and there not in TENANTS)
            or BUILT_ON.get(here) == there
        ):
            continue
        if there in {*ENTRY_POINTS, *TENANTS} or LAYERS.index(there) > LAYERS.index(here):
            wrong.append(f"{each.module} imports {each.target}")
    assert wrong == []


def test_the_core_is_four_packages_one_after_the_other() -> None:
    core = [layer.split(".")[1] for layer in LAYERS if layer.startswith("core.")]
    assert core == sorted(core, key=ROOMS.index)
    assert ROOMS == ("values", "messages", "turns", "views")


def test_there_is_no_import_circle_even_through_annotations_and_late_imports() -> None:
    needs: dict[str, set[str]] = {module: set() for module in modules()}
    for each in within():
        # Annotations and imports that wait for a call count too: no module needs, in any way, one that needs it.
        needs[each.module].add(each.target)
    while leaves := [module for module, needed in needs.items() if not needed]:
        for leaf in leaves:
            del needs[leaf]
        for needed in needs.values():
            needed.difference_update(leaves)
    assert needs == {}


@pytest.mark.parametrize("layer", LAYERS[: LAYERS.index("dialects")])
def test_no_provider_is_named_below_the_dialects(layer: str) -> None:
    text = text_of([path for module, path in modules().items() if layer_of(module) == layer])
    assert PROVIDERS.findall(text) == []


def test_third_party_imports_are_where_they_may_be() -> None:
    wrong = []
    for each in imports():
        package, layer = each.target.split(".")[0], layer_of(each.module)
        if package in sys.stdlib_module_names or package in {
            PACKAGE,
            *TENANTS,
            *EVERYWHERE,
            *THIRD_PARTY.get(layer, ()),
        }:
            continue
        if (
            package in ONE_FILE.get(each.module, ())
            or layer in INTEGRATING
            or (each.typing_only and layer in TYPED_BY_SDKS)
        ):
            continue
        wrong.append(f"{each.module} imports {each.target}")
    assert wrong == []


def test_nothing_uses_the_clock_or_chance() -> None:
    known = {"random", "secrets", "time", "uuid"}
    used = [f"{each.module}: {each.target}" for each in imports() if each.target.split(".")[0] in known]
    assert [name for name in used if layer_of(name.partition(":")[0]) in LAYERS[: LAYERS.index("streaming") + 1]] == []


def test_all_of_the_package_is_sorted_and_complete() -> None:
    public = message_history.__all__
    assert list(public) == sorted(public, key=lambda name: (not name[0].isupper(), name))
    assert len(set(public)) == len(public)
    assert set(public) >= PUBLIC
    bound = {name for name in vars(message_history) if not name.startswith("_")} | set(message_history._PLACES)
    submodules = {name.removeprefix(f"{PACKAGE}.") for name in modules()}
    assert bound - submodules == set(public) - submodules
    assert {name for name in public if not hasattr(message_history, name)} == set()


def has_all(path: Path) -> bool:
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in tree_of(path).body
    )


def defines_nothing(path: Path) -> bool:
    return not any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign) for node in tree_of(path).body)


def shown_names() -> set[str]:
    pages = text_of(sorted((ROOT / "docs").rglob("*.md")))
    return set(re.findall(r"^::: ([\w.]+)", pages, re.MULTILINE))


def test_all_is_in_public_modules_alone() -> None:
    public = shown_names()
    marked = {module for module, path in modules().items() if has_all(path)}
    faces = {module for module, path in modules().items() if path.stem == "__init__"}
    # The kit of a dialect is one import for those who write one elsewhere.
    kit = {f"{PACKAGE}.dialects.base"}
    assert {module for module in marked - public - faces - kit if not defines_nothing(modules()[module])} == set()


@pytest.mark.parametrize("module", modules())
def test_all_names_what_a_module_defines_or_passes_on(module: str) -> None:
    path = modules()[module]
    tree = tree_of(path)
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            if module == f"{PACKAGE}.dialects":
                continue  # It makes its list of the dialects that are registered.
            names = ast.literal_eval(node.value)
            assert len(set(names)) == len(names)
            defined = {
                name.id for inner in nodes_of(path) if isinstance(name := inner, ast.Name) and name.id != "__all__"
            }
            defined |= {
                inner.name
                for inner in tree.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            }
            defined |= {
                alias.asname or alias.name
                for inner in nodes_of(path)
                if isinstance(inner, ast.ImportFrom)
                for alias in inner.names
            }
            assert set(names) <= defined


def resolved(name: str) -> object | None:
    """Return a thing by its name; None for what needs a package that is not installed."""
    try:
        value: object = pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return None
    return value


def described(name: str) -> Iterator[tuple[str, object]]:
    """Give what the reference says of a name: a module's names, a class's methods."""
    value = resolved(name)
    yield name, value
    if inspect.ismodule(value):
        for each in getattr(value, "__all__", ()):
            yield from described(f"{name}.{each}")
    elif inspect.isclass(value) and value.__module__.startswith(PACKAGE):
        yield from ((f"{name}.{key}", member) for key, member in vars(value).items() if not key.startswith("_"))


def test_what_the_reference_shows_has_a_docstring() -> None:
    found = [each for name in sorted(shown_names()) for each in described(name)]
    functions = [(name, value) for name, value in found if inspect.isroutine(value) or isinstance(value, property)]
    assert len(functions) > 200
    assert [name for name, value in functions if not value.__doc__] == []


LONGEST = 500
# The facade: a third of it are the full docstrings of public methods, each of which does next to nothing.
FACADES = {f"{PACKAGE}.history"}


@pytest.mark.parametrize("module", sorted(modules().keys() - FACADES))
def test_no_file_but_the_facade_is_longer_than_500_lines(module: str) -> None:
    assert len(modules()[module].read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_there_are_no_more_lines_than_there_may_be() -> None:
    assert {name: f"{count} of {LIMITS[name]}" for name, count in lines().items() if count > LIMITS[name]} == {}


def test_a_history_has_31_public_names() -> None:
    public = [name for name in dir(message_history.MessageHistory) if not name.startswith("_")]
    assert len(public) == 31, "a new one needs a decision record; a function in a submodule is cheaper"


@pytest.mark.parametrize("enum", ["RepairCode", "Severity"])
def test_every_repair_code_is_documented(enum: str) -> None:
    tree = tree_of(SOURCE / "core" / "messages" / "repairs.py")
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == enum]
    documented = [
        ast.unparse(member.targets[0])
        for member, sentence in pairwise(body)
        if isinstance(member, ast.Assign)
        and isinstance(sentence, ast.Expr)
        and isinstance(sentence.value, ast.Constant)
        and re.fullmatch(r"[A-Z].*\.", str(sentence.value.value), re.DOTALL)
    ]
    assert documented == [member.name for member in {"RepairCode": RepairCode, "Severity": Severity}[enum]]


def all_tests() -> list[Path]:
    return [*(ROOT / "tests").rglob("*.py"), *(ROOT / "plugins").glob("*/tests/**/*.py")]


def text_of(paths: list[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.parametrize("code", RepairCode)
def test_every_repair_code_is_used_and_tested(code: RepairCode) -> None:
    used = text_of([path for module, path in modules().items() if layer_of(module) != "core.messages.repairs"])
    assert f"RepairCode.{code.name}" in used
    tests = text_of([path for path in all_tests() if path != Path(__file__)])
    assert f"RepairCode.{code.name}" in tests or f'"{code.value}"' in tests


def test_severities_are_told_by_the_kind_of_change() -> None:
    for code in RepairCode:
        if code.value.endswith(("_dropped", "_removed", "withheld")):
            assert code.severity is Severity.LOSSY
        if code.value.endswith(("_added", "_assigned", "_stubbed")):
            assert code.severity is Severity.SYNTHETIC
        if code.value.endswith(("_moved", "_rehomed", "_reordered", "_renamed", "_quoted", "_replaced", "_converted")):
            assert code.severity is Severity.LOSSLESS


FOLDERS = folders()
# What a file of a dialect does, by its name; docs/adding_a_dialect.md says it at length.
ROLES = {"__init__", "parse", "render", "check", "schema", "model_fields", "limits", "media", "stream", "tools"}
ROLES |= {"approvals", "block_writer", "plain_reader", "plain_writer", "provider_blocks", "shapes"}
# What only one dialect has to do.
ALONE = {
    "anthropic": {"call_order", "check_blocks"},
    "bedrock": {"grouping"},
    "gemini": {"entries", "pairing"},
    "native": {"pickled"},
    "openai_chat": {"check_order", "check_unknown", "providers", "unknown"},
    "openai_responses": {"items", "notes", "plan"},
    "pydantic_ai": {"objects"},
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_role_has_the_same_file_name_in_every_dialect(name: str) -> None:
    files = {path.stem for path in (SOURCE / "dialects" / name).glob("*.py")}
    spared = {"native": {"schema"}, "portable": {"parse", "render", "check"}}.get(name, set())
    assert files >= {"__init__", "parse", "render", "check", "schema"} - spared
    assert files <= ROLES | ALONE.get(name, set())
    assert (SOURCE / "dialects" / name / "rules.toml").is_file()


# Tables, and what reads an SDK's object as the JSON that it stands for: both sides of a dialect may use these.
OF_BOTH_SIDES = {"schema", "shapes", "limits", "model_fields", "objects", "rules", "tables", "base"}


@pytest.mark.parametrize("name", FOLDERS)
def test_what_finds_violations_shares_no_code_with_what_reads_and_writes(name: str) -> None:
    folder = f"{PACKAGE}.dialects"
    shared = {f"{folder}._shared.checker", f"{folder}._shared.media_checker"}
    for each in within():
        if each.module.startswith(f"{folder}.{name}.check") and each.target.startswith(folder) and not each.typing_only:
            role = each.target.rpartition(".")[2]
            assert each.target in shared or role.startswith("check") or role in OF_BOTH_SIDES, each


# The private vocabulary of the first version; each of these has a standard term now.
BANNED = re.compile(
    r"(?:^|_)(said|heard|told|given|saying|hearing|mend(s|ed|ing)?|unbound|brief|doors?)(?:_|$)", re.IGNORECASE
)


def test_no_name_is_of_the_private_vocabulary() -> None:
    found = set()
    for module, path in modules().items():
        for node in nodes_of(path):
            # What is imported was named elsewhere.
            keys = ("asname",) if isinstance(node, ast.alias) else ("id", "attr", "arg", "name")
            names = [getattr(node, key, None) for key in keys]
            found |= {f"{module}: {name}" for name in names if isinstance(name, str) and BANNED.search(name)}
    assert found == set()


def test_every_repair_code_and_reason_of_a_stub_has_words_for_readers() -> None:
    assert set(TITLES) == set(RepairCode), "words.py says what each repair did"
    assert set(WORDS_OF_REASONS) >= set(REASONS.values())
