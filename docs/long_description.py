"""The README as the long description of the distribution: its links lead to the repository, at the release's tag."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK: Final = re.compile(r'(\]\(|srcset="|src=")(?!https?:|#)([^)"]+)')
"""A link or a picture whose target is in the repository."""


class LongDescription(MetadataHookInterface):
    """Writes the long description when a distribution is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the metadata."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = f"{metadata['urls']['Source']}/blob/v{metadata['version']}/"
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, source)}


def absolute(text: str, source: str) -> str:
    """Let links and pictures lead to the files in the repository.

    Args:
        text: Markdown whose links are relative to the root of the repository.
        source: the address of the root, with a slash at its end; `raw` takes the place of `blob` for pictures.

    Returns:
        The same Markdown, with absolute links.
    """
    pictures = source.replace("/blob/", "/raw/")
    return LINK.sub(lambda link: f"{link[1]}{source if link[1] == '](' else pictures}{link[2]}", text)
