"""A generator of text tables as people bring them: kinds of damage, each with the table or error expected.

    python tests/support/damaged.py [files per kind]      prints the share handled as expected, per kind

A kind is a function of a random generator. A file is right when its cells are exactly the expected ones, or
when the one-line error says what it must. A wrong table without an error is the worst outcome: counted apart.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tallystick.errors import TallyError
from tallystick.io.open import read

NAMES = [
    "age",
    "income",
    "city",
    "name",
    "date",
    "color",
    "size",
    "weight",
    "note",
    "score",
    "group",
    "élan",
    "straße",
    "价格",
]
WORDS = [
    "red",
    "green",
    "blue",
    "Paris",
    "New-York",
    "München",
    "x1",
    "yes",
    "no",
    "maybe",
    "0",
    "7",
    "3.25",
    "-2",
    "1e3",
    "2020-01-31",
    "NA",
    "?",
]
STRICT = {"bad_rows": "error"}  # what polluted.py has repaired
SENTENCES = ["well, this is it", "a; b; c", "he said so", "tab\tinside", "pipe | here", "two words"]


@dataclass
class Case:
    """A file, how to read it, and what must come out."""

    data: bytes
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    error: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Grid:
    """A table of texts."""

    names: list[str]
    rows: list[list[str]]

    def text(
        self, sep: str = ",", end: str = "\n", quoting: int = csv.QUOTE_MINIMAL, header: bool = True
    ) -> str:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting)
        if header:
            writer.writerow(self.names)
        writer.writerows(self.rows)
        return out.getvalue()

    def case(self, data: bytes | str, **options: Any) -> Case:
        return Case(
            data if isinstance(data, bytes) else data.encode(), self.names, self.rows, options=options
        )


def grid(
    rng: random.Random, *, sentences: bool = True, rows: int | None = None, width: int | None = None
) -> Grid:
    """A random table of words, numbers and some sentences; no row is all empty."""
    width = width or rng.randint(2, 7)
    names = rng.sample(NAMES, width) if width <= len(NAMES) else [f"c{j}" for j in range(width)]
    pools = [rng.sample(WORDS, 4) for _ in range(width)]
    count = rows or rng.choice([rng.randint(6, 60), rng.randint(6, 60), 6, 3, 2, 1])
    table = []
    for _ in range(count):
        row = [rng.choice(pool) if rng.random() < 0.9 else "" for pool in pools]
        if sentences and rng.random() < 0.3:
            row[rng.randrange(width)] = rng.choice(SENTENCES)
        if not any(cell.strip() for cell in row[1:]):
            row[1] = "word"
        row[0] = row[0] or "first"
        table.append(row)
    return Grid(names, table)


def lines_before(text: str, row: int) -> int:
    """The line on which data row `row` begins, from 1, for tables without newlines in cells."""
    return row + 2


# ---- kinds that give a table ----


def plain(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text())


def semicolons(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text(";"))


def tabs(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text("\t"))


def pipes(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text("|"))


def decimal_commas(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = f"{rng.randint(0, 999)},{rng.randint(0, 99):02d}"
        row[0] = f"{rng.randint(0, 9)},{rng.randint(0, 9)}"
    return g.case(g.text(";"))


def crlf(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text(end="\r\n"))


def cr(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text(end="\r"))


def mixed_line_ends(rng: random.Random) -> Case:
    g = grid(rng)
    lines = g.text().split("\n")
    return g.case("".join(line + rng.choice(["\n", "\r\n"]) for line in lines[:-1]))


def no_final_newline(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text().rstrip("\n"))


def byte_order_mark(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(b"\xef\xbb\xbf" + g.text().encode())


def utf16_with_mark(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text().encode("utf-16"))


def encoding_given(rng: random.Random) -> Case:
    g = grid(rng)
    g.names = [f"n{j}é" for j in range(len(g.names))]
    for row in g.rows:
        row[-1] = rng.choice(["café", "naïve", "München", "5€"])
    return g.case(g.text().encode("cp1252"), encoding="cp1252")


def all_quoted(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(g.text(rng.choice(",;\t"), quoting=csv.QUOTE_ALL))


def newlines_in_cells(rng: random.Random) -> Case:
    g = grid(rng)
    for row in g.rows:
        if rng.random() < 0.5:
            row[-1] = rng.choice(["line one\nline two", "\n", "a\n\nb", "end\n"])
    return g.case(g.text())


def doubled_quotes(rng: random.Random) -> Case:
    g = grid(rng)
    for row in g.rows:
        if rng.random() < 0.5:
            row[rng.randrange(len(row))] = rng.choice(['say "hi"', '"', '""', 'a "b", c', '"x'])
    return g.case(g.text())


def quotes_inside_cells(rng: random.Random) -> Case:
    g = grid(rng, rows=rng.randint(6, 60), sentences=False)
    lines = g.text().split("\n")
    for i in rng.sample(range(len(g.rows)), 3):
        g.rows[i][-1] = '5" pipe'
        lines[i + 1] = ",".join(g.rows[i])
    return g.case("\n".join(lines))


def ragged_skipped(rng: random.Random) -> Case:
    g = grid(rng, rows=rng.randint(6, 60), sentences=False)
    lines = g.text().split("\n")
    for _ in range(3):
        lines.insert(rng.randrange(2, len(lines) - 3), ",".join(["x"] * rng.choice([1, len(g.names) + 1])))
    return g.case("\n".join(lines), bad_rows="skip")


def preamble(rng: random.Random) -> Case:
    g = grid(rng, width=rng.randint(3, 6))
    above = rng.sample(
        ["Sales report", "Generated on 2020-01-31", "", "Source: the office", "all values in EUR"], 3
    )
    return g.case("\n".join([above[0] or "Title", *above[1:], ""]) + g.text())


def title_row(rng: random.Random) -> Case:
    g = grid(rng, width=rng.randint(3, 6))
    return g.case("Sales report" + "," * (len(g.names) - 1) + "\n" + g.text())


def comment_lines(rng: random.Random) -> Case:
    g = grid(rng, width=rng.randint(3, 6))
    return g.case("# made by a program\n# version 2, do not edit\n" + g.text())


def footer(rng: random.Random) -> Case:
    g = grid(rng, sentences=False, width=rng.randint(3, 6))
    below = rng.choice(
        ["Total,12\n", "Source: the office\n", "\nTotal: 12 rows\n", "Total" + "," * (len(g.names) - 2)]
    )
    return g.case(g.text() + below)


def empty_lines(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    lines = g.text().split("\n")
    for _ in range(4):
        lines.insert(rng.randrange(1, len(lines)), "")
    return g.case("\n".join(lines) + "\n\n\n")


def huge_cell(rng: random.Random) -> Case:
    g = grid(rng)
    g.rows[rng.randrange(len(g.rows))][-1] = "lorem, ipsum " * 40_000
    return g.case(g.text())


def packed(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(gzip.compress(g.text().encode()))


def numbers_without_header(rng: random.Random) -> Case:
    width = rng.randint(2, 6)
    rows = [[str(rng.randint(0, 99)) for _ in range(width)] for _ in range(20)]
    g = Grid([f"column_{j + 1}" for j in range(width)], rows)
    return g.case(g.text(header=False))


def wide(rng: random.Random) -> Case:
    g = grid(rng, width=600, rows=12)
    return g.case(g.text())


def long_file(rng: random.Random) -> Case:
    g = grid(rng, rows=30_000, width=5)
    return g.case(g.text())


def one_column(rng: random.Random) -> Case:
    g = Grid(["note"], [[rng.choice(["fine day", "rain all day long", "sun", "5", "no"])] for _ in range(30)])
    return g.case(g.text())


def header_only(rng: random.Random) -> Case:
    g = Grid(rng.sample(NAMES, 4), [])
    return g.case(g.text())


def separator_at_line_ends(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    wide_rows = [[*row, ""] for row in g.rows]
    name = f"column_{len(g.names) + 1}"
    return Case(Grid([*g.names, ""], wide_rows).text().encode(), [*g.names, name], wide_rows)


def empty_name(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    data = Grid(["", *g.names[1:]], g.rows).text()
    return Case(data.encode(), ["column_1", *g.names[1:]], g.rows)


# ---- kinds that give an error ----


def utf16_without_mark(rng: random.Random) -> Case:
    g = grid(rng)
    g.names = [f"name{j}" for j in range(len(g.names))]
    return Case(g.text().encode("utf-16-le"), error="encoding='utf-16-le'")


def latin1(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    g.names = [f"n{j}" for j in range(len(g.names))]
    row = rng.randrange(len(g.rows))
    for other in g.rows:
        other[:] = [cell if cell.isascii() else "x" for cell in other]
    g.rows[row][-1] = "café"
    return Case(g.text().encode("cp1252"), error=rf"\(line {row + 2:,}\) is 0xE9.*encoding='cp1252'")


def unclosed_quote(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    row = rng.randrange(len(g.rows))
    lines = g.text().split("\n")
    lines[row + 1] = ",".join([*g.rows[row][:-1], '"open'])
    error = f"opened in line {row + 2:,} that is never closed"
    return Case("\n".join(lines).encode(), error=error, options=STRICT)


def stray_quote(rng: random.Random) -> Case:
    g = grid(rng, sentences=False, rows=rng.randint(12, 60))
    row = rng.randrange(len(g.rows) // 2)
    lines = g.text().split("\n")
    lines[row + 1] = ",".join(['"open', *g.rows[row][1:]])
    lines[row + 5] = ",".join([*g.rows[row + 4][:-1], '"closed"'])
    return Case("\n".join(lines).encode(), error=f"opened in line {row + 2:,} goes on", options=STRICT)


def short_row(rng: random.Random) -> Case:
    g = grid(rng, rows=rng.randint(6, 60), sentences=False, width=rng.randint(3, 7))
    row = rng.randrange(1, len(g.rows) - 1)
    lines = g.text().split("\n")
    lines[row + 1] = ",".join(g.rows[row][:-1])
    error = rf"1 row that does not have.*line {row + 2:,};"
    return Case("\n".join(lines).encode(), error=error, options=STRICT)


def long_rows(rng: random.Random) -> Case:
    g = grid(rng, rows=rng.randint(6, 60), sentences=False)
    chosen = sorted(rng.sample(range(len(g.rows)), 3))
    lines = g.text().split("\n")
    for row in chosen:
        lines[row + 1] += ",extra"
    named = ", ".join(f"{row + 2:,}" for row in chosen)
    return Case("\n".join(lines).encode(), error=rf"3 rows that do not have.*lines {named};", options=STRICT)


def nul_byte(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    row = rng.randrange(len(g.rows))
    g.rows[row][0] = "a\0b"
    out = "\n".join(",".join(cells) for cells in [g.names, *g.rows])
    return Case(out.encode(), error=f"NUL byte in line {row + 2:,}", options=STRICT)


def repeated_name(rng: random.Random) -> Case:
    g = grid(rng)
    g.names[-1] = g.names[0]
    return Case(g.text().encode(), error=rf"2 columns called.*positions 1, {len(g.names)}")


def cut_gz(rng: random.Random) -> Case:
    g = grid(rng)
    return Case(gzip.compress(g.text().encode())[: -rng.randint(9, 30)], error="damaged gz file")


def spaces_between(rng: random.Random) -> Case:
    rows = "\n".join(" ".join(rng.choice(["a", "b", "7"]) for _ in range(4)) for _ in range(20))
    return Case(("p q r s\n" + rows).encode(), error="Pass sep=' '", options=STRICT)


def nothing(rng: random.Random) -> Case:
    return Case(rng.choice([b"", b"\n\n", b"\r\n", b"\xef\xbb\xbf"]), error="empty")


TABLES: list[Callable[[random.Random], Case]] = [
    plain, semicolons, tabs, pipes, decimal_commas, crlf, cr, mixed_line_ends, no_final_newline,
    byte_order_mark, utf16_with_mark, encoding_given, all_quoted, newlines_in_cells, doubled_quotes,
    quotes_inside_cells,
    ragged_skipped, preamble, title_row, comment_lines, footer, empty_lines, huge_cell, packed,
    numbers_without_header, wide, long_file, one_column, header_only, separator_at_line_ends, empty_name,
]  # fmt: skip
ERRORS: list[Callable[[random.Random], Case]] = [
    utf16_without_mark, latin1, unclosed_quote, stray_quote, short_row, long_rows, nul_byte, repeated_name,
    cut_gz, spaces_between, nothing,
]  # fmt: skip
FEW = {long_file: 3, wide: 5, huge_cell: 5}  # slow kinds


def outcome(case: Case, path: Path) -> str:
    """Return "right", or what went wrong."""
    path.write_bytes(case.data)
    try:
        source = read(path, **case.options)
        rows = [
            list(row)
            for b in source.batches()
            for row in zip(*(c.to_pylist() for c in b.columns), strict=True)
        ]
    except TallyError as error:
        if case.error is None:
            return f"refused: {error}"
        return "right" if re.search(case.error, str(error)) else f"other error: {error}"
    except Exception as error:
        return f"crash: {error!r}"
    if case.error is not None:
        return f"silent: read {len(rows)} rows instead of the error {case.error!r}"
    if list(source.columns) != case.columns:
        return f"silent: columns {list(source.columns)} instead of {case.columns}"
    return "right" if rows == case.rows else f"silent: {_first_difference(rows, case.rows)}"


def _first_difference(rows: list[list[str]], expected: list[list[str]]) -> str:
    for i, (row, other) in enumerate(zip(rows, expected, strict=False)):
        if row != other:
            return f"row {i + 1} is {row} instead of {other}"
    return f"{len(rows)} rows instead of {len(expected)}"


def outcomes(kind: Callable[[random.Random], Case], files: int) -> list[str]:
    """Return the outcome of each file of a kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.csv"
        count = min(files, FEW.get(kind, files))
        return [outcome(kind(random.Random(f"{kind.__name__} {i}")), path) for i in range(count)]


SPLINTERS = [
    b'"', b'""', b",", b"\n", b"\r", b"\r\n", b";", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"{", b"[{",
    b" ", b"inf", b"1e999", b"\x1b[31m", b"2020-13-45", b"\xe2\x82", b"'", b"=cmd()", b"\xc2\xa0",
]  # fmt: skip


def mutated(rng: random.Random) -> Case:
    """A file of some kind with a few bytes changed, put in, taken out or repeated."""
    case = rng.choice([kind for kind in TABLES + ERRORS if kind not in FEW])(rng)
    data = bytearray(case.data)
    for _ in range(rng.randint(1, 6)):
        at, other = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
        how = rng.randrange(5)
        if how == 0:
            data[at:at] = rng.choice(SPLINTERS)
        elif how == 1:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif how == 2:
            del data[at : at + rng.randint(1, 20)]
        elif how == 3:
            data[at:at] = data[other : other + rng.randint(1, 50)]
        elif rng.random() < 0.3:
            del data[at:]
    return Case(bytes(data), options=case.options)


def main(files: int) -> None:
    from damaged_more import MORE_ERRORS, MORE_TABLES

    total = right = 0
    for kind in TABLES + MORE_TABLES + ERRORS + MORE_ERRORS:
        found = outcomes(kind, files)
        good = found.count("right")
        total, right = total + len(found), right + good
        wrong = next((f"  e.g. {o[:150]!r}" for o in found if o != "right"), "")
        print(f"{kind.__name__:<24} {good:4d} of {len(found):4d}{wrong}", flush=True)
    print(f"{'all':<24} {right:4d} of {total:4d} = {right / total:.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
