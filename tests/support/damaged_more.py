"""More kinds of text tables as people bring them: what spreadsheets, R and old programs write.

See damaged.py for what a kind is and how an outcome is judged.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable

from damaged import Case, Grid, grid

# ---- kinds that give a table ----


def spaces_before_quotes(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = rng.choice(["Smith, John", 'the "old" one', "two\nlines", "plain"])
    lines = [", ".join(g.names)]
    for row in g.rows:
        doubled = row[-1].replace('"', '""')
        lines.append(",".join(row[:-1]) + rng.choice([", ", ",", ",  "]) + f'"{doubled}"')
    return g.case("\n".join(lines) + "\n")


def line_ends_inside_quotes(rng: random.Random) -> Case:
    g = grid(rng)
    for row in g.rows:
        row[-1] = rng.choice(["one\r\ntwo", "one\ntwo", "a\r\n\r\nb", "end\r\n"])
    return g.case(g.text(end=rng.choice(["\n", "\r\n"])))


def mark_and_utf16(rng: random.Random) -> Case:
    g = grid(rng)
    big = rng.random() < 0.5
    mark, name = (b"\xfe\xff", "utf-16-be") if big else (b"\xff\xfe", "utf-16-le")
    return g.case(mark + g.text(rng.choice(",\t;")).encode(name))


def separator_line(rng: random.Random) -> Case:
    g = grid(rng)
    sep, end = rng.choice(",;\t|"), rng.choice(["\n", "\r\n"])
    return g.case(f"sep={sep}{end}" + g.text(sep, end))


def separator_after_rows(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    lines = g.text().rstrip("\n").split("\n")
    data = "\n".join([lines[0], *(line + "," for line in lines[1:])]) + "\n"
    return Case(data.encode(), [*g.names, f"column_{len(g.names) + 1}"], [[*row, ""] for row in g.rows])


def long_names(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    g.names = [f"{name} " + "very " * rng.randint(20, 3000) + str(j) for j, name in enumerate(g.names)]
    return g.case(g.text())


def names_with_quotes(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    g.names[0], g.names[-1] = 'the "first", really', "two\nlines; one name"
    return g.case(g.text(rng.choice(",;")))


def thousands(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = f"{rng.randint(1000, 9_999_999):,}"
    return g.case(g.text(rng.choice(",;\t")))


def percents_and_money(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = rng.choice(["12 %", "5%", "$5", "€ 7,50", "1.000,00 €", "(12)"])
    return g.case(g.text(rng.choice(",;")))


def header_without_line_end(rng: random.Random) -> Case:
    g = Grid(rng.sample(["a", "b", "c", "élan"], 3), [])
    return g.case(rng.choice([",", ";", "\t"]).join(g.names))


def apostrophes(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = rng.choice(["O'Brien", "'quoted'", "it's; ok", "rock 'n' roll"])
    return g.case(g.text())


def backslashes(rng: random.Random) -> Case:
    g = grid(rng, sentences=False)
    for row in g.rows:
        row[-1] = rng.choice(["C:\\new\\table", "a\\", "\\", "\\N", '\\"'])
    return g.case(g.text())


def empty_cells_only(rng: random.Random) -> Case:
    g = grid(rng, sentences=False, width=rng.randint(3, 6))
    g.rows.insert(rng.randrange(len(g.rows)), [""] * len(g.names))
    g.rows.append([g.rows[0][0], *["x"] * (len(g.names) - 1)])
    return g.case(g.text())


def byte_order_mark_and_quotes(rng: random.Random) -> Case:
    g = grid(rng)
    return g.case(b"\xef\xbb\xbf" + g.text(quoting=csv.QUOTE_ALL, end="\r\n").encode())


def later_quotes(rng: random.Random) -> Case:
    g = grid(rng, rows=400, width=4)
    g.rows[350][-1] = 'late, "quoted"\nand broken'
    return g.case(g.text())


# ---- kinds that give an error ----


def blank_lines(rng: random.Random) -> Case:
    end = rng.choice(["\n", "\r\n", " \n", "\t\n"])
    return Case((end * rng.randint(2, 50)).encode(), error="only empty lines")


def row_names(rng: random.Random) -> Case:
    g = grid(rng, sentences=False, width=rng.randint(3, 6))
    lines = [",".join(g.names)] + [",".join([str(i + 1), *row]) for i, row in enumerate(g.rows)]
    width = len(g.names)
    return Case("\n".join(lines).encode(), error=f"{width} names in line 1, but {width + 1} cells")


def row_names_of_numbers(rng: random.Random) -> Case:
    """Every cell a number, or every row with an empty end: the header still lacks a name."""
    g = grid(rng, sentences=False, width=rng.randint(2, 6))
    last, start = rng.choice(["5", "2.5", ""]), rng.choice([0, 1])
    rows = [[str(start + i), *("7" for _ in g.names[1:]), last] for i in range(len(g.rows))]
    data = "\n".join([",".join(g.names), *(",".join(row) for row in rows)])
    return Case(data.encode(), error=f"{len(g.names)} names in line 1, but {len(g.names) + 1} cells")


def many_repeated_names(rng: random.Random) -> Case:
    g = grid(rng, width=rng.randint(4, 7))
    g.names[1] = g.names[0]
    g.names[3] = g.names[2]
    return Case(g.text().encode(), error=r"positions 1, 2 \(1 more names? repeat")


def utf16_cut_off(rng: random.Random) -> Case:
    g = grid(rng)
    return Case(g.text().encode("utf-16")[:-1], error="is not utf-16: it cannot be read near byte")


def a_picture(rng: random.Random) -> Case:
    data = bytes(rng.randrange(256) for _ in range(200))
    return Case(b"\x89PNG\r\n\x1a\n" + data, error="is a PNG picture")


MORE_TABLES: list[Callable[[random.Random], Case]] = [
    spaces_before_quotes, line_ends_inside_quotes, mark_and_utf16, separator_line, separator_after_rows,
    long_names, names_with_quotes, thousands, percents_and_money, header_without_line_end, apostrophes,
    backslashes, empty_cells_only, byte_order_mark_and_quotes, later_quotes,
]  # fmt: skip
MORE_ERRORS: list[Callable[[random.Random], Case]] = [
    blank_lines, row_names, row_names_of_numbers, many_repeated_names, utf16_cut_off, a_picture,
]  # fmt: skip
