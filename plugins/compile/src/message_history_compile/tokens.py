"""Lengths in tokens of a user's tokenizer. Only here is tokenizers imported."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from message_history.extras import needs_extra

with needs_extra("tokens", "message-history-compile"):
    from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE: Final = "tokenizer.json"


def tokenizer_file(path: str) -> Path:
    """Find the file of a tokenizer, in its folder or by its own name. Raises `FileNotFoundError`."""
    found = Path(path) / _FILE if Path(path).is_dir() else Path(path)
    if not found.is_file():
        raise FileNotFoundError(f"{path}: there is no tokenizer; name a {_FILE}, or the folder that it is in")
    return found


def token_counts(path: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of texts, without those that a template puts around them."""
    return [len(each.ids) for each in _tokenizer(path).encode_batch(list(texts), add_special_tokens=False)]


@lru_cache(maxsize=2)
def _tokenizer(path: str) -> Tokenizer:
    return Tokenizer.from_file(str(tokenizer_file(path)))
