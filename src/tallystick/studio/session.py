"""A session of the studio, one browser tab: its table, trees grown by hand, pruning, scripts, HTML and state.

Parts: the user's settings of the table; `ByHand`, a tree grown by hand; the pruning slider; `OpenTable`, the
rows; the script that repeats the work; parts of the page as HTML; `Session`, the entry.
wish = a setting that the user chose; cure = the argument that a note advises; step = one pruning of the tree.
Laws: one job at a time, and the last request wins; results of an earlier one are dropped.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2

import tallystick
from tallystick import __version__
from tallystick.bayes.estimator import NaiveBayes
from tallystick.description.columns import Description
from tallystick.description.text import describe_table
from tallystick.errors import Argument, Message, OptionError, for_reader, shown, some
from tallystick.estimator.verify import ordered, row_of
from tallystick.export.targets import TARGETS
from tallystick.io.open import open_source
from tallystick.judge.api import candidates_of, compare_read
from tallystick.judge.compare import Candidate, Comparison, Entry, Watch
from tallystick.judge.crossval import FoldOptions
from tallystick.methods import COMPARED, VARIANTS
from tallystick.reports.columns import column_row
from tallystick.reports.context import EXECUTION, PageData, Row, class_colours, column_flags, fit_line
from tallystick.reports.page import environment, model_section, report_style, sections_script
from tallystick.reports.quality import costs_section, judged_section, threshold_section
from tallystick.reports.rows import plain_row, rows_section, what_if
from tallystick.schema import KINDS, MISSING_MARKS, ColumnOptions, Columns
from tallystick.studio.folder import Job, harmless
from tallystick.table.reader import read_table
from tallystick.tree.prune import CostComplexity

# The user's settings of the table: the file, the target, kinds, marks of missing values, spellings.
# Law: they are immutable; a changed setting makes a new object.

CURES = ("missing", "merge", "keep", "kinds", "levels")  # arguments advised by notes that a button can set


@dataclass(frozen=True)
class TableWishes:
    """The table as the user wants it read. `name`: what the page calls the file."""

    name: str = ""
    path: Path | None = None
    target: str = ""
    columns: Columns = field(default_factory=Columns)

    def with_kind(self, column: str, kind: str) -> TableWishes:
        """Return it with a column of another kind; an empty kind is what looking finds."""
        if kind and kind not in KINDS:
            raise OptionError(f"there is no kind {shown(kind)}. Use: {', '.join(KINDS)}.")
        kinds = {name: k for name, k in self.columns.kinds.items() if name != column}
        keep = tuple(name for name in self.columns.keep if name != column)
        return self._columns(kinds=kinds | ({column: kind} if kind else {}), keep=keep)

    def with_missing(self, marks: str) -> TableWishes:
        """Return it with other marks of missing values, with commas between them; none are the usual ones."""
        found = tuple(dict.fromkeys(mark.strip() for mark in marks.split(",") if mark.strip()))
        return self._columns(missing=("", *found) if found else None)

    def with_cure(self, cure: Argument) -> TableWishes:
        """Return it as a note advises."""
        own, value = self.columns, cure.value
        if cure.name == "missing":
            return self._columns(missing=tuple(dict.fromkeys((*(own.missing or MISSING_MARKS), *value))))
        if cure.name == "keep":
            return self._columns(keep=tuple(dict.fromkeys((*own.keep, *value))))
        return self._columns(**{cure.name: {**getattr(own, cure.name), **value}})

    def _columns(self, **more: Any) -> TableWishes:
        own = {name: getattr(self.columns, name) for name in ("kinds", "levels", "missing", "keep", "merge")}
        return replace(self, columns=Columns(**own | more))

    @property
    def marks(self) -> str:
        """The marks of missing values as the page shows them; nothing where they are the usual ones."""
        return ", ".join(mark for mark in self.columns.missing or () if mark)

    @property
    def shared(self) -> Mapping[str, Any]:
        """What every estimator is given."""
        return {} if self.columns == Columns() else {"columns": self.columns}


def cure_of(text: str) -> Argument | None:
    """Return what a note advises to pass, where one press can do it."""
    if not isinstance(text, Message):
        return None
    found = [part for part in text.parts if isinstance(part, Argument) and part.name in CURES and not part.of]
    return found[0] if len(found) == 1 and _known(found[0].value) else None


def _known(value: Any) -> bool:
    """Say whether a note says all of what to pass; `...` is what only the user knows."""
    if isinstance(value, Mapping):
        return all(_known(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple):
        return all(map(_known, value))
    return value is not None and value is not ...


def act_of(cure: Argument) -> str:
    """Return what the press of a cure's button does, in words that stand on the button."""
    if cure.name == "keep":
        return f"Use {some(cure.value)} to predict"
    if cure.name == "missing":
        return f"Read {some(cure.value)} as missing"
    if cure.name == "kinds":
        items = [
            f"leave out {shown(column)}" if kind == "out" else f"read {shown(column)} as {kind}"
            for column, kind in cure.value.items()
        ]
    elif cure.name == "levels":
        items = [f"put the levels of {shown(c)} in this order: {some(v, 9)}" for c, v in cure.value.items()]
    else:
        items = [_merged(key, value) for key, value in cure.value.items()]
    return (text := "; ".join(items))[:1].upper() + text[1:]


def _merged(key: str, value: Any) -> str:
    """Return one merge in words: of a text in all columns, or of the texts of one column."""
    if isinstance(value, Mapping):
        return f"in {shown(key)} {', '.join(_merged(*pair) for pair in value.items())}"
    return f"read {some(value)} as {shown(key)}"


# A tree by hand: tests chosen by gain, changed, pruned, undone; its errors on held-out rows.
# Laws: the script that it gives makes the same tree; a step that was undone leaves no trace.

METHOD = "tree"  # the method whose criterion ranks tests and splits levels
MOST = 30  # tests shown of a node

Tests = list[tuple[int, str]]  # node and column of each test, by the number of the node


class ByHand:
    """A tree that a person grows."""

    def __init__(self, asked: TableWishes) -> None:
        self.asked = asked
        self.tree: Any = tallystick.grow(str(asked.path), asked.target, method=METHOD, **asked.shared)
        self.before: list[Tests] = []

    # -- steps --

    def do(self, what: str, node: int, column: str) -> None:
        """Take one step: ask, back, finish or undo."""
        if what == "undo":
            if not self.before:
                raise OptionError("there is no step to take back.")
            self._replay(self.before.pop())
            return
        now = self._tests()
        try:
            self._step(what, node, column)
        except OptionError:
            self._replay(now)
            raise
        if self._tests() != now:
            self.before.append(now)

    def _step(self, what: str, node: int, column: str) -> None:
        if what == "finish":
            self.tree.finish(node)
            return
        nodes = self.tree.tree_.nodes
        if not 0 <= node < len(nodes):
            raise OptionError(f"there is no group {node} in the tree.")
        if not nodes.leaf[node]:  # what hangs below goes; the numbers after it move up
            gone = int(nodes.end[node]) - node - 1
            kept = [(n, c) for n, c in self._tests() if n < node]
            self._replay([*kept, *((n - gone, c) for n, c in self._tests() if n > node + gone)])
        if what == "ask":
            self.tree.split(node, column)
        elif what != "back":
            raise OptionError("a step is: ask, back, finish or undo.")

    def _tests(self) -> Tests:
        tree = self.tree.tree_
        used = tree.schema.used
        return [(n, used[int(c)].name) for n, c in enumerate(tree.nodes.column) if c >= 0]

    def _replay(self, tests: Tests) -> None:
        """Grow these tests and no others. In the order of their numbers each finds its node in its place."""
        while self._tests():
            self.tree.undo()
        for node, column in tests:
            self.tree.split(node, column)

    # -- looking --

    def told(self) -> dict[str, Any]:
        """Return the errors of the tree, and whether a step can be taken back."""
        found = self.tree.errors()
        return {
            "leaves": found.leaves,
            "wrong": found.wrong,
            "rows": found.rows,
            "held_out_wrong": found.held_out_wrong,
            "held_out_rows": found.held_out_rows,
            "undo": bool(self.before),
        }

    def tests(self, node: int) -> dict[str, Any]:
        """Return the tests that a group could be given, the best first."""
        if not 0 <= node < len(self.tree.tree_.nodes):
            raise OptionError(f"there is no group {node} in the tree.")
        leaf = bool(self.tree.tree_.nodes.leaf[node])
        each = [
            [
                c.column,
                " | ".join(c.tests[:2]),
                round(float(c.gain), 4),
                None if c.ratio != c.ratio else round(float(c.ratio), 4),
                bool(c.chosen) and not leaf,
            ]
            for c in self.tree.best(node).candidates[:MOST]
        ]
        return {"leaf": leaf, "tests": each}

    def making(self) -> list[str]:
        """Return the lines of Python that grow the tree."""
        known = ", columns=columns" if self.asked.shared else ""
        begin = f"tree = ts.grow({self.asked.name!r}, {self.asked.target!r}, method={METHOD!r}{known})"
        return [begin, *(f"tree.split({n}, {c!r})" for n, c in self._tests()), "model = tree.model()"]


# The pruning path of a tree as a slider: from the root alone to the grown tree, with cross-validated errors.
# Law: the tree of a step is the one that a fit with its parameters gives, as its price is between two steps.


def is_prunable(model: Any) -> bool:
    """Say whether a model is a tree that has a path of prunings, and was not pruned by a rule of its own."""
    return getattr(model, "pruning", ...) is None and hasattr(model, "pruning_path")


def path_of(model: Any, folds: int) -> dict[str, Any]:
    """Return the steps of the slider: leaves, error on the training rows, and on rows not seen."""
    path = model.pruning_path(folds=folds)
    return {
        "leaves": path.leaves.tolist(),
        "error": [round(float(e), 6) for e in path.error],
        "cv_error": [round(float(e), 6) for e in path.cv_error],
        "cv_se": [round(float(e), 6) for e in path.cv_se],
        "prices": _prices(path),
        "one_se": path.one_se,
        "minimum": path.minimum,
    }


def _prices(path: Any) -> list[float]:
    """Return the complexity parameter of each step: in the middle of those that give its tree."""
    own = [float(p) for p in path.cp]
    out = []
    for k, price in enumerate(own):
        above = own[k - 1] if k else 4 * price or 1.0
        out.append(math.sqrt(price * above) if price > 0 else above / 2)
    return out


def pruned(model: Any, path: dict[str, Any], step: Any) -> Any:
    """Return the method of a step, not fitted."""
    if type(step) is not int or not 0 <= step < len(path["prices"]):
        raise OptionError(f"there is no step {shown(step)} on the pruning path.")
    wanted = model.get_params(deep=False) | {"pruning": CostComplexity(path["prices"][step])}
    return type(model)(**wanted)


# The table of a session, read once for the columns, the comparison and the model.
# Law: it is what `ts.compare` and `fit` read with the same settings.


@dataclass(frozen=True)
class OpenTable:
    """Rows in an order of their content, their table, and what they are taken for; `lying`: as they lie."""

    asked: TableWishes
    table: Any
    description: Description
    source: Any = field(repr=False, default=None)
    lying: Any = field(repr=False, default=None)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes; none before there is a target."""
        target = self.table.schema.target
        return () if target is None else tuple(target.labels)

    def row(self, number: int) -> Row:
        """Return a row of the ordered source as texts."""
        return row_of(self.source, number)

    def row_in_file(self, number: int) -> Row:
        """Return a row by its number in the file, from 1, with nothing where a cell is missing."""
        if not 1 <= number <= self.lying.rows:
            raise OptionError(
                f"row {shown(number)} is not there: the file has rows 1 to {self.lying.rows:,}."
            )
        marks = self.table.schema.marks
        found = row_of(self.lying, number - 1)
        return {n: None if v is None or v.strip() in marks else v for n, v in found.items()}


def read(asked: TableWishes) -> OpenTable:
    """Read the file of a session as the user wants it."""
    source = open_source(str(asked.path))
    if not asked.target:
        own = asked.columns
        bare = read_table(
            source, ColumnOptions(own.kinds, own.levels, own.missing, own.keep, own.merge), None
        )
        return OpenTable(asked, bare, describe_table(asked.name, bare, form=source.form))
    lying: list[Any] = []

    def encode(cells: Any) -> Any:
        lying.append(cells)
        return NaiveBayes(**asked.shared)._read(cells, asked.target)

    arranged, table = ordered(source, encode)
    described = describe_table(asked.name, table, form=source.form)
    return OpenTable(asked, table, described, arranged, lying[0])


def columns_part(reading: OpenTable) -> dict[str, Any]:
    """Return what the page shows of the columns: each with kind, why, distribution and its warnings."""
    found, schema = reading.description, reading.table.schema
    most = max([c.gain or 0.0 for c in found.columns] or [0.0]) or 1.0
    line = partial(column_row, rows=found.rows, labels=reading.labels, most=most)
    notes = list(dict.fromkeys(found.notes))
    beside: dict[str, list[dict[str, Any]]] = {}
    general = []
    for number, note in enumerate(notes):
        cure = cure_of(note.text)
        fields = {
            "text": for_reader(note.text),
            "number": number,
            "act": "" if cure is None else act_of(cure),
        }
        if note.column:
            beside.setdefault(note.column, []).append(fields)
        else:
            general.append(fields)
    known = {c.name for c in found.columns}
    general += [t for name, fields in beside.items() if name not in known for t in fields]
    ranked = sorted(found.columns, key=lambda c: (*c.rank, c.name)) if found.target else found.columns
    rows = [line(c, schema[c.name]) | {"notes": beside.get(c.name, [])} for c in ranked]
    said = reading.asked.columns
    for row in rows:
        row["said"] = said.kinds.get(row["name"], "")
        row["kept"] = row["name"] in said.keep
    return {
        "rows": rows,
        "general": general,
        "cures": [cure_of(note.text) for note in notes],
        "found": found,
        "labels": reading.labels,
        "asked": reading.asked,
        "names": [c.name for c in found.columns] + ([found.target] if found.target else []),
    }


# The Python script and the command lines that repeat what was done in the studio.
# Law: run in the folder of the file, they write the same bytes.

IMPORT = "import tallystick as ts\n"


def file_names(target: str) -> tuple[str, str]:
    """Return what the model file and the report are called."""
    stem = harmless(target).replace(" ", "-")
    return f"{stem}.tally.json", f"{stem}.html"


def typed(estimator: Any) -> str:
    """Return an estimator as it is typed, with the variable `columns` for what is known of them."""
    default = type(estimator)().get_params(deep=False)
    parts = []
    for name, value in estimator.get_params(deep=False).items():
        if name in (*EXECUTION, "kinds") or value == default[name]:
            continue
        shown = "columns" if name == "columns" else f"ts.{value!r}" if is_dataclass(value) else repr(value)
        parts.append(f"{name}={shown}")
    return f"ts.{type(estimator).__name__}({', '.join(parts)})"


def python_script(asked: TableWishes, methods: list[str], folds: int, tuned: bool, making: list[str]) -> str:
    """Return the script. making: the lines that make `model`, see `fitting`."""
    file, page = file_names(asked.target)
    data, aim = repr(asked.name), repr(asked.target)
    known = asked.columns != Columns()
    own = ", columns=columns" if known else ""
    lines = [IMPORT]
    if known:
        lines.append(f"columns = ts.{asked.columns!r}")
    lines.append(f"found = ts.compare({data}, {aim}, methods={methods!r}, tuned={tuned}, folds={folds}{own})")
    lines += ["print(found)", "", *making, f"model.save({file!r})", ""]
    more = f"tuned={tuned}, folds={folds}, path={page!r}{own}"
    lines.append(f"ts.report({data}, {aim}, methods={methods!r}, {more})")
    return "\n".join(lines) + "\n"


def fitting(asked: TableWishes, estimator: Any) -> list[str]:
    """Return the line that fits a model."""
    return [f"model = {typed(estimator)}.fit({asked.name!r}, {asked.target!r})"]


def deciding(estimator: Any) -> list[str]:
    """Return the line that keeps a decision with the model; none where answers are by the largest share."""
    decision = estimator.model_.decision
    if decision is None:
        return []
    said = [f"{name}={value!r}" for name, value in sorted(decision.to_dict().items(), reverse=True)]
    return [f"model.set_decision({', '.join(said)})"]


def command_lines(
    asked: TableWishes, methods: list[str], folds: int, tuned: bool, chosen: tuple[str, Any] | None
) -> str:
    """Return the commands: compare, fit, report. chosen: the name of the method, and its estimator;
    None: a tree by hand, which the script alone makes.
    """
    file, page = file_names(asked.target)
    flags = column_flags(asked.columns)
    known = [shlex.quote(asked.name), "--target", shlex.quote(asked.target)]
    ways = [f"--method {shlex.quote(name)}" for name in methods]
    compared = [
        "tally compare",
        *known,
        *ways,
        *([] if tuned else ["--no-tuning"]),
        f"--folds {folds}",
        *flags,
    ]
    fitted = "# the tree by hand is made by the script"
    if chosen is not None:
        fitted = fit_line(chosen[1], chosen[0], asked.name, asked.target, file)
    items = [
        "tally report",
        *known,
        *ways,
        *(["--tuned"] if tuned else []),
        f"--folds {folds}",
        *flags,
        "-o",
        shlex.quote(page),
    ]
    return "\n".join([" ".join(compared), fitted, " ".join(items)]) + "\n"


# Parts of the page as HTML, from the templates of the studio and of the report.
# Law: everything that came from a user is escaped by the template, as in a report.

CHOICES = tuple((v.name, v.words, v.method.compared) for v in VARIANTS if not v.method.regression)
TEXTS = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
}
SCRIPTS = ("studio.js", "hand.js", "columns.js", "methods.js", "model.js", "small.js")


@cache
def templates() -> jinja2.Environment:
    """Return the templates of this room, and behind them those of the report."""
    out = environment()
    assert out.loader is not None
    out.loader = jinja2.ChoiceLoader([jinja2.PackageLoader("tallystick.studio", "assets"), out.loader])
    return out


def render(template: str, **given: Any) -> str:
    """Return a part of the page."""
    return templates().get_template(template).render(**given)


def page() -> str:
    """Return the page itself, before anything is known."""
    return render("studio.html", version=__version__, methods=CHOICES)


@cache
def file(name: str) -> tuple[bytes, bytes] | None:
    """Return a file that the page may ask for, and its type; None: there is none of this name."""
    if name == "report.css":
        text = report_style()
    elif name == "report.js":
        text = sections_script()
    elif name in ("studio.css", *SCRIPTS):
        text = (resources.files("tallystick.studio") / "assets" / name).read_text(encoding="utf-8")
    else:
        return None
    return text.encode(), TEXTS[name.rpartition(".")[2]]


def columns_html(part: dict[str, Any]) -> str:
    """Return the columns with their kinds, distributions and warnings."""
    return render("columns.html", part=part, kinds=KINDS)


def page_data(reading: OpenTable, found: Comparison[Any], entry: Entry[Any], folds: int) -> PageData:
    """Return what the sections of a page are made from, with this entry as the chosen one."""
    shown = replace(found, chosen=entry)
    return PageData(
        reading.asked.name, reading.table, reading.description, shown, row=reading.row, folds=folds
    )


def methods_html(page: PageData, found: Comparison[Any], own: bool) -> str:
    """Return the scores side by side and the razor's sentence. own: the model shown is the user's own."""
    judged = judged_section(page)
    for line in judged["methods"]:
        line["chosen"] = line["name"] == found.chosen.name
    why = page.comparison.why
    return render(
        "methods.html",
        judged=judged,
        why=why[:1].upper() + why[1:],
        shown=page.chosen.name,
        page=page,
        own=own,
    )


def decide_part(page: PageData) -> dict[str, Any] | None:
    """Return the threshold of two classes, or the costs of more, as the report has them, with a button that
    keeps them; None where there is nothing to decide.
    """
    judged = {"threshold": threshold_section(page), "costs": costs_section(page)}
    data = {key: part["data"] for key, part in judged.items() if part}
    if not data:
        return None
    kept = page.model.decision
    html = render("decide.html", judged=judged, kept="" if kept is None else str(kept))
    return {"html": html, "data": data, "labels": list(page.labels), "palette": class_colours(page)}


def model_part(page: PageData) -> dict[str, Any]:
    """Return the sections of the model and of the what-if form, and the data that lets them move."""
    starts = rows_section(page)["starts"] if page.chosen.result is not None else []
    ask = what_if(page, starts)
    chosen = model_section(page) | {"others": []}
    data = {"labels": list(page.labels), "palette": class_colours(page), "target": page.target, "ask": ask}
    data |= {key: chosen[key] for key in ("tree", "scales") if key in chosen}
    shown = {"page": page, "chosen": chosen, "ask": ask}
    columns = [c.name for c in page.table.schema.used]
    html = render("model.html", **shown)
    asks = render("what_if.html", **shown) + render(
        "changes.html", columns=_first(columns, page.columns), ask=ask
    )
    return {"name": page.chosen.name, "html": html, "what_if": asks, "data": data, "kind": chosen["kind"]}


def _first(names: Sequence[str], informative: Sequence[str]) -> list[str]:
    """Return names with the most informative ones first."""
    return [n for n in informative if n in names] + [n for n in names if n not in informative]


PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$")
PARTS = ("columns", "methods", "model", "decide", "hand", "save")
AFTER = {"columns": PARTS, "methods": PARTS[1:], "model": PARTS[2:]}  # invalid when one is made again


class Session:
    """The work of one tab."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.version, self.problem = 0, ""
        self.asked = TableWishes()
        self.job: Job | None = None
        self.parts: dict[str, dict[str, Any]] = {}  # by name: what the page shows, with its version
        self.reading: OpenTable | None = None
        self.cures: list[Any] = []
        self.found: Comparison[Any] | None = None
        self.how: dict[str, Any] = {"methods": list(COMPARED), "folds": 10, "tuned": False}
        self.entry: Entry[Any] | None = None
        self.making: tuple[list[str], int | None] = ([], None)  # of the entry: lines, step of the path
        self.hand: ByHand | None = None
        self.path: dict[str, Any] | None = None  # of prunings, of the tree `grown`
        self.grown: Any = None
        self.page: bytes | None = None
        self.dropped: set[Path] = set()

    # -- what the page asks --

    def state(self) -> dict[str, Any]:
        """Return what is to be seen now, in little: versions of the parts, not the parts."""
        with self.lock:
            return {
                "version": self.version,
                "file": self.asked.name,
                "target": self.asked.target,
                "rows": 0 if self.reading is None else self.reading.description.rows,
                "job": None if self.job is None else self.job.told,
                "problem": self.problem,
                "parts": {name: part["version"] for name, part in self.parts.items()},
                "how": self.how,
                "report": self.page is not None,
            }

    def part(self, name: str) -> dict[str, Any]:
        """Return one part of the page."""
        with self.lock:
            if name not in self.parts:
                raise OptionError(f"there is no {shown(name)} to show yet.")
            return self.parts[name]

    def cancel(self) -> None:
        """End the work under way; what is shown stays."""
        with self.lock:
            if self.job is not None:
                self.job.cancel()
                self.job = None
                self._changed()
            self._forget(self.asked.path)

    def close(self) -> None:
        """End for good: nobody asks any more."""
        self.cancel()
        self._forget()

    # -- work --

    def open(self, name: str, path: Path, dropped: bool = False) -> None:
        """Take another file; one that was dropped on the page is deleted when another takes its place."""
        with self.lock:
            self.dropped |= {path} if dropped else set()
            self._forget(self.asked.path, path)
            self._read(TableWishes(name, path))

    def _forget(self, *wanted: Path | None) -> None:
        """Delete the files that were dropped on the page, but for those that are still wanted."""
        for path in self.dropped - set(wanted):
            shutil.rmtree(path.parent, ignore_errors=True)
            self.dropped.discard(path)

    def change(self, wish: dict[str, Any]) -> None:
        """Read the columns another way: a kind, marks of missing values, the target, a note's advice."""
        asked = self.asked
        if asked.path is None:
            raise OptionError("there is no file yet. Choose one.")
        if "kind" in wish:
            asked = asked.with_kind(wish["column"], wish["kind"])
        if "missing" in wish:
            asked = asked.with_missing(wish["missing"])
        if "cure" in wish:
            number = wish["cure"]
            if type(number) is not int or not 0 <= number < len(self.cures) or self.cures[number] is None:
                raise OptionError(f"there is no advice {shown(number)}.")
            asked = asked.with_cure(self.cures[number])
        if "target" in wish:
            asked = replace(asked, target=wish["target"])
        self._read(asked)

    def _read(self, asked: TableWishes) -> None:
        def work(job: Job) -> None:
            reading = read(asked)
            part = columns_part(reading)
            job.step(1, 1)
            html = columns_html(part)
            with self.lock:
                job.step(1, 1)
                self.reading, self.found, self.entry, self.page = reading, None, None, None
                self.asked, self.cures = asked, part["cures"]
                self._forget(asked.path)
                self._put("columns", {"html": html, "target": asked.target})

        self._start("reading the file", work)

    def compare(self, wish: dict[str, Any]) -> None:
        """Compare methods by cross-validation; scores arrive fold by fold."""
        reading = self._known()
        methods = wish.get("methods") or list(COMPARED)
        folds, tuned = wish.get("folds", 10), wish.get("tuned", False)
        if not 2 <= folds <= 100:
            raise OptionError(f"folds must be 2 to 100, not {shown(folds)}.")
        made = candidates_of(methods, tuned, reading.asked.shared)

        def work(job: Job) -> None:
            def arrived(scores: list[tuple[str, int, float, float]]) -> None:
                job.live = [list(line) for line in scores]
                self._changed()

            found = compare_read(
                reading.table, FoldOptions.of(folds, None, None), made, watch=Watch(self._steps(job), arrived)
            )
            chosen = found.chosen
            if chosen.family == "majority" and len(found.entries) > 1:
                chosen = next(e for e in found.entries if e.family != "majority")
            how = {"methods": methods, "folds": folds, "tuned": tuned}
            self._show(job, found, chosen, how, fitting(reading.asked, chosen.model))

        self._start("comparing methods", work)

    def show(self, name: str) -> None:
        """Look at the model of another method of the comparison."""
        found = self.found
        if found is None:
            raise OptionError("there is nothing to show yet. Compare the methods first.")
        try:
            entry = found[name]
        except KeyError:
            raise OptionError(f"there is no method {shown(name)} in the comparison.") from None
        if entry.family == "majority":
            raise OptionError("always answering one class leaves nothing to look at. Choose a method.")
        asked, how = self._known().asked, self.how
        self._start("drawing", lambda job: self._show(job, found, entry, how, fitting(asked, entry.model)))

    def _show(
        self,
        job: Job,
        found: Comparison[Any],
        entry: Entry[Any],
        how: dict[str, Any],
        making: list[str],
        step: int | None = None,
    ) -> None:
        """Make the parts that show an entry. making: the lines of Python that make its model; step: where it
        stands on the pruning path.
        """
        reading = self._known()
        own = entry.name not in {e.name for e in found.entries}
        listed = replace(found, entries=(*found.entries, entry)) if own and entry.result else found
        parts = page_data(reading, listed, entry, how["folds"])
        methods = methods_html(parts, found, own) if entry.result else None
        model = model_part(parts)
        decide = decide_part(parts) if entry.result else None
        save = self._save_part(reading.asked, how, entry, making)
        with self.lock:
            job.step(1, 1)
            if found is not self.found:
                self.page, self.path, self.hand = None, None, None
            self.found, self.entry, self.how, self.making = found, entry, how, (making, step)
            if methods is not None:
                self._put("methods", {"html": methods, "shown": entry.name})
            self._put("model", model)
            if decide is not None:
                self._put("decide", decide)
            if model["kind"] == "tree":
                self._put("hand", self._hand_part(entry, step))
            self._put("save", save)

    def decide(self, wish: dict[str, Any]) -> None:
        """Keep a threshold or costs with the model that is shown; neither: answers by the largest share."""
        entry, found, how = self._shown(), self.found, self.how
        if found is None:
            raise OptionError("compare the methods first: a decision is kept with one of their models.")
        model = entry.model
        if wish.get("threshold") is None and wish.get("costs") is None:
            model.clear_decision()
        else:
            model.set_decision(costs=wish.get("costs"), threshold=wish.get("threshold"), of=wish.get("of"))
        making, step = self.making
        self._start("drawing", lambda job: self._show(job, found, entry, how, making, step))

    def _save_part(
        self, asked: TableWishes, how: dict[str, Any], entry: Entry[Any], making: list[str]
    ) -> dict[str, Any]:
        making = [*making, *deciding(entry.model)]
        script = python_script(asked, how["methods"], how["folds"], how["tuned"], making)
        chosen = None if entry.result is None else (entry.family, entry.model)
        lines = command_lines(asked, how["methods"], how["folds"], how["tuned"], chosen)
        file, page = file_names(asked.target)
        targets = [(t.name, t.words) for t in TARGETS.values()]
        html = render(
            "save.html", script=script, lines=lines, file=file, page=page, targets=targets, entry=entry
        )
        return {"html": html, "script": script, "lines": lines}

    # -- trees --

    def prunings(self) -> None:
        """Find the pruning path of the tree that is shown, with errors on rows not seen."""
        entry, folds = self._shown(), self.how["folds"]
        if not is_prunable(entry.model):
            raise OptionError("the model that is shown is not a grown tree: there is nothing to prune.")

        def work(job: Job) -> None:
            path = path_of(entry.model, folds)
            with self.lock:
                job.step(1, 1)
                self.path, self.grown = path, entry.model
                self._put("hand", self._hand_part(entry, len(path["leaves"]) - 1))

        self._start("finding the prunings", work)

    def prune(self, step: Any) -> None:
        """Show a step of the pruning path, with its cross-validated score beside the others."""
        reading, found, how = self._known(), self.found, self.how
        if self.path is None or found is None:
            raise OptionError("there is no pruning path yet.")
        method = pruned(self.grown, self.path, step)
        leaves = self.path["leaves"][step]
        name = f"decision tree, pruned to {leaves} {'leaf' if leaves == 1 else 'leaves'}"

        def work(job: Job) -> None:
            way = FoldOptions.of(how["folds"], None, None)
            candidate = Candidate(name, "tree", (("", method),))
            own = compare_read(reading.table, way, [candidate], watch=Watch(self._steps(job)))[name]
            self._show(job, found, own, how, fitting(reading.asked, own.model), step=step)

        self._start("pruning", work)

    def by_hand(self, wish: dict[str, Any]) -> None:
        """Begin a tree by hand, or take a step: ask a question, cut back, finish, undo."""
        reading, found, how = self._known(), self.found, self.how
        if found is None:
            raise OptionError("compare the methods first: the tree by hand stands beside them.")
        what, hand = wish.get("do", ""), self.hand
        node, column = wish.get("node", 0), wish.get("column", "")

        def work(job: Job) -> None:
            own = ByHand(reading.asked) if what == "begin" or hand is None else hand
            if what != "begin":
                own.do(what, node, column)
            model = own.tree.model()
            unjudged: Any = None  # by folds: its score is of rows held out
            entry: Entry[Any] = Entry("tree by hand", "tree", unjudged, "", model._numbers(), 0.0, model)
            with self.lock:
                job.step(1, 1)
                self.hand = own
            self._show(job, found, entry, how, own.making())

        self._start("growing", work)

    def tests(self, node: int) -> dict[str, Any]:
        """Return the tests that a group of the tree by hand could be given."""
        if self.hand is None:
            raise OptionError("there is no tree by hand.")
        return self.hand.tests(node)

    def _hand_part(self, entry: Entry[Any], step: int | None) -> dict[str, Any]:
        """Return what the page needs beside a tree: the slider of prunings, or the steps by hand."""
        own = entry.name == "tree by hand" and self.hand is not None
        known = step is not None and self.path is not None
        return {
            "hand": self.hand.told() if own and self.hand is not None else None,
            "prunable": is_prunable(entry.model) and not own,
            "path": self.path if known else None,
            "step": step,
        }

    def report(self) -> None:
        """Make the report, for download."""
        reading, how = self._known(), self.how

        def work(job: Job) -> None:
            made = tallystick.report(
                str(reading.asked.path),
                reading.asked.target,
                methods=how["methods"],
                tuned=how["tuned"],
                folds=how["folds"],
                progress=self._steps(job),
                **reading.asked.shared,
            )
            with self.lock:
                job.step(1, 1)
                self.page = made.html.encode()
                self._changed()

        self._start("writing the report", work)

    # -- quick answers --

    def saved(self, what: str) -> tuple[str, bytes]:
        """Return the name and the bytes of a file to save: model, report, or a language of export."""
        entry = self._shown()
        file, page = file_names(self.asked.target)
        if what == "model":
            return file, entry.model.to_bytes()
        if what == "report":
            if self.page is None:
                raise OptionError("there is no report yet. Make it first.")
            return page, self.page
        text = entry.model.export(what)
        ends = {"python": "py", "rules": "txt", "card": "md"}.get(what, what)
        return f"{page.removesuffix('.html')}.{ends}", text if isinstance(text, bytes) else str(text).encode()

    def row(self, number: int) -> dict[str, str | None]:
        """Return a row of the file by its number, from 1, as the exported model in the page reads it."""
        known = self._known()
        return plain_row(known.table.schema, known.row_in_file(number), ".")

    def changes(self, wish: dict[str, Any]) -> dict[str, Any]:
        """Return what would change the answer to a row, in sentences."""
        entry = self._shown()
        row, columns, answer = wish["row"], wish["columns"], wish.get("answer")
        # The page writes numbers plainly: as text, 417.585 is 417585 in a column that is written 1.234,5.
        plain = {c.name for c in entry.model.schema_.used if c.kind == "numeric" and not c.unit}
        row = {
            n: float(v) if n in plain and isinstance(v, str) and PLAIN.match(v) else v for n, v in row.items()
        }
        found = entry.model.counterfactuals(row, answer, columns=columns)
        return {"told": found.summary, "sentences": [str(one) for one in found.found]}

    # -- small things --

    def _shown(self) -> Entry[Any]:
        if self.entry is None:
            raise OptionError("there is no model yet. Compare the methods first.")
        return self.entry

    def _known(self) -> OpenTable:
        if self.reading is None or not self.reading.asked.target:
            raise OptionError("there is no target yet. Choose the column that is to be predicted.")
        return self.reading

    def _steps(self, job: Job) -> Callable[[int, int, str], None]:
        def step(done: int, total: int, what: str = "") -> None:
            job.step(done, total, what)
            self._changed()

        return step

    def _start(self, what: str, work: Callable[[Job], None]) -> None:
        with self.lock:
            if self.job is not None:
                self.job.cancel()
            self.problem = ""
            self.job = Job(what, work, self._ended)
            self._changed()
            self.job.start()

    def _ended(self, job: Job, problem: str) -> None:
        with self.lock:
            if self.job is job:
                self.job, self.problem = None, problem
                self._forget(self.asked.path)
                self._changed()

    def _put(self, name: str, part: dict[str, Any]) -> None:
        """Show a part, and drop what was made from what it replaces."""
        for later in AFTER.get(name, ()):
            self.parts.pop(later, None)
        self.version += 1
        self.parts[name] = part | {"version": self.version}

    def _changed(self) -> None:
        with self.lock:
            self.version += 1
