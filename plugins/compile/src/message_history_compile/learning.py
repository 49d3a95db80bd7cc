"""What a model will learn of a row: its pieces, each with what it is to the trainer, counted and sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from message_history_compile.targets.base import Target
    from message_history_compile.turns import Turn

SAMPLE: Final = 30
"""How many rows are shown; those whose hashes are the least, so that they are the same in every run."""
OF_EACH: Final = 2
"""How many rows are shown besides of each kind of repair, and with a piece that is masked or synthetic."""
LONGEST: Final = 4000
"""How much of a piece is shown."""
KINDS: Final = ("learned", "masked", "synthetic", "context")


@final
class Piece(NamedTuple):
    """A message of a row.

    Args:
        kind: `learned`, `masked`, `synthetic`, or `context`, which no trainer learns.
    """

    role: str
    kind: str
    text: str

    def values(self) -> dict[str, Any]:
        """Return it as JSON values, shortened."""
        short = self.text if len(self.text) <= LONGEST else f"{self.text[:LONGEST]} …"
        return {"role": self.role, "kind": self.kind, "characters": len(self.text), "text": short}


def pieces_of(turns: Iterable[Turn], target: Target) -> tuple[Piece, ...]:
    """Give the pieces of a row, in order."""
    return tuple(Piece(turn.role, _kind(turn, target), _text(turn)) for turn in turns)


def count_pieces(
    pieces: Sequence[Piece], counts: Sequence[int], by_kind: dict[str, int], lengths: dict[str, int]
) -> None:
    """Add the lengths of a row's pieces to those of others, by what they are to the trainer, and its own by size."""
    for piece, count in zip(pieces, counts, strict=True):
        by_kind[piece.kind] = by_kind.get(piece.kind, 0) + count
    length = bucket(sum(counts))
    lengths[length] = lengths.get(length, 0) + 1


def bucket(length: int) -> str:
    """Name the power of two that a length reaches: the lengths from there to the next."""
    return str(1 << (length.bit_length() - 1)) if length else "0"


@final
class Sampler:
    """Chooses the rows that are shown: a few of all, and a few of each kind of repair."""

    def __init__(self) -> None:
        self._chosen: dict[str, dict[str, dict[str, Any]]] = {}

    def add(self, digest: str, split: str, receipt: dict[str, Any], pieces: Sequence[Piece]) -> None:
        """Look at a row that was made."""
        names = _names(receipt, {piece.kind for piece in pieces})
        places = [name for name in names if self._has_place(name, digest)]
        if places:
            values = {
                "split": split,
                "digest": digest,
                "receipt": receipt,
                "pieces": [piece.values() for piece in pieces],
            }
            self._put(values, places)

    def join(self, values: Sequence[dict[str, Any]]) -> None:
        """Add what another sampler chose."""
        for each in values:
            names = _names(each["receipt"], {piece["kind"] for piece in each["pieces"]})
            self._put(each, [name for name in names if self._has_place(name, each["digest"])])

    def values(self) -> list[dict[str, Any]]:
        """Return what was chosen, by hash."""
        rows = {digest: row for chosen in self._chosen.values() for digest, row in chosen.items()}
        return [rows[digest] for digest in sorted(rows)]

    def _has_place(self, name: str, digest: str) -> bool:
        chosen = self._chosen.setdefault(name, {})
        return digest not in chosen and (len(chosen) < _most(name) or digest < max(chosen))

    def _put(self, values: dict[str, Any], places: Iterable[str]) -> None:
        for name in places:
            chosen = self._chosen[name]
            chosen[values["digest"]] = values
            if len(chosen) > _most(name):
                del chosen[max(chosen)]


def _names(receipt: dict[str, Any], kinds: set[str]) -> list[str]:
    """Name what a row is chosen for."""
    return ["", *sorted({repair["code"] for repair in receipt["repairs"]} | (kinds & {"masked", "synthetic"}))]


def _most(name: str) -> int:
    return OF_EACH if name else SAMPLE


def _kind(turn: Turn, target: Target) -> str:
    if turn.synthetic:
        return "synthetic"
    if turn.role != "assistant":
        return "context"
    return "learned" if turn.train or not target.masks else "masked"


def _text(turn: Turn) -> str:
    if not (turn.calls or turn.parts or turn.reasoning):
        return turn.text
    calls = [f"{call.name}({call.arguments})" for call in turn.calls]
    media = [f"[{type(part).__name__}]" for part in turn.parts if not hasattr(part, "text")]
    return "\n".join(filter(None, (turn.reasoning, turn.text, *media, *calls)))
