"""Find what generateContent refuses in a list; written separately from parsing, repair and rendering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import Findings, check_list, entries, text_at
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects.gemini import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.gemini.model_fields import Fields
    from message_history.violations import Violation

CONTENT_KEYS: Final = frozenset({"role", "parts"})
DATA: Final = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
BESIDE: Final = frozenset({"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"}) | {
    "speechMetadata",
    "mediaProcessing",
    "audioMetadata",
    "audioTranscription",
    "documentMetadata",
    "spreadsheetMetadata",
}
ALONE: Final = BESIDE - {"thought", "thoughtSignature", "mediaResolution", "partMetadata", "audioTranscription"}
"""What may be a part by itself: what belongs to a video was recorded so, and taken."""
MEDIA: Final = ("inlineData", "fileData")
INNER_KEYS: Final[dict[str, frozenset[str]]] = {
    "inlineData": frozenset({"mimeType", "data"}),
    "fileData": frozenset({"mimeType", "fileUri"}),
    "functionCall": frozenset({"id", "name", "args", "partialArgs", "willContinue"}),
    "functionResponse": frozenset({"id", "name", "response", "parts", "scheduling", "willContinue"}),
    "executableCode": frozenset({"id", "language", "code"}),
    "codeExecutionResult": frozenset({"id", "outcome", "output"}),
    "toolCall": frozenset({"id", "toolType", "args"}),
    "toolResponse": frozenset({"id", "toolType", "response"}),
}
FUNCTION_NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
RESPONSE_NAME: Final = re.compile("[a-zA-Z0-9_.:-]{1,64}")
"""What a response may call its function: recorded requests name an id there, which no function could be called."""
MEDIA_TYPE: Final = re.compile("[a-z]+/[a-zA-Z0-9][a-zA-Z0-9.+-]*")
IMAGES: Final = frozenset({"png", "jpeg", "webp", "heic", "heif"})
APPLICATIONS: Final = frozenset({"pdf", "x-javascript", "x-python"})
BASE64: Final = re.compile("[A-Za-z0-9+/_-]*={0,2}")
MASK: Final = re.compile(r"<[^<>]*>|\[[A-Z_ ]+\]")
"""What recordings show in place of a part of a long or secret value: it says nothing about what was sent."""
RAW_BYPASSES: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
VERTEX_SECOND: Final = frozenset({"GM-G02", "GM-G10", "GM-G13", "GM-G15", "GM-G25"})
"""The rules whose second text is Vertex's."""


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    return check_list(_Check(wire, dialect), "GM-G01")


@final
class _Content:
    """What one look at a content shows."""

    def __init__(self, entry: object) -> None:
        self.data: Mapping[Any, Any] = _renamed(entry) if isinstance(entry, Mapping) else {}
        self.role = text_at(self.data, "role")
        held = self.data.get("parts")
        # A single part may be where a list of parts is meant.
        listed = [held] if isinstance(held, Mapping) and held else entries(held)
        # A list of parts among the parts is taken for these parts.
        parts = [part for item in listed for part in (item if isinstance(item, list) and item else [item])]
        self.parts = [_renamed(part) if isinstance(part, Mapping) else None for part in parts]
        self.calls = self._at("functionCall")
        self.responses = self._at("functionResponse")
        self.is_model = self.role == "model"
        self.has_role = bool(self.data.get("role"))

    def _at(self, kind: str) -> list[tuple[int, Mapping[Any, Any]]]:
        return [(m, part[kind]) for m, part in enumerate(self.parts) if part and isinstance(part.get(kind), Mapping)]


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        # The text is that of the service that the list is for.
        self.found = Findings(schema.RULES.by_id, dict.fromkeys(VERTEX_SECOND, 1) if dialect.vertex else None)
        self.entries = [_Content(entry) for entry in wire]
        self._dialect = dialect
        self._media_check = MediaCheck(dialect.limits, self.found.add)

    def whole(self) -> None:
        self._media_check.finish()
        self._roles()
        self._pairs()
        self._steps()
        if self.entries[-1].is_model and self._dialect.prefill is False:
            self.found.add("GM-G15", len(self.entries) - 1, "role")

    # One content

    def entry(self, n: int, content: _Content) -> None:
        for key in content.data:
            if key not in CONTENT_KEYS:
                self.found.add("GM-G22", n, str(key), f"unknown field {key!r:.60}", key=key, where=f"contents[{n}]")
        if content.role not in self._roles_of(content) and not self._needs_no_role(n, content):
            own_role = content.data.get("role")
            self.found.add("GM-G05", n, "role", f"role {short_repr(own_role)}", role=own_role)
        for role, found in (("user", content.calls), ("model", content.responses)):
            if found and content.role == role:
                self.found.add(
                    "GM-G05", n, f"parts[{found[0][0]}]", f"a part that a {role} content cannot have", role=role
                )
        if not content.parts:
            self.found.add("GM-G02", n, "parts")
        for m, part in enumerate(content.parts):
            if part is None:
                self.found.add("GM-G03", n, f"parts[{m}]", m=m)
            else:
                self._part(n, m, part)
        if content.responses:
            self._beside(n, content)

    def _needs_no_role(self, n: int, content: _Content) -> bool:
        """Return whether a content without a role is the user's all the same: a list's only one, or responses."""
        if content.has_role:
            return False
        return n > 0 and not self._dialect.vertex if content.responses else len(self.entries) == 1

    def _roles_of(self, content: _Content) -> tuple[str, ...]:
        """Return the roles that a content may have: one with responses may be the function's, where that is a role."""
        own = bool(content.responses) and self._dialect.function_role
        return ("user", "model", "function") if own else ("user", "model")

    def _part(self, n: int, m: int, part: Mapping[str, Any]) -> None:
        path = f"parts[{m}]"
        kinds = [kind for kind in DATA if kind in part]
        unknown = [key for key in part if key not in DATA and key not in BESIDE]
        for key in unknown:
            where = f"contents[{n}].parts[{m}]"
            self.found.add("GM-G22", n, f"{path}.{key}", f"unknown field {key!r:.60}", key=key, where=where)
        bare = bool(part.get("thoughtSignature")) or not part.keys().isdisjoint(ALONE)
        if len(kinds) > 1 or (not kinds and not bare):
            self.found.add("GM-G03", n, path, f"{len(kinds)} data fields", m=m)
        if part.get("text") == "" and not self._dialect.empty_text:
            self.found.add("GM-G04", n, f"{path}.text")
        elif "text" in part and not isinstance(part["text"], str):
            self.found.add("GM-G03", n, f"{path}.text", "text that is not a string", m=m)
        if "thoughtSignature" in part:
            self._signature(n, m, part["thoughtSignature"])
        for kind in kinds:
            if kind != "text":
                self._data(n, m, kind, part[kind])
        if "partMetadata" in part and not self._dialect.server_tools:
            self.found.add("GM-G25", n, f"{path}.partMetadata", key="part_metadata")

    def _signature(self, n: int, m: int, signature: object) -> None:
        path = f"parts[{m}].thoughtSignature"
        if signature == "":
            self.found.add("GM-G13", n, path, "an empty signature")
        elif not isinstance(signature, str) or not _decodes(signature):
            self.found.add("GM-G12", n, path, f"signature {short_repr(signature)}", m=m, value=signature, position=0)
        elif signature in RAW_BYPASSES and not self._dialect.bypass_as_text:
            self.found.add("GM-G14", n, path)

    def _data(self, n: int, m: int, kind: str, data: object) -> None:
        path = f"parts[{m}].{kind}"
        if not isinstance(data, Mapping):
            self.found.add("GM-G03", n, path, f"{kind} is {type(data).__name__}", m=m)
            return
        named = self._dialect.display_names is not False and kind in MEDIA
        allowed = INNER_KEYS[kind] | ({"displayName"} if named else set())
        for key in data:
            if key not in allowed:
                where = f"contents[{n}].{path}"
                self.found.add("GM-G22", n, f"{path}.{key}", f"unknown field {key!r:.60}", key=key, where=where)
        if kind in ("toolCall", "toolResponse") and not self._dialect.server_tools:
            self.found.add("GM-G25", n, path, key="tool_call" if kind == "toolCall" else "tool_response")
        if kind in MEDIA:
            self._media(n, m, path, data)
        elif kind in ("functionCall", "functionResponse"):
            self._function(n, m, kind, data)

    def _function(self, n: int, m: int, kind: str, data: Mapping[str, Any]) -> None:
        path, is_call = f"parts[{m}].{kind}", kind == "functionCall"
        snake = "function_call" if is_call else "function_response"
        name = data.get("name")
        if not is_call and not name:
            self.found.add("GM-G17", n, f"{path}.name", m=m)
        elif not isinstance(name, str) or not (FUNCTION_NAME if is_call else RESPONSE_NAME).fullmatch(name):
            self.found.add("GM-G18", n, f"{path}.name", f"name {short_repr(name)}")
        if data.get("id") is not None and not self._dialect.ids:
            self.found.add("GM-G21", n, f"{path}.id", m=m, field=snake)
        key = "args" if is_call else "response"
        if data.get(key) is not None and not isinstance(data[key], Mapping):
            what = f"{key} is {type(data[key]).__name__}"
            self.found.add("GM-G20" if is_call else "GM-G19", n, f"{path}.{key}", what, value=data[key])
        if is_call and not self._dialect.vertex:
            for unfinished, named in (("partialArgs", "partial_args"), ("willContinue", "will_continue")):
                if data.get(unfinished) is not None:
                    self.found.add("GM-G25", n, f"{path}.{unfinished}", key=named)
        held = [_renamed(part) if isinstance(part, Mapping) else {} for part in entries(data.get("parts"))]
        if held and self._dialect.media_in_responses is False:
            self.found.add("GM-G24", n, f"{path}.parts", "media inside a response", m=m, type="")
        for k, part in enumerate(held):
            for media in MEDIA:
                if isinstance(part.get(media), Mapping):
                    self._media(n, m, f"{path}.parts[{k}].{media}", part[media])

    def _media(self, n: int, m: int, path: str, media: Mapping[str, Any]) -> None:
        mime, data = media.get("mimeType"), media.get("data")
        inline = "data" in media or path.endswith("inlineData")
        if mime is None and not inline:
            return
        if not isinstance(mime, str) or not _is_taken(mime):
            self.found.add("GM-G24", n, f"{path}.mimeType", f"media type {short_repr(mime)}", m=m, type=mime)
        if inline and (not isinstance(data, str) or not _decodes(data)):
            self.found.add("GM-G24", n, f"{path}.data", "data that are not bare base64", m=m, type=mime)
        elif isinstance(mime, str) and isinstance(data, str) and _is_taken(mime) and mime.startswith("image/"):
            self._media_check.image(n, f"{path}.data", mime, data, m=m)

    def _beside(self, n: int, content: _Content) -> None:
        """GM-G23 and GM-G24: what is in one content with responses."""
        others = [m for m, part in enumerate(content.parts) if part is not None and "functionResponse" not in part]
        if not others or (self._dialect.beside_results and len(content.responses) == 1):
            return
        for m in others:
            part = content.parts[m] or {}
            media = next((kind for kind in MEDIA if isinstance(part.get(kind), Mapping)), None)
            if media is not None:
                kind = part[media].get("mimeType")
                self.found.add("GM-G24", n, f"parts[{m}]", "media next to responses", m=m, type=kind)
            elif any(kind in part for kind in DATA):
                self.found.add("GM-G23", n, f"parts[{m}]", m=m)

    # Neighbours

    def _roles(self) -> None:
        """GM-G16, except for what the user says after responses."""
        if self._dialect.adjacent:
            return
        for n in range(1, len(self.entries)):
            before, content = self.entries[n - 1], self.entries[n]
            if before.role == content.role and not before.responses and not content.calls and not content.responses:
                self.found.add("GM-G16", n, "role")

    def _pairs(self) -> None:
        """GM-G06 to GM-G08, GM-G11 and GM-G27: calls and responses by place and number."""
        for n, content in enumerate(self.entries):
            before = self.entries[n - 1] if n else None
            if content.calls and content.is_model:
                if before is None or (before.is_model and not (self._dialect.split_calls and before.calls)):
                    self.found.add("GM-G06", n)
                if before is not None and before.is_model and before.calls and not self._is_signed(content):
                    self._unsigned("GM-G11", n, content)
            if content.calls and (content.is_model or content.role == "assistant"):
                self._answers(n)
            if content.responses and (before is None or not (before.calls or self._goes_on(n - 1))):
                self.found.add("GM-G07", n)

    def _goes_on(self, n: int) -> bool:
        """Return whether a content of responses may be followed by one with more of the same step."""
        content = self.entries[n]
        return self._dialect.split_responses and bool(content.responses) and not content.is_model

    def _responses_from(self, n: int) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the responses of a content, and of those that go on with its step."""
        responses = list(self.entries[n].responses) if n < len(self.entries) else []
        while n + 1 < len(self.entries) and self._goes_on(n) and self._goes_on(n + 1):
            n += 1
            responses += self.entries[n].responses
        return responses

    def _answers(self, n: int) -> None:
        after = self.entries[n + 1] if n + 1 < len(self.entries) else None
        if after is not None and after.is_model and after.calls and self._dialect.split_calls:
            return
        first = n
        while self._dialect.split_calls and first and self.entries[first - 1].is_model:
            first -= 1
        calls = [call for content in self.entries[first : n + 1] for call in content.calls]
        responses = self._responses_from(n + 1)
        if not responses and after is not None and self._dialect.unanswered is not False:
            return
        if len(responses) != len(calls):
            self.found.add("GM-G08", n, detail=f"{len(calls)} calls, {len(responses)} responses")
            return
        for (at, call), (m, response) in zip(calls, responses, strict=True):
            id, called = text_at(response, "id"), text_at(call, "id")
            if id and called and id != called:
                places: dict[str, Any] = {"m": m, "id": id, "called": called, "before": n, "at": at}
                self.found.add("GM-G27", n + 1, f"parts[{m}].functionResponse.id", f"id {id!r:.60}", **places)

    # Steps

    def _steps(self) -> None:
        if self._dialect.signatures_required is not True:
            return
        start = max((n for n, content in enumerate(self.entries) if _begins_turn(content)), default=-1)
        signed_step = False
        for n in range(start + 1, len(self.entries)):
            content = self.entries[n]
            if not content.calls or not content.is_model or (n and self.entries[n - 1].is_model):
                continue
            if self._is_signed(content):
                signed_step = True
                continue
            self._unsigned("GM-G10", n, content)
            if signed_step and self.entries[n - 1].responses:
                self._unsigned("GM-G09", n, content)

    def _is_signed(self, content: _Content) -> bool:
        part = content.parts[content.calls[0][0]]
        return part is not None and bool(part.get("thoughtSignature"))

    def _unsigned(self, rule: str, n: int, content: _Content) -> None:
        m, call = content.calls[0]
        position = n + 1
        self.found.add(rule, n, f"parts[{m}]", name=text_at(call, "name"), position=position)


def _renamed(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """Read fields, and those of a part's data, under their JSON names."""
    return {
        name: _named(value) if name in INNER_KEYS and isinstance(value, Mapping) else value
        for name, value in _named(data).items()
    }


def _named(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """Read fields under their JSON names: the API takes both spellings, and null as absent."""
    return {
        re.sub("_([a-z])", lambda found: found[1].upper(), key) if isinstance(key, str) else key: value
        for key, value in data.items()
        if value is not None
    }


def _begins_turn(content: _Content) -> bool:
    """Return whether a content begins a turn: the user's, with something else than responses."""
    return content.role == "user" and any(part is not None and "functionResponse" not in part for part in content.parts)


def _decodes(text: str) -> bool:
    if BASE64.fullmatch(text):
        return len(text.rstrip("=")) % 4 != 1
    return MASK.search(text) is not None and BASE64.fullmatch(MASK.sub("", text)) is not None


def _is_taken(kind: str) -> bool:
    if not MEDIA_TYPE.fullmatch(kind):
        return False
    family, _, name = kind.partition("/")
    if family == "image":
        return name in IMAGES
    return name in APPLICATIONS if family == "application" else family in ("audio", "video", "text")
