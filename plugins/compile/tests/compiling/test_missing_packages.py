"""A module that needs an extra says which one to install."""

from __future__ import annotations

import runpy
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("arrow", "pyarrow", "arrow"),
        ("templates", "message_history_measure", "templates"),
        ("engines.datasets", "pyarrow", "datasets"),
        ("engines.duckdb", "pyarrow", "duckdb"),
        ("engines.polars", "polars", "polars"),
        ("engines.ray", "pyarrow", "ray"),
        ("engines.spark", "pyspark", "spark"),
    ],
)
def test_a_module_without_its_package_says_which_extra_to_install(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    # Where all packages are there, another test may have imported the module.
    monkeypatch.delitem(sys.modules, f"message_history_compile.{module}", raising=False)
    with pytest.raises(ModuleNotFoundError) as caught:
        runpy.run_module(f"message_history_compile.{module}")
    # Where another package of the extra is not installed either, it may be named first.
    assert str(caught.value).endswith(f" is not installed; run: pip install 'message-history-compile[{extra}]'")
    assert caught.value.name
