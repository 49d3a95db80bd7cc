"""Write broken_histories.md: what becomes of the 18 broken histories of the field, in every dialect.

python docs/list_broken_histories.py           writes the page
python docs/list_broken_histories.py --check   only tells whether it is current: exit code 1 if not
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

ROOT: Final = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from benchmarks.broken_histories import CASES, Case, as_chat, known_results, user_texts  # noqa: E402 - beside the package
from generated import write_or_check  # noqa: E402 - beside this script

from message_history import MessageHistory, Policy, check  # noqa: E402
from message_history.dialects.registry import DIALECTS  # noqa: E402

if TYPE_CHECKING:
    from message_history.dialects import Dialect

PAGE: Final = Path(__file__).with_name("broken_histories.md")
TARGETS: Final = tuple(dialect for name, dialect in DIALECTS.items() if name != "native")
HEAD: Final = """\
# The 18 broken histories of the field

<!-- Made by docs/list_broken_histories.py, which runs them; do not edit by hand. -->

These are the ways in which saved conversations break, as agents' issue trackers report them. Each is read once as a
list of the Messages API and once as one of Chat Completions, and sent to each of the eight dialects. *Valid* counts
the exports in which `check` finds nothing; *kept* the texts of the user, and the results of calls that are in the
list, that are on the wire, exactly once, in the worst of the exports. `tests/test_broken_histories.py` holds both to
all.

A result with an id that no call has (the wrong id) is the answer of the call that waits in its place: one result, one
call. Where no call waits, or their numbers differ (the orphan), it is taken out, and kept in the repair.
What other libraries make of the same histories is in [performance](performance-figures.md#valid-whole-and-stable).

| broken | how | repairs on reading | valid | kept |
|---|---|---|---|---|
"""


def on_the_wire(wire: list[Any], texts: list[str]) -> int:
    """Count the texts that are on the wire exactly once."""
    written = json.dumps(wire)
    return sum(written.count(json.dumps(text)[1:-1]) == 1 for text in texts)


def exports(case: Case) -> list[tuple[Dialect[Any], list[Any]]]:
    """Give what is sent of a case, from both forms, to every dialect."""
    histories = [MessageHistory.from_list(form) for form in (case.messages, as_chat(case.messages))]
    return [(dialect, history.for_send(dialect)) for history in histories for dialect in TARGETS]


def row(case: Case) -> tuple[str, bool]:
    """Write the row of a case; tell whether all of it is valid and lossless."""
    sent = exports(case)
    valid = sum(not check(wire, dialect) for dialect, wire in sent)
    texts = user_texts(case.messages) + known_results(case.messages)
    kept = min(on_the_wire(wire, texts) for _, wire in sent)
    codes = dict.fromkeys(repair.code.value for repair in MessageHistory.from_list(case.messages).repairs)
    repairs = ", ".join(f"`{code}`" for code in codes) or "none"
    line = f"| {case.name} | {case.shape} | {repairs} | {valid} of {len(sent)} | {kept} of {len(texts)} |\n"
    return line, valid == len(sent) and kept == len(texts)


def page() -> str:
    """Write the page.

    Returns:
        Markdown.
    """
    rows = [row(case) for case in CASES]
    good = sum(whole for _, whole in rows)
    foot = f"\nValid and lossless: **{good} of {len(rows)}**. A stub says: *{Policy().stub_text}*\n"
    return HEAD + "".join(line for line, _ in rows) + foot


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`, and the page if it is another than broken_histories.md.

    Returns:
        The exit code.
    """
    logging.getLogger("message_history").addHandler(logging.NullHandler())
    return write_or_check(PAGE, page(), "list_broken_histories.py", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
