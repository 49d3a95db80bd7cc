"""Conversations compiled to what trainers and evaluators take: repaired rows with receipts, on one machine or many."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from message_history_compile.arrow import repair_batch, schema_of
    from message_history_compile.plan import Plan
    from message_history_compile.processes import run_in_processes
    from message_history_compile.running import CompileReport, compile_files
    from message_history_compile.targets import TARGETS
    from message_history_compile.templates import read_template

__all__ = [
    "TARGETS",
    "CompileReport",
    "Plan",
    "compile_files",
    "read_template",
    "repair_batch",
    "run_in_processes",
    "schema_of",
]

_PLACES: Final = {
    "TARGETS": "targets",
    "CompileReport": "running",
    "Plan": "plan",
    "compile_files": "running",
    "read_template": "templates",
    "repair_batch": "arrow",
    "run_in_processes": "processes",
    "schema_of": "arrow",
}

if not TYPE_CHECKING:
    # A type checker takes any name from a module that has a `__getattr__`.

    def __getattr__(name: str) -> object:
        """Import what is asked for: some of it needs an extra."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
