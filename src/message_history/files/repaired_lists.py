"""Files repaired: the same file with a list that a provider accepts, or a request of another provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

from attrs import evolve, field, frozen

from message_history.dialects.registry import shape_of
from message_history.files.converted_bodies import converted, required_keys
from message_history.files.files import FileForm, allow_assistant_tail, json_bytes, refuse_assistant_tail
from message_history.files.request_bodies import filled, held_at, key_for, system_key
from message_history.history import MessageHistory
from message_history.tools import OmittedPart, tool_api
from message_history.violations import Violation, check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect, Export
    from message_history.files.files import SavedFile

WITHOUT_REQUESTS: Final = frozenset({"native", "pydantic_ai"})
"""The dialects that are forms of lists and no API's."""


@final
@frozen(kw_only=True)
class RepairedList:
    """A repaired file."""

    value: Any = field(repr=False)  # what to write, as a JSON value: the list, or the object that holds it
    form: FileForm  # how it holds the messages: as before, but for a system prompt that has no place in a mere list
    dialect: Dialect[Any]
    history: MessageHistory
    # What was changed, on the way in and on the way out; `source` is the position among the entries.
    repairs: tuple[Repair, ...]
    violations: tuple[Violation, ...]  # what the provider would still refuse; empty unless nothing is left to send
    # What was around the messages and is not in the request of another provider.
    omitted: tuple[OmittedPart, ...] = ()
    required: tuple[str, ...] = ()  # what that provider demands in a request and nothing here could say

    @property
    def data(self) -> bytes:
        return _encoded(self.form, self.value)


def repair_file(
    file: SavedFile,
    *,
    dialect: Dialect[Any] | None = None,
    to: Dialect[Any] | None = None,
    policy: Policy | None = None,
    as_request: bool = False,
    model: str | None = None,
    list_only: bool = False,
) -> RepairedList:
    """Repair a file: the same form, with a list in it that the provider accepts.

    An object in another dialect becomes a request of that: with the system prompt, the tools and the choice among them,
    and nothing that only the first provider understands. `dialect` is its own, or None to find it by shape; `to` is the
    one to write, or None for its own. `as_request` is False for a conversation that goes on, which may end with the
    assistant; True for one that is sent as it is. `model` is what the object is to name as the model, where the
    dialect's requests name one. With `list_only`, the list is written without what is around it. A line that was
    skipped is in the file's notes, not in the result.
    """
    dialect = dialect if dialect is not None else file.known
    own = dialect if dialect is not None else file.dialect(as_request=as_request)
    target = to if to is not None else own
    target = refuse_assistant_tail(target) if as_request else allow_assistant_tail(target)
    history = MessageHistory.from_list(file.entries, dialect=dialect, policy=policy)
    export = history.export(target)
    beside = file.system_entries()
    # In its own dialect a system prompt outside the messages stays as it is, unless the list holds another.
    other = to is not None and target.name != _written_in(file, dialect)
    if beside and (list_only or other or export.system is not None):
        history = file.history(dialect=dialect, policy=policy)
        export = history.export(target)
    else:
        beside = []
    omitted: tuple[OmittedPart, ...] = ()
    required: tuple[str, ...] = ()
    form = file.form
    value: Any = export.messages
    if list_only or (other and target.name in WITHOUT_REQUESTS):
        form = FileForm.LIST if form is FileForm.OBJECT else form
        omitted = _around(file, export)
    elif file.container is not None and other:
        value, omitted = converted(file.container, file.place, export, target, model)
        required = required_keys(value, target)
    elif file.container is not None or export.system is not None:
        place = file.place if file.container is not None else (key_for(target.name),)
        form, value = FileForm.OBJECT, filled(file.container or {}, place, export, moved=bool(beside), model=model)
    return RepairedList(
        value=value,
        form=form,
        dialect=target,
        history=history,
        repairs=tuple(located((*history.repairs, *export.repairs), len(beside))),
        violations=tuple(check(export.messages, target)),
        omitted=omitted,
        required=required,
    )


def _written_in(file: SavedFile, dialect: Dialect[Any] | None) -> str | None:
    """Name the dialect that a file says it is written in; None where all of it could be anyone's."""
    if dialect is not None:
        return dialect.name
    body = held_at(file.container, file.place[:-1])
    by_tools = tool_api(body) if isinstance(body, Mapping) else None
    by_entry = next(filter(None, map(shape_of, file.entries)), None)
    if by_entry is not None or (file.container is not None and by_tools is not None):
        return by_entry or by_tools
    return None if file.container is not None and len(file.container) > 1 else file.dialect().name


def _around(file: SavedFile, export: Export) -> tuple[OmittedPart, ...]:
    """Say what a list alone does not hold of a file."""
    old = system_key(file.container, file.place) if file.container is not None else None
    beside = held_at(file.container, file.place[:-1])
    keys = [(key, value) for key, value in beside.items() if key not in (file.place[-1], old)] if beside else []
    omitted = [OmittedPart(key, value, "it is not part of the list") for key, value in keys]
    for depth, step in enumerate(file.place[:-1]):
        outer = held_at(file.container, file.place[:depth]) or {}
        omitted += [OmittedPart(k, v, "it is not part of the list") for k, v in outer.items() if k != step]
    if export.system is not None:
        omitted.append(OmittedPart("system", export.system, "it has no place in the list"))
    return tuple(omitted)


def located(repairs: Iterable[Repair], before: int) -> Iterable[Repair]:
    """Count a file's entries in repairs without the `before` put before them, which have no source."""
    for repair in repairs:
        if repair.source is None or not before:
            yield repair
        else:
            yield evolve(repair, source=repair.source - before if repair.source >= before else None)


def _encoded(form: FileForm, value: Any) -> bytes:
    if form is FileForm.LINES:
        return b"".join(json_bytes(message) + b"\n" for message in value)
    return json_bytes(value, indent=2) + b"\n"
