"""Which API a request is for, by its path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from message_history_healing.request import API


class Route(NamedTuple):
    """What a path says of a request.

    Args:
        api: the API whose form the body has.
        model: the model, where the path names it and not the body.
        counts: whether tokens are only counted: the list is not sent to a model.
    """

    api: API
    model: str | None = None
    counts: bool = False


def route_of(path: str, *, mistral: bool = False) -> Route | None:
    """Find the API that a POST request is for.

    Args:
        path: the path, without the query.
        mistral: whether the upstream is Mistral's, which has the path of Chat Completions.

    Returns:
        The route; None for a request that holds no list of messages.
    """
    for pattern, api in _ROUTES:
        found = pattern.search(path)
        if found is not None:
            named = found.groupdict()
            model = unquote(named["model"]) if named.get("model") else None
            chosen: API = "mistral" if mistral and api == "openai_chat" else api
            return Route(chosen, model, counts=named.get("counts") is not None)
    return None


_ROUTES: Final[tuple[tuple[re.Pattern[str], API], ...]] = (
    (re.compile(r"/v1/messages(?P<counts>/count_tokens)?/?$"), "anthropic"),
    (re.compile(r"/models/(?P<model>claude[^/:]*):(?:raw|streamRaw)Predict$"), "anthropic"),
    (re.compile(r"/model/(?P<model>[^/]*anthropic[^/]*)/invoke(?:-with-response-stream)?$"), "anthropic"),
    (re.compile(r"/chat/completions/?$"), "openai_chat"),
    (re.compile(r"/responses/?$"), "openai_responses"),
    (re.compile(r"/models/(?P<model>[^/:]+):(?:(?:streamG|g)enerateContent|(?P<counts>countTokens))$"), "gemini"),
    (re.compile(r"/model/(?P<model>[^/]+)/(?:converse(?:-stream)?|(?P<counts>count-tokens))$"), "bedrock"),
)
