"""The stream of Chat Completions, and Mistral's, which differs in that content may come as chunks."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, final

from message_history.dialects._shared.assembling import (
    INTERRUPTED,
    Assembler,
    Pieces,
    add_text,
    collect,
    field_of,
    mappings,
    numbered,
    other_fields,
    parsed,
    taken_apart,
    text_piece,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_CHUNKS: Final = frozenset({"object", "choices", "obfuscation"})
"""What chunks say that is not of the completion; everything else is, and the last one's counts: their usage grows."""
_OF_CHOICES: Final = frozenset({"index", "delta", "finish_reason"})
_ONCE: Final = frozenset({"id", "type", "role", "name", "index", "format", "signature", "expires_at"})
"""Keys whose value comes whole, however often."""


@final
class Stream(Assembler):
    """A completion on its way in; it is finished when its first choice is, which is the one that is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[int, _Choice] = {0: _Choice()}
        self._about: dict[str, Any] = {}

    def take(self, event: object) -> None:
        """Take the next chunk; see `Assembler.take`. Mistral's SDK wraps it, OpenAI's helper does too."""
        for wrapping in ("data", "chunk"):
            inner = field_of(event, wrapping)
            if inner is not None and field_of(inner, "choices") is not None:
                event = inner
        collect(self._about, other_fields(event, _OF_CHUNKS))
        for index, choice in numbered(field_of(event, "choices")):
            self._choices.setdefault(index, _Choice()).add(choice)
        self.finished = self._choices[0].finished

    def response(self) -> dict[str, Any] | None:
        """Return the completion so far; see `Assembler.response`."""
        assembled = [(index, choice.assembled()) for index, choice in sorted(self._choices.items())]
        if assembled[0][1] is None:
            return None
        choices = [{"index": n, **choice} for n, choice in assembled if choice]
        return {**whole(self._about), "object": "chat.completion", "choices": choices}


@final
class _Choice:
    """One choice of a completion."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._calls: list[dict[str, Any]] = []
        self._chunks: list[dict[str, Any]] = []
        self._reason: str | None = None
        self._beside: dict[str, Any] = {}

    @property
    def finished(self) -> bool:
        return self._reason is not None

    def add(self, choice: Mapping[Any, Any]) -> None:
        self._reason = choice.get("finish_reason") or self._reason
        collect(self._beside, other_fields(choice, _OF_CHOICES))
        for key, value in taken_apart(choice.get("delta")).items():
            if key == "tool_calls":
                pieces = mappings(value)
                for n, piece in enumerate(pieces):
                    # The pieces of one chunk are of several calls, also where nothing numbers them.
                    self._call({**piece, "index": n} if len(pieces) > 1 and piece.get("index") is None else piece)
            elif key == "content" and (isinstance(value, list) or self._chunks):
                self._content(value)
            elif value is not None:
                merge(self._message, key, value)

    def _call(self, piece: Mapping[Any, Any]) -> None:
        """Add a piece to the last call that it may be of, or to a new one."""
        call = next((call for call in reversed(self._calls) if _fits(call, piece)), None)
        if call is None or _begins_another(call, piece):
            call = {}
            self._calls.append(call)
        for key, value in piece.items():
            if value is not None:
                merge(call, key, value)

    def _content(self, value: Any) -> None:
        """Add chunks of content; neighbours of one type are one chunk."""
        before = whole(self._message.pop("content", None))
        if before:
            self._chunks.append({"type": "text", "text": before})
        for piece in [{"type": "text", "text": value}] if isinstance(value, str) else mappings(value):
            if piece.get("type") == "thinking":
                last = self._chunks[-1] if self._chunks else {}
                if last.get("type") != "thinking":
                    last = {"type": "thinking", "thinking": []}
                    self._chunks.append(last)
                for part in mappings(piece.get("thinking")):
                    _append(last["thinking"], part)
                last.update({key: value for key, value in piece.items() if key not in ("type", "thinking")})
            else:
                _append(self._chunks, piece)

    def assembled(self) -> dict[str, Any] | None:
        """Return the choice so far, without its index; None when it says nothing yet."""
        message = {"role": "assistant", "content": None, **whole(self._message)}
        if self._chunks:
            message["content"] = whole(self._chunks)
        reason = self._reason
        if self._calls:
            calls = _in_order(whole(self._calls))
            # Without streaming, calls have no index.
            message["tool_calls"] = [{key: call[key] for key in call if key != "index"} for call in calls]
            if not self.finished and not all(map(_is_whole, calls)):
                reason = INTERRUPTED
        elif isinstance(message.get("function_call"), dict) and not self.finished:
            if not _is_whole({"function": message["function_call"]}):
                reason = INTERRUPTED
        if not self.finished and not any(value for key, value in message.items() if key != "role"):
            return None
        return {"message": message, "finish_reason": reason, **whole(self._beside)}


def _in_order(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put calls in the order of their places; as they came where a place is missing, or is that of several."""
    places = [place for call in calls if isinstance(place := call.get("index"), int)]
    if len(set(places)) != len(calls):
        return calls
    return [call for _, call in sorted(zip(places, calls, strict=True), key=itemgetter(0))]


def merge(into: dict[str, Any], key: str, piece: Any) -> None:
    """Add a piece to what is there under a key: texts are joined, so are the values of mappings; lists grow."""
    there = into.get(key)
    if isinstance(piece, str) and key in _ONCE:
        into[key] = there or piece
    elif isinstance(piece, str):
        add_text(into, key, piece)
    elif isinstance(piece, dict):
        into[key] = dict(there) if isinstance(there, dict) else {}
        for inner, value in piece.items():
            if value is not None:
                merge(into[key], inner, value)
    elif isinstance(piece, list):
        into[key] = list(there) if isinstance(there, list) else []
        for item in piece:
            _merge_item(into[key], item)
    else:
        into[key] = piece


def _merge_item(items: list[Any], piece: Any) -> None:
    """Add an item to a list, or to the item of the list that has its index and type."""
    if isinstance(piece, dict) and "index" in piece:
        for item in items:
            if isinstance(item, dict) and all(item.get(key) == piece.get(key) for key in ("index", "type")):
                for key, value in piece.items():
                    if value is not None:
                        merge(item, key, value)
                return
    items.append(dict(piece) if isinstance(piece, dict) else piece)


def _append(parts: list[dict[str, Any]], part: Mapping[Any, Any]) -> None:
    """Append a part, or add its text to the text that it follows."""
    if parts and part.get("type") == parts[-1].get("type") == "text":
        add_text(parts[-1], "text", part.get("text"))
    elif part.get("text") != "":
        parts.append(dict(part))


def _fits(call: Mapping[str, Any], piece: Mapping[Any, Any]) -> bool:
    """Return whether a piece has no other place and no other id than a call; some servers give all calls one place."""
    if piece.get("index") not in (None, call.get("index")):
        return False
    return not piece.get("id") or not call.get("id") or piece["id"] == call["id"]


def _begins_another(call: Mapping[str, Any], piece: Mapping[Any, Any]) -> bool:
    """Return whether a piece names a tool where a call is whole, and no ids say that it is of that call."""
    function, known = taken_apart(piece.get("function")), taken_apart(call.get("function"))
    name_alone = function.get("arguments") in (None, "")  # Some servers repeat it.
    if not function.get("name") or (name_alone and function["name"] == known.get("name")):
        return False
    has_ids = piece.get("id") and call.get("id")
    return not has_ids and _may_be_whole(known.get("arguments")) and _is_whole(whole(dict(call)))


def _may_be_whole(arguments: Any) -> bool:
    """Return at a glance whether arguments may be whole: to join them for every piece would cost too much."""
    last = next(filter(str.strip, reversed(arguments)), "") if isinstance(arguments, Pieces) else "}"
    return last.rstrip().endswith("}")


def _is_whole(call: Mapping[str, Any]) -> bool:
    """Return whether a call is all there, although nothing follows it yet: an object that is closed does not grow."""
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return isinstance(arguments, dict) or isinstance(parsed(text_piece(arguments)), dict)
