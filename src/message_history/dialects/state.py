"""A conversation and its repairs as JSON: for sessions, and for those who keep the state of a program.

`to_list` writes the messages alone. `state_text` writes the whole value, as a pickle would hold it, but as text that
any store can carry: an integer of any length and a lone surrogate are safe in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from message_history.core.messages.block_base import Block
from message_history.core.messages.policy import DEFAULT_POLICY, Policy
from message_history.core.messages.repairs import Repair, RepairCode
from message_history.core.turns.conversation import context_of
from message_history.core.turns.stubs import repairs_of
from message_history.core.values.json_values import freeze, is_unicode, thaw
from message_history.dialects.lists import restore, to_list
from message_history.dialects.native import Native
from message_history.dialects.native.parse import NATIVE, VERSION
from message_history.dialects.native.render import block_to_json

if TYPE_CHECKING:
    from message_history.core.messages.repairs import Removed
    from message_history.core.turns.conversation import Conversation

STATE_VERSION: Final = 1

_NATIVE: Final = Native()
_CODES: Final = frozenset(code.value for code in RepairCode)


def state_text(conversation: Conversation) -> str:
    """Write a conversation, its repairs and its policy as JSON text."""
    default, policy = _choices(DEFAULT_POLICY), _choices(context_of(conversation).policy)
    state = {
        "version": STATE_VERSION,
        "messages": to_list(conversation),
        "repairs": list(map(repair_to_json, repairs_of(conversation))),
        "policy": {name: value for name, value in policy.items() if value != default[name]},
    }
    text = json.dumps(state, ensure_ascii=False)
    return text if is_unicode(text) else json.dumps(state)


def _choices(policy: Policy) -> dict[str, Any]:
    return {field.name: getattr(policy, field.name) for field in attrs.fields(Policy) if field.init}


def from_state_text(text: str, policy: Policy | None = None) -> Conversation:
    """Read what `state_text` wrote, or raise `ValueError`; `policy` decides when the text does not say."""
    state = json.loads(text)
    if not isinstance(state, dict) or not isinstance(state.get("messages"), list):
        raise ValueError(  # noqa: TRY004
            f"text must be a JSON object with a list of messages, as a history was saved, not a {type(state).__name__}"
        )
    repairs = [repair for item in state.get("repairs", ()) if (repair := repair_from_json(item)) is not None]
    return restore(state["messages"], _policy(state.get("policy"), policy), repairs)


def _policy(saved: Any, otherwise: Policy | None) -> Policy:
    """Read a policy; the fields that a later version added to it are ignored."""
    if not isinstance(saved, dict) or not saved:
        return otherwise if otherwise is not None else DEFAULT_POLICY
    known = _choices(DEFAULT_POLICY)
    return Policy(**{name: value for name, value in saved.items() if name in known})


def repair_to_json(repair: Repair) -> dict[str, Any]:
    data: dict[str, Any] = {"code": repair.code.value, "index": repair.index}
    if repair.source is not None:
        data["source"] = repair.source
    if repair.removed:
        data["removed"] = [_removed_to_json(removed) for removed in repair.removed]
    if repair.added:
        data["added"] = list(map(block_to_json, repair.added))
    if repair.detail:
        data["detail"] = repair.detail
    return data


def repair_from_json(value: object) -> Repair | None:
    """Read a repair. Returns None for anything else, and for a kind that a later version made."""
    if not isinstance(value, Mapping):
        return None
    code, source, detail = value.get("code"), value.get("source"), value.get("detail", "")
    if not isinstance(code, str) or code not in _CODES or not isinstance(value.get("index"), int):
        return None
    return Repair(
        code=RepairCode(code),
        index=value["index"],
        source=source if isinstance(source, int) else None,
        removed=tuple(found for item in _list(value.get("removed")) for found in _removed_from_json(item)),
        added=_blocks(_list(value.get("added"))),
        detail=detail if isinstance(detail, str) else "",
    )


def _removed_to_json(removed: Removed) -> dict[str, Any]:
    return {"block": block_to_json(removed)} if isinstance(removed, Block) else {"value": thaw(removed)}


def _removed_from_json(value: object) -> tuple[Removed, ...]:
    if isinstance(value, Mapping) and "block" in value:
        return _blocks([value["block"]])
    return (freeze(value["value"])[0],) if isinstance(value, Mapping) and "value" in value else ()


def _blocks(values: list[Any]) -> tuple[Block, ...]:
    entry = {"role": "user", "content": values, NATIVE: VERSION}
    return tuple(block for message in _NATIVE.parse([entry]).messages for block in message.content)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
