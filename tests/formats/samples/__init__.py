"""Small files of each format, made by hand, in one module for each module of `message_history.formats`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.formats.story import Sample

SAMPLES: tuple[Sample, ...] = tuple(
    sample for module in iter_modules(__path__, f"{__name__}.") for sample in import_module(module.name).SAMPLES
)
