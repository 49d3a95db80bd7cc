"""What a dialect is made of, wherever it is written: `docs/adding_a_dialect.md` makes one of it.

What is listed here and on the reference page keeps its name, its arguments and what it does; a change is announced in
the changelog one minor version before it is made. All else below `message_history.dialects` may change at any time.
"""

from message_history.core.messages.block_base import Block
from message_history.core.messages.blocks import is_blank, text_block, tool_result_block
from message_history.core.messages.parsed import Parsed
from message_history.core.values.json_values import FrozenDict, json_text
from message_history.core.values.meta import Meta
from message_history.dialects._shared.assembling import Assembler, field_of
from message_history.dialects._shared.checker import (
    Findings,
    ListCheck,
    OpenCalls,
    check_list,
    entries,
    kind_of,
    mapping_of,
    mappings,
    text_at,
)
from message_history.dialects._shared.list_writer import (
    ListWriter,
    MessageWriter,
    export_list,
    write_list,
    write_messages,
)
from message_history.dialects._shared.reader import EntryReader, add_message, assume_user, read_entries, role_of
from message_history.dialects._shared.rules import ModelRow, Rule, fields_for
from message_history.dialects._shared.sdk_objects import as_mapping, as_sequence
from message_history.dialects._shared.tables import ModelTable, RuleTable
from message_history.dialects._shared.tools.form import ToolForm
from message_history.dialects._shared.typed_blocks import (
    BlockReader,
    call_of_text,
    meta_of,
    read_blocks,
    read_parts,
    rest_of,
    text_of_json,
)
from message_history.dialects._shared.writer import PLACEHOLDER, Aliases, Changes, thaw_well_formed, well_formed
from message_history.dialects.base import Dialect, Export, Foreign, Reply

__all__ = [
    "PLACEHOLDER",
    "Aliases",
    "Assembler",
    "Block",
    "BlockReader",
    "Changes",
    "Dialect",
    "EntryReader",
    "Export",
    "Findings",
    "Foreign",
    "FrozenDict",
    "ListCheck",
    "ListWriter",
    "MessageWriter",
    "Meta",
    "ModelRow",
    "ModelTable",
    "OpenCalls",
    "Parsed",
    "Reply",
    "Rule",
    "RuleTable",
    "ToolForm",
    "add_message",
    "as_mapping",
    "as_sequence",
    "assume_user",
    "call_of_text",
    "check_list",
    "entries",
    "export_list",
    "field_of",
    "fields_for",
    "is_blank",
    "json_text",
    "kind_of",
    "mapping_of",
    "mappings",
    "meta_of",
    "read_blocks",
    "read_entries",
    "read_parts",
    "rest_of",
    "role_of",
    "text_at",
    "text_block",
    "text_of_json",
    "thaw_well_formed",
    "tool_result_block",
    "well_formed",
    "write_list",
    "write_messages",
]
