"""What a page is made from, for a small table and each method."""

from __future__ import annotations

from functools import cache

import pytest
from opened import chromium
from report_pages import MAKERS

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.judge.api import candidates_of, compare_read
from tallystick.judge.crossval import FoldOptions
from tallystick.reports.context import PageData

KINDS = {"wind": "levels", "temp": "numeric", "<b>": "levels"}


def rows() -> list[dict[str, object]]:
    """Sixty days: a weak wind is played in, mostly; the temperature tells a little."""
    out = []
    for i in range(60):
        wind = None if i % 20 == 7 else ("weak", "strong")[i % 2]
        play = "yes" if (wind == "weak") != (i % 15 == 4 or i == 27) else "no"
        out.append(
            {
                "wind": wind,
                "temp": i % 7 + (2.0 if play == "yes" else 0.0),
                "<b>": "pq"[i % 3 > 1],
                "play": play,
            }
        )
    return out


@cache
def made(method: str, raw: bool = True) -> PageData:
    table = ts.NaiveBayes(kinds=KINDS)._read(rows(), "play")
    described = describe_table("days.csv", table)
    found = compare_read(
        table, FoldOptions.of(3, None, None), candidates_of((method,), False, {"kinds": KINDS})
    )
    chosen = next(e for e in found.entries if e.family == method)
    found = type(found)(**{**{f: getattr(found, f) for f in found.__dataclass_fields__}, "chosen": chosen})
    texts = [{name: None if v is None else str(v) for name, v in row.items()} for row in rows()]
    return PageData("days", table, described, found, row=texts.__getitem__ if raw else None, folds=3)


@pytest.fixture(scope="session")
def given():
    """A function: the ingredients of a page whose chosen method is this one."""
    return made


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of a file; while it is open, no other can be, nor any loop of asyncio."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """A function: the path of a page by its name, and its report; made when asked for the first time."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def get(name):
        if name not in made:
            found = MAKERS[name]()
            made[name] = (folder / f"{name}.html", found)
            found.save(made[name][0])
        return made[name]

    return get
