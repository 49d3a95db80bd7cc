"""Install the wheels of a folder with what their tests need, and remove the sources: the tests use the wheels."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def main(folder: str) -> None:
    """Install the wheels that the folder holds."""
    wheels = sorted(Path(folder).glob("*.whl"))
    named = [f"{wheel}[dev]" if wheel.name.startswith("message_history-") else str(wheel) for wheel in wheels]
    subprocess.run([sys.executable, "-m", "pip", "install", *named], check=True)
    for source in (Path("src"), *Path("plugins").glob("*/src")):
        shutil.rmtree(source)


if __name__ == "__main__":
    main(sys.argv[1])
