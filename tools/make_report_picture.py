"""Write docs/report.png: the first and fourth section of the report of a tree of the votes, in a browser.

    python tools/make_report_picture.py

Needs playwright, Chromium and pillow. Knows nothing of the page but the names of its sections.
"""

from __future__ import annotations

import io
import shutil
from importlib import resources
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import tallystick as ts

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "report.png"
VOTES = resources.files("tallystick.examples") / "votes.csv"
WIDE, TALL = 1120, 1740
HIDDEN = "#data, #methods, #what-if, #rows, #use, footer, .others { display: none; }"


def main() -> None:
    """Make the report, show it, and save what is seen in few colours."""
    page_text = ts.report(str(VOTES), "party", methods=["tree"]).html
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": WIDE, "height": TALL}, bypass_csp=True)
        page = context.new_page()
        page.set_content(page_text)
        page.add_style_tag(content=HIDDEN)
        page.select_option("#follow", "0")
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(96).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
