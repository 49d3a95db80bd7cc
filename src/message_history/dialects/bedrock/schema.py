"""The rules of Bedrock's Converse API, as data: ids as in the catalogue they came from, provider texts verbatim.

Two layers answer: Converse itself, and the model it calls, whose texts come after "The model returned the following
errors: ". `{n}` stands for a message, `{m}` for a block in it. Many rules hold for some families of models only; the
table at the end says for which. A rule without an error text is documented, but nobody has published the answer.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.dialects._shared.tables import ModelTable, RuleTable

RULES: Final = RuleTable(__package__)
ID: Final = re.compile("[a-zA-Z0-9_-]+")
"""What every version of the service takes (BR-B09)."""
ID_LIMIT: Final = 64
NAME: Final = re.compile("[a-zA-Z0-9_-]+")
NAME_LIMIT: Final = 64
DOCUMENT_NAME_LIMIT: Final = 200
MAX_CACHE_POINTS: Final = 4
BLOCKS: Final = (
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
)
"""The keys of which a block has one (botocore 1.44.5)."""
TOOL_CHANGES: Final = frozenset({"toolAddition", "toolRemoval"})
"""What adds tools to those of the request, or takes them out: only a model that has seen the change needs it."""
MEDIA_OF_RESULTS: Final = frozenset({"document", "image", "searchResult"})
"""The media in results that some model was recorded to take (2026-08)."""
AS_JSON: Final = "(json)"
"""What the parser notes of a text in a result that came as JSON."""
IN_RESULTS: Final = ("json", "text", "image", "document", "video", "searchResult")

IMAGES: Final = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
DOCUMENTS: Final = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}
AUDIO: Final = (
    "mp3",
    "opus",
    "wav",
    "aac",
    "flac",
    "mp4",
    "ogg",
    "mkv",
    "mka",
    "x-aac",
    "m4a",
    "mpeg",
    "mpga",
    "pcm",
    "webm",
)
VIDEOS: Final = ("mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp")
"""The formats of each kind of media, with the media types that they stand for."""

MODELS: Final = ModelTable(__package__)
"""What differs by model; a model that no row covers gets the defaults."""
