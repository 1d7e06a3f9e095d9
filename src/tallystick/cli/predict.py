"""tally predict: the class of each row of a file, by a saved model."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from tallystick.cli import options, screen
from tallystick.draw.text import clean
from tallystick.errors import DataError, OptionError, nearest, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source
    from tallystick.estimators import Classifier


@click.command(short_help="Predict the rows of a file with a saved model.")
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="FILE")
@click.option("--output", "-o", help="Write to a file (.csv, .parquet) instead of printing CSV.")
@click.option("--all-classes", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--with", "carried", multiple=True, metavar="NAME", help="Copy a column of FILE into the output."
)
@click.option(
    "--lenient", is_flag=True, help="A cell that cannot be read as a number is missing, and counted."
)
@click.option(
    "--missing-columns", type=click.Choice(["error", "as-missing"]), default="error", show_default=True
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use; changes no result.")
@options.reading
@options.common
def predict(model: str, data: str, output: str | None, as_json: bool, **given: Any) -> None:
    """Predict the class of every row of FILE with a saved MODEL.

    Columns are matched by name: their order means nothing, further columns are ignored, the target among
    them. The output has one row per row of FILE: the prediction and its probability.
    """
    import tallystick as ts
    from tallystick.estimators import Classifier

    estimator = ts.load(model)
    if not isinstance(estimator, Classifier):
        raise OptionError(f"{shown(model)} is a {estimator.kind}, which does not predict classes.")
    estimator.threads = given["threads"]
    source = options.source(data, given)
    answers, met = predicted(estimator, source, given)
    if as_json:
        if output is not None:
            raise OptionError("--json prints; it does not go with -o. Leave out one of them.")
        screen.show_json(met.to_dict() | {"predictions": answers.to_pylist()})
        return
    write(answers, output)
    if output is not None:
        print(clean(f"{answers.num_rows:,} row{'s' * (answers.num_rows != 1)} -> {output}{met.classes()}"))
    met.say()


class Met:
    """What was met in new rows, counted: nothing of it stays silent."""

    def __init__(self) -> None:
        self.missing: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.prior_only = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "missing_cells": dict(+self.missing),
            "unseen_levels": dict(+self.unseen),
            "answered_by_prior": self.prior_only,
        }

    def classes(self) -> str:
        """Return how many rows went to each class, the most frequent first."""
        top = self.labels.most_common(6)
        text = ", ".join(f"{label} {n:,}" for label, n in top)
        return f": {text}{', ...' if len(self.labels) > 6 else ''}" if top else ""

    def say(self) -> None:
        """Print one line on stderr for each thing worth knowing."""
        from tallystick.data.schema import Note

        notes = []
        if unseen := +self.unseen:
            notes.append(Note("unseen", f"levels the model has never seen: {_counts(unseen)}"))
        if missing := +self.missing:
            notes.append(Note("missing", f"missing cells: {_counts(missing)}"))
        if self.prior_only:
            notes.append(
                Note("prior-only", f"{self.prior_only:,} rows fit no class; answered by the class shares")
            )
        screen.show_notes(notes)


def _counts(counts: Counter[str]) -> str:
    """Return counts by column, the largest first."""
    total, top = sum(counts.values()), counts.most_common(5)
    rest = len(counts) - len(top)
    more = f", {rest:,} more column{'s' * (rest > 1)}" if rest else ""
    return f"{total:,} ({', '.join(f'{name} {n:,}' for name, n in top)}{more})"


def predicted(estimator: Classifier, source: Source, given: dict[str, Any]) -> tuple[pa.Table, Met]:
    """Return prediction and probability of every row, and what was met on the way."""
    import numpy as np
    import pyarrow as pa

    target = estimator.schema_.target
    assert target is not None
    labels, met, parts = pa.array(target.labels), Met(), []
    names = ["prediction", "probability"]
    if given.get("all_classes"):
        names += [f"P({label})" for label in target.labels]
    reading = {"lenient": given["lenient"], "missing_columns": given["missing_columns"]}
    for matched in estimator.blocks(source, **reading):
        shares, prior_only = estimator.predict_block(matched.block)
        best = shares.argmax(axis=1)
        columns = [
            labels.take(pa.array(best)),
            pa.array(np.take_along_axis(shares, best[:, None], axis=1)[:, 0]),
        ]
        if given.get("all_classes"):
            columns += [pa.array(np.ascontiguousarray(shares[:, c])) for c in range(len(labels))]
        parts.append(pa.table(columns, names=names))
        met.missing.update(matched.missing)
        met.unseen.update(matched.unseen)
        met.prior_only += int(prior_only.sum())
        for c, n in enumerate(np.bincount(best, minlength=len(labels))):
            met.labels[target.labels[c]] += int(n)
    met.labels = +met.labels
    types = [pa.string(), *[pa.float64()] * (len(names) - 1)]
    empty = pa.schema(list(zip(names, types, strict=True))).empty_table()
    return _carry(pa.concat_tables(parts) if parts else empty, source, given.get("carried", ())), met


def _carry(answers: pa.Table, source: Source, names: tuple[str, ...]) -> pa.Table:
    """Put columns of the input before the answers."""
    import pyarrow as pa

    for name in names:
        if name not in source.columns:
            raise DataError(f"{source.name} has no column {shown(name)}.{nearest(name, source.columns)}")
        if name in answers.column_names:
            raise OptionError(f"--with {shown(name)}: the output has a column of that name already.")
    if not names:
        return answers
    batches = [batch.select(list(names)) for batch in source.batches()]
    carried = pa.Table.from_batches(batches) if batches else answers.select([])
    return pa.table(
        [*carried.columns, *answers.columns], names=[*carried.column_names, *answers.column_names]
    )


def write(answers: pa.Table, output: str | None) -> None:
    """Write CSV to stdout, or a file whole or not at all."""
    import io

    import pyarrow as pa
    import pyarrow.csv as pacsv

    from tallystick.export.file import save

    buffer = io.BytesIO()
    if output is not None and output.endswith(".parquet"):
        import pyarrow.parquet as pq

        pq.write_table(answers, buffer)
    else:
        try:  # pyarrow quotes every text or none: none, unless some text needs it
            pacsv.write_csv(answers, buffer, pacsv.WriteOptions(quoting_style="none", quoting_header="none"))
        except pa.ArrowInvalid:
            buffer = io.BytesIO()
            pacsv.write_csv(answers, buffer)
    if output is not None:
        save(output, buffer.getvalue())
        return
    if screen.is_terminal(sys.stdout):  # a person reads it: nothing may move the cursor
        print("\n".join(clean(line) for line in buffer.getvalue().decode().split("\n")), end="")
        return
    sys.stdout.flush()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        out.write(buffer.getvalue())
