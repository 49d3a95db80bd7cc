"""Install the one wheel of a folder with what its tests need, and remove the sources: the tests use the wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def main(folder: str) -> None:
    """Install the wheel that the folder holds."""
    (wheel,) = Path(folder).glob("*.whl")
    subprocess.run([sys.executable, "-m", "pip", "install", f"{wheel}[dev]"], check=True)
    shutil.rmtree("src")


if __name__ == "__main__":
    main(sys.argv[1])
