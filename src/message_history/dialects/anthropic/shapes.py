"""What the keys of blocks may hold, as data: the types of the anthropic SDK 2.12, and the limits of the API reference.

Blocks are closed: a key that is not listed is refused (AN-B7). Response blocks that are newer than this list are open.
"""

from __future__ import annotations

import re
from typing import Any, Final

from message_history.dialects._shared.schema import (
    Fits,
    Shape,
    each,
    flag,
    length,
    like,
    mapping,
    mapping_or_none,
    misfits,
    one_of,
    only,
    or_none,
    tagged,
    text,
    text_or_none,
    whole,
)

CACHE: Final = or_none(only(Shape({"type": one_of("ephemeral"), "ttl": one_of("5m", "1h")}, ("type",))))


def _from(least: int) -> Fits:
    return lambda value: whole(value) and value >= least


def _filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _location(**fields: Fits) -> Shape:
    return Shape({"cited_text": text, **fields}, ("cited_text", *fields))


_TITLE: Final = or_none(length(1, 500))
_DOCUMENT: Final[dict[str, Fits]] = {"document_index": _from(0), "document_title": _TITLE}
_BLOCKS: Final[dict[str, Fits]] = {"start_block_index": _from(0), "end_block_index": _from(0)}
CITATIONS: Final = or_none(
    each(
        tagged(
            "type",
            {
                "char_location": _location(**_DOCUMENT, start_char_index=_from(0), end_char_index=_from(0)),
                "page_location": _location(**_DOCUMENT, start_page_number=_from(1), end_page_number=_from(1)),
                "content_block_location": _location(**_DOCUMENT, **_BLOCKS),
                "web_search_result_location": _location(
                    encrypted_index=_filled, title=or_none(length(1, 512)), url=_filled
                ),
                "search_result_location": _location(
                    **_BLOCKS, search_result_index=_from(0), source=text, title=text_or_none
                ),
            },
        )
    )
)
"""Citations on text, with the limits of their fields (AN-B10)."""
CITED: Final = or_none(only(Shape({"enabled": flag})))
"""Whether a document or a search result is to be cited."""


def _server_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("srvtoolu_[a-zA-Z0-9_]+", value) is not None


def _caller(value: Any) -> bool:
    if not mapping(value) or not text(value.get("type")):
        return False
    return value["type"] == "direct" or (
        value["type"].startswith("code_execution_") and _server_id(value.get("tool_id"))
    )


def _toolset(value: Any) -> bool:
    return value is None or (isinstance(value, str) and re.fullmatch("[a-zA-Z0-9_-]{1,64}", value) is not None)


VALUES: Final[dict[str, dict[str, Fits]]] = {
    "text": {"cache_control": CACHE, "citations": CITATIONS},
    "image": {"cache_control": CACHE, "transformations": mapping_or_none},
    "document": {"cache_control": CACHE, "citations": CITED, "context": or_none(_filled)},
    "tool_use": {"cache_control": CACHE, "caller": _caller, "toolset_name": _toolset},
    "tool_result": {"cache_control": CACHE, "toolset_name": _toolset},
    "thinking": {},
    "redacted_thinking": {},
    "system": {"cache_control": CACHE},
}
"""The keys besides the modelled ones that each block may hold."""

IMAGE_SOURCES: Final[dict[str, Shape]] = {
    "base64": Shape({"media_type": text, "data": text}, ("media_type", "data")),
    "url": Shape({"url": text}, ("url",)),
    "file": Shape({"file_id": text}, ("file_id",)),
}
_PART: Final[Fits] = lambda value: mapping(value) and value.get("type") in ("text", "image")  # noqa: E731
DOCUMENT_SOURCES: Final[dict[str, Shape]] = {
    "base64": Shape({"media_type": one_of("application/pdf"), "data": text}, ("media_type", "data")),
    "text": Shape({"media_type": one_of("text/plain"), "data": text}, ("media_type", "data")),
    "content": Shape({"content": lambda value: text(value) or each(_PART)(value)}, ("content",)),
    "url": Shape({"url": text}, ("url",)),
    "file": Shape({"file_id": text}, ("file_id",)),
}
"""Where images and documents may be, by the source's type."""

_WORDS: Final = each(like(Shape({"type": one_of("text"), "text": text}, ("type", "text"))))
_FOUND: Final = each(
    like(
        Shape(
            {
                "type": one_of("web_search_result"),
                "encrypted_content": _filled,
                "title": text,
                "url": text,
                "page_age": text_or_none,
            },
            ("type", "encrypted_content", "title", "url"),
        )
    )
)


def _web_results(value: Any) -> bool:
    return _FOUND(value) or (mapping(value) and value.get("type") == "web_search_tool_result_error")


def _ran(stdout: str) -> Shape:
    fields = {stdout: text, "stderr": text, "return_code": whole, "content": each(mapping)}
    return Shape(fields, tuple(fields))


_RAN: Final = _ran("stdout")
_RAN_UNSEEN: Final = _ran("encrypted_stdout")


def _output(value: Any) -> bool:
    """Take what code gave, and any other kind of answer unchanged."""
    if not _TYPED(value) or not value["type"].endswith("execution_result"):
        return _TYPED(value)
    return not misfits(_RAN_UNSEEN if value["type"].startswith("encrypted_") else _RAN, value)


_TYPED: Final = like(Shape({"type": _filled}, ("type",)))


def _result(content: Fits = _TYPED, **fields: Fits) -> Shape:
    return Shape(
        {"tool_use_id": text, "content": content, "cache_control": CACHE, **fields}, ("tool_use_id", "content")
    )


WHOLE: Final[dict[str, Shape]] = {
    "server_tool_use": Shape(
        {"id": text, "name": text, "input": mapping, "cache_control": CACHE, "caller": _caller}, ("id", "name", "input")
    ),
    "web_search_tool_result": _result(_web_results, caller=_caller),
    "web_fetch_tool_result": _result(caller=_caller),
    "code_execution_tool_result": _result(_output),
    "bash_code_execution_tool_result": _result(_output),
    "text_editor_code_execution_tool_result": _result(),
    "tool_search_tool_result": _result(),
    "advisor_tool_result": _result(),
    "mcp_tool_use": Shape(
        {"id": text, "name": text, "server_name": text, "input": mapping, "cache_control": CACHE},
        ("id", "name", "server_name", "input"),
    ),
    "mcp_tool_result": Shape(
        {
            "tool_use_id": text,
            "content": lambda value: text(value) or _WORDS(value),
            "is_error": flag,
            "cache_control": CACHE,
        },
        ("tool_use_id",),
    ),
    "container_upload": Shape({"file_id": text, "cache_control": CACHE}, ("file_id",)),
    "compaction": Shape(
        {
            "content": or_none(_filled),
            "encrypted_content": text_or_none,
            "signature": text_or_none,
            "tool_changes": or_none(each(mapping)),
            "cache_control": CACHE,
        }
    ),
    "search_result": Shape(
        {"content": _WORDS, "source": text, "title": text, "citations": CITED, "cache_control": CACHE},
        ("content", "source", "title"),
    ),
    "tool_reference": Shape({"tool_name": length(1, 256), "cache_control": CACHE}, ("tool_name",)),
}
"""The blocks that travel whole, by type."""
