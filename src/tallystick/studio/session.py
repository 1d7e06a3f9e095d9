"""One tab: the file, what the user said of it, the comparison, and the model that is shown.

Knows the public names and the parts of the page. Knows nothing of HTTP.
Laws: one piece of work at a time, and the last word counts; what is made from an earlier word is dropped.
"""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import tallystick as ts
from tallystick.errors import OptionError, shown
from tallystick.estimators.judging import candidates_of, compare_read
from tallystick.evaluate.compare import Comparison, Entry, Watch
from tallystick.evaluate.crossval import FoldWay
from tallystick.evaluate.trials import Candidate
from tallystick.export.targets import TARGETS
from tallystick.methods import COMPARED
from tallystick.reports.what_if import plain_row
from tallystick.studio import views
from tallystick.studio.asked import TableWishes
from tallystick.studio.hand import ByHand
from tallystick.studio.jobs import Job
from tallystick.studio.pruned import is_prunable, path_of, pruned
from tallystick.studio.reading import OpenTable, columns_part, read
from tallystick.studio.script import command_lines, deciding, file_names, fitting, python_script

PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$")
PARTS = ("columns", "methods", "model", "decide", "hand", "save")
AFTER = {"columns": PARTS, "methods": PARTS[1:], "model": PARTS[2:]}  # what falls when one is made anew


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
            html = views.columns_html(part)
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
                reading.table, FoldWay.of(folds, None, None), made, watch=Watch(self._steps(job), arrived)
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
        given = views.ingredients(reading, listed, entry, how["folds"])
        methods = views.methods_html(given, found, own) if entry.result else None
        model = views.model_part(given)
        decide = views.decide_part(given) if entry.result else None
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
        html = views.render(
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
            way = FoldWay.of(how["folds"], None, None)
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
            made = ts.report(
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
        return {"told": found.told, "sentences": [str(one) for one in found.found]}

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
