"""Draw the card that other sites show of a link to this one: docs/pictures/card.png.

python docs/draw_card.py

It needs the dependency group `browser`, and Chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

PICTURES: Final = Path(__file__).with_name("pictures")
SIZE: Final = (1200, 630)
PAGE: Final = """<body style="margin:0;padding:48px 60px;background:#fff;font-family:system-ui,sans-serif;color:#222">
<div style="font-size:30px;color:#59636e">message-history</div>
<div style="font-size:46px;font-weight:700;margin:4px 0 26px">Your agent's conversation, never refused</div>
<div style="width:880px">{drawing}</div></body>"""


def main() -> None:
    """Draw it."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    drawing = (PICTURES / "session-light.svg").read_text(encoding="utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.set_content(PAGE.format(drawing=drawing))
        page.screenshot(path=PICTURES / "card.png")
        browser.close()


if __name__ == "__main__":
    main()
