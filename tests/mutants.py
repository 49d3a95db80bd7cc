"""Change one thing of the library at a time, and see whether a test notices: `python -m tests.mutants --sample 60`.

Each mutant is one changed node: a comparison, a boolean operator, a condition, a constant, a returned value, or a
statement that is dropped. A sample is drawn by a seed that is printed. The tests that `TESTS` names for a file run once
with coverage, which is kept in `build` until a file changes; a mutant is judged by those that ran its line, the most
particular ones first, in a forked process in which the changed module is loaded in place of the file's. Nothing is
written over a file, so that a run may be stopped at any time and others may work in the same checkout. Survivors are
printed; a test should kill each, or it is equivalent and in `EQUIVALENT`. Needs the group `coverage`.

mutmut and cosmic-ray do not: one writes a copy of the checkout with all mutants in it, the other each mutant into the
file itself; neither draws a sample by a seed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType

ROOT = Path(__file__).parents[1]
LIMIT = 30.0  # seconds that the tests of one mutant may take, and ten times what they took before: a loop without end
FIRST = 40  # tests that run before all others are collected
TESTS = {
    "src/message_history/core": (
        *("tests/core", "tests/windows", "tests/replies", "tests/following", "tests/vectors", "plugins/healing"),
        *("tests/sessions", "tests/campaigns", "tests/test_broken_histories.py", "tests/media/test_sources.py"),
        *("tests/dialects/test_native.py", "tests/dialects/test_every_dialect.py"),
    ),
    "src/message_history/dialects": (
        *("tests/dialects", "tests/replies", "tests/tools", "tests/media", "tests/vectors", "tests/saved"),
        *(f"tests/integrations/test_langchain{each}.py" for each in ("", "_approvals", "_items")),
        *("tests/core/test_untrusted.py", "tests/core/test_mistakes.py", "tests/core/test_carried.py"),
        *("tests/core/test_pickles.py", "tests/core/test_plain.py", "tests/core/test_saved_and_loaded.py"),
        *("tests/core/test_encoding.py", "tests/integrations/test_state.py", "tests/integrations/test_pydantic_ai.py"),
        *("tests/test_broken_histories.py", "tests/formats/test_values.py"),
    ),
    "src/message_history/following": ("tests/following", "plugins/healing"),
    "src/message_history/storage": (
        *("tests/sessions", "tests/forgetting"),
        "tests/core/test_imports.py::test_every_name_of_the_storage_leads_somewhere",
    ),
    "src/message_history/files": ("tests/files", "tests/sessions"),
    "src/message_history/formats": ("tests/formats",),
    "plugins/compile/src": ("plugins/compile",),
    "plugins/healing/src": ("plugins/healing",),
    "plugins/proxy/src": ("plugins/proxy",),
    "plugins/testing/src": ("plugins/testing",),
}
"""Which tests judge the files of a folder, those first that find most."""
EQUIVALENT = {
    "core/messages/plain.py: a constant: `1000` in `@lru_cache(maxsize=1_000)`": "a larger cache holds the same",
    "core/views/fitting.py: a constant: `0` in "
    "`own = self._costs.of(message_at(self._conversation, position)) if self._costs is not None else 0`": (
        "nobody counts back without costs"
    ),
    "core/turns/calls.py: a constant: `0` in "
    "`self._by_key[mark.key] = _Found(call, Origin(self._lineage, 0, 0, mark.key), is_elsewhere=True)`": (
        "a call that is elsewhere is told in no list, and its key is given"
    ),
    "dialects/_shared/writer.py: a constant: `1` in `@lru_cache(maxsize=1 << 14)`": "a larger cache holds the same",
    "core/turns/drafts.py: a constant: `8` in `FEW: Final = 8`": "what has an index is found as what is looked through",
    "core/turns/drafts.py: a comparison: `len(self.answers) <= FEW`": "the index says the same",
    "core/turns/drafts.py: a condition: `if len(self.answers) <= FEW:`": "the index says the same, and few need it",
    "core/turns/drafts.py: a constant: `0` in `number = max((numbers.get(base, 0) "
    "for numbers in assistant.calls.summaries(_highest_numbers)), default=0) + 1`": (
        "it is asked only where an id has a number from 1 on"
    ),
    "core/turns/drafts.py: a comparison: `len(found) > 1`": "what occurs once is looked for first",
    "core/turns/stubs.py: a returned value: `return frozenset()`": "nobody looks into it where it is empty",
    "core/turns/rewrites.py: a constant: `1` in `calls[(each.position + 1) // 2].append(each)`": (
        "an assistant message has an odd position"
    ),
    "core/turns/arrivals.py: a constant: `0` in `here = max(length_of(self.ingest.current) - 1, 0)`": (
        "where a call has a stub there are two messages"
    ),
    "core/turns/arrivals.py: and for or, or the reverse: `not self._stubbed or not message.results`": (
        "without either, nothing in the message is quoted"
    ),
    "dialects/openai_chat/check_order.py: a constant: `0` in "
    '`yield fault, n, f"a {short_repr(role)} message after the first message", 0`': (
        "no error text of these faults names the message before"
    ),
    "dialects/gemini/pairing.py: a constant: `100` in `_MOST_CALLS: Final = 100`": (
        "of a longer turn the calls are looked through, as of a shorter one"
    ),
    "core/turns/rewrites.py: a comparison: `n > refused[0]`": "of a refused message nothing is left",
    "core/turns/ingest.py: a constant: `1` in `last = next((n for n in range(position - 1, start - 1, -1) "
    'if messages[n].role == "assistant"), None)`': "behind a user's message no call of its turn is without a result",
    "core/turns/ingest.py: a constant: `1` in `if not led or (len(led) == 1 and not led[0].arrivals):`": (
        "prompts are lifted one by one as they are together"
    ),
    "core/turns/ingest.py: a comparison: `call.origin is None`": "the step finds the same call",
    "core/turns/ingest.py: a comparison: `len(recorded) > len(context.repairs)`": (
        "who records nothing keeps all thinking of what is added"
    ),
    "core/values/log.py: a constant: `0` in "
    "`def summaries(self, summarise: Callable[[int, list[T]], S], first: int = 0) -> Iterator[S]:`": (
        "what begins with item 1 begins with its chunk"
    ),
    "core/values/log.py: a constant: `0` in `return Log.view(self._chunk(max(length - 1, 0)), length)`": (
        "items 0 and 1 are in the same chunk"
    ),
    "core/values/keys.py: a constant: `2` in `kept = tuple(each for each in self.branches if each[:2] < start)`": (
        "what begins with all of another is not before it"
    ),
    "core/values/keys.py: a constant: `0` in `return Lineage(0, (Branch(0, 0, name, 0),)) if name else WHOLE`": (
        "turn 0 has no calls, so a branch from call 1 of it on, or from turn 1 on, has the same ones"
    ),
    "core/turns/step.py: a comparison: `len(draft.calls) > FEW`": "the table that decides for more calls says the same",
    "core/turns/drafts.py: a constant: `0` in `highest[base] = max(highest.get(base, 0), int(number))`": (
        "it is asked only where an id has a number from 1 on"
    ),
    "core/values/json_values.py: a constant: `0` in "
    '`name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"`': (
        "an infinity that is above 0 is above 1"
    ),
    "core/turns/drafts.py: a constant: `0` in `return UserDraft(answers, (1 << len(results)) - 1, 0, "
    "Log(message.content[len(results) :]), message.arrivals)`": (
        "each call of the message has a real result, which beats a stub"
    ),
    "core/turns/naming.py: a comparison: `0 < place.turn <= len(self._past)`": "turn 0 has no assistant, so no calls",
    "core/turns/naming.py: a comparison: `0 < turn < len(self._past)`": "turn 0 has no assistant, and so no ids",
    "core/turns/naming.py: a constant: `0` in "
    "`assistant = self._past[place.turn][0] if 0 < place.turn < len(self._past) else None`": (
        "a settled turn has as many results as calls, and calls of turn 1 are found by their keys as well"
    ),
    "core/turns/naming.py: a constant: `0` in `yield from (Place(turn, number) "
    "for number in range(len(assistant.ids) if assistant is not None else 0))`": "turn 0 is not among them",
    "core/turns/naming.py: a constant: `1` in `turn = (call.turn + 1) // 2 if call.turn is not None else 0`": (
        "an assistant message has an odd position"
    ),
    "core/turns/pairing.py: a constant: `1` in `reply, answer = messages[position], messages[position + 1]`": (
        "turns that are not passed over are looked at, and nothing is amiss in them"
    ),
    "core/turns/pairing.py: a constant: `2` in `for position in range(start, len(messages) - 2, 2):`": (
        "turns that are not passed over are looked at, and nothing is amiss in them"
    ),
    "core/turns/replying.py: a constant: `True` in "
    "`ingest.add(behind_change(message), None, keep_thinking=True, answers=call)`": "no valid thinking is in it",
    "core/turns/calls.py: a constant: `1` in `turn = (position + 1) // 2`": (
        "an assistant message has an odd position"
    ),
    "core/turns/pairing.py: dropped `waiting ^= {id}`": "the long way finds that nothing is to be moved",
    "core/turns/pairing.py: a constant: `True` in `return True`": "the long way finds that nothing is to be moved",
    "core/turns/ingest.py: a comparison: `min(pieces) < start`": "what is added again from the start is the same",
    "core/views/cuts.py: a constant: `1` in `earlier = past_of(conversation).first((position + 1) // 2)`": (
        "a position inside a turn is odd"
    ),
    "core/turns/stub_results.py: a constant: `32` in `_usual_stub_parts: Final = lru_cache(maxsize=32)(_stub_parts)`": (
        "a larger cache holds the same"
    ),
    "core/turns/growth.py: a constant: `0` in "
    "`calls[count:] = [placed(call, Origin(context.lineage, OPEN, 0, call.key)) for call in calls[count:]]`": (
        "a call of an open turn is found by its key"
    ),
    "core/turns/stub_results.py: a condition: `_stub_parts if detail or key or decisions else _usual_stub_parts`": (
        "one of the two keeps what the other makes"
    ),
    "dialects/anthropic/render.py: dropped `self._assistant_last = message`": (
        "an id's alias is made from the id, and results come in the order of their calls"
    ),
    "storage/working.py: a constant: `20` in `ATTEMPTS: Final = 20`": "one attempt more fails as well",
    "message_history_compile/learning.py: a comparison: `len(chosen) < _most(name)`": (
        "a row too many is taken out again as soon as it is put in"
    ),
    "message_history_compile/learning.py: a comparison: `digest < max(chosen)`": (
        "a digest that is there already is not asked about"
    ),
    "message_history_compile/learning.py: and for or, or the reverse: "
    "`digest not in chosen and (len(chosen) < _most(name) or digest < max(chosen))`": (
        "what is there is put there again, and a row too many is taken out again"
    ),
    "message_history_healing/langchain.py: dropped `super().__init__()`": "LangChain's own class has no `__init__`",
    "message_history_healing/beginnings.py: a constant: `16` in "
    "`last = hashlib.blake2b(last + entry.whole, digest_size=16).digest()`": (
        "a longer digest tells lists apart as well"
    ),
    "message_history_compile/places.py: a constant: `1` in `data = held.read(MAX_BYTES + 1)`": (
        "two bytes more than the limit are too many as well"
    ),
    "message_history_compile/recognising.py: a constant: `2` in `found = _recognised(bare * 2)`": (
        "three requests are recognised as two are"
    ),
    "core/messages/message.py: a comparison: `len(ids) > 1`": "an id that is alone is not there twice",
    "core/values/json_values.py: a returned value: `return view.copy()`": "the long way copies as well",
    "core/values/json_values.py: a constant: `0` in `self._size = 0`": "only how far it grows is asked",
    "core/views/fitting.py: and for or, or the reverse: `first.ids and position`": (
        "a message of all blocks of another costs as much"
    ),
    "core/views/json_cache.py: a comparison: `turns >= len(self.ends)`": "both ways give all joined turns",
    "core/messages/plain.py: a constant: `4000` in `LONG: Final = 4_000`": (
        "the braces and the name around an integer take more than one character"
    ),
    "core/messages/plain.py: a constant: `32` in `WITH_KEYS: Final = 1 << 32`": "no id is that long",
    "core/messages/sendable.py: a constant: `0` in "
    "`return message._plain or None if 0 <= reach(message) - WITH_KEYS <= longest else None`": (
        "the long way sends the same"
    ),
    'core/values/meta.py: a constant: `True` in `("state", *compress(("by", "at", "until", "reason"), there)) '
    "for there in product((True, False), repeat=4)`": "a decision that is not read the short way is read the long way",
    'core/values/meta.py: a constant: `False` in `("state", *compress(("by", "at", "until", "reason"), there)) '
    "for there in product((True, False), repeat=4)`": "a decision that is not read the short way is read the long way",
    "core/messages/thinking.py: a constant: `1` in `_LENGTHS_OF_THINKING: Final = frozenset({1, 2})`": (
        "what is alone in a tuple is invalidated already"
    ),
    "core/views/windows.py: a constant: `1` in "
    '`note = tuple(each for each in block.content[-1:] if each.mark is not None and each.mark.kind == "edited")`': (
        "only the last block can say that"
    ),
    "core/messages/sendable.py: and for or, or the reverse: `others_of(message) or None`": (
        "the long way sends the same"
    ),
    'core/views/windows.py: a constant: `0` in `fixed = content(0, ToolResultBlock(""))`': (
        "a text that is fixed has no place"
    ),
    "core/messages/plain.py: a constant: `2` in `NO_UNICODE: Final = -2`": "any other negative number does as well",
    "message_history_healing/verbatim.py: a constant: `0` in `return [], 0`": (
        "of no entries nobody asks how far they go"
    ),
    "storage/sessions/reading.py: a constant: `0` in "
    "`last_size: int = 0  # how many bytes the line of the last message has`": "without a message no line is the last",
    "storage/sessions/reading.py: a constant: `16` in `name = sha256(str(path).encode()).hexdigest()[:16]`": (
        "a longer name tells files apart as well"
    ),
    "storage/working.py: a constant: `16` in `token = token_hex(16)`": "a longer token tells turns apart as well",
    "storage/working.py: a constant: `2` in "
    "`answers = () if position is None else self.history[position + 1 : position + 2]`": "the first of them is taken",
    "storage/sessions/jsonl.py: dropped `self._held = evolve(held, history=history)`": (
        "what is held is equal, and takes longer to compare"
    ),
    "storage/databases/listing.py: a constant: `0` in "
    '`first = {"revision": 0, "messages": 0, "repairs": 0, "created": now, "updated": now}`': (
        "at revision 0 nobody asks how many there are"
    ),
    "storage/databases/rows.py: a comparison: `start < whole.head.messages`": (
        "there are no texts at the end, where none is another now"
    ),
    "storage/databases/database.py: a constant: `1` in "
    "`wanted = wanted.order_by(columns.position.desc()).offset(turns - 1).limit(1)`": "the first of two is taken",
    "storage/databases/database.py: a constant: `32` in `MOST_OPEN_FILES: Final = 32`": "one file more is few as well",
    "storage/databases/database.py: a constant: `500` in `IN_ONE: Final = 500`": "one more is fewer than a thousand",
    "storage/databases/tables.py: a constant: `500` in `BATCH: Final = 500`": "the same is copied in larger batches",
    "storage/databases/listing.py: a constant: `1` in "
    "`return text(found).bindparams(words=query, before=before, limit=-1 if limit is None else limit)`": (
        "every negative number is no limit"
    ),
    "storage/databases/listing.py: a constant: `1` in `before = int(after) if after is not None else 2**63 - 1`": (
        "no text has the last number"
    ),
    "storage/databases/session.py: a constant: `2` in `if held.head[:2] != head[:2]:`": (
        "a revision has one number of messages"
    ),
    "storage/databases/session.py: a constant: `2` in `if whole.head[:2] != held.head[:2]:`": (
        "a revision has one number of messages"
    ),
    "storage/databases/session.py: a constant: `2` in `if (there or NEW)[:2] != held.head[:2]:`": (
        "a revision has one number of messages"
    ),
    "storage/databases/forgetting.py: a constant: `2` in "
    "`if known is not None and known.head[:2] != whole.head[:2]:`": "a revision has one number of messages",
    "storage/databases/session.py: dropped `self._held = evolve(held, history=history)`": (
        "what is held is as the history, of which nothing was to be written"
    ),
    "storage/kept.py: a constant: `0` in "
    "`if not journal.recognised or (journal.version or 0) > FORMAT_VERSION:`": "version 1 can be read as well",
    "message_history_proxy/store.py: a comparison: `len(found) >= CANDIDATES`": "what further queries find is cut off",
    "message_history_proxy/encodings.py: a constant: `3` in `if sys.version_info >= (3, 14):`": (
        "both modules do the same, and Python has one of them"
    ),
    "message_history_proxy/encodings.py: a constant: `14` in `if sys.version_info >= (3, 14):`": (
        "both modules do the same, and Python has one of them"
    ),
    "message_history_compile/rows.py: a constant: `0` in "
    '`omissions.append(omitted(0, "text next to calls, as was asked for"))`': "a receipt has no place of an omission",
    "message_history_compile/rows.py: a constant: `0` in "
    '`omissions.append(rewritten(0, "parallel calls one after the other"))`': "a receipt has no place of an omission",
    "message_history_compile/arrow_rows.py: a constant: `False` in "
    "`with pq.ParquetFile(opened, pre_buffer=False, buffer_size=CHUNK) as file:`": (
        "what is read before it is asked for is the same"
    ),
    "dialects/pydantic_ai/__init__.py: a constant: `False` in `@frozen(kw_only=True, init=False)`": (
        "attrs would write the same `__init__`"
    ),
    **{
        f"dialects/{name}/__init__.py: a constant: `True` in `@frozen(kw_only=True)`": (
            "it has no fields but those of `Fields`, which are given by name"
        )
        for name in (
            *("anthropic", "bedrock", "gemini", "gemini_interactions", "langchain", "mistral", "openai_chat"),
            "openai_responses",
        )
    },
    "dialects/pydantic_ai/__init__.py: a constant: `True` in `@frozen(kw_only=True, init=False)`": (
        "it has no fields but those of `Fields`, which are given by name"
    ),
    "dialects/gemini/limits.py: a constant: `7000000` in `image_bytes=7_000_000,`": (
        "what base64 encodes is counted in threes"
    ),
    "dialects/mistral/limits.py: a constant: `10000000` in `image_bytes=10_000_000,`": (
        "what base64 encodes is counted in threes"
    ),
    "message_history_compile/rows.py: a constant: `True` in "
    '`"dialect": (dialect if dialect is not None else conversation.dialect(as_request=True)).name,`': (
        "a dialect that lets the assistant end a list has the same name"
    ),
}
"""Changes that no test can notice, as the tool prints them without the line, with the reason."""
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def changes_of(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, Any]]:
    """Give each change that can be made: what it is, the node, and the field with its new value."""
    typed = {id(node) for each in ast.walk(tree) if _is_unnoticed(each) for node in ast.walk(each)}
    answers = {id(node) for each in ast.walk(tree) if _is_question(each) for node in ast.walk(each)}
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        if isinstance(node, ast.Compare):
            yield "a comparison", node, "ops", [OPPOSITES[type(node.ops[0])](), *node.ops[1:]]
        elif isinstance(node, ast.BoolOp):
            yield "and for or, or the reverse", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield "a condition", node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield "a constant", node, "value", not node.value if isinstance(node.value, bool) else node.value + 1
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            # Type checkers see None where True or False is promised, and it does what False does.
            other = ast.UnaryOp(ast.Not(), node.value) if id(node) in answers else ast.Constant(None)
            yield "a returned value", node, "value", other
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if not isinstance(node, ast.Module | ast.ClassDef) and isinstance(statements, list):
                for at, statement in enumerate(statements):
                    if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign) and not _is_text(statement):
                        yield "a dropped statement", node, name, [*statements[:at], ast.Pass(), *statements[at + 1 :]]


def _is_unnoticed(node: ast.AST) -> bool:
    """Return whether a node only helps type checkers, or is the `strict` of a `zip`: what is zipped is as long."""
    if isinstance(node, ast.keyword):
        return node.arg == "strict"
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_question(node: ast.AST) -> bool:
    """Return whether a node is a function that promises to return True or False."""
    return isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name) and node.returns.id == "bool"


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def changed(source: str, number: int) -> tuple[ast.Module, str]:
    """Return a module with one change, and where and what that is."""
    tree = ast.parse(source)
    what, node, field, value = next(each for n, each in enumerate(changes_of(tree)) if n == number)
    before = ast.unparse(node).partition("\n")[0]
    line = getattr(node, "lineno", 0)
    old = copy.copy(node)
    setattr(node, field, value)
    if what == "a dropped statement":
        at = next(n for n, (a, b) in enumerate(zip(getattr(old, field), value, strict=True)) if a is not b)
        dropped = getattr(old, field)[at]
        return ast.fix_missing_locations(tree), f"{dropped.lineno}: dropped `{ast.unparse(dropped):.100}`"
    where = f" in `{source.splitlines()[line - 1].strip()}`" if what == "a constant" else ""
    return ast.fix_missing_locations(tree), f"{line}: {what}: `{before:.100}`{where}"


class _Loader(SourceFileLoader):
    number = -1

    def get_code(self, fullname: str) -> CodeType | None:
        del fullname
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(changed(source, self.number)[0], self.path, "exec")


class _Finder:
    """Finds the one module that is changed, before anything else does."""

    def __init__(self, path: str, number: int) -> None:
        self.path, self.number = path, number
        self.name = path.partition("src/")[2].removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = _Loader(fullname, str(ROOT / self.path))
        loader.number = self.number
        whole = self.path.endswith("__init__.py")
        spec = ModuleSpec(fullname, loader, origin=self.path, is_package=whole)
        if whole:
            spec.submodule_search_locations = [str((ROOT / self.path).parent)]
        return spec


# Which tests ran a line


class _Recorder:
    """Says which test runs, and how long it took."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid.partition("[")[0])

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid.partition("[")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        self.coverage.switch_context("")


class Covered:
    """What ran each line of a folder's files, by the tests that `TESTS` names for it.

    Args:
        folder: the folder, as in `TESTS`.
    """

    def __init__(self, folder: str) -> None:
        self.tests = TESTS.get(folder, ("tests",))
        self.kept = ROOT / "build" / "mutants" / f"{_state(self.tests)}-{folder.replace('/', '-')}.json"
        if not self.kept.exists() and not _forked(lambda: self._run(folder), 3_600):
            raise SystemExit(f"the tests of {folder} fail, or take too long, without any change")
        found = json.loads(self.kept.read_text(encoding="utf-8"))
        self.seconds: dict[str, float] = found["seconds"]
        self._lines: dict[str, dict[str, list[str]]] = found["lines"]

    def by(self, path: str, lines: range) -> list[str]:
        """Return the tests that ran one of the lines, the quick ones of few lines first; all for what imports run."""
        ran = {test for line in lines for test in self._lines.get(path, {}).get(str(line), ())}
        every = set(self.seconds) if "" in ran else ran - {""}
        return sorted(every, key=lambda test: (test not in ran, self._broad[test] * (0.05 + self.seconds.get(test, 0))))

    @property
    def _broad(self) -> dict[str, int]:
        return _broad(self.kept)

    def _run(self, folder: str) -> bool:
        make_coverage = import_module("coverage").Coverage  # Few have it.

        data = self.kept.with_suffix(".coverage")
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        coverage = make_coverage(data_file=str(data), config_file=False, source=[str(ROOT / folder)], branch=False)
        recorder = _Recorder(coverage)
        coverage.start()
        ended = _pytest([*self.tests], recorder)
        coverage.stop()
        coverage.save()
        if ended:
            return False
        found = coverage.get_data()
        lines = {
            Path(file).resolve().relative_to(ROOT).as_posix(): found.contexts_by_lineno(file)
            for file in found.measured_files()
        }
        self.kept.write_text(json.dumps({"seconds": recorder.seconds, "lines": lines}), encoding="utf-8")
        data.unlink()
        return True


@cache
def _broad(kept: Path) -> dict[str, int]:
    """Return how many lines each test ran."""
    count: dict[str, int] = defaultdict(int)
    for tests_of_line in json.loads(kept.read_text(encoding="utf-8"))["lines"].values():
        for tests in tests_of_line.values():
            for test in tests:
                count[test] += 1
    return count


@cache
def _state(tests: tuple[str, ...]) -> str:
    """Return a digest of tests, and of all that they run."""
    digest = hashlib.sha256(" ".join(tests).encode())
    for folder in ("src", "tests", "plugins"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _in_package(path: str) -> str:
    """Return a path as `EQUIVALENT` has it: from the core on, or from the plug-in's package."""
    return path.partition("src/")[2].removeprefix("message_history/")


def _folder(path: str) -> str:
    return next((folder for folder in TESTS if path.startswith(folder)), str(Path(path).parent))


def lines_of(source: str, number: int) -> range:
    """Return the lines of the statement that a change is in; of a compound one those of its head."""
    tree = ast.parse(source)
    what, node, field, value = next(each for n, each in enumerate(changes_of(tree)) if n == number)
    if what == "a dropped statement":
        inside: ast.AST = next(a for a, b in zip(getattr(node, field), value, strict=True) if a is not b)
    else:
        inside = node
    line = getattr(inside, "lineno", 1)
    statements = [
        each for each in ast.walk(tree) if isinstance(each, ast.stmt) and _head(each).start <= line < _head(each).stop
    ]
    return _head(max(statements, key=lambda each: each.lineno)) if statements else range(line, line + 1)


def _head(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        return range(statement.lineno, max(statement.lineno + 1, body[0].lineno))
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def survives(path: str, number: int) -> bool:
    """Return whether the tests that run a line pass with one change in it."""
    covered = covered_by(_folder(path))
    tests = covered.by(path, lines_of((ROOT / path).read_text(encoding="utf-8"), number))
    limit = LIMIT + 10 * sum(covered.seconds[test] for test in tests)
    return not tests or _forked(lambda: _pass(path, number, tests, covered.seconds), limit)


@cache
def covered_by(folder: str) -> Covered:
    """Read what ran each line of a folder, or find it."""
    return Covered(folder)


class _Watch:
    """Ends the process when one test works for much longer than it did before; waiting does not count."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        signal.setitimer(signal.ITIMER_PROF, 10 + 10 * self.seconds.get(nodeid.partition("[")[0], 0))


def _pass(path: str, number: int, tests: list[str], seconds: dict[str, float]) -> bool:
    sys.meta_path.insert(0, _Finder(path, number))
    parts = [tests[:FIRST], tests[FIRST:]]
    return not any(_pytest(part, _Watch(seconds)) for part in parts if part)


def _pytest(tests: list[str], *plugins: object) -> int:
    import pytest  # noqa: PLC0415 - its plug-ins import the library, which is changed from here on

    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=list(plugins)))


def _forked(judge: Callable[[], bool], limit: float) -> bool:
    """Return what a judge says in a process of its own; False when it takes too long or ends otherwise."""
    process = os.fork()
    if not process:
        os.setsid()
        os.chdir(ROOT)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        sys.dont_write_bytecode = True
        os.environ.pop("MESSAGE_HISTORY_OUTCOMES", None)  # what a mutant's tests say is no outcome of the tests
        try:
            os._exit(0 if judge() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def sample(paths: Sequence[Path], size: int, seed: int) -> list[tuple[str, int]]:
    """Draw changes from files and folders, each as a path and a number."""
    files = sorted({file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))})
    every = [
        (file.resolve().relative_to(ROOT).as_posix(), number)
        for file in files
        for number, _ in enumerate(changes_of(ast.parse(file.read_text(encoding="utf-8"))))
    ]
    return random.Random(seed).sample(every, min(size, len(every)))


def main() -> int:
    """Judge a sample; fails below the share that must be noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--paths", nargs="+", type=Path, default=[ROOT / "src/message_history/core"])
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--share", type=float, default=0.0, help="of the mutants must be noticed, as 0.95")
    parser.add_argument("--tests", nargs="+", help="judge by these instead of those that are known for the files")
    chosen = parser.parse_args()
    if chosen.tests:
        TESTS.update(dict.fromkeys(TESTS, tuple(chosen.tests)))
    drawn = sample(chosen.paths, chosen.sample, chosen.seed)
    sys.stdout.write(f"seed {chosen.seed}: {len(drawn)} mutants\n")
    for folder in {_folder(path) for path, _ in drawn}:
        covered_by(folder)
    left = 0
    for path, number in drawn:
        if survives(path, number):
            said = changed((ROOT / path).read_text(encoding="utf-8"), number)[1]
            why = EQUIVALENT.get(f"{_in_package(path)}:{said.lstrip('0123456789:')}")
            left += why is None
            sys.stdout.write(f"{path}:{said}{f' is equivalent: {why}' if why else ''}\n")
        sys.stdout.flush()
    share = 1 - left / max(1, len(drawn))
    sys.stdout.write(
        f"seed {chosen.seed}: {len(drawn) - left} of {len(drawn)} were noticed, {share:.1%}; {left} left\n"
    )
    return 0 if share >= chosen.share else 1


if __name__ == "__main__":
    sys.exit(main())
