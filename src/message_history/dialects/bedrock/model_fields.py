"""The fields of the dialect: what differs by model and by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import field, frozen

from message_history.dialects._shared.by_folder import OfRequests
from message_history.dialects.base import names_in_order
from message_history.dialects.bedrock.limits import LIMITS

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime.type_defs import MessageUnionTypeDef  # noqa: F401

    from message_history.media import Limits


@frozen(kw_only=True)
class Fields(OfRequests["MessageUnionTypeDef"]):
    """The fields of `Bedrock`, which says what each means."""

    leading_assistant: bool | None = None
    joins_neighbours: bool | None = None
    prefill: bool | None = None
    prefill_with_tools: bool = False
    beside_results: frozenset[str] = field(
        default=frozenset({"document", "image", "searchResult", "text", "video"}), repr=names_in_order
    )
    text_with_calls: bool = True
    in_results: frozenset[str] | None = field(default=None, repr=names_in_order)
    media: frozenset[str] = field(
        default=frozenset({"audio", "document", "image", "searchResult", "video"}), repr=names_in_order
    )
    empty_results: bool = True
    white_space: Literal["never", "beside_text", "alone"] = "beside_text"
    calls_last: bool = True
    status: bool = True
    reasoning: bool = True
    unsigned_reasoning: bool | None = None
    binds_thinking: bool = True
    cache_points: bool = True
    cache_ttl: bool | None = None
    citations: bool = True
    server_tools: bool = True
    s3: frozenset[str] = field(
        default=frozenset({"audio", "document", "image", "searchResult", "text", "video"}), repr=names_in_order
    )
    s3_in_results: frozenset[str] | None = field(default=None, repr=names_in_order)
    max_images: int = 20
    max_documents: int = 5
    limits: Limits = LIMITS

    def __attrs_post_init__(self) -> None:
        """Refuse what may hold something next to results, and no text, and server tools whose replies are split."""
        if self.beside_results and "text" not in self.beside_results:
            raise ValueError("beside_results must hold 'text' or nothing: what else is not taken becomes text")
        if self.server_tools and not self.text_with_calls:
            raise ValueError("server_tools needs text_with_calls: results of server tools are next to text and calls")
