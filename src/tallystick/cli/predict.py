"""tally predict: the class of each row of a file, by a saved model."""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tallystick import errors
from tallystick.cli import options
from tallystick.cli.fit import WishedDecision, decisions, set_wished, wished
from tallystick.draw.svg import Line, Span, table, wrapped
from tallystick.errors import (
    DataError,
    OptionError,
    clean,
    counted,
    nearest,
    page_limit,
    shown,
    some,
    with_article,
)
from tallystick.methods import of_kind
from tallystick.schema import Note

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from tallystick.contracts import Source
    from tallystick.estimator.classifier import Classifier
    from tallystick.files import Sink
    from tallystick.predict.answers import MetRows, Wanted
    from tallystick.schema import Target


# tally explain: why a row of a file gets its answer: the path down a tree, or the columns' votes.


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--row",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Which row, counted from 1; the header is not counted.",
)
@options.matching
@options.picture
@options.memory
@options.reading
@options.common
def explain(model: str, data: str, row: int, as_json: bool, **given: Any) -> None:
    """Say why MODEL answers a row of FILE as it does.

    A tree: every test on the row's way, with the counts of the rows that went there. Naive Bayes: what each
    column adds to the log-odds, and the counts it comes from. Logistic regression: what each column adds.

    Rows are counted from 1, as in every message of this program: row 3 of a CSV file with a header is its
    fourth line.
    """
    import tallystick as ts
    from tallystick.table.new_rows import every_row

    options.keep_apart([model, data], {"--picture": given["picture"]})
    estimator: Any = ts.load(model)
    estimator.memory = given["memory"]
    source = every_row(options.source(data, given))
    check_row(source, row)
    found = estimator.explain(
        source, row - 1, lenient=given["lenient"], missing_columns=given["missing_columns"]
    )
    options.save_picture(given["picture"], found.picture)
    counts = of_kind(estimator.model_.kind).load("counts")(estimator.model_, found)
    if as_json:
        more = {"counts": [dict(zip(("column", "value", "counts"), c, strict=True)) for c in counts]}
        options.show_json({"row": row} | found.to_dict() | (more if counts else {}))
        return
    options.show([(Span(f"row {row:,} of {clean(source.name)}", "strong"),)])
    print(options.cleaned(str(found)))
    if counts:
        options.show([(), *counts_table(counts, found.classes)])


def check_row(source: Source, row: int) -> None:
    """Say it in the user's numbers when there is no such row."""
    count = 0
    for batch in source.batches():
        count += batch.num_rows
        if count >= row:
            return
    rows = errors.counted(count, "row")
    raise OptionError(f"--row {row:,} is not there: {source.name} has {rows}, counted from 1.")


def counts_table(counts: list[tuple[str, str, dict[str, int]]], classes: tuple[str, ...]) -> list[Line]:
    """Return the counts as a table: all that a model of counts knows of the row."""
    rows = [
        [Span(clean(column)), Span(clean(value)), *(Span(f"{n:,}") for n in by_class.values())]
        for column, value, by_class in counts
    ]
    heads = ["training rows with", "this value", *(clean(c) for c in classes)]
    return table(heads, rows, frozenset(range(2, len(heads))), options.cells())


HELD = 200_000  # answers that wait until it is known whether there are any


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("data", metavar="FILE", type=click.Path())
@click.option(
    "--output",
    "-o",
    type=click.Path(allow_dash=True),
    help="Write to a file (.csv, .jsonl, .parquet) instead of printing CSV; - is standard output.",
)
@click.option("--proba", "--all-classes", "proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--with", "carried", multiple=True, metavar="NAME", help="Copy a column of FILE into the output."
)
@click.option("--keep-columns", is_flag=True, help="Copy all columns of FILE into the output.")
@click.option("--raw", is_flag=True, help="Leave text that looks like a spreadsheet formula as it is.")
@options.matching
@click.option(
    "--flag-outside",
    is_flag=True,
    help="Add a column with the names of numeric columns outside the range of the training rows.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1, 50),
    metavar="N",
    help="Scorecards only: add N columns with what cost the row most points, in words.",
)
@click.option(
    "--reasons-against",
    type=click.Choice(("best", "average")),
    default="best",
    show_default=True,
    help="What lost points are counted from: the best line of each column, or the average training row.",
)
@click.option(
    "--reasons-for",
    metavar="CLASS",
    help="The class that points count towards; the second of two, or the one answered, if not given.",
)
@decisions("predict")
@click.option(
    "--top",
    metavar="'CLASS: 10%'",
    help="Write only the rows with the highest probability of a class, e.g. 'bad: 10%' or 'bad: 100', the "
    "most probable first with their numbers in FILE, and say how many hits to expect.",
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@options.memory
@options.reading
@options.common
def predict(model: str, data: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Predict the class of every row of FILE, or its number, with a saved MODEL.

    Columns are matched by name: their order means nothing, further columns are ignored, the target among
    them. The output has one row per row of FILE, in its order: the prediction and its probability; a
    regression has the predicted number. A row that cannot be read has an empty answer, and the reason in the
    column `unread`, which is there only then.
    """
    import tallystick as ts
    from tallystick.predict.answers import UNREAD, MetRows
    from tallystick.table.new_rows import every_row

    options.keep_apart([model, data], {"-o": "-" if output is None else output})
    wish = wished(given)
    top_wish = None if given["top"] is None else TopWish.read(given["top"])
    estimator = _answering(ts.load(model), model, wish, given)
    estimator.threads, estimator.memory = given["threads"], given["memory"]
    source = every_row(options.source(data, given))
    met, top = MetRows(), None
    if top_wish is not None:
        top = top_rows(estimator, source, _wanted(given), top_wish)
    answers = predicted(estimator, source, met, given)
    if given["bad_rows"] is None:
        answers = _reasons_if_any(answers)
    elif given["bad_rows"] == "error" or given["strict"]:
        answers = (part.drop_columns([UNREAD]) for part in answers)
    if top is not None:
        answers = of_top(answers, top, not given["proba"])
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        rows = [row for part in answers for row in part.to_pylist()]
        more = {} if top is None else {"top": top.to_dict()}
        options.show_json(met.to_dict(source.notes) | more | {"predictions": rows})
        return
    count = write_rows(answers, None if output == "-" else output, given["raw"])
    if output not in (None, "-"):
        classes = "" if top or estimator._regression else met.classes()
        print(clean(f"{count:,} row{'s' * (count != 1)} -> {output}{classes}"))
    if top is not None:
        options.show(wrapped(clean(str(top)), options.cells(), "top: "), sys.stderr)
    say(met, source.notes)


def _answering(estimator: Any, name: str, wish: WishedDecision, given: dict[str, Any]) -> Classifier:
    """Return a loaded model, by what was typed instead of what is kept with it; what only classes have is
    refused of numbers.
    """
    asked = next((f"--{n}" for n in ("proba", "reasons", "top") if given[n]), "")
    if not estimator._predicts:
        raise OptionError(
            f"{shown(name)} is a {estimator.model_.kind}, which predicts nothing. How likely it makes rows "
            "says tally density MODEL --score FILE."
        )
    if estimator._regression and (asked or wish.any):
        raise OptionError(
            f"{shown(name)} is {with_article(estimator.model_.kind)}, which predicts numbers. Leave out "
            f"{asked or 'costs and thresholds'}: there are no classes."
        )
    return set_wished(estimator, wish) if wish.any else cast("Classifier", estimator)


def say(met: MetRows, reading: tuple[Note, ...]) -> None:
    """Print one line on stderr for each thing worth knowing, beginning with how the file was read."""
    notes = [*reading, *met.all_notes()]
    for what, unseen in zip(("levels", "words"), met.unseen_by_kind(), strict=True):
        if unseen:
            notes.append(Note("unseen", f"{what} the model has never seen: {_counts(unseen)}"))
    if unreadable := +met.unreadable:
        text = f"cells that are not numbers, taken as missing: {_counts(unreadable)}"
        notes.append(Note("unreadable", text))
    if outside := +met.outside:
        text = f"values outside the range of the training rows: {_counts(outside)}"
        notes.append(Note("outside", text))
    if missing := +met.missing:
        notes.append(Note("missing", f"missing cells: {_counts(missing)}"))
    if met.prior_only:
        notes.append(
            Note(
                "prior-only",
                f"{counted(met.prior_only, 'row')} that fit no class; answered by the class frequencies",
            )
        )
    options.show_notes(notes)


def _counts(counts: Counter[str]) -> str:
    """Return counts by column, the largest first."""
    total, top = sum(counts.values()), counts.most_common(page_limit(5))
    rest = len(counts) - len(top)
    more = f", {rest:,} more column{'s' * (rest > 1)}" if rest else ""
    return f"{total:,} ({', '.join(f'{name} {n:,}' for name, n in top)}{more})"


def predicted(
    estimator: Classifier, source: Source, met: MetRows, given: dict[str, Any]
) -> Iterator[pa.Table]:
    """Yield prediction and probability of every row, batch by batch, with the columns of FILE that are
    wanted beside them; what is met is counted in `met`.
    """
    from tallystick.predict.answers import answer_tables, number_tables

    if given["reasons"] is None and (given["reasons_for"] is not None or given["reasons_against"] != "best"):
        raise OptionError("--reasons-for and --reasons-against say how reasons are counted. Add --reasons 4.")
    answering = number_tables if estimator._regression else answer_tables
    tables = answering(estimator, source, met, _wanted(given))
    first = next(tables)
    carried = Carried(source, _carried_names(source, given, first.column_names, met))
    yield carried.beside(first)
    for answered in tables:
        yield carried.beside(answered)


def _wanted(given: dict[str, Any]) -> Wanted:
    """Return what was asked for beside the label."""
    from tallystick.predict.answers import Wanted

    return Wanted(
        proba=given["proba"],
        outside=given["flag_outside"],
        reasons=given["reasons"],
        against=given["reasons_against"],
        towards=given["reasons_for"],
        lenient=given["lenient"],
        missing_columns=given["missing_columns"],
    )


def _reasons_if_any(answers: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the answers, without the column of reasons where every row of FILE could be read.

    Of long files the column is kept: what is written cannot wait for their end.
    """
    from tallystick.predict.answers import UNREAD

    held, rows, lost = [], 0, 0
    for part in answers:
        held.append(part)
        rows += part.num_rows
        lost += part.num_rows - part.column(UNREAD).null_count
        if rows > HELD:
            break
    keep = lost > 0 or rows > HELD
    yield from held if keep else (part.drop_columns([UNREAD]) for part in held)
    yield from answers


def _carried_names(source: Source, given: dict[str, Any], answers: list[str], met: MetRows) -> list[str]:
    """Return the columns of the input that go into the output; those called as an answer do not."""
    for name in given["carried"]:
        if name not in source.columns:
            raise DataError(f"{source.name} has no column {shown(name)}.{nearest(name, source.columns)}")
        if name in answers:
            raise OptionError(f"--with {shown(name)}: the output has a column of that name already.")
    if not given["keep_columns"]:
        return list(given["carried"])
    if lost := [name for name in source.columns if name in answers]:
        text = f"not copied, as the output has columns of these names already: {some(lost)}."
        met.notes[Note("not-copied", text, count=len(lost))] = None
    return [name for name in source.columns if name not in answers]


class Carried:
    """Columns of the input, walked beside the answers: both have the rows in the order of the source."""

    def __init__(self, source: Source, names: list[str]) -> None:
        self.names = names
        self.walk = source.batches() if names else iter(())
        self.held: list[Any] = []

    def beside(self, answers: pa.Table) -> pa.Table:
        """Return the answers with the same rows of the input before them."""
        import pyarrow as pa

        from tallystick.io.frames import one_table

        if not self.names:
            return answers
        wanted = max(answers.num_rows, 1)  # one row at least: the types must be known from the beginning
        while sum(part.num_rows for part in self.held) < wanted:
            batch = next(self.walk, None)
            if batch is None:
                break
            self.held.append(batch.select(self.names))
        rows = one_table(self.held, self.names)
        self.held = rows.slice(answers.num_rows).to_batches()
        some = rows.slice(0, answers.num_rows)
        return pa.table([*some.columns, *answers.columns], names=[*self.names, *answers.column_names])


# Rows out, batch by batch: CSV, JSON lines or Parquet; to a file, whole or not at all, or printed. Memory
# does not grow with the rows.

FORMATS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def write_rows(tables: Iterator[pa.Table], output: str | None, raw: bool) -> int:
    """Write every table and return the rows; the format goes by the ending of the output's name."""
    # The first rows are made before anything is written: most errors come with them.
    tables = itertools.chain(list(itertools.islice(tables, 2)), tables)
    if output is None:
        return _print_rows(tables, raw)
    form = FORMATS.get(Path(output).suffix.lower())
    if form is None and os.path.exists(output) and not os.path.isfile(output):
        form = "csv"  # a device or a pipe has no ending
    if form is None:
        known = ", ".join(FORMATS)
        raise OptionError(f"-o {shown(output)} has no known ending. Use one of: {known}.")
    from tallystick.files import whole_file

    with whole_file(output, "file", DataError) as file:
        return _parquet(tables, file) if form == "parquet" else _lines(tables, file.write, form, raw)


def _print_rows(tables: Iterator[pa.Table], raw: bool) -> int:
    """Print CSV; on a terminal nothing may move the cursor."""
    if options.is_terminal(sys.stdout):

        def show(data: bytes) -> None:
            print("\n".join(clean(line) for line in data.decode().split("\n")), end="")

        return _lines(tables, show, "csv", raw)
    sys.stdout.flush()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        return _lines(tables, out.write, "csv", raw)


def _lines(tables: Iterator[pa.Table], write: Callable[[bytes], Any], form: str, raw: bool) -> int:
    from tallystick.predict.answers import csv_header, csv_lines, json_lines

    rows = 0
    for i, part in enumerate(tables):
        if form == "jsonl":
            write(json_lines(part))
        else:
            write((csv_header(part.column_names, raw) if i == 0 else b"") + csv_lines(part, raw))
        rows += part.num_rows
    return rows


def _parquet(tables: Iterator[pa.Table], file: Sink) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tallystick.io.frames import alike, common

    first, rows = next(tables, None), 0
    if first is None:
        return 0
    schema = first.schema
    with pq.ParquetWriter(file, schema) as writer:
        for part in itertools.chain([first], tables):
            rows += part.num_rows
            if part.schema.equals(schema):
                writer.write_table(part)
                continue
            # files may hold a column that is copied in different types
            every = common([schema, part.schema], schema.names, joins=False)
            for was, own, one in zip(schema, part.schema, every, strict=True):
                if not one.type.equals(was.type):
                    raise DataError(
                        f"column {shown(was.name)} is of type {shown(was.type)} in the first rows and "
                        f"{shown(own.type)} in later ones; in Parquet it has one. Write CSV (-o out.csv), or "
                        "give the column one type in all files."
                    )
            batches = [alike(batch, schema) for batch in part.to_batches()]
            writer.write_table(pa.Table.from_batches(batches, schema))
    return rows


# `tally predict --top 10%`: the rows with the highest probability of a class, and how many hits to expect. Of
# equal probabilities the first rows of the file are taken, so that the same file gives the same rows.

ROW = "row"  # the column with the number of each row in the file, from 1


@dataclass(frozen=True)
class TopWish:
    """How many rows, as a share of all or as a number, by the probability of which class ("": not named)."""

    of: str
    share: float | None = None
    rows: int = 0

    @classmethod
    def read(cls, text: str) -> TopWish:
        """Read 'bad: 10%', '10%', 'bad: 100' or '100'."""
        of, _, many = text.rpartition(":")
        many = many.strip()
        try:
            if many.endswith("%"):
                share = float(many[:-1]) / 100
                if 0 < share <= 1:
                    return cls(of.strip(), share=share)
            elif int(many) > 0:
                return cls(of.strip(), rows=int(many))
        except ValueError:
            pass
        raise OptionError(
            f"--top {shown(text)} is not a part of the rows. Write --top 10%, 100 or 'bad: 10%'."
        )

    def place(self, target: Target, decided: str, counts: Sequence[int] = ()) -> int:
        """Return the place of the class. decided: that of the threshold in force, if there is one; counts: of
        the training rows by class, if they are known: of two classes the rarer is looked for.
        """
        labels = target.labels
        if not self.of and not decided and len(labels) == len(counts) == 2:
            return int(counts[1] <= counts[0])
        if not self.of and not decided:
            raise OptionError(f"--top by the probability of which class? Write --top '{labels[0]}: 10%'.")
        label = target.label_of(self.of or decided)
        if label not in labels:
            raise OptionError(
                f"--top names {shown(self.of)}, which is not a class.{nearest(self.of, labels)} "
                f"The classes are {some(labels)}."
            )
        return labels.index(label)

    def many(self, rows: int) -> int:
        """Return how many of so many rows."""
        return min(rows, self.rows) if self.share is None else min(rows, max(1, round(self.share * rows)))


@dataclass(frozen=True)
class TopRows:
    """The rows taken, the most probable first: rows[taken] are numbers in the file from 0; shares[taken]."""

    label: str
    rows: NDArray[np.int64]
    shares: NDArray[np.float64]
    all_rows: int
    base: float  # the mean probability of all rows
    tied: int  # rows that are as probable as the last one taken, and were not
    calibrated: bool = True  # the probabilities are meant to be counted by
    found: tuple[int, int, int, int] | None = None  # hits and known answers of those taken, and of all rows

    @property
    def hits(self) -> float:
        """The sum of the probabilities of the rows taken: the hits to expect, if they are calibrated."""
        return math.fsum(self.shares.tolist())

    @property
    def lift(self) -> float | None:
        """How many times as many hits as in rows taken at random: counted where the answers are known."""
        if self.found is not None:
            hits, known, all_hits, all_known = self.found
            return hits / known / (all_hits / all_known) if known and all_hits else None
        taken = len(self.rows)
        return self.hits / taken / self.base if taken and self.base and self.calibrated else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        taken = len(self.rows)
        return {
            "class": self.label,
            "rows": taken,
            "of": self.all_rows,
            "expected_hits": self.hits if self.calibrated else None,
            "expected_at_random": self.base * taken if self.calibrated else None,
            "sum_of_probabilities": self.hits,
            "hits": None if self.found is None else self.found[0],
            "hits_known_of": None if self.found is None else self.found[1],
            "lift": self.lift,
            "tied": self.tied,
        }

    def __str__(self) -> str:
        taken = len(self.rows)
        lift = "" if self.lift is None else f": lift {self.lift:.2f}"
        tied = f" {self.tied:,} more are as probable as the last." if self.tied else ""
        each = f"{self.hits:,.1f} ({self.hits / max(taken, 1):.1%})"
        if self.found is not None:
            hits, known, all_hits, all_known = self.found
            some = "" if known == taken else f" whose answer is in the file ({taken - known:,} have none)"
            at_random = known * all_hits / max(all_known, 1)
            said = (
                f"Hits, by the answers in the file: {hits:,} of {known:,}{some} "
                f"({hits / max(known, 1):.1%}), against {at_random:,.1f} in as many rows taken at "
                f"random{lift}. The model's probabilities add up to {each}."
            )
        elif self.calibrated:
            said = (
                f"Expected hits by the model's probabilities: {each}, against {self.base * taken:,.1f} in as "
                f"many rows taken at random{lift}."
            )
        else:
            said = (
                f"The model's probabilities add up to {each}, but those of naive Bayes are not calibrated "
                "and usually too sure: expect fewer hits. To expect a number, fit with --set calibrate=true."
            )
        return f"{taken:,} of {self.all_rows:,} rows, the most probable {self.label} first. {said}{tied}"


def top_rows(estimator: Classifier, source: Source, wanted: Wanted, wish: TopWish) -> TopRows:
    """Walk the rows once and return those with the highest probabilities."""
    import numpy as np

    from tallystick.judge.run import MISSING
    from tallystick.judge.run import class_labels_of as labels_of
    from tallystick.predict.answers import MetRows, answers

    target, decision = estimator.schema_.predicted, estimator.decision_
    profile = estimator.profile_
    counts = () if profile is None or profile.target is None else profile.target.counts.tolist()
    place = wish.place(target, "" if decision is None else decision.of, counts)
    parts = []
    for found in answers(estimator, source, MetRows(), wanted):
        shares = found.shares[:, place].copy()
        shares[list(found.matched.unread)] = np.nan
        parts.append(shares)
    shares = np.concatenate(parts) if parts else np.zeros(0)
    known = np.flatnonzero(~np.isnan(shares))
    order = known[np.argsort(-shares[known], kind="stable")]
    taken = order[: wish.many(len(known))]
    last = shares[taken[-1]] if len(taken) else np.nan
    tied = int((shares == last).sum() - (shares[taken] == last).sum())
    base = math.fsum(shares[known].tolist()) / max(len(known), 1)
    model: Any = estimator.model_
    calibrated = model.kind != "naive-bayes" or model.calibration is not None
    found_there: tuple[int, int, int, int] | None = None
    if target.name in source.columns:
        truth = labels_of(source, target.name, estimator.schema_)
        answered = [int((truth[some] != MISSING).sum()) for some in (taken, known)]
        hits = [int((truth[some] == place).sum()) for some in (taken, known)]
        found_there = (hits[0], answered[0], hits[1], answered[1]) if answered[1] else None
    of = target.labels[place]
    return TopRows(of, taken, shares[taken], len(known), base, tied, calibrated, found_there)


def of_top(parts: Iterator[pa.Table], top: TopRows, class_column: bool) -> Iterator[pa.Table]:
    """Yield the answers to the rows taken, the most probable first, as one table after the empty first one;
    with the number of each row, and the probability of the class where it is not there already.
    """
    import numpy as np
    import pyarrow as pa

    rank = np.full(int(top.rows.max()) + 1 if len(top.rows) else 0, -1, np.int64)
    rank[top.rows] = np.arange(len(top.rows))
    kept, start = [], 0
    ranks: list[NDArray[np.int64]] = []
    for part in parts:
        own = rank[start : start + part.num_rows]
        own = np.concatenate([own, np.full(part.num_rows - len(own), -1, np.int64)])
        kept.append(part.filter(pa.array(own >= 0)))
        ranks.append(own[own >= 0])
        start += part.num_rows
    whole = pa.concat_tables(kept)
    whole = whole.take(pa.array(np.argsort(np.concatenate(ranks), kind="stable")))
    whole = whole.add_column(0, ROW, pa.array(top.rows + 1, pa.int64()))
    name = f"P({top.label})"
    if class_column and name not in whole.column_names:
        whole = whole.append_column(name, pa.array(top.shares, pa.float64()))
    yield whole
