"""The rules of generateContent, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for a content, `{m}` for a part of it. Where two services answer differently, the Developer API's text
comes first and Vertex's second. Texts were reported or recorded; none was produced by calling the API for this list.
"""

from __future__ import annotations

import re
from typing import Final

from message_history.core.values.json_values import FrozenDict
from message_history.dialects._shared.tables import ModelTable, RuleTable

RULES: Final = RuleTable(__package__)

BYPASS: Final = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""What stands for a missing signature, as it is sent (GM-G14)."""
RAW_BYPASSES: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
BYPASSES: Final = frozenset({BYPASS, "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv", *RAW_BYPASSES})
"""All forms in which it comes (GM-G14)."""

NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_.:-]*")
RESPONSE_NAME: Final = re.compile("[a-zA-Z0-9_.:-]+")
MADE_ID: Final = re.compile("(call|toolu|tooluse)_.+|(.*[^0-9a-f])?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What clients make ids of, which some of them send in the place of a response's name."""
NAME_LIMIT: Final = 64
ID: Final = re.compile("[^\ud800-\udfff]+", re.DOTALL)
ID_LIMIT: Final = 256
"""No limit is documented; ids beyond this are nobody's."""
BASE64: Final = re.compile("[A-Za-z0-9+/_-]*={0,2}")
"""Either alphabet, with or without padding: what ProtoJSON takes (GM-G12)."""

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
"""The fields of which a part has exactly one (GM-G03; SDK types, 2026-09)."""
SERVER_PARTS: Final = frozenset({"toolCall", "toolResponse"})
MODEL_PARTS: Final = frozenset({"executableCode", "codeExecutionResult", *SERVER_PARTS})
"""The parts that only the model's contents hold, and that only this API understands."""

OF_ANY: Final = frozenset({"partMetadata", "speechMetadata", "audioTranscription"})
"""What any part may have besides its data (SDK types, 2026-11)."""
OF_MEDIA: Final = frozenset({"videoMetadata", "mediaResolution", "mediaProcessing", "audioMetadata"}) | {
    "documentMetadata",
    "spreadsheetMetadata",
}
"""What else media may have (SDK types, 2026-11)."""
BESIDE: Final = frozenset({"thought", "thoughtSignature"}) | OF_ANY | OF_MEDIA
ALONE: Final = OF_MEDIA - {"mediaResolution"} | {"speechMetadata"}
"""What some clients put into a part of its own, as recorded with what belongs to a video."""
FIELDS: Final[dict[str, frozenset[str]]] = {
    "inlineData": frozenset({"mimeType", "data", "displayName"}),
    "fileData": frozenset({"mimeType", "fileUri", "displayName"}),
    "functionCall": frozenset({"id", "name", "args", "partialArgs", "willContinue"}),
    "functionResponse": frozenset({"id", "name", "response", "parts", "scheduling", "willContinue"}),
    "executableCode": frozenset({"id", "language", "code"}),
    "codeExecutionResult": frozenset({"id", "outcome", "output"}),
    "toolCall": frozenset({"id", "toolType", "args"}),
    "toolResponse": frozenset({"id", "toolType", "response"}),
    "videoMetadata": frozenset({"startOffset", "endOffset", "fps", "contentLayers"}),
    "mediaResolution": frozenset({"level", "numTokens"}),
    "audioMetadata": frozenset({"startOffset", "endOffset"}),
    "documentMetadata": frozenset({"startPage", "endPage", "contentLayers"}),
    "spreadsheetMetadata": frozenset({"visibleCells", "sheetIndex", "contentLayers"}),
    "speechMetadata": frozenset({"speaker", "style"}),
    "audioTranscription": frozenset({"text", "finished", "languageCode", "speakerLabel", "words"})
    | {"startOffset", "endOffset"},
}
"""The fields of each kind of data, and of the keys next to it (SDK types, 2026-09)."""
KINDS: Final[dict[str, type]] = {
    **dict.fromkeys(("id", "name", "language", "code", "outcome", "output", "toolType", "scheduling"), str),
    **dict.fromkeys(("displayName", "mimeType", "fileUri", "data", "mediaProcessing"), str),
    **dict.fromkeys(("thought", "willContinue"), bool),
    **dict.fromkeys(("args", "response", "partMetadata"), FrozenDict),
}
"""What each field holds (SDK types, 2026-09)."""

IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
APPLICATION_TYPES: Final = frozenset({"application/pdf", "application/x-javascript", "application/x-python"})
"""Of images and of applications, what the API takes (GM-G24; vision and document guides, 2026-09)."""
AS_TEXT: Final = frozenset({"image/svg+xml", "application/json", "application/xml"})
"""Types that the API does not take, but whose data are text."""
RESPONSE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"})
"""The media that a response may hold on models that take media there (function calling guide, 2026-09)."""
TYPE: Final = re.compile(r"(image|audio|video|text|application)/[a-z0-9][a-z0-9.+-]*")
"""What a full media type looks like."""
MODELS: Final = ModelTable(__package__)
"""What differs by model; a model that no row covers gets the defaults."""
DEVELOPER_MODELS: Final = ModelTable(__package__, "developer_models")
"""What differs by model; a model that no row covers gets the defaults."""
