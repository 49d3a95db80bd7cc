"""Sessions that are folders: opencode and Strands keep each message in a file of its own, OpenHands each event."""

from __future__ import annotations

import errno
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from message_history.files.opening import MAX_BYTES, content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_EVENT: Final = re.compile(r"(?:event-)?(\d+)(?:-[\w-]+)?\.json")
"""How OpenHands names the file of an event, by its number."""
_EVENTS: Final = "events"
_KINDS: Final = frozenset({"action", "observation", "kind"})


def folder_content(path: Path) -> bytes | None:
    """Join the files of opencode's storage into what it exports, and those of a session of Strands or OpenHands.

    `path` is the storage (with the folders `message` and `part`), or the folder of a session's messages; a session of
    Strands (with the folder `agents`), or an agent in it; a conversation of OpenHands, or its folder `events`. Returns
    a list with an export of each session, newest first, as JSON, or with each agent of Strands, or the events of
    OpenHands; None for any other folder. Raises `OSError` when a file in it cannot be read.
    """
    events = _events(path) or _events(path / _EVENTS)
    if events:
        _check_sizes(events)
        return json.dumps([_value(file) for file in events]).encode()
    agents = _agents(path)
    if agents:
        _check_sizes(file for each in agents for file in _json_files(each / "messages"))
        return json.dumps(
            [{"agent_id": _name(each), "messages": _numbered(each / "messages")} for each in agents]
        ).encode()
    found = _storage(path)
    if found is None:
        return None
    root, sessions = found
    _check_sizes(_json_files(root))
    parts = _parts(root)
    about = {file.stem: _value(file) for name in ("session", "info") for file in _json_files(root / name)}
    exports = [_export(folder, about.get(folder.name), parts) for folder in sessions]
    return json.dumps(sorted(exports, key=_age, reverse=True)).encode()


def is_session_folder(path: Path) -> bool:
    """Return whether the files in a folder make up sessions; one file alone is not a session."""
    try:
        return bool(_events(path) or _agents(path)) or _storage(path) is not None
    except OSError:
        return False


def _events(path: Path) -> list[Path]:
    """Return the files of the events in a folder of OpenHands, in their order; none for any other folder."""
    if path.name != _EVENTS or not path.is_dir():
        return []
    numbered = [(int(found[1]), file) for file in path.iterdir() if (found := _EVENT.fullmatch(file.name))]
    files = [file for _, file in sorted(numbered)]
    first = _value(files[0]) if files else None
    return files if isinstance(first, dict) and "source" in first and not _KINDS.isdisjoint(first) else []


def _agents(path: Path) -> list[Path]:
    """Return the folders of the agents in a session of Strands, or the one that a folder is."""
    folders = [path, *sorted((path / "agents").glob("agent_*"))]
    return [each for each in folders if (each / "agent.json").is_file() and (each / "messages").is_dir()]


def _name(agent: Path) -> str:
    return agent.name.removeprefix("agent_")


def _numbered(folder: Path) -> list[Any]:
    numbers = {file: file.stem.rpartition("_")[2] for file in folder.glob("message_*.json")}
    ordered = sorted(numbers, key=lambda file: (int(numbers[file]) if numbers[file].isdecimal() else 0, file.name))
    return [_value(file) for file in ordered]


def _storage(path: Path) -> tuple[Path, list[Path]] | None:
    for root in (path, path / "session"):
        if (root / "message").is_dir() and (root / "part").is_dir():
            return root, sorted(each for each in (root / "message").iterdir() if each.is_dir())
    root = path.parent.parent
    is_session = path.parent.name == "message" and (root / "part").is_dir()
    return (root, [path]) if is_session else None


def _json_files(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.rglob("*.json")) if folder.is_dir() else ()


def _value(file: Path) -> Any:
    """Read a file; its text when it is not JSON, so that the export's reader can say so."""
    written = content(file, MAX_BYTES).decode(errors="replace")
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written


def _check_sizes(files: Iterable[Path]) -> None:
    left = MAX_BYTES
    for file in files:
        left -= file.stat().st_size
        if left < 0:
            raise OSError(errno.EFBIG, f"its files are larger than {MAX_BYTES:,} bytes together")


def _parts(root: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for file in _json_files(root / "part"):
        part = _value(file)
        id = part.get("messageID") if isinstance(part, dict) else None
        found[id if isinstance(id, str) else file.parent.name].append(part)
    return found


def _export(folder: Path, about: Any, parts: dict[str, list[Any]]) -> dict[str, Any]:
    messages = [{"info": _value(file), "parts": parts.get(file.stem, [])} for file in _json_files(folder)]
    for message in messages:
        info = message["info"]
        if isinstance(info, dict) and isinstance(info.get("id"), str):
            message["parts"] = parts.get(info["id"], message["parts"])
    messages.sort(key=lambda message: _created(message["info"]))
    return {"info": about if isinstance(about, dict) else {"id": folder.name}, "messages": messages}


def _created(info: Any) -> float:
    when = (info.get("time") or {}).get("created") if isinstance(info, dict) else None
    return float(when) if isinstance(when, int | float) else 0.0


def _age(export: dict[str, Any]) -> float:
    time = export["info"].get("time")
    when = time.get("updated", time.get("created")) if isinstance(time, dict) else None
    last = export["messages"][-1]["info"] if export["messages"] else None
    return float(when) if isinstance(when, int | float) else _created(last)
