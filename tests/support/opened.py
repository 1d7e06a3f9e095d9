"""A page opened from disk in Debian's Chromium, and what it complained about; for pages with one visit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")


@contextmanager
def opened(path: Path, width: int = 1440, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield the page and the list of all that it says."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": width, "height": 900}, **context).new_page()
        said: list[str] = []
        page.on("console", lambda m: said.append(m.text))
        page.on("pageerror", lambda e: said.append(str(e)))
        page.goto(path.as_uri())
        yield page, said
        browser.close()


def axe_findings(page: Any) -> list[str]:
    """Return what axe finds, the first place of each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found]
