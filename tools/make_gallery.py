"""Make docs/gallery.md and its pictures: each entry is one command on a real table, with what it printed.

    TALLYSTICK_DATA=folder python tools/make_gallery.py [--only WORD]

Tables come from the folder of public data sets and from the bundled examples; what is done to a table
before the command (a column dropped, a median cut) is said in its entry. `--only` remakes the entries
whose file name holds the word and keeps the rest of the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
MOST_LINES = 48
Frame = pd.DataFrame

HEAD = """# Gallery

Every entry is one command on a real table and what it printed. Made anew by `python tools/make_gallery.py`;
nothing here is typed by hand. Pictures are the ones that `--picture` saves.
"""
CURVES = """## Naive Bayes against logistic regression: fifteen learning curves

The error on new rows against the number of rows taught, on the 15 tables of Ng and Jordan (2002). Naive
Bayes comes close to its own floor with few rows; logistic regression needs more and ends as low or lower.
Bands are two standard errors over random subsets, the dashed line is always answering the most frequent
class. Each picture is one command, shown under it.
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


CURVE = (
    "tally curve {file} --target {target} --method bayes --method logistic --repeats {repeats} "
    "--picture {picture}"
)


def curve(title: str, file: str, make: Callable[[], Frame], target: str, repeats: int = 20) -> Entry:
    """Return an entry of the learning curves."""
    return Entry(title, file, make, CURVE.replace("{target}", target).replace("{repeats}", str(repeats)))


NG_JORDAN = [
    curve("Pima diabetes", "pima.csv", lambda: read("pima-diabetes/diabetes"), "class"),
    curve("Adult, its six numbers", "adult-numbers.csv", lambda: adult(True), "income", 5),
    curve("Boston housing, dear = above the median", "boston.csv",
          lambda: above_median(read("boston-housing/housing"), "MEDV", "dear"), "dear"),
    curve("Digits, 0 against 1", "digits-0-1.csv", lambda: digits("0", "1"), "class", 10),
    curve("Digits, 2 against 3", "digits-2-3.csv", lambda: digits("2", "3"), "class", 10),
    curve("Ionosphere", "ionosphere.csv", lambda: read("ionosphere/ionosphere"), "class"),
    curve("Liver disorders", "liver.csv", lambda: read("liver-disorders/bupa"), "selector"),
    curve("Sonar", "sonar.csv", lambda: read("sonar/sonar"), "Class"),
    curve("Adult, its eight columns of levels", "adult-levels.csv", lambda: adult(False), "income", 5),
    curve("Promoters, without the name", "promoters.csv",
          lambda: read("promoters/promoters").drop(columns="name"), "class"),
    curve("Lymphography", "lymphography.csv", lambda: read("lymphography/lymph"), "class"),
    curve("Breast cancer (Ljubljana)", "breast-cancer.csv",
          lambda: read("breast-cancer/breast-cancer"), "Class"),
    curve("Contact lenses", "lenses.csv", lambda: read("contact-lenses/contact-lenses"), "contact-lenses"),
    curve("Sick", "sick.csv", lambda: read("sick/sick"), "Class", 10),
    curve("Votes of 1984", "votes.csv", lambda: example("votes.csv"), "party"),
]  # fmt: skip

ID3 = "--model tree --set criterion=entropy --set level_splits=each --set average=false --set smoothing=0"
ENTRIES = [
    Entry("Play tennis", "play-tennis.csv", lambda: example("play-tennis.csv"),
          f"tally fit {{file}} --target Play {ID3}",
          "Fourteen days, the first tree of every textbook; the settings are those of ID3."),
    Entry("A survey of households", "household-survey.csv", lambda: example("household-survey.csv"),
          f"tally fit {{file}} --target Outcome {ID3}",
          "Who answers a letter: the settings are those of ID3, a branch for each level."),
    Entry("Congressional votes", "votes.csv", lambda: example("votes.csv"),
          "tally compare {file} --target party --picture {picture}",
          "Which party, from sixteen votes of 1984; missing votes stay missing."),
    Entry("Auto MPG, with levels", "mpg-levels.csv", lambda: mpg(True),
          "tally fit {file} --target good --model tree",
          "Good mileage is above the median. Displacement, horsepower, weight and acceleration in thirds."),
    Entry("Auto MPG, with real values", "mpg.csv", lambda: mpg(False),
          "tally fit {file} --target good --model tree",
          "The same cars with the numbers as they are: the tree finds its own cuts."),
    Entry("What a census tells of income", "census.csv", census, "tally describe {file} --target income",
          "All 48,842 rows of Adult: the information gain of every column."),
    Entry("20 Newsgroups, by date", "news-train.csv", lambda: news("train"),
          "python -c 'import tallystick as ts\n"
          "model = ts.NaiveBayes(distributions={{\"text\": \"complement\"}})\n"
          "print(ts.cross_validate(model, \"{file}\", \"newsgroup\", held_out=\"news-test.csv\"))'",
          "11,314 posts teach, 7,532 later ones test; the text goes in as it is."),
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
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"[and {len(lines) - MOST_LINES} more lines]"]
    return "\n".join(lines)


def made(entry: Entry, folder: str) -> tuple[str, str]:
    """Run one entry; return the command and what it printed. Its picture goes to the pictures' folder."""
    path = Path(folder) / entry.file
    if not path.exists():
        entry.make().to_csv(path, index=False)
    if entry.file == "news-train.csv":
        news("test").to_csv(Path(folder) / "news-test.csv", index=False)
    kind = "curve" if "tally curve" in entry.command else "compare"
    picture = f"{kind}-{path.stem}.svg"
    command = entry.command.format(file=entry.file, picture=picture)
    printed = run(command, folder)
    if (Path(folder) / picture).exists():
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / picture).write_text(
            (Path(folder) / picture).read_text(encoding="utf-8"), encoding="utf-8"
        )
    print(f"{entry.title}: {command}", flush=True)
    return command, printed


def section(entry: Entry, folder: str) -> str:
    """Return one entry of the page."""
    command, printed = made(entry, folder)
    picture = re.search(r"--picture (\S+)", command)
    if "tally curve" in command and picture:
        return f"### {entry.title}\n\n![{entry.title}](gallery/{picture[1]})\n\n`{command}`\n"
    shown = f"\n![{entry.title}](gallery/{picture[1]})\n" if picture else ""
    words = f"{entry.words}\n\n" if entry.words else ""
    return f"## {entry.title}\n\n{words}```text\n$ {command}\n{printed}\n```\n{shown}"


def main(args: list[str]) -> None:
    """Make the whole page, or remake some entries of it."""
    only = args[args.index("--only") + 1] if "--only" in args else ""
    old = {}
    if only and PAGE.exists():
        for part in re.split(r"(?=^##+ )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE):
            old[part.split("\n")[0].lstrip("# ")] = part.rstrip("\n") + "\n"
    with tempfile.TemporaryDirectory() as folder:
        parts = [HEAD]
        for entry in [*ENTRIES, None, *NG_JORDAN]:
            if entry is None:
                parts.append(CURVES)
            elif only in entry.file or entry.title not in old:
                parts.append(section(entry, folder))
            else:
                parts.append(old[entry.title])
        PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
