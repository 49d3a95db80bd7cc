"""List the repair codes, with what each of them means, from the enum in `repairs.py`, as repair_codes.md.

python docs/list_codes.py           writes the page
python docs/list_codes.py --check   only tells whether it is current: exit code 1 if not
"""

from __future__ import annotations

import ast
import inspect
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_or_check

from message_history.core.messages.repairs import RepairCode, Severity

if TYPE_CHECKING:
    from enum import Enum

PAGE = Path(__file__).with_name("repair_codes.md")
HEAD = """\
# Repair codes

<!-- Made by docs/list_codes.py from RepairCode; do not edit by hand. -->

Every change that a history or an export makes is one `Repair` with a code, a position, what was removed and what was
added. A code never changes its meaning, and never its severity.
"""


def meanings(enum: type[Enum]) -> dict[str, str]:
    """Read the sentence after each member of an enum.

    Args:
        enum: the enum.

    Returns:
        The sentences by the members' names; a member without one is missing.
    """
    statements = [statement for node in ast.parse(inspect.getsource(enum)).body for statement in _inside(node)]
    found: dict[str, str] = {}
    for member, sentence in pairwise(statements):
        if isinstance(member, ast.Assign) and isinstance(sentence, ast.Expr):
            (target,) = member.targets
            if isinstance(target, ast.Name) and isinstance(sentence.value, ast.Constant):
                found[target.id] = inspect.cleandoc(str(sentence.value.value))
    return found


def _inside(node: ast.stmt) -> list[ast.stmt]:
    return node.body if isinstance(node, ast.ClassDef) else []


def page() -> str:
    """Write the page.

    Returns:
        Markdown.
    """
    parts = [HEAD]
    sentences, kinds = meanings(RepairCode), meanings(Severity)
    for severity in Severity:
        parts.append(f"\n## {severity.value.capitalize()}\n\n{kinds[severity.name]}\n\n| code | meaning |\n|---|---|\n")
        codes = [code for code in RepairCode if code.severity is severity]
        parts += [f"| `{code.value}` | {' '.join(sentences[code.name].split())} |\n" for code in codes]
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Write, or check.

    Args:
        arguments: `--check`, and the page if it is another than repair_codes.md.

    Returns:
        The exit code.
    """
    return write_or_check(PAGE, page(), "list_codes.py", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
