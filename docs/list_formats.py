"""List the formats of files that are read, from the registry, as formats.md.

python docs/list_formats.py           writes the page
python docs/list_formats.py --check   only says whether it is current: exit code 1 if not
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_or_check

from message_history.formats.registry import FORMATS, _own_formats

if TYPE_CHECKING:
    from message_history.formats.kit.base import Format

PAGE = Path(__file__).with_name("formats.md")
HEAD = """\
# Formats of files

<!-- Made by docs/list_formats.py from formats; do not edit by hand. -->

`message-history` and `from_file` read the files that people have, whatever program wrote them:

```python
from message_history import from_file

for conversation in from_file("samples/crashed_session.jsonl"):
    print(conversation.origin.format, conversation.origin.title)
    history = conversation.history()
```

A file is **recognised with certainty** or not at all. If it is only like a format, nothing is read from it and nothing
is written over it or next to it: the command says `not recognised` with the nearest formats, and its exit code is 1.
Name the format with `--format NAME` (`from_file(path, format=NAME)`), and the dialect of a plain list with `--dialect`.

Every entry of a file is accounted for: it is in a conversation, or counted in `conversation.omitted` as something that
is known not to be part of one, or reported as not read. A file with an entry that is not read is never written, except
for lines of Claude Code and Codex that are not messages: they are counted, and a repair does not change them.

`repair` and `doctor --fix` write the formats marked *read and repaired*, in their own form, and do not change what is
valid; line ends, indentation, escapes and a byte order mark stay. The others are read only, each for the reason given
below: `convert` writes their conversation as a list in any dialect. A valid file is never changed, and a database or an
archive is never written.

The sessions that people resume, the providers' own logs and plain lists are always read. What has `formats` in the
last column needs the distribution `message-history-formats`, which the extra `formats` installs.
"""


def page() -> str:
    """Write the page.

    Returns:
        Markdown.
    """
    if find_spec("message_history_formats") is None:
        raise SystemExit("the page lists the formats of plugins/formats too: pip install -e ./plugins/formats")
    parts = [HEAD, "\n| format | whose files | written | extra |\n|---|---|---|---|\n"]
    for each in FORMATS.values():
        written = "read and repaired" if each.repair is not None else "read only"
        extra = "" if each.name in _own_formats() else "`formats`"
        parts.append(f"| `{each.name}` | {each.title} | {written} | {extra} |\n")
    parts.append("\n## Each of them\n")
    parts += map(_section, FORMATS.values())
    return "".join(parts)


def _section(one: Format) -> str:
    facts = (
        ("Files", _plain(one.files)),
        ("Not in the conversation", one.omits),
        ("Written", (one.unwritten and f"no: {one.unwritten}") or "yes, where something is broken"),
        ("Known from", f"{_plain(one.source)} ({one.checked})"),
    )
    return f"\n### {one.name}\n\n{one.title}.\n\n" + "".join(f"- {name}: {fact}\n" for name, fact in facts)


def _plain(written: str) -> str:
    """Keep Markdown from reading stars and underscores as marks."""
    return written if "`" in written else f"`{written}`"


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`, and the page if it is another than formats.md.

    Returns:
        The exit code.
    """
    return write_or_check(PAGE, page(), "list_formats.py", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
