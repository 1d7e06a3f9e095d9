"""Make docs/gallery.md and its pictures: each entry is one command on a real table, with what it printed.

    TALLYSTICK_DATA=folder python tools/make_gallery.py [--only WORD] [--repeats N] [--check]

Tables come from the folder of public data sets and from the bundled examples; what is done to a table
before the command (a column dropped, a median cut) is said in its entry. `--only` remakes the entries
whose file name holds the word and keeps the rest of the page; `--only curves` remakes the learning curves.
`--repeats` sets their number of random splits. Their figures are kept in docs/gallery/curves.json; the one
picture of all fifteen and what the page says of them are made from these (`curve_sentences.py`).
`--check` writes nothing: it makes the entries again, draws each curve from as many splits as its figures, and
ends with 1 where the page or a figure differs. `make night` runs it.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd
from curve_sentences import NAMES, summary, table_row

from tallystick.draw.charts import axis_scale as scale
from tallystick.draw.svg import Picture, Svg, colour, ticks

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
FIGURES = PICTURES / "curves.json"
DRAWN = PICTURES / "curves.svg"
MOST_LINES = 48
Frame = pd.DataFrame

HEAD = """# Gallery

Every entry is one command on a real table and its output, made by `python tools/make_gallery.py`; nothing
here is typed by hand, and the night run is red where an output differs. Pictures are those that `--picture`
saves.
"""
CURVES = """## Naive Bayes against logistic regression: fifteen learning curves

The error on new rows against the number of training rows, on the 15 tables of Ng and Jordan (2002), with
their pair of methods: on tables of numbers Gaussian naive Bayes with one variance of a column for all
classes, N(μ_ik, σ_i), on tables of levels (the numbers among them in bins) counts with the Laplace
correction; against logistic regression of maximum likelihood (a prior of l2 = 1e-6, which moves no answer
where there is a maximum, makes one where the classes are separated). They found that naive Bayes comes close
to its lowest error with fewer rows, and that logistic regression ends as low or lower.

![fifteen learning curves](gallery/curves.svg)

{summary}

Bands are two standard errors over random splits; where they overlap nothing is claimed. The dashed line is
always answering the most frequent class.

| table | fewest rows | naive Bayes | logistic | most rows | naive Bayes | logistic | lead passes | splits |
|---|---:|---:|---:|---:|---:|---:|---|---:|
{rows}

A curve is drawn by such a command, with `--method bayes` on tables of levels:

`{command}`
"""


@dataclass(frozen=True)
class Entry:
    """One entry: the table's name, how it is made, the command, and words about it."""

    title: str
    file: str
    make: Callable[[], Frame]
    command: str  # {file} and {picture} are filled in
    words: str = ""


def read(name: str) -> Frame:
    """Return one table of the data folder, cells as text, so that nothing is changed on the way."""
    return pd.read_csv(
        Path(os.environ["TALLYSTICK_DATA"]) / f"{name}.csv.gz", dtype=str, keep_default_na=False
    )


def example(name: str) -> Frame:
    """Return one of the bundled tables."""
    return pd.read_csv(str(resources.files("tallystick.examples") / name), dtype=str, keep_default_na=False)


def above_median(frame: Frame, column: str, name: str) -> Frame:
    """Return the frame with a yes/no target: is the column above its median."""
    values = pd.to_numeric(frame[column])
    return frame.drop(columns=column).assign(
        **{name: (values > values.median()).map({True: "yes", False: "no"})}
    )


def adult(numbers: bool) -> Frame:
    """Return the census table's numeric or its other columns."""
    frame = read("adult/adult-train")
    names = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    rest = [c for c in frame if c not in names and c != "income"]
    return frame[[*(names if numbers else rest), "income"]]


def digits(a: str, b: str) -> Frame:
    """Return two of the handwritten digits."""
    frame = read("optdigits/optdigits")
    return frame[frame["class"].isin([a, b])]


def mpg(levels: bool) -> Frame:
    """Return the cars, good = above the median mileage; with levels, numbers are cut into thirds."""
    frame = read("auto-mpg/auto-mpg").drop(columns="car_name")
    frame["origin"] = frame["origin"].map({"1": "America", "2": "Europe", "3": "Asia"})
    frame = above_median(frame, "mpg", "good")
    if levels:
        for name in ("displacement", "horsepower", "weight", "acceleration"):
            values = pd.to_numeric(frame[name], errors="coerce")
            thirds = pd.qcut(values, 3, labels=["low", "medium", "high"]).astype(object)
            frame[name] = thirds.where(values.notna(), "?")
        years = pd.to_numeric(frame["model_year"])
        frame["model_year"] = pd.cut(years, [0, 74, 78, 99], labels=["70-74", "75-78", "79-82"]).astype(str)
    return frame


def census() -> Frame:
    """Return all 48,842 rows of the census table."""
    return pd.concat([read("adult/adult-train"), read("adult/adult-test")])


def news(part: str) -> Frame:
    """Return the posts, split by date, with their newsgroup."""
    return read(f"20newsgroups/20news-bydate-{part}").drop(columns="doc_id")


LOGISTIC = "logistic:l2=1e-6"
COUNTS, GAUSSIAN = "bayes", "bayes-gaussian-shared"


def curve(
    title: str, file: str, make: Callable[[], Frame], target: str, repeats: int, bayes: str = GAUSSIAN
) -> Entry:
    """Return an entry of the learning curves."""
    methods = f"--method {bayes} --method {LOGISTIC}"
    rest = f"--repeats {repeats}"
    return Entry(title, file, make, f"tally curve {{file}} --target {target} {methods} {rest}")


NG_JORDAN = [
    curve("Pima diabetes", "pima.csv", lambda: read("pima-diabetes/diabetes"), "class", 200),
    curve("Adult, its six numbers", "adult-numbers.csv", lambda: adult(True), "income", 200),
    curve("Boston housing, above the median", "boston.csv",
          lambda: above_median(read("boston-housing/housing"), "MEDV", "dear"), "dear", 500),
    curve("Digits, 0 against 1", "digits-0-1.csv", lambda: digits("0", "1"), "class", 100),
    curve("Digits, 2 against 3", "digits-2-3.csv", lambda: digits("2", "3"), "class", 100),
    curve("Ionosphere", "ionosphere.csv", lambda: read("ionosphere/ionosphere"), "class", 200),
    curve("Liver disorders", "liver.csv", lambda: read("liver-disorders/bupa"), "selector", 500),
    curve("Sonar", "sonar.csv", lambda: read("sonar/sonar"), "Class", 100),
    curve("Adult, its eight columns of levels", "adult-levels.csv", lambda: adult(False), "income", 100,
          COUNTS),
    curve("Promoters, without the name", "promoters.csv",
          lambda: read("promoters/promoters").drop(columns="name"), "class", 40, COUNTS),
    curve("Lymphography", "lymphography.csv", lambda: read("lymphography/lymph"), "class", 200, COUNTS),
    curve("Breast cancer (Ljubljana)", "breast-cancer.csv",
          lambda: read("breast-cancer/breast-cancer"), "Class", 300, COUNTS),
    curve("Contact lenses", "lenses.csv", lambda: read("contact-lenses/contact-lenses"),
          "contact-lenses", 1000, COUNTS),
    curve("Sick", "sick.csv", lambda: read("sick/sick"), "Class", 100, COUNTS),
    curve("Votes of 1984", "votes.csv", lambda: example("votes.csv"), "party", 300, COUNTS),
]  # fmt: skip

ID3 = "--model id3"
ENTRIES = [
    Entry("Play tennis", "play-tennis.csv", lambda: example("play-tennis.csv"),
          f"tally fit {{file}} --target Play {ID3}",
          "Fourteen days, the first tree of every textbook, by ID3; `tally lesson id3` has its working."),
    Entry("A survey of households", "household-survey.csv", lambda: example("household-survey.csv"),
          f"tally fit {{file}} --target Outcome {ID3}",
          "Who answers a letter: by ID3; `tally lesson households` has the working."),
    Entry("Congressional votes", "votes.csv", lambda: example("votes.csv"),
          "tally compare {file} --target party --picture {picture}",
          "Which party, from sixteen votes of 1984; missing votes stay missing."),
    Entry("Auto MPG, with levels", "mpg-levels.csv", lambda: mpg(True),
          "tally fit {file} --target good --model tree",
          "Good mileage is above the median. Displacement, horsepower, weight and acceleration in thirds."),
    Entry("Auto MPG, with real values", "mpg.csv", lambda: mpg(False),
          "tally fit {file} --target good --model tree",
          "The same cars with the numbers as they are: the tree finds its own cuts."),
    Entry("What a census says about income", "census.csv", census, "tally describe {file} --target income",
          "All 48,842 rows of Adult: the information gain of every column."),
    Entry("20 Newsgroups, by date", "news-train.csv", lambda: news("train"),
          "python -c 'import tallystick as ts\n"
          "model = ts.NaiveBayes(distributions={{\"text\": \"complement\"}})\n"
          "print(ts.cross_validate(model, \"{file}\", \"newsgroup\", held_out=\"news-test.csv\"))'",
          "11,314 posts train, 7,532 later ones test; the text goes in as it is."),
]  # fmt: skip


def run(command: str, folder: str) -> str:
    """Return what a command prints as a reader with an 80 column pipe sees it."""
    env = os.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{command}\n{done.stdout}")
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    if len(lines) > MOST_LINES and not command.endswith("--json"):
        lines = [*lines[:MOST_LINES], f"[and {len(lines) - MOST_LINES} more lines]"]
    return "\n".join(lines)


def made(entry: Entry, folder: str, check: bool = False) -> tuple[str, str]:
    """Run one entry; return the command and what it printed. Its picture goes to the pictures' folder, unless
    it is only checked.
    """
    path = Path(folder) / entry.file
    if not path.exists():
        entry.make().to_csv(path, index=False)
    if entry.file == "news-train.csv":
        news("test").to_csv(Path(folder) / "news-test.csv", index=False)
    drawn = "tally curve" in entry.command
    picture = f"compare-{path.stem}.svg"
    command = entry.command.format(file=entry.file, picture=picture)
    printed = run(command + " --json" * drawn, folder)
    if (Path(folder) / picture).exists() and not check:
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / picture).write_text(
            (Path(folder) / picture).read_text(encoding="utf-8"), encoding="utf-8"
        )
    print(f"{entry.title}: {command}", flush=True)
    return command, printed


def section(entry: Entry, folder: str, check: bool = False) -> str:
    """Return one entry of the page."""
    command, printed = made(entry, folder, check)
    picture = re.search(r"--picture (\S+)", command)
    shown = f"\n![{entry.title}](gallery/{picture[1]})\n" if picture else ""
    words = f"{entry.words}\n\n" if entry.words else ""
    return f"## {entry.title}\n\n{words}```text\n$ {command}\n{printed}\n```\n{shown}"


def curves_page(figures: dict[str, Any]) -> str:
    """Return the part of the page about learning curves, from their figures alone."""
    found = [figures[entry.file] for entry in NG_JORDAN]
    rows = "\n".join(table_row(entry.title, curve) for entry, curve in zip(NG_JORDAN, found, strict=True))
    command = NG_JORDAN[0].command.format(file=NG_JORDAN[0].file)
    command = re.sub(r"--repeats \d+", f"--repeats {found[0]['repeats']}", command)
    return CURVES.format(summary=summary(found), rows=rows, command=command)


WIDE, TALL, ACROSS = 250, 190, 3  # of a panel, and panels side by side


def figure(figures: dict[str, Any]) -> str:
    """Return the fifteen curves as one picture: a panel each, the errors of the two methods with bands."""
    down = -(-len(NG_JORDAN) // ACROSS)
    svg = Svg(WIDE * ACROSS, TALL * down + 30, "error on new rows against training rows, fifteen tables")
    for number, entry in enumerate(NG_JORDAN):
        panel(svg, WIDE * (number % ACROSS), TALL * (number // ACROSS), entry.title, figures[entry.file])
    for number, name in enumerate(NAMES):
        svg.rect(40 + 180 * number, TALL * down + 10, 14, 10, fill=colour(number))
        svg.text(60 + 180 * number, TALL * down + 19, name)
    svg.text(WIDE * ACROSS - 10, TALL * down + 19, "across: training rows; up: error", 11, text_anchor="end")
    return Picture(svg).with_own_colours() + "\n"


def panel(svg: Svg, left: float, top: float, title: str, curve: dict[str, Any]) -> None:
    """Draw one panel."""
    sizes, methods, base = curve["sizes"], curve["methods"], curve["base_error"]
    most = 1.05 * max([base, *(v for m in methods for v in m["high"])])
    to_x = scale(sizes[0], sizes[-1], left + 42, left + WIDE - 14, True)
    to_y = scale(0.0, most, top + TALL - 30, top + 28, False)
    svg.text(left + 42, top + 18, title, 11)
    for v in ticks(0.0, most, 3):
        svg.line(left + 42, to_y(v), left + WIDE - 14, to_y(v), opacity=0.15)
        svg.text(left + 38, to_y(v) + 4, f"{v:g}", 10, text_anchor="end")
    for size, side in ((sizes[0], "start"), (sizes[-1], "end")):
        svg.text(to_x(size), top + TALL - 14, f"{size:,}", 10, text_anchor=side)
    svg.line(left + 42, to_y(base), left + WIDE - 14, to_y(base), stroke_dasharray="4 4", opacity=0.6)
    for number, m in enumerate(methods):
        band = [(to_x(a), to_y(v)) for a, v in zip(sizes, m["low"], strict=True)]
        band += [(to_x(a), to_y(v)) for a, v in zip(sizes[::-1], m["high"][::-1], strict=True)]
        svg.area(band, fill=colour(number), opacity=0.18)
        points = [(to_x(a), to_y(v)) for a, v in zip(sizes, m["error"], strict=True)]
        svg.curve(points, stroke=colour(number), stroke_width=2)


def rounded(found: Any) -> Any:
    """Return the figures to six decimals: more of them say nothing of so many splits."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    return round(found, 6) if isinstance(found, float) else found


def drawn_curves(only: str, repeats: int | None, folder: str, check: bool = False) -> dict[str, Any]:
    """Draw the curves whose file name holds the word, or all; return the figures of all fifteen. check: from
    as many splits as the figures that there are, and nothing is written.
    """
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    for entry in NG_JORDAN:
        if only in ("", "curves") or only in entry.file or entry.file not in figures:
            command, splits = entry.command, repeats
            if splits is None and entry.file in figures:
                splits = figures[entry.file]["repeats"]
            if splits is not None:
                command = re.sub(r"--repeats \d+", f"--repeats {splits}", command)
            _, printed = made(replace(entry, command=command), folder, check)
            figures[entry.file] = rounded(json.loads(printed))
            if not check:
                FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return figures


def differences(new: dict[str, Any]) -> list[str]:
    """Return where figures are not those of docs/gallery/curves.json."""
    old = json.loads(FIGURES.read_text(encoding="utf-8"))
    return [f"{file}: the figures differ" for file in sorted(new) if new[file] != old.get(file)]


def option(args: list[str], name: str) -> str | None:
    """Return what follows an option."""
    return args[args.index(name) + 1] if name in args else None


def main(args: list[str]) -> int:
    """Make the whole page, or remake some entries of it; with --check, compare."""
    only, repeats, check = option(args, "--only") or "", option(args, "--repeats"), "--check" in args
    there = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    old = {}
    if only:
        for part in re.split(r"(?=^##+ )", there, flags=re.MULTILINE):
            old[part.split("\n")[0].lstrip("# ")] = part.rstrip("\n") + "\n"
    with tempfile.TemporaryDirectory() as folder:
        parts = [HEAD]
        for entry in ENTRIES:
            remade = not only or only in entry.file or entry.title not in old
            parts.append(section(entry, folder, check) if remade else old[entry.title])
        figures = drawn_curves(only, None if repeats is None else int(repeats), folder, check)
        page, picture = "\n".join([*parts, curves_page(figures)]), figure(figures)
    if not check:
        PAGE.write_text(page, encoding="utf-8")
        DRAWN.write_text(picture, encoding="utf-8")
        return 0
    wrong = differences(figures)
    if page != there:
        lines = difflib.unified_diff(there.split("\n"), page.split("\n"), lineterm="")
        wrong += ["docs/gallery.md (-) is not what is made now (+):", *lines]
    print("\n".join(wrong or ["docs/gallery.md is current"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
