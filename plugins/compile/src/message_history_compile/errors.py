"""Why a conversation becomes no row."""

from __future__ import annotations

from typing import final


@final
class CannotCompileError(ValueError):
    """A conversation that a target has no form for; the text says why.

    Args:
        code: names the reason; it does not change its meaning.
        why: the same in words.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why

    def __reduce__(self) -> tuple[type[CannotCompileError], tuple[str, str]]:
        return CannotCompileError, (self.code, self.why)
