"""What is released is built by tools that are named by hash, before anything else runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.needs import reads_sources

pytestmark = reads_sources
ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github"
RELEASE = (FOLDER / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_every_action_of_a_release_is_named_by_its_commit() -> None:
    used = re.findall(r"uses: (\S+)", RELEASE)
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_a_release_is_built_first_and_alone() -> None:
    jobs = re.split(r"^  (\w+):\n", RELEASE.partition("jobs:\n")[2], flags=re.MULTILINE)
    build = dict(zip(jobs[1::2], jobs[2::2], strict=True))["build"]
    assert jobs[1] == "build"
    assert "needs:" not in build
    assert ".ci/run" not in build
    assert "--no-isolation" in build


def test_every_tool_is_named_with_its_hash_and_from_nowhere() -> None:
    lines = [line for line in (FOLDER / "build-tools.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line)] == []
    assert RELEASE.count("pip install") == RELEASE.count("pip install --require-hashes --only-binary :all: -r .github/")


def test_all_distributions_have_one_version_which_begins_the_changelog() -> None:
    projects = [ROOT / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    versions = {tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"] for project in projects}
    assert len(projects) > 3
    [first] = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[:1]
    assert versions == {first}
    assert f"version: {first}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_long_description_links_to_files_of_the_release(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT], check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        [name] = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = opened.read(name).decode()
    version = metadata.partition("\nVersion: ")[2].partition("\n")[0]
    links = re.findall(r'(?:\]\(|srcset="|src=")([^)"]+)', metadata.partition("\n\n")[2])
    assert len(links) > 20
    for link in links:
        address = urlsplit(link)
        assert address.scheme == "https", link
        if f"/v{version}/" in address.path:
            assert (ROOT / address.path.partition(f"/v{version}/")[2]).exists(), link
