"""The campaign of files: damaged session files lose no line that can be read, and are sound once they are repaired."""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any, Final

from message_history import MessageHistory, TextBlock, ThinkingBlock, ToolUseBlock
from message_history.files.files import NotRecognisedError, UnreadableFileError
from message_history.files.own_lines import new_lines, whole_lines
from message_history.files.saved import growth
from message_history.formats.reading import session_in
from message_history.formats.registry import FORMATS
from tests.campaigns.lists import written
from tests.sessions.foreign import claude_lines, codex_lines, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from message_history.core.messages.block_base import Block

__all__ = ["FORMS", "failures", "lost", "not_final", "readable_texts", "session_of"]

FORMS: Final = ("message-history", "claude-code", "codex")
_MARKED: Final = re.compile(r"text<\d+>")


def failures(seed: int) -> Iterator[str]:
    """Damage one file, and repair it.

    Args:
        seed: its number; the same number makes the same file.

    Yields:
        What should not have happened, one line each.
    """
    chance = Random(seed)
    form = FORMS[seed % len(FORMS)]
    data, what = _damaged(session_of(form, chance), chance)
    try:
        yield from (f"{form}, {what}: {failure}" for failure in _failures(data, form))
    except (UnreadableFileError, NotRecognisedError):
        return  # Nothing is written over a file that is not recognised.
    except Exception as error:  # noqa: BLE001 - anything is a failure
        yield f"{form}, {what}: raised {type(error).__name__}: {error}"


def _failures(data: bytes, form: str) -> Iterator[str]:
    yield from lost(data, form)
    yield from not_final(data, form)


def lost(data: bytes, form: str) -> Iterator[str]:
    """Name the text of a line that can be read, and that is neither in the repaired file nor in a repair."""
    found = session_in(data, chosen=FORMATS[form])
    if found.refusal is not None:
        return
    repaired = found.repair_file()
    held = repaired.data.decode(errors="replace") + "".join(written(each) for _, each in repaired.repairs)
    if missing := sorted(readable_texts(data) - set(_MARKED.findall(held))):
        yield f"the text of a sound line is lost at ({missing[0]})"


def not_final(data: bytes, form: str) -> Iterator[str]:
    """Say what is still wrong with a repaired file, or changes when it is repaired again."""
    found = session_in(data, chosen=FORMATS[form])
    if found.refusal is not None:
        return
    repaired = found.repair_file()
    if broken := repaired.after.violations():
        yield f"still refused: {broken[0][1].rule}"
    if repaired.after.notes:
        yield f"still damaged: {repaired.after.notes[0].detail}"
    if repaired.after.repair_file().data != repaired.data:
        yield "changes again when it is repaired again"


def readable_texts(data: bytes) -> set[str]:
    """Return the marked texts of the lines that can be read."""
    return {text for line in data.split(b"\n") for text in _texts_of_sound(line)}


def _texts_of_sound(line: bytes) -> list[str]:
    """Return the marked texts of a line that is a JSON object, or several whose line ends are lost."""
    try:
        text, texts, begin = line.decode(), [], 0
        while begin < len(text):
            value, begin = json.JSONDecoder().raw_decode(text, begin)
            if not isinstance(value, dict):
                return []
            texts += _MARKED.findall(json.dumps(value))
    except ValueError:
        return []
    return texts


def session_of(form: str, chance: Random) -> bytes:
    """Write a session, as the program of a form does."""
    history = MessageHistory().with_system(chance.choice((None, "Be brief.")))
    lines = list(whole_lines(history))
    for made in range(1, chance.randint(3, 7)):
        before = history
        history = history.add_user(f"text<{made}>")
        blocks: list[Block] = [ThinkingBlock(f"text<{made}0>", "c2ln")] if chance.random() < 0.2 else []
        blocks += [TextBlock(f"text<{made}1>")] if chance.random() < 0.6 else []
        blocks += [ToolUseBlock(f"call_{made}_{n}", "run", {"a": n}) for n in range(chance.choice((0, 1, 2)))]
        history = history.add_assistant(blocks or [TextBlock(f"text<{made}2>")])
        lines += _new(before, history)
        for n, call in enumerate(history.awaiting):
            before = history
            history = history.add_tool_result(call, f"text<{made}{n}3>")
            lines += _new(before, history)
    if form == "message-history":
        return b"".join(lines)
    values: list[dict[str, Any]] = claude_lines(history) if form == "claude-code" else codex_lines(history)
    return rows(values)


def _new(before: MessageHistory, history: MessageHistory) -> list[bytes]:
    """Write what an append writes."""
    found = growth(before, history)
    return list(new_lines(history, found)) if found is not None else []


def _damaged(data: bytes, chance: Random) -> tuple[bytes, str]:
    """Damage a file in one of the ways in which disks, networks and scripts damage them."""
    lines = data.split(b"\n")[:-1]
    kind = chance.choice(("flip", "flip", "flip", "shuffle", "double", "merge", "lose", "cut"))
    where = chance.randrange(len(lines))
    if kind == "flip":
        damaged = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 5))):
            place = chance.randrange(len(damaged))
            damaged[place] = chance.choice((damaged[place] ^ (1 << chance.randrange(8)), chance.randrange(256)))
        return bytes(damaged), kind
    if kind == "shuffle":
        other = chance.randrange(len(lines))
        lines.insert(other, lines.pop(where))
        if chance.random() < 0.3:
            chance.shuffle(lines)
    elif kind == "double":
        lines.insert(chance.randint(0, len(lines)), lines[where])
    elif kind == "merge" and where + 1 < len(lines):
        lines[where : where + 2] = [lines[where] + lines[where + 1]]
    elif kind == "lose":
        del lines[where]
    elif kind == "cut":
        return data[: chance.randrange(len(data))], kind
    return b"".join(line + b"\n" for line in lines), kind
