"""Lessons: every worked example as a question, its table, the working, what to notice, one thing to change.

Parts: all prunings of a small tree; the parts of a lesson; made-up rows; the course (files in `course/`).
Entry: `lesson()`, and `tally lesson id3`. A step is worked out by `ts.work`, or is lines of Python with what
they print, which `tools/make_lessons.py` writes. Law: the output shown under a command or a line of Python is
its real output.
"""

from __future__ import annotations

import itertools
import math
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, overload

from tallystick.draw.svg import Span, plain, table
from tallystick.errors import OptionError, clean, nearest, shown
from tallystick.schema import Columns
from tallystick.teach.document import Headline, Part, flat, text, work
from tallystick.tree.model import leaf_shares, log_evidence
from tallystick.tree.nodes import Nodes, prior_of_tests

if TYPE_CHECKING:
    from tallystick.tree.estimator import DecisionTree


# All prunings of a small tree, one by one: what the average over them sums up.


@dataclass(frozen=True)
class WeighedPruning:
    """A pruning: the nodes where it ends, its prior, its evidence, its probability, and its share of a class
    for a row.
    """

    leaves: tuple[int, ...]
    prior: float
    evidence: float
    probability: float
    share: float


@dataclass(frozen=True)
class AllPrunings:
    """Every pruning of a tree with its weight and its answer to one row, and their sum."""

    label: str
    prunings: tuple[WeighedPruning, ...]
    averaged: float

    @property
    def sum(self) -> float:
        """The sum over the prunings of probability times share."""
        return math.fsum(p.probability * p.share for p in self.prunings)

    def __str__(self) -> str:
        share = f"share of {clean(self.label)}"
        heads = ["leaves at nodes", "prior", "evidence", "probability", share, "product"]
        rows = []
        for p in sorted(self.prunings, key=lambda p: -p.probability):
            numbers = f"{p.prior:.4f}", f"{p.evidence:.4g}", f"{p.probability:.4f}", f"{p.share:.4f}"
            cells = ", ".join(map(str, p.leaves)), *numbers, f"{p.probability * p.share:.4f}"
            rows.append([Span(cell) for cell in cells])
        listed = plain(table(heads, rows, frozenset(range(1, 6)), 10_000))
        return f"{listed}\nsum of the products: {self.sum:.12f}\nthe tree's own answer: {self.averaged:.12f}"

    __repr__ = __str__


def all_prunings(estimator: DecisionTree, row: Mapping[str, Any], label: str) -> AllPrunings:
    """Return every pruning of a fitted tree that averages over them, and what each answers to a row."""
    tree = estimator.model_
    if tree.averaged is None:
        raise OptionError("this tree does not average over its prunings. Fit with average=True.")
    path = [int(estimator.apply([row])[0])]  # the nodes of the row, from its leaf to the root
    while path[-1]:
        path.append(int(tree.nodes.parent[path[-1]]))
    number = tree.schema.predicted.labels.index(label)
    smoothing = tree.answers.smoothing
    shares = leaf_shares(tree.counted, smoothing, tree.base)
    evidence = log_evidence(tree.counted, smoothing, tree.base)
    if tree.answers.keep is None:
        keep = prior_of_tests(tree.schema, tree.nodes, tree.counted.sum(axis=1)).tolist()
    else:
        keep = [tree.answers.keep] * len(tree.nodes)
    found = []
    for is_leaf in _prunings(tree.nodes, 0):
        leaves = tuple(n for n, leaf in is_leaf.items() if leaf)
        prior = math.prod(keep[n] for n, leaf in is_leaf.items() if not leaf)
        prior *= math.prod(1 - keep[n] for n in leaves if tree.nodes.column[n] >= 0)
        likelihood = math.exp(sum(float(evidence[n]) for n in leaves))
        stop = next(n for n in reversed(path) if n in leaves)
        found.append((leaves, prior, likelihood, float(shares[stop, number])))
    total = sum(prior * likelihood for _, prior, likelihood, _ in found)
    weighed = tuple(WeighedPruning(n, p, e, p * e / total, s) for n, p, e, s in found)
    return AllPrunings(label, weighed, float(estimator.predict_proba([row])[0, number]))


def _prunings(nodes: Nodes, node: int) -> list[dict[int, bool]]:
    """Return every pruning below a node as {node: it is a leaf}."""
    if nodes.column[node] < 0:
        return [{node: True}]
    below = itertools.product(*(_prunings(nodes, int(b)) for b in nodes.branches(node)))
    whole = [{n: leaf for part in parts for n, leaf in part.items()} for parts in below]
    return [{node: True}, *({node: False, **part} for part in whole)]


# The parts of a lesson, and how it is written as text and as Markdown.


WIDE = 96  # cells of a line of words
LEFT_OUT = "..."  # stands for sections that a lesson does not show


def find(name: str) -> str:
    """Return the path of a bundled table."""
    return str(resources.files("tallystick.examples") / name)


@dataclass(frozen=True)
class Worked:
    """The working of a method on a table. only: the sections that are shown, by how their headings begin;
    nothing is all of them. words: said before it.
    """

    table: str
    target: str
    method: str = "id3"
    row: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    words: str = ""

    @property
    def command(self) -> str:
        """The command that prints the whole of it."""
        parts = [f"tally work {self.table} --target {self.target}"]
        parts += [f"--model {self.method}"] if self.method != "id3" else []
        parts += [f"--row {_typed(f'{name}={value}')}" for name, value in self.row.items()]
        for name, value in self.settings.items():
            if name == "kinds":
                parts += [f"--kind {column}={kind}" for column, kind in value.items()]
            elif name == "columns":
                parts += [f"--keep {_typed(column)}" for column in value.keep]
            else:
                parts.append(f"--set {name}={value}")
        return " ".join(parts)

    def printed(self, blank: bool = False) -> str:
        """Return what it prints; sections that are not shown are a line of dots."""
        row = dict(self.row) or None
        found = work(find(self.table), self.target, method=self.method, row=row, blank=blank, **self.settings)
        return cut_short(found.shown, self.only)


@dataclass(frozen=True)
class Typed:
    """Lines of Python, and what they print. words: said before them."""

    code: str
    prints: str
    words: str = ""

    @property
    def command(self) -> str:
        """The lines as they are typed at Python's prompt."""
        first, *rest = self.code.split("\n")
        lines = [f">>> {first}"]
        lines += [f"... {line}" if line.startswith((" ", ")", "]", "}")) else f">>> {line}" for line in rest]
        return "\n".join(lines)

    def printed(self, blank: bool = False) -> str:
        """Return what they print; nothing on a sheet without answers."""
        return "" if blank else self.prints


Step = Worked | Typed


def _typed(text: str) -> str:
    return f"'{text}'" if " " in text else text


def cut_short(parts: tuple[Part, ...], only: tuple[str, ...]) -> str:
    """Return the text of the sections whose headings begin so, with all below them; dots stand for others."""
    if not only:
        return text(parts)
    out: list[str] = []
    run: list[Part] = []
    whole = part_of = gap = False  # the section is wanted; the piece below it is; something was left out

    def close() -> None:
        nonlocal run, gap
        if run:
            out.append(f"{LEFT_OUT}\n\n{text(tuple(run))}" if gap else text(tuple(run)))
            run, gap = [], False

    for part in parts:
        if isinstance(part, Headline):
            wanted = flat(part.text).startswith(only)
            whole, part_of = (wanted, wanted) if part.level <= 2 else (whole, whole or wanted)
        if part_of:
            run.append(part)
        else:
            close()
            gap = True
    close()
    return "\n".join(out) + (f"\n{LEFT_OUT}\n" if gap else "")


@dataclass(frozen=True)
class Lesson:
    """One lesson. name: what `tally lesson` calls it. tables: the bundled files it uses. change: what to try,
    with the command that does it. picture: the function of `ts.pictures` that shows the idea, and what it is
    given.
    """

    name: str
    title: str
    question: str
    tables: tuple[str, ...]
    steps: tuple[Step, ...]
    notice: tuple[str, ...]
    change: str
    then: str = ""
    picture: tuple[str, Mapping[str, Any]] | None = None
    pictured: str = ""

    @cached_property
    def printed(self) -> tuple[str, ...]:
        """What each step prints."""
        return tuple(step.printed() for step in self.steps)

    def drawn(self) -> Any:
        """Return the picture of the lesson, or None."""
        if self.picture is None:
            return None
        from tallystick.teach import pictures

        what, given = self.picture
        more = dict(given)
        args = [find(more.pop("table"))] if "table" in more else []
        return getattr(pictures, what)(*args, **more)

    def text(self, blank: bool = False) -> str:
        """Return the lesson as text; blank: a sheet to be filled in."""
        out = [self.title, "=" * len(self.title), "", *wrapped(self.question), ""]
        for step, printed in zip(self.steps, self._prints(blank), strict=True):
            out += [*wrapped(step.words), ""] if step.words else []
            out += [f"$ {step.command}" if isinstance(step, Worked) else step.command, ""]
            out += [*printed.rstrip("\n").split("\n"), ""] if printed else []
        if not blank:
            out += ["What to notice", "--------------", ""]
            out += [line for words in self.notice for line in wrapped(words, "- ")]
            out.append("")
        out += ["Change one thing and try", "------------------------", "", *wrapped(self.change)]
        out += ["", f"$ {self.then}"] if self.then else []
        return "\n".join(out) + "\n"

    def markdown(self) -> str:
        """Return the lesson as a page of Markdown: what is printed stands under its command."""
        out = [f"# {self.title}", "", self.question, ""]
        for step, printed in zip(self.steps, self.printed, strict=True):
            out += [step.words, ""] if step.words else []
            if isinstance(step, Worked):
                out += ["```console", f"$ {step.command}", printed.rstrip("\n"), "```", ""]
            else:
                out += ["```pycon", step.command, printed.rstrip("\n"), "", "```", ""]
        out += ["## What to notice", "", *(f"- {words}" for words in self.notice), ""]
        out += ["## Change one thing and try", "", self.change]
        out += ["", "```sh", self.then, "```"] if self.then else []
        return "\n".join(out) + "\n"

    def _prints(self, blank: bool) -> tuple[str, ...]:
        return tuple(step.printed(True) for step in self.steps) if blank else self.printed

    def to_dict(self) -> dict[str, Any]:
        """Return the lesson as plain data."""
        steps = [
            {"command": step.command, "printed": printed, "words": step.words}
            for step, printed in zip(self.steps, self.printed, strict=True)
        ]
        return {
            "change": self.change,
            "name": self.name,
            "notice": list(self.notice),
            "question": self.question,
            "steps": steps,
            "tables": list(self.tables),
            "then": self.then,
            "title": self.title,
        }

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


def wrapped(words: str, first: str = "") -> list[str]:
    """Return words in lines of at most WIDE cells; further lines stand under the first."""
    return textwrap.wrap(words, WIDE, initial_indent=first, subsequent_indent=" " * len(first)) or [""]


# Rows that lessons generate.


def independent_rows() -> list[dict[str, int]]:
    """Return rows whose columns tell nothing of each other once the class is known: each is the class in 3
    of 4 rows, every combination as often as that says.
    """
    rows = []
    for y in (0, 1):
        for code in range(64):
            bits = [code >> (2 * k) & 3 for k in range(3)]  # 0 of four: the column is wrong
            rows.append({f"x{k + 1}": y if b else 1 - y for k, b in enumerate(bits)} | {"y": y})
    return rows


def balls() -> list[dict[str, str]]:
    """Return 49 balls of two urns, Y: of the 36 of the first 1/3 are red and 1/2 striped, whatever their
    colour; of the 13 of the second 4 are red and none is striped.
    """
    counts = {("1", 1, 1): 6, ("1", 1, 0): 6, ("1", 0, 1): 12, ("1", 0, 0): 12}
    counts |= {("2", 1, 0): 4, ("2", 0, 0): 9}
    return [
        {"R": "yes" if r else "no", "B": "yes" if b else "no", "Y": y}
        for (y, r, b), n in counts.items()
        for _ in range(n)
    ]


# The course: a file per lesson in `course/`, and `lesson()`.


COURSE = (
    "id3",
    "households",
    "threshold",
    "xor",
    "choice",
    "bits",
    "census",
    "many-values",
    "expression",
    "bayes-rule",
    "counting",
    "two-ways",
    "bayes",
    "m-estimate",
    "words",
    "gaussian",
    "logistic",
    "optimal-bayes",
    "votes",
    "generative",
    "text",
    "independence",
)


def read_lesson(name: str) -> Lesson:
    """Return a lesson from its file. Words there may stand in several lines: a line end is a space."""
    text = (resources.files("tallystick.teach") / "course" / f"{name}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    steps: list[Step] = []
    for step in found["step"]:
        words = _one_line(step.pop("words", ""))
        if "code" in step:
            steps.append(Typed(step["code"], step["prints"], words))
            continue
        settings = step.pop("settings", {})
        if "columns" in settings:
            settings["columns"] = Columns(**settings["columns"])
        steps.append(Worked(**step | {"only": tuple(step.get("only", ()))}, settings=settings, words=words))
    picture = found.get("picture", {})
    return Lesson(
        name,
        found["title"],
        _one_line(found["question"]),
        tuple(found.get("tables", ())),
        tuple(steps),
        tuple(map(_one_line, found["notice"])),
        _one_line(found["change"]),
        _one_line(found.get("then", "")),
        pictured=picture.pop("words", ""),
        picture=(picture.pop("draw"), picture) if picture else None,
    )


def _one_line(words: str) -> str:
    return " ".join(words.split())


LESSONS = {name: read_lesson(name) for name in COURSE}


@dataclass(frozen=True)
class LessonList:
    """The lessons, a line each."""

    lessons: tuple[Lesson, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return names, titles and tables as plain data."""
        return {
            "lessons": [{"name": x.name, "tables": list(x.tables), "title": x.title} for x in self.lessons]
        }

    def __str__(self) -> str:
        rows = [[Span(x.name, "strong"), Span(x.title)] for x in self.lessons]
        return plain(table(["lesson", "about"], rows, frozenset(), 10_000))

    __repr__ = __str__


@overload
def lesson(name: str) -> Lesson: ...


@overload
def lesson(name: None = None) -> LessonList: ...


def lesson(name: str | None = None) -> Lesson | LessonList:
    """Return a lesson: a question, the working that answers it, what to notice, one thing to change and try.

    Parameters
    ----------
    name : str, default None
        Which one; None lists them all.

    Returns
    -------
    Lesson or LessonList
        Prints as text, shows in a notebook; `markdown()` gives a page, `drawn()` its picture.

    Examples
    --------
    >>> import tallystick as ts
    >>> print(ts.lesson("bayes-rule").title)
    Bayes' rule, four times
    """
    if name is None:
        return LessonList(tuple(LESSONS.values()))
    if not isinstance(name, str) or name not in LESSONS:
        close = nearest(name, list(LESSONS)) if isinstance(name, str) else ""
        raise OptionError(f"there is no lesson {shown(name)}.{close} `tally lesson` lists them.")
    return LESSONS[name]
