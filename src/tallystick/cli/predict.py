"""tally predict: the class of each row of a file, by a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from tallystick.cli import options, screen
from tallystick.data.schema import Note, Schema
from tallystick.draw.text import clean
from tallystick.errors import DataError, OptionError, counted, nearest, shown, some, with_article

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source
    from tallystick.data.read.match import Matched
    from tallystick.estimators import Classifier

UNREAD = "unread"  # the column of reasons why rows could not be read
HELD = 200_000  # answers that wait until it is known whether there are any


@click.command(short_help="Predict the rows of a file with a saved model.")
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
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@click.option("--memory", metavar="SIZE", help="Work within this much memory, e.g. 1GB; changes no result.")
@options.reading
@options.common
def predict(model: str, data: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Predict the class of every row of FILE with a saved MODEL.

    Columns are matched by name: their order means nothing, further columns are ignored, the target among
    them. The output has one row per row of FILE, in its order: the prediction and its probability. A row that
    cannot be read has an empty answer, and the reason in the column `unread`, which is there only then.
    """
    import tallystick as ts
    from tallystick.data.read.match import every_row

    options.keep_apart([model, data], {"-o": "-" if output is None else output})
    estimator = ts.load(model)
    if not estimator._predicts:
        raise OptionError(
            f"{shown(model)} is a {estimator.model_.kind}, which predicts nothing. How likely it makes rows "
            "says tally density MODEL --score FILE."
        )
    if estimator._regression:
        raise OptionError(
            f"{shown(model)} is {with_article(estimator.model_.kind)}, which does not predict classes. "
            "For numbers use Python: ts.load(path).predict(rows)."
        )
    estimator.threads, estimator.memory = given["threads"], given["memory"]
    source = every_row(options.source(data, given))
    met = MetRows()
    answers = predicted(cast("Classifier", estimator), source, met, given)
    if given["bad_rows"] is None:
        answers = _reasons_if_any(answers)
    elif given["bad_rows"] == "error" or given["strict"]:
        answers = (part.drop_columns([UNREAD]) for part in answers)
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        rows = [row for part in answers for row in part.to_pylist()]
        screen.show_json(met.to_dict(source.notes) | {"predictions": rows})
        return
    from tallystick.cli.rows import write_rows

    count = write_rows(answers, None if output == "-" else output, given["raw"])
    if output not in (None, "-"):
        print(clean(f"{count:,} row{'s' * (count != 1)} -> {output}{met.classes()}"))
    met.say(source.notes)


class MetRows:
    """What was met in new rows, counted: nothing of it stays silent."""

    def __init__(self) -> None:
        self.missing: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.unreadable: Counter[str] = Counter()
        self.outside: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.notes: dict[Note, None] = {}  # each said once
        self.filled: Counter[str] = Counter()
        self.prior_only = 0
        self.schema: Schema | None = None

    def add(self, matched: Matched, prior_only: int, best: Any, labels: tuple[str, ...]) -> None:
        """Count a batch: best[row] is the class that was answered."""
        self.missing.update(matched.missing)
        self.unseen.update(matched.unseen)
        self.filled.update({name: matched.block.rows - n for name, n in matched.missing.items()})
        self.unreadable.update(matched.unreadable)
        self.notes.update(dict.fromkeys(matched.notes))
        self.prior_only += prior_only
        self.labels.update(labels[c] for row, c in enumerate(best.tolist()) if row not in matched.unread)

    def beyond(self, rows: list[tuple[str, ...]]) -> list[str]:
        """Count the columns outside their range, and return them as one text per row."""
        self.outside.update(name for names in rows for name in names)
        return ["; ".join(names) for names in rows]

    def told(self) -> list[Note]:
        """Return the notes of all batches, and one for each column of which no cell is known."""
        from tallystick.data.read.match import strange_notes

        return [*self.notes, *(strange_notes(self.schema, self.filled, self.unseen) if self.schema else ())]

    def to_dict(self, reading: tuple[Note, ...]) -> dict[str, Any]:
        """Return the counts as plain data, after the notes on how the file was read."""
        return {
            "missing_cells": dict(+self.missing),
            "unseen_levels": dict(+self.unseen),
            "unreadable_cells": dict(+self.unreadable),
            "outside_range": dict(+self.outside),
            "notes": [note.to_dict() for note in (*reading, *self.told())],
            "answered_by_prior": self.prior_only,
        }

    def classes(self) -> str:
        """Return how many rows went to each class, the most frequent first."""
        top = self.labels.most_common(6)
        text = ", ".join(f"{label} {n:,}" for label, n in top)
        return f": {text}{', ...' if len(self.labels) > 6 else ''}" if top else ""

    def say(self, reading: tuple[Note, ...]) -> None:
        """Print one line on stderr for each thing worth knowing, beginning with how the file was read."""
        notes = [*reading, *self.told()]
        if unseen := +self.unseen:
            notes.append(Note("unseen", f"levels the model has never seen: {_counts(unseen)}"))
        if unreadable := +self.unreadable:
            text = f"cells that are not numbers, taken as missing: {_counts(unreadable)}"
            notes.append(Note("unreadable", text))
        if outside := +self.outside:
            text = f"values outside the range of the training rows: {_counts(outside)}"
            notes.append(Note("outside", text))
        if missing := +self.missing:
            notes.append(Note("missing", f"missing cells: {_counts(missing)}"))
        if self.prior_only:
            notes.append(
                Note(
                    "prior-only",
                    f"{counted(self.prior_only, 'row')} that fit no class; answered by the class shares",
                )
            )
        screen.show_notes(notes)


def _counts(counts: Counter[str]) -> str:
    """Return counts by column, the largest first."""
    total, top = sum(counts.values()), counts.most_common(5)
    rest = len(counts) - len(top)
    more = f", {rest:,} more column{'s' * (rest > 1)}" if rest else ""
    return f"{total:,} ({', '.join(f'{name} {n:,}' for name, n in top)}{more})"


def predicted(
    estimator: Classifier, source: Source, met: MetRows, given: dict[str, Any]
) -> Iterator[pa.Table]:
    """Yield prediction and probability of every row, batch by batch; what is met is counted in `met`.

    The first table may have no rows, so that there always is one.
    """
    import numpy as np
    import pyarrow as pa

    from tallystick.data.source.arrays import from_numbers
    from tallystick.estimators.base import names_outside

    target = estimator.schema_.predicted
    labels = pa.array(target.labels, pa.string())
    names = ["prediction", "probability"] + [f"P({label})" for label in target.labels if given["proba"]]
    shown_classes = len(names) - 2
    types = [pa.string(), *[pa.float64()] * (len(names) - 1)]
    if given["flag_outside"]:
        names, types = [*names, "outside"], [*types, pa.string()]
    told = _reasons(estimator, given)
    for k in range(given["reasons"] or 0):
        names, types = [*names, f"reason_{k + 1}"], [*types, pa.string()]
    names, types = [*names, UNREAD], [*types, pa.string()]
    carried = Carried(source, _carried_names(source, given, names, met))
    yield carried.beside(pa.schema(list(zip(names, types, strict=True))).empty_table())
    met.schema = estimator.schema_
    reading = {name: given[name] for name in ("lenient", "missing_columns")}
    reading |= {"warn": False, "unread": "keep"}
    for matched in estimator._blocks(source, **reading):
        shares = estimator.model_.shares(matched.block)
        best = estimator._decide(shares)
        prior_only = estimator._prior_only(matched.block, shares)
        columns = [
            labels.take(from_numbers(best)),
            from_numbers(np.take_along_axis(shares, best[:, None], axis=1)[:, 0]),
        ]
        columns += [from_numbers(shares[:, c]) for c in range(shown_classes)]
        if given["flag_outside"]:
            columns.append(pa.array(met.beyond(names_outside(matched.block, estimator.schema_)), pa.string()))
        columns += told(matched.block)
        columns = _without_answers(columns, matched)
        met.add(matched, int(prior_only.sum()), best, target.labels)
        yield carried.beside(pa.table(columns, names=names))


def _reasons(estimator: Classifier, given: dict[str, Any]) -> Callable[[Any], list[Any]]:
    """Return what makes the columns of reasons of a block; of a model without any it is an error."""
    import pyarrow as pa

    from tallystick.estimators.classes import class_number
    from tallystick.methods import of_kind

    most: int | None = given["reasons"]
    wanted = given["reasons_for"]
    if most is None:
        if wanted is not None or given["reasons_against"] != "best":
            raise OptionError(
                "--reasons-for and --reasons-against say how reasons are counted. Add --reasons 4."
            )
        return lambda block: []
    label = None if wanted is None else class_number(estimator.schema_.predicted, wanted)
    model = estimator.model_
    asked = of_kind(model.kind).load("reasons")(model, most, given["reasons_against"], label)

    def columns(block: Any) -> list[Any]:
        rows = [[code.text for code in codes] for codes in asked(block)]
        return [pa.array([r[k] if k < len(r) else None for r in rows], pa.string()) for k in range(most)]

    return columns


def _without_answers(columns: list[Any], matched: Matched) -> list[Any]:
    """Return the answers, none of them for rows that could not be read, and the reasons beside them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not matched.unread:
        return [*columns, pa.nulls(matched.block.rows, pa.string())]
    reasons = pa.array([matched.unread.get(row) for row in range(matched.block.rows)], pa.string())
    read = pc.is_null(reasons)
    return [pc.if_else(read, column, pa.scalar(None, column.type)) for column in columns] + [reasons]


def _reasons_if_any(answers: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the answers, without the column of reasons where every row of FILE could be read.

    Of long files the column is kept: what is written cannot wait for their end.
    """
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

        if not self.names:
            return answers
        wanted = max(answers.num_rows, 1)  # one row at least: the types must be known from the beginning
        while sum(part.num_rows for part in self.held) < wanted:
            batch = next(self.walk, None)
            if batch is None:
                break
            self.held.append(batch.select(self.names))
        if not self.held:
            columns = [pa.array([], pa.string())] * len(self.names)
            return pa.table([*columns, *answers.columns], names=[*self.names, *answers.column_names])
        rows = pa.Table.from_batches(self.held)
        self.held = rows.slice(answers.num_rows).to_batches()
        some = rows.slice(0, answers.num_rows)
        return pa.table([*some.columns, *answers.columns], names=[*self.names, *answers.column_names])
