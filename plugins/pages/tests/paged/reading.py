"""Reads a page as a browser would: its elements, and the text in each."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

VOID = {"br", "hr", "img", "input", "meta"}


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    """The ids of the elements around it, the outermost first."""


class Page(HTMLParser):
    """All elements of a page in order, its text, and the text of every element that has an id."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.text = ""
        self.text_in: dict[str, str] = {}
        self.unclosed: list[tuple[str, str]] = []
        self.raw: dict[str, str] = {}
        self.feed(page.decode())
        self.close()
        assert self.unclosed == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append(Element(tag, attributes, tuple(id for _, id in self.unclosed if id)))
        if tag not in VOID:
            self.unclosed.append((tag, attributes.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag = self.unclosed[-1][0] if self.unclosed else ""
        if tag in ("script", "style"):
            self.raw[tag] = self.raw.get(tag, "") + data
            return
        self.text += data
        for _, id in self.unclosed:
            if id:
                self.text_in[id] = self.text_in.get(id, "") + data

    def of_class(self, name: str) -> list[Element]:
        return [each for each in self.elements if name in each.attributes.get("class", "").split()]
