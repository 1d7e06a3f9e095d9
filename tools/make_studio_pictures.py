"""Write docs/studio-data.png, studio-methods.png and studio-tree.png: the studio at work on the votes.

    python tools/make_studio_pictures.py

Needs playwright, Chromium and pillow. Knows nothing of the page but the names of its sections.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).resolve().parent.parent / "docs"
VOTES = resources.files("tallystick.examples") / "votes.csv"
WIDE = 1120
SHORT = "#columns tbody tr:nth-child(n + 8), #tests tbody tr:nth-child(n + 6), footer { display: none; }"


def main() -> None:
    """Run a studio, do the job, and save what is seen in few colours."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(str(VOTES), folder)
        command = [sys.executable, "-m", "tallystick.cli", "studio", "votes.csv", "--no-browser"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            show(server.stdout.readline().strip())
        finally:
            server.terminate()
            server.wait()


def show(address: str) -> None:
    """Do the job in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": WIDE, "height": 900}, bypass_csp=True).new_page()
        page.goto(address)
        page.select_option("#target", "party")
        page.wait_for_selector("#columns .legend")
        page.add_style_tag(content=SHORT)
        keep(page, "studio-data.png", "header", "#data")
        page.click("#choose button[type=submit]")
        page.wait_for_selector("#save-view pre")
        page.wait_for_selector("#status", state="hidden")
        page.locator("#threshold").fill("20")
        keep(page, "studio-methods.png", "#methods", "#methods")
        page.select_option("#look", "decision tree")
        page.wait_for_selector("#model-name:has-text('decision tree')")
        page.wait_for_selector("#prunings")
        page.click("#begin-hand")
        page.wait_for_selector("#hand-score")
        page.click('[data-node="0"]')
        page.click('[data-ask="physician-fee-freeze"]')
        page.wait_for_selector("#hand-score:has-text('2 leaves')")
        page.click('[data-node="2"]')
        page.wait_for_selector("#tests")
        keep(page, "studio-tree.png", "#model", "#model")
        browser.close()


def keep(page: Page, name: str, first: str, last: str) -> None:
    """Save the page from the top of one element to the end of another."""
    boxes = [page.locator(place).bounding_box() for place in (first, last)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    top, end = (
        boxes[0]["y"] + page.evaluate("scrollY"),
        boxes[1]["y"] + boxes[1]["height"] + page.evaluate("scrollY"),
    )
    clip = {"x": 0, "y": top, "width": WIDE, "height": end - top}
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip)))
    picture.convert("RGB").quantize(96).save(DOCS / name, optimize=True)


if __name__ == "__main__":
    main()
