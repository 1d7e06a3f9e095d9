"""Clean tables of texts, to be damaged: a shop's list of products, and real ones."""

from __future__ import annotations

import csv
import gzip
import io
import random
from dataclasses import dataclass
from pathlib import Path

from shared_tables import FOLDER, shared

REAL = (
    "adult/adult-train",
    "auto-mpg/auto-mpg",
    "boston-housing/housing",
    "breast-cancer/breast-cancer",
    "iris/iris",
    "house-votes-84/vote",
    "labor/labor",
    "sms-spam/sms-spam",
    "wine/wine",
    "zoo/zoo",
)
ROWS = 120  # of a real table
ADJECTIVES = ["Warm", "Light", "Sturdy", "Foldable", "Woven", "Quiet", "Bright", "Plain", "Deep", "Short"]
THINGS = ["Lamp", "Kettle", "Blanket", "Stool", "Jacket", "Rope", "Basket", "Tent", "Bowl", "Cap"]
USES = ["long winters", "short walks", "wet days", "small rooms", "old houses", "early trains"]


@dataclass(frozen=True)
class Clean:
    """A table of texts."""

    name: str
    names: list[str]
    rows: list[list[str]]
    quoted: frozenset[int] = frozenset()  # columns that are always quoted

    def cell(self, text: str, j: int, quote: str = '"', sep: str = ",", escape: str | None = None) -> str:
        """Return a cell as it is written."""
        if j not in self.quoted and not any(c in text for c in (sep, quote, "\n", "\r")):
            return text
        return quote + text.replace(quote, (escape or quote) + quote) + quote

    def line(self, row: list[str], quote: str = '"', sep: str = ",", escape: str | None = None) -> str:
        """Return a row as it is written."""
        return sep.join(self.cell(text, j, quote, sep, escape) for j, text in enumerate(row))

    def lines(self, **style: str) -> list[str]:
        """Return all lines, the header first."""
        header = Clean(self.name, self.names, []).line(self.names, **style)
        return [header, *(self.line(row, **style) for row in self.rows)]


def shop(rows: int = 84, seed: int = 5) -> Clean:
    """Return a shop's list of products."""
    rng = random.Random(seed)
    names = ["DATE", "TIME", "Qty", "CODE", "Price", "Title", "Description", "Link", "Comments"]
    out = []
    for i in range(rows):
        day, month = 1 + i % 28, 1 + i // 28
        code = f"{rng.choice('ABCHKRZ')}{rng.choice('INYH')}-{rng.randrange(1000, 9999)}"
        thing = f"{rng.choice(ADJECTIVES)} {rng.choice(THINGS)}"
        size = rng.choice(["", ", Large", ' 10"', ", Two-Pack", "", ""])
        text = (
            f"This {thing.lower()} is made for {rng.choice(USES)} and {rng.choice(USES)}"
            f"{rng.choice(['', ', by hand', ', with care', ''])}. It weighs {rng.randrange(2, 90)} "
            f"{rng.choice(['ounces', 'grams'])}, and we won't say more."
        )
        out.append(
            [
                f"{day:02d}/{month:02d}/2021",
                f"{i // 4 % 24:02d}:{i % 4 * 15:02d}",
                str(rng.choice([0, 1, 1, 2, 3, 9, 12, 15])),
                code,
                f"${rng.randrange(90, 9999) / 100:.2f}",
                thing + size,
                text if rng.random() < 0.8 else text.replace(",", " and"),
                f"https://shop.example.org/item/{code.replace('-', '_')}.html",
                "",
            ]
        )
    return Clean("shop", names, out, frozenset({7}))


def real(name: str) -> Clean:
    """Return some rows of a real table."""
    with gzip.open(shared(name), "rt", encoding="utf-8", newline="") as text:
        names, *rows = csv.reader(text)
    step = max(len(rows) // ROWS, 1)
    some = [[cell.replace("\r", " ").replace("\n", " ") for cell in row] for row in rows[::step][:ROWS]]
    return Clean(name.split("/")[1], names, some)


def example(name: str) -> Clean:
    """Return a table that comes with the package."""
    from tallystick import examples

    text = Path(examples.__file__).with_name(f"{name}.csv").read_text(encoding="utf-8")
    names, *rows = csv.reader(io.StringIO(text))
    return Clean(name, names, rows[:ROWS])


def tables() -> list[Clean]:
    """Return the shop and all real tables that are there."""
    there = [real(name) for name in REAL] if FOLDER else []
    return [shop(), *there, example("household-survey"), example("votes")]
