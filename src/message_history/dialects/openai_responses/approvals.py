"""Requests of the Responses API for a person's approval: `mcp_approval_request`, and the safety checks of computer use.

A request is a call that its provider runs, and the decision on it is the stub of its state. A computer call with
pending safety checks is a call of the client's that waits for approval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from message_history.core.messages.blocks import ProviderBlock, with_meta
from message_history.core.messages.policy import DEFAULT_POLICY
from message_history.core.turns.stub_results import make_stub, reason_of
from message_history.core.values.json_values import FrozenDict, FrozenList, freeze_mapping, thaw
from message_history.core.values.meta import Mark, Meta
from message_history.dialects._shared.typed_blocks import call_of_text
from message_history.dialects._shared.writer import well_formed
from message_history.dialects.openai_responses.schema import DECISION, OPENAI_RESPONSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from message_history.core.messages.blocks import ToolResultBlock, ToolUseBlock
    from message_history.dialects._shared.writer import Changes
    from message_history.dialects.openai_responses.block_writer import Wire

CLIENT_RUNS: Final = Mark(kind="approval", reason="client")
_PROVIDER_RUNS: Final = Mark(kind="approval", reason="provider")
_ACKNOWLEDGED: Final = "acknowledged_safety_checks"


def is_request(item: Mapping[Any, Any]) -> bool:
    """Return whether a request has what makes it a call; any other is kept whole."""
    return all(isinstance(item.get(key), str) and item[key] for key in ("id", "name", "arguments"))


def request_of(item: Mapping[Any, Any]) -> ToolUseBlock:
    kept = {key: value for key, value in item.items() if key not in ("name", "arguments") and value is not None}
    extra, converted = freeze_mapping({OPENAI_RESPONSES: kept})
    meta = Meta(extra=extra, converted=converted, mark=_PROVIDER_RUNS)
    return call_of_text(item["id"], item["name"], item["arguments"], meta, keep=True)


def is_decision(item: Mapping[Any, Any]) -> bool:
    """Return whether a response says which request it decides, and how; any other is kept whole."""
    id = item.get("approval_request_id")
    return isinstance(id, str) and bool(id) and isinstance(item.get("approve"), bool)


def decision_of(item: Mapping[Any, Any]) -> ToolResultBlock:
    """Make the stub that says how a request was decided."""
    why = item.get("reason")
    detail = why if isinstance(why, str) else ""
    request = call_of_text(item["approval_request_id"], "", "{}", Meta(mark=_PROVIDER_RUNS))
    # A request that nobody had decided was refused with its state as the reason; see `write_decision`.
    undecided = DEFAULT_POLICY.reason_of_text(detail) if not item["approve"] else None
    if undecided is not None:
        stub = make_stub(request, DEFAULT_POLICY, *undecided)
    else:
        stub = make_stub(request, DEFAULT_POLICY, "approved" if item["approve"] else "denied", detail)
    known = ("approval_request_id", "approve", "reason")
    kept = {key: value for key, value in item.items() if key not in known and value is not None}
    extra, converted = freeze_mapping({OPENAI_RESPONSES: kept})
    return with_meta(stub, extra=extra, converted=converted)


def write_decision(stub: ToolResultBlock, id: str, changes: Changes) -> Wire:
    """Write the stub of a request as the response to it.

    The API refuses a list with a request that nobody has decided. So it is refused for now, with the state as reason.
    `changes` gets a record of a decision that nobody made.
    """
    state, detail = reason_of(stub), stub.mark.detail if stub.mark is not None else ""
    wire: Wire = {"type": DECISION, "approval_request_id": id, "approve": state == "approved"}
    if state not in ("approved", "denied"):
        changes.rewritten("a request that nobody has decided, refused for now (OR-36)", stub)
        detail = stub.text
    if detail:
        wire["reason"] = well_formed(detail, changes)
    return wire


def whole_item(item: Mapping[Any, Any]) -> ProviderBlock:
    """Keep an item whole; the call that an approved request led to is marked with the request."""
    id = item.get("approval_request_id")
    if item.get("type") != "mcp_call" or not isinstance(id, str) or not id:
        return ProviderBlock(OPENAI_RESPONSES, item)
    mark = Mark(kind="approval", tool_use_id=id)
    return ProviderBlock(OPENAI_RESPONSES, item, meta=Meta(mark=mark))


def unacknowledged(call: ToolUseBlock, result: ToolResultBlock) -> tuple[Any, ...]:
    """Return the safety checks of a computer call that its result does not acknowledge."""
    acknowledged = {_id(check) for check in _checks(result.extra(OPENAI_RESPONSES), _ACKNOWLEDGED)}
    pending = _checks(call.extra(OPENAI_RESPONSES), "pending_safety_checks")
    return tuple(check for check in pending if _id(check) not in acknowledged)


def acknowledged(wire: Wire, call: ToolUseBlock, result: ToolResultBlock) -> Wire:
    """Let the output of a computer call that a person approved acknowledge its safety checks."""
    missing = unacknowledged(call, result) if is_approved(result) else ()
    if not missing or wire["type"] != "computer_call_output":
        return wire
    return {**wire, _ACKNOWLEDGED: [*wire.get(_ACKNOWLEDGED, ()), *map(thaw, missing)]}


def is_approved(result: ToolResultBlock) -> bool:
    """Return whether a person approved the call before its result came."""
    return result.mark is not None and result.mark.kind == "approval"


def _checks(extra: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    found = extra.get(key)
    return tuple(found) if isinstance(found, FrozenList) else ()


def _id(check: object) -> object:
    return check.get("id") if isinstance(check, FrozenDict) else check
