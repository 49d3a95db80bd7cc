"""The operations that are measured: one name for all contenders, what each means, and what it is compared with."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["BLOCKS", "BYTES", "OPERATIONS", "QUICK_SIZES", "SIZES", "Operation", "chain_of", "sizes_of"]

SIZES: Final = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES: Final = (10, 100, 1_000)

OURS: Final = "message-history"
LISTS: Final = "list"
COPY: Final = "copy.deepcopy"
JSON: Final = "json"


class Operation(NamedTuple):
    """One operation.

    Args:
        name: its name, that of the method of a contender.
        means: what is done, in a few words.
        reference: the contender and its operation that the figures are ratios to.
        largest: the largest transcript that it is measured with.
        smallest: the smallest.
    """

    name: str
    means: str
    reference: tuple[str, str]
    largest: int = 100_000
    smallest: int = 10


# Operations of one block are measured in turn, round by round, so that figures of one block can be compared.
BLOCKS: Final = {
    "append": (
        Operation("append", "append one more message to n", (LISTS, "append"), 1_000_000),
        Operation("append_small", "the same to 10, measured beside it", (OURS, "append"), 1_000_000),
        Operation("append_dict", "append one more message in the provider's form to n", (LISTS, "append"), 100_000),
        Operation("build", "build a conversation by n appends, for each of them", (LISTS, "build")),
        Operation("pieces", "append n messages of one role (pieces of a stream), for each", (LISTS, "build"), 10_000),
    ),
    "ingest": (
        Operation("ingest_json", "read n messages from JSON text", (JSON, "ingest_json")),
        Operation("ingest_dicts", "read n messages from dicts", (JSON, "ingest_json")),
        Operation("repair", "read or repair n messages, one in a hundred damaged", (JSON, "repair")),
    ),
    "export": (
        Operation("export", "write n messages for the provider", (COPY, "export")),
        Operation("export_again", "one more turn, and write all n again", (COPY, "export_again")),
        Operation("export_json", "write n messages as JSON, sent before", (JSON, "export_json")),
        Operation("export_json_again", "one more turn, and write all n as JSON again", (JSON, "export_json_again")),
    ),
    "store": (
        Operation("trim", "keep the newer half of n messages", (LISTS, "trim"), 10_000),
        Operation("trim_first", "the same with n messages that were just read", (LISTS, "trim"), 10_000),
        Operation("fork", "100 versions of n messages with one more each, for each", (LISTS, "fork"), 10_000),
        Operation("pickle", "pickle n messages and read them back", (LISTS, "pickle"), 10_000),
    ),
    "coding": (
        Operation("coding_append", "append one more message of a coding agent", (LISTS, "coding_append"), 10_000),
        Operation("coding_append_dict", "the same in the provider's form", (OURS, "coding_append"), 10_000),
        Operation(
            "coding_ingest_json", "read a coding agent's messages from JSON", (JSON, "coding_ingest_json"), 10_000
        ),
        Operation("coding_ingest_dicts", "read them from dicts", (JSON, "coding_ingest_json"), 10_000),
        Operation("coding_repair", "the same, one in a hundred damaged", (JSON, "coding_repair"), 10_000),
        Operation("coding_export", "write them for the provider", (COPY, "coding_export"), 10_000),
        Operation(
            "coding_export_json_again",
            "one more turn, and write all as JSON",
            (JSON, "coding_export_json_again"),
            10_000,
        ),
        Operation("coding_memory", "memory for each of them", (LISTS, "coding_memory"), 10_000),
    ),
    "sessions": (
        Operation("load_lines", "read a session of JSON lines", (JSON, "load_lines"), 10_000, 1_000),
        Operation("load_database", "read a session from SQLite", (JSON, "load_lines"), 10_000, 1_000),
        Operation("load_claude_code", "read a session of Claude Code", (JSON, "load_claude_code"), 10_000, 1_000),
        Operation(
            "step",
            "one step of an agent: a reply, two results, the request as JSON, saved",
            (LISTS, "step"),
            10_000,
            1_000,
        ),
    ),
    "memory": (
        Operation("memory", "memory for each of n messages that were read from JSON text", (LISTS, "memory"), 10_000),
        Operation("fork_memory", "the same, with 100 versions that have one message more", (LISTS, "memory"), 10_000),
    ),
}
OPERATIONS: Final = {operation.name: operation for block in BLOCKS.values() for operation in block}
BYTES: Final = frozenset({"memory", "fork_memory", "coding_memory"})


def chain_of(size: int) -> tuple[int, int]:
    """Say how an append to n messages is measured: on how many conversations of n, with how many appends each.

    Args:
        size: n.

    Returns:
        The copies and the appends: at most a tenth of n, or ten.
    """
    appends = max(10, min(10_000, size // 10))
    return max(1, min(2_000 // appends, 20_000 // size)), appends


def sizes_of(operation: Operation, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the sizes that an operation is measured at.

    Args:
        operation: the operation.
        sizes: the sizes of this run.

    Returns:
        Those that are not too large and not too small for it.
    """
    return tuple(size for size in sizes if operation.smallest <= size <= operation.largest)
