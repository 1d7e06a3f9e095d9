"""A page opened from disk in Debian's Chromium, and what it complained about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page opened from disk, with everything it complained about."""

    def __init__(self, browser: Any, path: Path, width: int = 1440, **context: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **context)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.on("dialog", lambda d: (self.said.append("dialog"), d.dismiss()))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *error: object) -> None:
        self.context.close()

    def quiet(self) -> None:
        assert self.said == []
        assert len(self.requests) == 1  # the file itself

    def fits(self) -> bool:
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@contextmanager
def opened(path: Path, width: int = 1440, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield a page in a browser of its own, for one visit, and the list of all that it says."""
    with chromium() as browser, Opened(browser, path, width, **context) as found:
        yield found.page, found.said


def axe_findings(page: Any) -> list[str]:
    """Return what axe finds, the first place of each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found]
