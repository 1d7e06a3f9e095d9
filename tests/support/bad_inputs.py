"""What people bring, and what they get: one case or more for every row of the front door's list.

Each case is a file, how it is read, and the outcome: an error in one line, a note, or nothing to say. The
tests run every case through Python and the command line; `tools/make_bad_inputs_page.py` prints the real
messages as a page of the docs. Here is what is fitted; bad_inputs_methods.py has what is said of a method,
bad_inputs_asked.py what is answered and described.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from typing import Any, Literal

import tallystick as ts

Outcome = Literal["ERROR", "NOTE", "OK"]

ROWS = 40
GOOD = [f"{i % 7 + 0.5},{'abc'[i % 3]},{'pq'[i % 7 > 2]}" for i in range(ROWS)]
TABLE = ("x,w,y\n" + "\n".join(GOOD) + "\n").encode()


def column(cells: list[Any], name: str = "z") -> bytes:
    """The good table with one more column of these cells, repeated as needed."""
    lines = [f"{cells[i % len(cells)]},{GOOD[i]}" for i in range(ROWS)]
    return (f"{name},x,w,y\n" + "\n".join(lines) + "\n").encode()


def target(labels: list[Any], rows: int = ROWS) -> bytes:
    """The good table with other labels, repeated as needed."""
    lines = [GOOD[i % ROWS].rsplit(",", 1)[0] + f",{labels[i % len(labels)]}" for i in range(rows)]
    return ("x,w,y\n" + "\n".join(lines) + "\n").encode()


@dataclass(frozen=True)
class Case:
    """One thing people bring. `says`: a pattern in what is said. `options`: of ts.read; `wishes`: of fit."""

    row: int
    what: str
    data: bytes
    outcome: Outcome
    says: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    wishes: dict[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    target: str = "y"
    typed: str = ""  # the cure as the command line says it, where it differs
    method: str = "bayes"
    leaf: str = ""  # the note of a tree, which is one leaf where others have nothing to learn


def swapped(old: bytes, new: bytes, data: bytes = TABLE, count: int = -1) -> bytes:
    return data.replace(old, new, count)


FIT = [
    Case(1, "empty file", b"", "ERROR", r"is empty \(0 bytes\)"),
    Case(2, "header only", b"x,w,y\n", "ERROR", r"has a header \(3 columns\) but no rows"),
    Case(
        3,
        "one row",
        b"x,w,y\n1,a,p\n",
        "ERROR",
        r"has one class \('p'\) in 1 row.*two are needed",
        leaf=r"has one class \('p'\): there is nothing to tell apart",
    ),
    Case(
        4,
        "no header: every cell of the first row is a number",
        "".join(f"{i % 5 + 0.5},{i * 3 % 7},{i % 2}\n" for i in range(40)).encode(),
        "NOTE",
        "the first row looks like data",
        target="column_3",
        typed="pass --header.",
    ),
    Case(
        4,
        "no header, said so",
        "".join(f"{i % 5 + 0.5},{i * 3 % 7},{i % 2}\n" for i in range(40)).encode(),
        "OK",
        "",
        {"header": False},
        flags=("--no-header",),
        target="column_3",
    ),
    Case(5, "lines before the header", b"Report\nof 2020\n" + TABLE, "NOTE", "lines 1 to 2 before the table"),
    Case(5, "footer", TABLE + b"Total,40\n", "NOTE", "1 line below the table left out: 'Total,40'"),
    Case(6, "UTF-8 byte order mark", b"\xef\xbb\xbf" + TABLE, "OK"),
    Case(7, "CRLF line ends", swapped(b"\n", b"\r\n"), "OK"),
    Case(7, "CR line ends", swapped(b"\n", b"\r"), "OK"),
    Case(7, "mixed line ends, no final newline", swapped(b"\n", b"\r\n", TABLE.rstrip(b"\n"), 9), "OK"),
    Case(8, "quoted newlines and doubled quotes", swapped(b",a,", b',"a\n""b""",'), "OK"),
    Case(
        8,
        "a quote that is never closed",
        TABLE + b'1,"a,p\n',
        "NOTE",
        "repaired: line 42 has a quote that is never closed",
    ),
    Case(
        8,
        "a quote that is never closed, strictly",
        TABLE + b'1,"a,p\n',
        "ERROR",
        "quote opened in line 42 that is never",
        {"strict": True},
        flags=("--strict",),
    ),
    Case(8, "a stray quote", TABLE + b'1,"a,p\n2,"b",q\n', "NOTE", "repaired: line 42 has a stray quote"),
    Case(
        8,
        "a stray quote, strictly",
        TABLE + b'1,"a,p\n2,"b",q\n',
        "ERROR",
        "stray quote: the cell opened in line 42",
        {"strict": True},
        flags=("--strict",),
    ),
    Case(
        9,
        "a row with a separator too many",
        TABLE + b"1,,a,p\n",
        "NOTE",
        "repaired: line 42 has 4 cells, not 3",
    ),
    Case(
        9,
        "a row of another separator",
        TABLE + b"1;a;p\n" + TABLE[6:],
        "NOTE",
        "repaired: line 42 has 1 cell, not 3",
    ),
    Case(
        9,
        "a row that lacks a cell",
        TABLE + b"1,a\n" + TABLE[6:],
        "NOTE",
        "left out: line 42 has 2 cells, not 3",
    ),
    Case(
        9,
        "too many such rows",
        TABLE + 20 * b"1,a\n" + TABLE[6:],
        "ERROR",
        r"20 rows that do not have 3 cells \(lines 42, .*bad_rows='skip'",
        typed="lines 42, .*pass --bad-rows repair.*--bad-rows skip",
    ),
    Case(
        9,
        "a row that lacks a cell, strictly",
        TABLE + b"1,a\n" + TABLE[6:],
        "ERROR",
        r"1 row that does not have 3 cells \(line 42;.*bad_rows='skip'",
        {"strict": True},
        typed="line 42;.*pass --bad-rows repair",
        flags=("--strict",),
    ),
    Case(
        9,
        "rows that lack a cell, skipped",
        TABLE + 20 * b"1,a\n" + TABLE[6:],
        "NOTE",
        "left out: 20 rows that could not be read",
        {"bad_rows": "skip"},
        flags=("--bad-rows", "skip"),
    ),
    Case(
        9,
        "the header once more",
        TABLE + TABLE,
        "NOTE",
        "the header is repeated in line 42; left out",
    ),
    Case(
        9,
        "a second table below",
        TABLE + b"p,q\n" + 30 * b"1,2\n",
        "NOTE",
        "another table begins in line 42",
    ),
    Case(10, "semicolons", swapped(b",", b";"), "OK"),
    Case(10, "tabs", swapped(b",", b"\t"), "OK"),
    Case(10, "pipes", swapped(b",", b"|"), "OK"),
    Case(10, "spaces", swapped(b",", b" "), "NOTE", "cells are separated by ' '"),
    Case(
        10,
        "spaces, strictly",
        swapped(b",", b" "),
        "ERROR",
        "Pass sep=' '",
        {"strict": True},
        typed="Pass --sep ' '",
        flags=("--strict",),
    ),
    Case(10, "two characters", swapped(b",", b"||"), "NOTE", r"cells are separated by '\|\|'"),
    Case(10, "other quotes", swapped(b",a,", b",'a, b',"), "NOTE", "texts are quoted by '"),
    Case(10, "spaces, said so", swapped(b",", b" "), "OK", "", {"sep": " "}, flags=("--sep", " ")),
    Case(10, "the separator named in the first line", b"sep=;\n" + swapped(b",", b";"), "OK"),
    Case(
        11,
        "Latin-1 bytes",
        TABLE + b"1,caf\xe9,p\n",
        "ERROR",
        r"byte 331 \(line 42\) is 0xE9.*encoding='cp1252'",
        typed="0xE9.*--encoding cp1252",
    ),
    Case(
        11,
        "Latin-1 bytes in the header",
        b"\xe9" + TABLE,
        "ERROR",
        r"byte 0 \(line 1\) is 0xE9",
        typed="0xE9",
    ),
    Case(
        11,
        "Latin-1 bytes, encoding given",
        TABLE + b"1,caf\xe9,p\n",
        "OK",
        "",
        {"encoding": "cp1252"},
        flags=("--encoding", "cp1252"),
    ),
    Case(12, "UTF-16 with its mark", TABLE.decode().encode("utf-16"), "OK"),
    Case(
        12,
        "UTF-16 without its mark",
        TABLE.decode().encode("utf-16-le"),
        "ERROR",
        "Pass encoding='utf-16-le'",
        typed="Pass --encoding utf-16-le",
    ),
    Case(13, "a NUL byte", TABLE + b"1,a\0,p\n", "NOTE", "repaired: line 42 holds a NUL byte"),
    Case(
        13,
        "a NUL byte, strictly",
        TABLE + b"1,a\0,p\n",
        "ERROR",
        "NUL byte in line 42",
        {"strict": True},
        flags=("--strict",),
    ),
    Case(14, "gz", gzip.compress(TABLE, mtime=0), "OK"),
    Case(14, "gz, cut off", gzip.compress(TABLE, mtime=0)[:-12], "ERROR", "damaged gz file"),
    Case(14, "Excel called .csv", b"PK\x03\x04 and so on", "ERROR", "Excel workbook"),
    Case(14, "HTML called .csv", b"<!DOCTYPE html><html></html>", "ERROR", "is an HTML page"),
    Case(14, "PDF called .csv", b"%PDF-1.7 and so on", "ERROR", "is a PDF document"),
    Case(15, "an endless line", b"x,w,y\n1," + b"a" * (65 << 20), "ERROR", "more than 64 MiB, line 2"),
    Case(
        16, "duplicate names", swapped(b"x,w,y", b"x,x,y"), "ERROR", "2 columns called 'x', at positions 1, 2"
    ),
    Case(
        17,
        "names equal but for case",
        swapped(b"x,w,y", b"x,X,y"),
        "NOTE",
        "differ only in letter case or spaces",
    ),
    Case(
        18,
        "an empty name",
        swapped(b"x,w,y", b"x,,y"),
        "NOTE",
        "column 2 has no name; it is called 'column_2'",
    ),
    Case(18, "hostile names", column([1.5, 2.5], '"=cmd(\u202e\x1b[31m<b>🙂"'), "OK"),
    Case(
        20, "a saved row index", column(list(range(ROWS)), "Unnamed: 0"), "NOTE", "'Unnamed: 0' is left out"
    ),
    Case(21, "a misspelt target", TABLE, "ERROR", "no column 'Y'.*Did you mean 'y'", target="Y"),
    Case(
        23,
        "no usable column",
        target(["p", "q"]).replace(b",a", b",c").replace(b",b", b",c"),
        "ERROR",
        "no usable column.*'w' is left out",
        wishes={"kinds": {"x": "out"}},
        flags=("--kind", "x=out"),
        leaf="column 'w' has one value: no test can be made of it",
    ),
    Case(24, "numbers and text", column(["1", "2", "many"]), "OK"),
    Case(
        24,
        "numbers but for a few texts",
        (
            "z,y\n" + "".join(f"{'n/a' if i == 7 else i % 50 + 0.5},{'pq'[i % 3 > 1]}\n" for i in range(200))
        ).encode(),
        "NOTE",
        r"'z' holds numbers, but for 'n/a' \(1\): taken as missing",
    ),
    Case(25, "missing marks", column(["", "NA", "NaN", "null", "None", "?", "1.5", "2.5"]), "OK"),
    Case(
        25,
        "own missing marks",
        column(["-", "1.5", "2.5"]),
        "OK",
        "",
        {"missing": ["-"]},
        flags=("--missing", "-"),
    ),
    Case(
        25,
        "marks among numbers",
        column(["N/A", "1.5", "2.5", "-", "3.5"]),
        "NOTE",
        r"'z' holds numbers, but for '-' \(8\), 'N/A' \(8\): taken as missing",
    ),
    Case(26, "one value or nothing", column(["t", "", ""]), "NOTE", "'z' has one value and missing cells"),
    Case(26, "all missing", column(["?"]), "NOTE", "'z' is left out: all 40 values are missing"),
    Case(26, "constant", column(["same"]), "NOTE", r"'z' is left out: it has one value in 40 rows"),
    Case(
        26,
        "constant, levels declared",
        column(["same"]),
        "OK",
        "",
        wishes={"columns": ts.Columns(levels={"z": ["same", "other"]})},
        flags=("--levels", "z=same,other"),
    ),
    Case(27, "missing values", column(["", "a", "b"]), "OK"),
    Case(
        28,
        "missing target",
        target(["p", "q", "q", ""]),
        "NOTE",
        "missing in 10 of 40 rows; they are left out",
    ),
    Case(28, "target mostly missing", target(["p", "q", "", "", ""]), "ERROR", "missing in 24 of 40 rows"),
    Case(
        29,
        "infinite",
        column([1.5, "inf", 2.5]),
        "ERROR",
        r"'z' holds 13 infinite values \(row 2, 5.*inf='missing'",
        typed="or pass --inf missing",
    ),
    Case(
        29,
        "infinite, taken as missing",
        column([1.5, "inf", 2.5]),
        "NOTE",
        "infinite values count as missing",
        {"inf": "missing"},
        flags=("--inf", "missing"),
    ),
    Case(30, "1e308, 1e-308, 1e39", column(["1e308", "1e-308", "1e39"]), "OK"),
    Case(31, "-0.0", column(["-0.0", "0.0", "1.5"]), "OK"),
    Case(32, "integers beyond 2^53", column([2**53, 2**53 + 1]), "NOTE", "too large for exact arithmetic"),
    Case(
        33,
        "labels 1 and 1.0",
        target([1, "1.0", 0]),
        "NOTE",
        "'y' writes equal labels in several ways; they are one class: '1', '1.0'",
    ),
    Case(33, "labels true and yes", target(["true", "yes", "no"]), "OK"),
    Case(
        34, "leading zeros", column(["00123", "00456"]), "NOTE", "leading zeros, e.g. '00123'; kept as levels"
    ),
    Case(35, "3,14", column(['"3,14"', '"2,5"']), "NOTE", "holds numbers, such as '2,5': read as numbers"),
    Case(
        35,
        "3,14 and 12 %",
        column(['"3,14"', "12 %"]),
        "NOTE",
        r"another decimal mark, e.g. '3,14'.*decimal=','",
        typed="pass --decimal ,",
    ),
    Case(
        35,
        "3,14, said so",
        column([f'"{i},5"' for i in range(9)]),
        "OK",
        "",
        {"decimal": ","},
        flags=("--decimal", ","),
    ),
    Case(35, "1,234", column(['"1,234"', '"5,678"']), "ERROR", "which may be '1.234' or '1234'. Say which"),
    Case(35, "1,234,567", column(['"1,234"', '"1,234,567"']), "NOTE", "such as '1,234': read as numbers"),
    Case(35, "12 %", column(["12 %", "5 %"]), "NOTE", "holds percentages, such as '12 %': read as numbers"),
    Case(35, "$5", column(["$5", "$7"]), "NOTE", r"holds amounts in \$, such as '\$5': read"),
    Case(35, "59.081 €", column(["59.081 €", "1.200 €"]), "NOTE", "amounts in €, such as '1.200 €'"),
    Case(35, "12 kg", column(["12 kg", "5 kg"]), "NOTE", "numbers of kg, such as '12 kg': read as numbers"),
    Case(36, "ISO dates", column(["2020-01-31", "2021-06-30"]), "NOTE", "holds dates; they are used as days"),
    Case(36, "03/04/2012", column(["03/04/2012", "04/03/2012"]), "ERROR", "which may be .* Say which: "),
    Case(36, "8:30", column(["8:30", "17:05"]), "NOTE", "such as '17:05': read as hours"),
    Case(36, "31.12.2012", column(["31.12.2012", "04.03.2012"]), "NOTE", "such as '04.03.2012': read"),
    Case(37, "surrounding spaces", column([" a", "a ", "b"]), "OK"),
    Case(
        38,
        "long text",
        column([f"this is message number {i} of our day" for i in range(ROWS)]),
        "NOTE",
        "'z' is read as text, word by word",
    ),
    Case(
        40,
        "one class",
        target(["no"]),
        "ERROR",
        r"'y' has one class \('no'\) in 40 rows; two are needed",
        leaf=r"has one class \('no'\): there is nothing to tell apart",
    ),
    Case(
        41,
        "continuous target",
        target([i * 1.37 for i in range(ROWS)]),
        "ERROR",
        "is continuous: 40 different.*regression",
    ),
    Case(
        41,
        "a target of many whole numbers",
        target([i % 25 for i in range(100)], 100),
        "NOTE",
        "has 25 different whole numbers, and each is a class of its own. Regression",
    ),
    Case(
        41,
        "a misspelt kind",
        TABLE,
        "ERROR",
        "kinds gives column 'x' the kind 'number'. Use one of: numeric",
        wishes={"kinds": {"x": "number"}},
        flags=("--kind", "x=number"),
        typed="--kind gives column 'x' the kind 'number'",
    ),
    Case(42, "1,000 classes", target([f"c{i}" for i in range(1_000)], 3_000), "OK"),
    Case(
        43,
        "a class with one row",
        target(["p"] * 20 + ["q"] * 19 + ["rare"]),
        "NOTE",
        "class 'rare' has one row",
    ),
    Case(
        44,
        "a class of 2 rows in 8,000",
        target(["p"] * 2000 + ["q"] + ["p"] * 1999, 8_000),
        "NOTE",
        "class 'q' is 2 of 8,000 rows.*99.9750%.*balanced accuracy",
    ),
    Case(
        46,
        "an identifier",
        column([f"id{i}" for i in range(ROWS)]),
        "NOTE",
        "'z' is left out: it looks like an id.*keep=\\['z'\\]\\) uses it",
        typed="--keep z uses it",
    ),
    Case(
        46,
        "an identifier of whole numbers",
        column(range(100, 100 + ROWS)),
        "NOTE",
        "40 whole numbers that number the rows",
    ),
    Case(
        46,
        "a level that was not declared",
        column(["low", "high", "odd"]),
        "ERROR",
        r"holds 'odd', not among its declared levels. Declare all, columns=ts.Columns\(levels=\{'z': ",
        wishes={"columns": ts.Columns(levels={"z": ["low", "high"]})},
        flags=("--levels", "z=low,high"),
        typed="Declare all, --levels z=A,B, or say what stands for missing: --missing MARK",
    ),
    Case(
        46,
        "an identifier, kept",
        column([f"id{i}" for i in range(ROWS)]),
        "OK",
        "",
        wishes={"columns": ts.Columns(keep=["z"])},
        flags=("--keep", "z"),
    ),
]
