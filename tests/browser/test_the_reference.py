"""Every method and property of every public class can be linked to on the built site, inherited ones too."""

from __future__ import annotations

import inspect
import os
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

from tests.docs.test_site_pages import PUBLIC

WRITTEN = (property, cached_property, classmethod, staticmethod)
CLASSES = {
    f"{module}.{name}": getattr(import_module(module), name)
    for module in PUBLIC
    for name in import_module(module).__all__
    if inspect.isclass(getattr(import_module(module), name))
}


def members(kind: type) -> set[str]:
    """Name what has a docstring of its own or of a base; fields stand in the list of what the class takes."""
    ours = [each for each in kind.__mro__ if each.__module__.startswith("message_history")]
    return {
        name
        for each in ours
        for name, member in vars(each).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, WRITTEN))
    }


@pytest.mark.parametrize("path", CLASSES)
def test_every_method_of_a_public_class_has_an_anchor(path: str) -> None:
    site = os.environ.get("MESSAGE_HISTORY_SITE")
    if site is None:
        pytest.skip("MESSAGE_HISTORY_SITE names no built site")
    pages = "".join(page.read_text(encoding="utf-8") for page in Path(site, "reference").rglob("index.html"))
    found = set(re.findall(rf'id="message_history[\w.]*\.{path.rpartition(".")[2]}\.(\w+)"', pages))
    assert members(CLASSES[path]) - found == set()


def test_what_is_used_most_is_looked_for() -> None:
    assert {"awaiting", "calls", "repairs", "policy", "system", "usage"} <= members(
        CLASSES["message_history.MessageHistory"]
    )
