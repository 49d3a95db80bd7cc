"""The page that shows what a model will learn, of one size for any number of rows."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from message_history.markup import Markup, element, join, text
from message_history_compile.learning import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WORDS: Final = {
    "learned": "learned: the trainer puts labels on it",
    "masked": "masked: the model sees it, and does not learn it",
    "synthetic": "written by the library, and marked or masked",
    "context": "context: no trainer learns it",
}
_OPEN: Final = 3
"""How many of the rows are unfolded."""
_STYLE: Final = """
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}meter{width:14rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0;font:13px/1.45 ui-monospace,monospace}
.piece{border-left:.4rem solid;padding:.1rem .7rem;margin:.3rem 0}.piece>b{font-size:12px;font-weight:600}
.learned{border-color:#1a7f37;background:#1a7f3722}.masked{border-color:#9a6700;background:#9a670022}
.synthetic{border-color:#cf222e;background:#cf222e22}.context{border-color:#8888;background:#8881}
details{margin:.6rem 0;border:1px solid #8886;border-radius:6px;padding:.4rem .8rem}summary{cursor:pointer}
.repair{color:#bc4c00}
"""


def page_of(values: Mapping[str, Any]) -> bytes:
    """Write the page from its counts."""
    rows = sum(values["rows"].values())
    unit = "tokens" if values["tokens"] else "characters"
    share = values[unit]["learned"] / max(sum(values[unit].values()), 1)
    in_tokens = (
        _table("Tokens of your tokenizer, by what they are to the trainer", values["tokens"]),
        _table("Lengths of rows in tokens: this many, up to twice as many", values["token_lengths"]),
    )
    body = join(
        (
            element("h1", "What your model will learn"),
            element(
                "p",
                f"{rows:,} rows for {values['target']}, {values['repaired']:,} of them repaired, "
                f"{sum(values['rejected'].values()):,} conversations rejected. "
                f"{share:.1%} of all {unit} are learned.",
            ),
            element("ul", *(element("li", _WORDS[kind], class_=f"piece {kind}") for kind in KINDS)),
            *(in_tokens if values["tokens"] else ()),
            _table("Characters, by what they are to the trainer", values["characters"]),
            _table("Rows, by split", values["rows"]),
            _table("Lengths of rows in characters: this many, up to twice as many", values["lengths"]),
            _table("Repairs, by code", values["repairs"]),
            _table("Rejected, by reason", values["rejected"]),
            element("h2", f"{len(values['sample']):,} rows of them"),
            element(
                "p",
                "Chosen by the hash of their content; two of each kind of repair, with a mask, with a synthetic piece.",
            ),
            *(_row(row, is_open=n < _OPEN) for n, row in enumerate(sorted(values["sample"], key=_is_usual))),
        )
    )
    policy = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What your model will learn</title><style>{_STYLE}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'.encode()


def _table(title: str, counts: Mapping[str, int]) -> Markup:
    if not counts:
        return join((element("h2", title), element("p", "None.")))
    most = max(counts.values())
    rows = [
        element(
            "tr",
            element("td", name),
            element("td", f"{count:,}", class_="n"),
            element("td", element("meter", min=0, max=max(most, 1), value=count)),
        )
        for name, count in counts.items()
    ]
    return join((element("h2", title), element("table", *rows)))


def _is_usual(row: Mapping[str, Any]) -> bool:
    """Return whether nothing of a row needs a look: others come first."""
    return not row["receipt"]["repairs"] and all(piece["kind"] in ("learned", "context") for piece in row["pieces"])


def _row(row: Mapping[str, Any], *, is_open: bool) -> Markup:
    receipt = row["receipt"]
    place = receipt["label"] if receipt["byte"] is None else f"byte {receipt['byte']:,}"
    head = f"{row['split']}: {receipt['source']} {place} ({receipt['format']}, {receipt['dialect']})"
    repairs = [
        element("li", f"{each['code']} ({each['severity']}): {each['detail']}", class_="repair")
        for each in receipt["repairs"]
    ]
    return element("details", element("summary", head), element("ul", *repairs), *_pieces(row["pieces"]), open=is_open)


def _pieces(pieces: Iterable[Mapping[str, Any]]) -> Iterable[Markup]:
    for each in pieces:
        label = element("b", f"{each['role']} · {each['kind']} · {each['characters']:,} characters")
        yield element("div", label, element("pre", text(each["text"])), class_=f"piece {each['kind']}")
