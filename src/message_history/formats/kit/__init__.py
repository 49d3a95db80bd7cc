"""What a format is made of, wherever it is written: `docs/adding_a_format.md` makes one of it.

What is listed here and on the reference page keeps its name, its arguments and what it does; a change is announced in
the changelog one minor version before it is made. All else below `message_history.formats` may change at any time.
"""

from message_history.files.files import UnreadableFileError
from message_history.formats.kit.base import (
    DATA_SET,
    DATABASE,
    EXPORTED,
    NOTHING_JUDGED,
    OUTCOME,
    PAIRING,
    PRINTED,
    STATE,
    Collector,
    Fit,
    Format,
    NewSession,
    Reading,
    Rewritten,
    fit_items,
    fit_of,
    item_fit,
    row_fit,
)
from message_history.formats.kit.chat_messages import add_chat_message, blocks_of, calls_of, first_of
from message_history.formats.kit.chat_rows import ChatRows
from message_history.formats.kit.document import Document
from message_history.formats.kit.many_conversations import Conversations
from message_history.formats.kit.raw_blocks import (
    BLOCKS,
    call,
    image,
    json_of,
    json_text,
    objects_in,
    result,
    text,
    text_of,
    thinking,
)

__all__ = [
    "BLOCKS",
    "DATABASE",
    "DATA_SET",
    "EXPORTED",
    "NOTHING_JUDGED",
    "OUTCOME",
    "PAIRING",
    "PRINTED",
    "STATE",
    "ChatRows",
    "Collector",
    "Conversations",
    "Document",
    "Fit",
    "Format",
    "NewSession",
    "Reading",
    "Rewritten",
    "UnreadableFileError",
    "add_chat_message",
    "blocks_of",
    "call",
    "calls_of",
    "first_of",
    "fit_items",
    "fit_of",
    "image",
    "item_fit",
    "json_of",
    "json_text",
    "objects_in",
    "result",
    "row_fit",
    "text",
    "text_of",
    "thinking",
]
