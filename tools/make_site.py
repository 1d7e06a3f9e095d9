"""Build the documentation site of this version into build/site/VERSION, beside those of other versions.

    python tools/make_site.py [--serve]

Needs the `site` extra. build/site/versions.json lists the versions for the site's own menu, and
build/site/index.html leads to the newest. Nothing is loaded from outside, so search works without a network:
--serve shows the site on this machine. Publish the folder as it is.
"""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"


def version() -> str:
    """Return the version of the tree, as far as its minor number: 0.2 of 0.2.0."""
    text = (ROOT / "src" / "tallystick" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(\d+\.\d+)', text, re.MULTILINE)
    assert found is not None
    return found[1]


def build(target: Path) -> None:
    """Run Zensical, for which a warning is an error, and put the pages in their place."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", "mkdocs.yml"]
    subprocess.run(command, check=True, cwd=ROOT)
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(ROOT / "build" / "pages", target)


def list_versions(site: Path) -> list[str]:
    """Write what the menu of versions reads, and the page that leads to the newest; return them in order."""
    names = [p.name for p in site.iterdir() if re.fullmatch(r"\d+\.\d+", p.name)]
    found = sorted(names, key=_order, reverse=True)
    menu = [{"version": name, "title": name, "aliases": []} for name in found]
    menu[0]["aliases"] = ["latest"]
    (site / "versions.json").write_text(json.dumps(menu), encoding="utf-8")
    page = f'<!doctype html><title>Tallystick</title><meta http-equiv="refresh" content="0; url={found[0]}/">'
    (site / "index.html").write_text(page, encoding="utf-8")
    return found


def _order(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


def main(args: list[str]) -> int:
    """Build, list and, where it is asked for, show."""
    build(SITE / version())
    print(f"{SITE.relative_to(ROOT)}: {', '.join(list_versions(SITE))}")
    if "--serve" in args:
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=SITE)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 8000), handler) as server:
            print("http://127.0.0.1:8000/")
            server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
