"""Find what the Responses API refuses in a list; written separately from parsing, repair and rendering."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from message_history.core.values.json_values import short_repr
from message_history.dialects._shared.checker import (
    Findings,
    check_list,
    entries,
    has_lone_surrogate,
    mapping_of,
    mappings,
    text_at,
)
from message_history.dialects._shared.media_checker import MediaCheck
from message_history.dialects.openai_responses import schema
from message_history.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from message_history.dialects.openai_responses.model_fields import Fields

ITEM_ID: Final = re.compile("[A-Za-z0-9_-]+")
NO_PDF: Final = re.compile(r"^[^?#]*\.(txt|aac|flac|m4a|mp3|ogg|opus|wav|mov|mp4|webm)([?#]|$)", re.IGNORECASE)
"""Addresses of texts and recordings, as their endings say."""
TOOL_NAME: Final = re.compile("[a-zA-Z0-9_-]+")
CALL_RULES: Final = {
    "function_call": ("OR-01", 0, "function call"),
    "custom_tool_call": ("OR-02", 0, "custom tool call"),
    "local_shell_call": ("OR-03", 0, "local shell call"),
    "computer_call": ("OR-03", 1, "computer call"),
    "shell_call": ("OR-03", -1, "shell call"),
    "apply_patch_call": ("OR-03", -1, "apply patch call"),
}
"""The rule that a call without an output breaks, which of its texts says so, and what it is called."""
REQUEST, DECISION = "mcp_approval_request", "mcp_approval_response"
OUTPUTS: Final = {f"{kind}_output": kind for kind in CALL_RULES}
SERVER_CALLS: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)
NO_ITEMS: Final = frozenset(
    {"text", "image", "image_url", "input_text", "input_image", "input_file", "input_audio", "output_text", "refusal"}
) | {"document", "thinking", "tool_use", "tool_result", "tool_call", "context_compaction"}
"""What is sent as an item by mistake: parts, blocks of other APIs, and what a client calls a compaction of its own."""
SEARCHES: Final = frozenset({"search", "open_page", "find_in_page"})
BY_ID_ALONE: Final = frozenset({"message", "function_call", "custom_tool_call"})


def violations(wire: Sequence[Any], dialect: Fields) -> list[Violation]:
    # What goes on from a response that the server has kept may add nothing to it.
    return check_list(_Check(wire, dialect), "" if dialect.continues else "DS-17")


@final
class _Open(NamedTuple):
    """A call that waits for its output."""

    where: int
    kind: str


@final
class _Check:
    """One list."""

    def __init__(self, wire: Sequence[Any], dialect: Fields) -> None:
        self.found = Findings(schema.RULES.by_id)
        self.entries = mappings(wire)
        self._dialect = dialect
        self._media = MediaCheck(dialect.limits, self.found.add)
        self._encrypted = dialect.reasoning != "text"
        self._waiting: dict[str, deque[_Open]] = {}
        self._answered: set[str] = set()
        self._searched: set[str] = set()
        kinds = [_kind(entry) for entry in self.entries]
        # A list of nothing but outputs is what answers a response that the server has kept.
        only_outputs = all(kind in OUTPUTS for kind in kinds)
        self._continues = only_outputs if dialect.continues is None else dialect.continues
        self._first_reference = kinds.index("item_reference") if "item_reference" in kinds else len(kinds)

    def entry(self, n: int, entry: Mapping[Any, Any]) -> None:
        kind = _kind(entry)
        if has_lone_surrogate(entry):
            self.found.add("OC-20", n)
        if kind == "message":
            self._message(n, entry)
        elif kind == "reasoning":
            self._reasoning(n, entry)
        elif kind == "item_reference" and self._dialect.store is False:
            self.found.add("OR-09", n, "id", ids=text_at(entry, "id"))
        if kind in ("function_call", "custom_tool_call"):
            self._name(n, entry)
        if kind == "function_call":
            self._arguments(n, entry.get("arguments"))
        if kind in CALL_RULES or kind in OUTPUTS:
            self._call_id(n, kind, entry)
        self._length(n, "output", entry.get("output"))
        for m, part in enumerate(entries(entry.get("output")) if kind in OUTPUTS else ()):
            if isinstance(part, Mapping) and text_at(part, "type") == "input_image" and not text_at(part, "file_id"):
                self._image(n, m, "output", part)
            elif isinstance(part, Mapping) and text_at(part, "type") == "input_file":
                self._file(n, f"output[{m}]", part)
        self._keys(n, kind, entry)
        self._known(n, kind, entry)

    def whole(self) -> None:
        """Check pairs, then reasoning and what it led to."""
        self._media.finish()
        if self._dialect.checks_ids is not False:
            self._ids()
        self._pairs()
        self._approvals()
        if self._encrypted:
            self._groups()

    # One item

    def _known(self, n: int, kind: str, entry: Mapping[Any, Any]) -> None:
        """OR-31 to OR-33: items of other APIs, what a server tool can have done, and the status that some demand."""
        if self._dialect.needs_status and kind != "item_reference" and not text_at(entry, "status"):
            self.found.add("OR-31", n, "status")
        if self._dialect.checks_keys is False:
            return
        if kind in NO_ITEMS:
            self.found.add("OR-32", n, "type", f"an item of type {kind!r}", kind=kind)
        action = entry.get("action")
        did = action.get("type") if isinstance(action, Mapping) else None
        if kind == "web_search_call" and isinstance(did, str) and did not in SEARCHES:
            self.found.add("OR-33", n, "action.type", f"action {did!r:.40}", kind=did)

    def _message(self, n: int, entry: Mapping[Any, Any]) -> None:
        role, content = text_at(entry, "role"), entry.get("content")
        if role not in schema.ROLES:
            own_role = entry.get("role")
            self.found.add("OR-19", n, "role", f"role {short_repr(own_role)}", role=own_role)
            return
        if content is None:
            self.found.add("OR-20", n, "content")
        elif isinstance(content, list):
            self._parts(n, content, role)
            bare = "id" not in entry or "status" not in entry
            if role == "assistant" and bare and not self._dialect.bare_items:
                self.found.add("OR-27", n, "id", "a message with parts, without an id or a status")
        elif isinstance(content, str):
            self._length(n, "content", content)
        else:
            self.found.add("OR-20", n, "content", f"content that is a {type(content).__name__}")

    def _parts(self, n: int, parts: list[Any], role: str) -> None:
        if not parts and not self._dialect.refusals:
            self.found.add("OR-26", n, "content", "a message without parts", which=1)
        for m, part in enumerate(parts):
            data = mapping_of(part)
            kind = text_at(data, "type")
            path = f"content[{m}]"
            if kind not in schema.PARTS[role]:
                which = 0 if role == "assistant" else 1
                self.found.add("OR-18", n, path, f"a part of type {kind!r:.40}", which=which, kind=kind)
            elif kind == "refusal" and not self._dialect.refusals:
                self.found.add("OR-26", n, path, "a refusal")
            elif kind == "input_image" and not text_at(data, "file_id"):
                self._image(n, m, "content", data)
            elif kind == "input_file":
                self._file(n, path, data)
            elif kind == "input_audio" and self._dialect.checks_keys:
                self.found.add("OR-18", n, path, "audio", which=1, kind=kind)
            self._length(n, f"{path}.text", data.get("text"))

    def _image(self, n: int, m: int, key: str, part: Mapping[Any, Any]) -> None:
        """OR-41: where an image is; then what it is."""
        path, url = f"{key}[{m}].image_url", part.get("image_url")
        others = self._dialect.checks_keys is False  # what such a server understands is not known
        if isinstance(url, str) and not (url.strip() if others else url.startswith(("https://", "http://", "data:"))):
            self.found.add("OR-41", n, path, f"the address {url!r:.80}", place=path)
        else:
            self._media.url(n, path, url)

    def _file(self, n: int, path: str, part: Mapping[Any, Any]) -> None:
        """OR-38 to OR-40: where a file is, and what it is."""
        if self._dialect.checks_keys is False:
            return
        url, held = text_at(part, "file_url"), text_at(part, "file_data")
        if url.startswith("data:") or (not url.strip() and part.get("file_url") is not None):
            self.found.add("OR-38", n, f"{path}.file_url", "a data URL" if url else "no address", url=f"{url:.60}")
        elif NO_PDF.search(url):
            self.found.add("OR-40", n, f"{path}.file_url", f"the address {url!r:.80}")
        kind = held[5:].partition(";")[0].partition(",")[0] if held.startswith("data:") else ""
        if kind.startswith(("audio/", "video/")):
            self.found.add("OR-39", n, f"{path}.file_data", f"a file of type {kind!r:.60}", place=path, type=kind)

    def _reasoning(self, n: int, entry: Mapping[Any, Any]) -> None:
        content = entry.get("content")
        encrypted = isinstance(entry.get("encrypted_content"), str)
        shown = self._dialect.reasoning is None and _shows_text(entry)
        if self._encrypted and content and not shown:
            self.found.add("OR-16", n, "content", count=len(entries(content)))
        if self._encrypted and not encrypted and not shown and self._dialect.store is False:
            self.found.add("OR-09", n, "encrypted_content", ids=text_at(entry, "id"))
        if not self._dialect.bare_items:
            if not isinstance(entry.get("id"), str):
                self.found.add("OR-27", n, "id", "reasoning without an id")
            if not isinstance(entry.get("summary"), list):
                self.found.add("OR-27", n, "summary", "reasoning without a summary", which=1)

    def _name(self, n: int, entry: Mapping[Any, Any]) -> None:
        name = text_at(entry, "name")
        if not TOOL_NAME.fullmatch(name):
            self.found.add("OR-28", n, "name", f"name {name!r:.80}", which=0 if name else 1)

    def _arguments(self, n: int, arguments: object) -> None:
        if not isinstance(arguments, str):
            self.found.add("HF-07", n, "arguments", "arguments that are not text", what="")
        elif self._dialect.object_arguments:
            what = ""
            try:
                readable = isinstance(json.loads(arguments), dict)
            except (ValueError, RecursionError) as error:
                readable, what = False, str(error)
            if not readable:
                self.found.add("HF-07", n, "arguments", "arguments that are not a JSON object", what=what)

    def _call_id(self, n: int, kind: str, entry: Mapping[Any, Any]) -> None:
        id = entry.get("call_id")
        if id is None and kind == "local_shell_call_output" and isinstance(entry.get("id"), str):
            return
        if not isinstance(id, str):
            self.found.add("OR-15", n, "call_id", "no call_id", which=1)
        elif not id:
            self.found.add("OR-15", n, "call_id", "an empty call_id", which=2)
        elif len(id) > schema.CALL_ID_LIMIT:
            self.found.add("OR-15", n, "call_id", f"a call_id of {len(id)} characters", count=len(id))

    def _length(self, n: int, path: str, text: object) -> None:
        for m, part in enumerate(text if isinstance(text, list) else [text]):
            data = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(data, str) and len(data) > self._dialect.text_limit:
                where = f"{path}[{m}].text" if isinstance(text, list) else path
                self.found.add("OR-23", n, where, f"a text of {len(data)} characters", count=len(data))

    def _keys(self, n: int, kind: str, entry: Mapping[Any, Any]) -> None:
        """OR-17: no key, and no null, that the form of the request does not have."""
        if self._dialect.checks_keys is False or self._is_of_another(entry):
            return
        form = kind
        if kind == "message" and (entry.get("role") != "assistant" or "id" not in entry):
            form = "easy" if entry.get("role") == "assistant" else "input"
        known, nullable = schema.KEYS.get(form), schema.NULLABLE.get(form, frozenset())
        if kind == "message" and form != "message":
            # The id and the status of a message are for other rules, its content is for OR-20.
            known, nullable = schema.KEYS["message"], nullable | {"content"}
        if known is None:
            return
        if self._dialect.needs_status:
            known |= {"status"}
        if self._dialect.client_metadata is not False:
            known |= {schema.PASSED}
        if kind == "reasoning":
            # Codex sends a null with all of it; of an item that was dumped whole, the error names `status` alone.
            nullable |= {"content"}
        for key, value in entry.items():
            if key not in known or (value is None and key not in nullable and key != "call_id"):
                self.found.add("OR-17", n, str(key), f"the key {key!r:.80}", key=key)

    # Ids

    def _ids(self) -> None:
        """OR-11 to OR-14."""
        seen: set[str] = set()
        for n, entry in enumerate(self.entries):
            kind, id = _kind(entry), entry.get("id")
            # No answer is recorded that refuses the id of an output; a local shell's is that of its call.
            if not isinstance(id, str) or kind in OUTPUTS or self._is_of_another(entry):
                continue
            if not id or not ITEM_ID.fullmatch(id) or id.endswith("_"):
                self.found.add("OR-14", n, "id", f"id {id!r:.80}", ids=id)
            elif len(id) > 64:
                self.found.add("OR-13", n, "id", f"an id of {len(id)} characters", count=len(id))
            prefix = schema.PREFIXES.get(kind, "")
            if self._encrypted and id and not id.startswith(prefix):
                self.found.add("OR-12", n, "id", f"id {id!r:.80}", ids=id, prefix=prefix)
            # Where nothing is stored, recorded requests give all messages one id.
            if id and id in seen and not (kind == "message" and self._dialect.store is False):
                self.found.add("OR-11", n, "id", f"id {id!r:.80}", ids=id)
            seen.add(id)

    # Calls and outputs

    def _pairs(self) -> None:
        """OR-01 to OR-05, DS-15 and DS-16."""
        last = {_call_id(entry): n for n, entry in enumerate(self.entries) if _kind(entry) in OUTPUTS}
        called: set[str] = set()
        due: dict[str, int] = {}
        for n, entry in enumerate(self.entries):
            kind, id = _kind(entry), _call_id(entry)
            if kind in CALL_RULES:
                if id in called and self._dialect.unique_ids:
                    self.found.add("DS-16", n, "call_id", f"id {id!r:.80}", ids=id)
                called.add(id)
                self._waiting.setdefault(id, deque()).append(_Open(n, kind))
                if last.get(id, -1) > n:
                    due[id] = due.get(id, 0) + 1
            elif kind in OUTPUTS:
                due[id] = due.get(id, 0) - 1
                if due[id] <= 0:
                    del due[id]
                self._output(n, kind, id)
            elif kind == "tool_search_call":
                self._searched.add(id)
            elif due and kind not in ("tool_search_output", REQUEST, DECISION) and not self._dialect.interleaved:
                id = next(iter(due))
                self.found.add("DS-15", n, detail=f"before the output of {id!r:.80}", ids=id)
        for id, calls in self._waiting.items():
            for call in calls:
                self._unanswered(id, call)

    def _output(self, n: int, kind: str, id: str) -> None:
        calls = self._waiting.get(id)
        if calls and _answers(kind, calls[0].kind):
            calls.popleft()
            self._answered.add(id)
        elif id in self._searched and kind == "function_call_output":
            # A search for tools is answered by the server, or by the client with an output of either type.
            self._searched.discard(id)
        elif id in self._answered:
            self.found.add("DS-16", n, "call_id", f"a second output for {id!r:.80}", which=1, ids=id)
        elif self._is_known_elsewhere(n):
            self._answered.add(id)
        else:
            rule = "OR-05" if kind == "custom_tool_call_output" else "OR-04"
            which = 0 if self._encrypted or rule == "OR-05" else 1
            self.found.add(rule, n, "call_id", f"id {id!r:.80}", which=which, ids=id)

    def _is_known_elsewhere(self, n: int) -> bool:
        """Return whether an output's call may be on the server: in a chain, or by reference."""
        return self._continues or n > self._first_reference

    def _unanswered(self, id: str, call: _Open) -> None:
        rule, which, name = CALL_RULES[call.kind]
        detail = f"no output for the {name} {id!r:.80}"
        if which < 0:
            # What the API says of these has not been published.
            self.found.violations.append(Violation(rule=rule, index=call.where, path="call_id", detail=detail))
        else:
            self.found.add(rule, call.where, "call_id", detail, which=which, ids=id)

    # Approvals

    def _approvals(self) -> None:
        """OR-36 and OR-37: requests that nobody decided, and safety checks that nobody acknowledged."""
        decided = {text_at(entry, "approval_request_id") for entry in self.entries if _kind(entry) == DECISION}
        outputs = {_call_id(entry): entry for entry in self.entries if _kind(entry) == "computer_call_output"}
        for n, entry in enumerate(self.entries):
            id = text_at(entry, "id")
            if _kind(entry) == REQUEST and id not in decided:
                self.found.add("OR-36", n, "id", f"no decision on the request {id!r:.80}", ids=id)
            output = outputs.get(_call_id(entry)) if _kind(entry) == "computer_call" else None
            if output is not None:
                known = {text_at(check, "id") for check in mappings(entries(output.get("acknowledged_safety_checks")))}
                for check in mappings(entries(entry.get("pending_safety_checks"))):
                    if text_at(check, "id") not in known:
                        ids = text_at(check, "id")
                        self.found.add("OR-37", n, "pending_safety_checks", f"safety check {ids!r:.80}", ids=ids)

    def _is_of_another(self, entry: Mapping[Any, Any]) -> bool:
        """Return whether an item shows that it is not OpenAI's, where it is not known who gets the list."""
        return self._dialect.checks_ids is None and (
            schema.ID_OF_ANOTHER.fullmatch(text_at(entry, "id")) is not None or _shows_text(entry)
        )

    # Reasoning

    def _groups(self) -> None:
        """OR-06 to OR-08: reasoning, and what it led to."""
        reasoned = known = False
        for n, entry in enumerate(self.entries):
            kind = _kind(entry)
            if _is_user(entry, kind):
                reasoned = False
            elif self._is_of_another(entry):
                known = known or _is_reasoning(entry, kind)
            elif _is_reasoning(entry, kind):
                self._led_to(n, entry)
                reasoned = known = True
            elif isinstance(entry.get("id"), str) and self._dialect.pairs_items:
                self._made_with(n, kind, entry, reasoned=reasoned, known=known or self._continues)

    def _led_to(self, n: int, entry: Mapping[Any, Any]) -> None:
        if self._dialect.lone_reasoning or not isinstance(entry.get("id"), str):
            return
        following = self.entries[n + 1] if n + 1 < len(self.entries) else {}
        kind = _kind(following)
        led = text_at(following, "id") or _is_reasoning(following, kind) or not self._dialect.pairs_items
        if not following or _is_user(following, kind) or not led:
            self.found.add("OR-06", n, "id", f"what follows {text_at(entry, 'id')!r:.80}", ids=text_at(entry, "id"))

    def _made_with(self, n: int, kind: str, entry: Mapping[Any, Any], *, reasoned: bool, known: bool) -> None:
        """OR-07 and OR-08; in a list that holds reasoning, an item that has none before it was made without."""
        id = text_at(entry, "id")
        refers = kind == "item_reference" and id.startswith(("msg_", "fc_", "ctc_"))
        before = self.entries[n - 1] if n else {}
        if (refers or kind in BY_ID_ALONE) and not known and self._dialect.reasons:
            self.found.add("OR-07", n, "id", f"id {id!r:.80} without reasoning", which=1, ids=id, kind=kind)
        elif reasoned and kind in SERVER_CALLS and _kind(before) == "message" and not self._dialect.interleaved:
            if isinstance(before.get("id"), str):
                self.found.add("OR-08", n, "", f"id {id!r:.80} after a message", ids=id, kind=kind)


def _shows_text(entry: Mapping[Any, Any]) -> bool:
    """Return whether reasoning came as the text that other servers than OpenAI's show, with nothing encrypted."""
    shown = bool(entry.get("content")) and not isinstance(entry.get("encrypted_content"), str)
    return shown and _kind(entry) == "reasoning"


def _kind(entry: Mapping[Any, Any]) -> str:
    kind = text_at(entry, "type")
    if kind:
        return kind
    return "item_reference" if schema.is_bare_reference(entry) else "message"


def _call_id(entry: Mapping[Any, Any]) -> str:
    """Read the id that pairs a call with its output; older outputs of the local shell call it their own."""
    id = text_at(entry, "call_id")
    return id or (text_at(entry, "id") if _kind(entry) == "local_shell_call_output" else "")


def _is_user(entry: Mapping[Any, Any], kind: str) -> bool:
    return kind in OUTPUTS or (kind == "message" and entry.get("role") != "assistant")


def _is_reasoning(entry: Mapping[Any, Any], kind: str) -> bool:
    return kind == "reasoning" or (kind == "item_reference" and text_at(entry, "id").startswith("rs_"))


def _answers(output: str, call: str) -> bool:
    """Return whether an output of some type answers a call of another; a function's answers all but custom tools'."""
    return OUTPUTS.get(output) == call or (output == "function_call_output" and call != "custom_tool_call")
