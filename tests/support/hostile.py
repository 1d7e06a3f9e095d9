"""Tables, names and file names as an enemy would write them, and all commands run on them.

A seed gives a table whose names, levels, labels, texts and file names are made of hostile pieces: quotes,
line ends, control bytes, directions, markup, formulas, very long texts. `walk` runs every command on it and
tells what is wrong: a traceback, an error of more than a line, an unprintable character, a live formula.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallystick.cli.main import run

PIECES = [
    "'", '"', "`", '""', "'''", '"""', ",", ";", "\t", "\n", "\r", "\r\n", "\\", "\\n", "\\N", "\\x1b",
    "/", "|", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b[31m", "\x1b]0;owned\x07", "\x1f", "\x7f",
    "\x85", "\x9b31m", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\u200b", "\ufeff", "\u00a0",
    "\u00ad", "e\u0301" * 9, "🙂", "👩‍👩‍👧‍👦", "🇩🇪", "שלום", "مرحبا", "价格", "ſﬀİ", "\U000e0041", "\ufffd",
    "\ue000", "<b>", "<script>alert(1)</script>", "</script>", "<!--", "-->", "]]>", "&amp;",
    "<img src=x onerror=alert(1)>", "{{7*7}}", "{0}", "{", "}", "%s", "%(a)s", "${x}", "$(id)", "`id`",
    "[red]x[/red]", "[/]", "*", "?", "[a-z]", "=cmd|' /C calc'!A0", "=1+1", "+1+1", "-2+3", "@SUM(1)",
    "\t=1", "'=1", "; DROP TABLE data; --", "--", "/*", "*/", "#", "//", "%", "__proto__",
    "constructor", "toString", "hasOwnProperty", "None", "null", "true", "-0", "1e999", "0x1F",
    "column_1", "prediction", "probability", "outside", "P(a)", "(constant)", "or missing", "=", "a=b",
    "-o", "--help", "SELECT 1", "x" * 300, "wide " * 700, "\n" * 40, " ", "",
]  # fmt: skip
IN_A_FILE_NAME = [p for p in PIECES if "/" not in p and len(p.encode()) < 60]


@dataclass(frozen=True)
class Files:
    """Where a seed's table, new rows and outputs lie."""

    data: Path
    new: Path
    model: Path
    other: Path
    folder: Path


def text(rng: random.Random, pieces: list[str] = PIECES) -> str:
    """One to three hostile pieces, perhaps with a plain word among them."""
    parts = rng.choices(pieces, k=rng.randint(1, 3)) + rng.choices(["", "a", "7"], k=1)
    rng.shuffle(parts)
    return "".join(parts)


def texts(rng: random.Random, count: int) -> list[str]:
    """Hostile texts that differ, also after white space around them is gone, and are not missing marks."""
    found: dict[str, str] = {}
    while len(found) < count:
        one = text(rng)
        if one.strip(" \t\n\v\f\r") not in ("", "?", "NA", "NaN", "None", "null"):
            found.setdefault(one.strip(), one)
    return list(found.values())


def table(rng: random.Random) -> tuple[list[str], list[list[Any]]]:
    """Names and rows: two columns of levels, numbers, texts of many words, and the target last."""
    names = [name.strip() for name in texts(rng, 5)]  # as a file's header is read
    levels = [texts(rng, rng.randint(2, 4)) for _ in range(2)]
    labels = texts(rng, rng.randint(2, 3))
    rows = []
    for i in range(rng.choice([30, 60])):
        label = labels[i % len(labels)]
        first = levels[0][i % len(levels[0])] if rng.random() < 0.7 else rng.choice(levels[0])
        words = " ".join([*texts(rng, 2), f"word{i}", *rng.choices(["b", "c", "d", "e"], k=5)])
        rows.append([first, rng.choice(levels[1]), round(rng.gauss(i % len(labels), 1), 3), words, label])
    return names, rows


def file_name(rng: random.Random, folder: Path, ending: str) -> Path:
    name = text(rng, IN_A_FILE_NAME)
    return folder / (name[:60] + ending)


def write(path: Path, names: list[str], rows: list[list[Any]]) -> None:
    """Write a table by the ending of its name."""
    if path.name.endswith(".jsonl"):
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif path.name.endswith(".parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))), path)
    else:
        out = io.StringIO(newline="")
        csv.writer(out, quoting=csv.QUOTE_ALL).writerows([names, *rows])
        path.write_bytes(out.getvalue().encode())


def written(seed: object, folder: Path) -> tuple[Files, list[str]]:
    """Write the files of a seed; return them with the names of the columns."""
    rng = random.Random(f"hostile {seed}")
    names, rows = table(rng)
    ending = rng.choice([".csv", ".csv", ".jsonl", ".parquet"])
    files = Files(
        file_name(rng, folder, ending),
        folder / f"new{ending}",
        file_name(rng, folder, ".tally.json"),
        folder / "other.tally.json",
        folder,
    )
    write(files.data, names, rows)
    new = [[*row] for row in rows[:9]]
    new[0][0], new[1][1] = text(rng), text(rng)  # levels never seen
    write(files.new, names, new)
    return files, names


def commands(files: Files, names: list[str], seed: int) -> Iterator[list[str]]:
    """Every command, the models among them fitted on the way; heavy ones in turn."""
    data, new, model, other = map(str, (files.data, files.new, files.model, files.other))
    target, method = f"--target={names[-1]}", ("bayes", "tree", "logistic", "card")[seed % 4]
    out = str(files.folder)
    yield ["describe", data, target, "--picture", f"{out}/d.svg"]
    yield ["describe", data, target, "--json"]
    fit = ["fit", data, target, "--folds", "0", f"--keep={names[0]}"]
    yield [*fit, "--model", method, "-o", model, "--picture", f"{out}/f.svg"]
    second = ("tree", "logistic", "card", "bayes")[seed % 4]
    yield [*fit, "--model", second, "-o", other, "--json"]
    for ending in ("csv", "jsonl", "parquet"):
        yield [
            "predict",
            model,
            new,
            "-o",
            f"{out}/p.{ending}",
            "--keep-columns",
            "--proba",
            "--flag-outside",
        ]
    yield ["predict", model, new, "--json", f"--with={names[2]}"]
    yield ["explain", model, new, "--row", "2"]
    yield ["explain", other, new, "--json"]
    yield ["verify", model, data, "--json"]
    yield ["verify", model, new]  # other rows: tells the difference
    yield ["diff", model, other]
    yield ["diff", model, model, "--json"]
    yield ["describe", new, "--against", model]
    for to in ("rules", "sql", "python", "js"):
        yield ["export", model, "--to", to]
        yield ["export", other, "--to", to, "--json"]
    if "card" in (method, second):
        card = model if method == "card" else other
        yield ["predict", card, new, "--json", "--reasons", "3", "--reasons-against", "average"]
        yield ["predict", card, new, "-o", f"{out}/reasons.csv", "--reasons", "3"]
        yield ["export", card, "--to", "sql", "--reasons", "2"]
        for form, ending in (("markdown", "md"), ("csv", "csv"), ("html", "html")):
            yield ["export", card, "--to", "card", "--format", form, "-o", f"{out}/card.{ending}"]
    heavy: list[list[str]] = [
        ["compare", data, target, "--no-tuning", "--folds", "2", "--picture", f"{out}/c.svg"],
        ["curve", data, target, "--repeats", "1", "--method", method, "--picture", f"{out}/l.svg"],
        ["report", data, target, "-o", f"{out}/r.html", "--repeats", "0", "--folds", "2", "--method", method],
    ]
    yield heavy[seed % 3]
    wrong = names[-1] + "?"
    yield ["fit", data, f"--target={wrong}", "-o", f"{out}/never.json"]
    yield ["describe", data, f"--kind={names[0]}=numeric"]
    yield ["describe", data, f"--levels={names[1]}=a,b", f"--missing={names[3]}"]
    yield ["describe", data, f"--sep={names[0][:1] or '='}", f"--encoding={names[1][:30]}"]
    yield ["predict", data, data]
    yield ["explain", model, new, "--row", names[0]]
    yield [names[0], data]


def walk(seed: int, folder: Path, outputs: Callable[[], tuple[str, str]]) -> list[str]:
    """Run every command on the files of a seed and return what is wrong; outputs gives (stdout, stderr)."""
    files, names = written(seed, folder)
    wrong = []
    for args in commands(files, names, seed):
        outputs()
        try:
            code = run(args, debug=False)
        except SystemExit as end:
            code = end.code
        out, err = outputs()
        wrong += [f"{args[0]}: {what} {(out + err)[:300]!r}" for what in faults(args, code, out, err)]
    wrong += [f"{path.name}: {what}" for path in sorted(folder.iterdir()) for what in in_a_file(path)]
    return wrong


def faults(args: list[str], code: int, out: str, err: str) -> Iterator[str]:
    """Yield what is wrong with the outcome of a command."""
    if code not in (0, 1, 2):
        yield f"exit code {code}"
    if code == 1 and args[0] not in ("verify", "diff"):
        yield "exit code 1"
    if "unexpected " in err or "Traceback" in err:
        yield "an error that nobody foresaw"
    if code == 2 and (not err.startswith("tally: ") or err.count("\n") != 1 or out):
        yield "an error that is not one line"
    if not err.replace("\n", "").isprintable():
        yield "unprintable in what is said"
    sql = "sql" in args and "--json" not in args  # there a name stands as it is, in a pipe
    if not sql and not out.replace("\n", "").isprintable():
        yield "unprintable on the page"
    if code != 2 and "--json" in args:
        json.loads(out if "-o" not in args else out or "{}")


def in_a_file(path: Path) -> Iterator[str]:
    """Yield what is wrong with a file that a command wrote."""
    if path.suffix == ".svg":
        ElementTree.fromstring(path.read_text(encoding="utf-8"))
    if path.name == "never.json":
        yield "written in spite of the error"
    if path.suffix == ".html":
        page = path.read_text(encoding="utf-8")
        if re.search("<img src=x|<script>alert", page):
            yield "markup of the user's in the page"
    if path.suffix == ".csv" and path.name in ("p.csv", "reasons.csv", "card.csv"):
        cells = [c for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline="")) for c in row]
        live = [c for c in cells if re.match(r"[=+\-@\t\r]", c) and not re.fullmatch(r"[+-]?[0-9.e+-]+", c)]
        if live:
            yield f"a live formula: {live[0]!r}"
