"""Make the request of another provider from a request."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, final

from attrs import define

from message_history.dialects.base import checked_dialect
from message_history.files.files import saved_value
from message_history.files.repaired_lists import WITHOUT_REQUESTS, repair_file

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.core.messages.repairs import Repair
    from message_history.dialects import Dialect
    from message_history.tools import OmittedPart
    from message_history.violations import Violation


@final
@define(eq=False)
class ConvertedRequest:
    """A request for another provider.

    Args:
        body: the request: messages, system prompt, tools and the choice among them. It is yours to change.
        omitted: what the other provider does not understand, with where it was and why it was omitted.
        required: the keys that the other provider demands and that are yours to add, as its model.
        repairs: what was changed in the messages.
        violations: what the other provider would still refuse in the messages.
    """

    body: dict[str, Any]
    omitted: tuple[OmittedPart, ...]
    required: tuple[str, ...]
    repairs: tuple[Repair, ...]
    violations: tuple[Violation, ...]


def convert_request(
    body: Mapping[str, Any],
    to: Dialect[Any],
    *,
    dialect: Dialect[Any] | None = None,
    model: str | None = None,
    policy: Policy | None = None,
) -> ConvertedRequest:
    """Make the request of another provider from a request.

    Args:
        body: the request's JSON object; it is never changed.
        to: the dialect to write.
        dialect: the dialect of the request; None to find it by the shape of its messages and tools.
        model: the model of the other provider, for its own key; None to leave that to you.
        policy: decides where there is a choice in the messages.

    Returns:
        The request. Nothing in it is of the first provider alone; a request that is in the dialect already stays as it
        is, apart from its messages.

    Raises:
        TypeError: when `body` is not a mapping, or `to` not a dialect.
        ValueError: when the body holds no list of messages, or `to` is the form of a list and of no API.
        InvariantError: when the policy says to raise and more than lossless repairs are needed.

    Complexity: linear in the body.
    """
    if not isinstance(body, Mapping):
        raise TypeError(f"body must be a request's JSON object, not {type(body).__name__}; a list goes into from_list")
    if checked_dialect(to).name in WITHOUT_REQUESTS:
        raise ValueError(f"to must be the dialect of an API, not {to.name}, which is the form of a list alone")
    made = repair_file(
        saved_value(deepcopy(dict(body))), dialect=dialect, to=to, policy=policy, as_request=True, model=model
    )
    return ConvertedRequest(made.value, made.omitted, made.required, made.repairs, made.violations)
