"""A page in one file: its style and its one script are inside, and nothing else may be loaded or run."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from message_history.markup import Markup, element, text


@cache
def script_and_style() -> tuple[str, str]:
    assets = files(__package__) / "assets"
    script, style = ((assets / name).read_text(encoding="utf-8") for name in ("page.js", "page.css"))
    return script, style


def page(title: str, body: Markup, *, kind: str) -> bytes:
    script, style = script_and_style()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{text(title)}</title><style>{style}</style>"
    )
    inner = element("body", body, Markup(f"<script>{script}</script>"), class_=kind)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>{inner}</html>\n'.encode()


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
