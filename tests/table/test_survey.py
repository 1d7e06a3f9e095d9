"""A survey of batches decides what `read_table` decides of all rows, however they are cut, merged or sent."""

from __future__ import annotations

import itertools
import pickle
import random
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick.errors import TallyError
from tallystick.io.open import open_source
from tallystick.io.source import BaseSource
from tallystick.schema import ColumnOptions
from tallystick.table.encode import Encoder
from tallystick.table.reader import read_table, read_to_disk
from tallystick.table.survey import Survey, SurveyRequest

ROWS = 160  # so that a batch can have enough different numbers to be read as numbers at once
WORDS = [
    "the",
    "tall",
    "ship",
    "sailed",
    "over",
    "a",
    "calm",
    "blue",
    "sea",
    "at",
    "dawn",
    "and",
    "nobody",
    "saw",
]


def makers(rng: random.Random, rows: int) -> dict:
    """Makers of cells: columns that the rules of the front door tell apart."""
    day = date(2020, 1, 1)
    return {
        "unique": lambda i: rng.choice([f"{rng.random():.6f}", f"{rng.random():.6f}", "", "1e3"]),
        "few numbers": lambda i: rng.choice(["1", "2", "1.0", "2.50", "?"]),
        "wholes": lambda i: str(rng.randrange(50)),
        "run": lambda i: str(rows - i),
        "nearly numbers": lambda i: "oops" if i == 7 else f"{i / 7:.4f}",
        "mixed": lambda i: f"{i / 7:.4f}" if i < rows // 2 else rng.choice(["a", "b", "1.50", "7"]),
        "zeros": lambda i: f"{i:03d}" if i > rows // 2 else str(i * 3),
        "levels": lambda i: rng.choice(["x", " y", "zebra ", "NA", "ß"]),
        "booleans": lambda i: rng.choice(["true", "FALSE", "True", ""]),
        "binary": lambda i: rng.choice(["0", "1", "1.0"]),
        "constant": lambda i: "one",
        "nothing": lambda i: rng.choice(["", "?", "NA"]),
        "identifier": lambda i: f"id-{i}",
        "percent": lambda i: f"{i}%",
        "infinite": lambda i: "inf" if i in (5, 9) else f"{i / 3:.3f}",
        "dates": lambda i: (day + timedelta(days=rng.randrange(300))).isoformat(),
        "late dates": lambda i: (day + timedelta(days=i)).isoformat() if i > rows // 2 else f"{i / 9:.3f}",
        "texts": lambda i: " ".join(rng.choices(WORDS, k=rng.randrange(5, 12))),
        "large": lambda i: str(2**60 + i),
        "doubles": lambda i: rng.choice([rng.random(), None, float(i), -0.0]),
        "ints": lambda i: rng.choice([rng.randrange(9), None, i]),
        "flags": lambda i: rng.choice([True, False, None]),
        "days": lambda i: day + timedelta(days=i % 40),
    }


KINDS = sorted(makers(random.Random(), 1))


@st.composite
def cases(draw):
    rng = random.Random(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([1, 3, 30, ROWS, 3 * ROWS]))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    made = makers(rng, rows)
    columns = {f"c{j} {kind}": [made[kind](i) for i in range(rows)] for j, kind in enumerate(kinds)}
    labels = draw(st.sampled_from([["a", "b", "?"], ["0", "1"], [1, 2, None], ["1.0", "2", "x"], [0.5, 1.5]]))
    columns["y"] = [rng.choice(labels) for _ in range(rows)]
    order = list(range(rows))
    rng.shuffle(order)
    columns = {n: [v[i] for i in order] for n, v in columns.items()}
    weights = draw(st.sampled_from([None, [0, 1, 2], [1], [0.5, 1, 3], [0]]))
    given = None if weights is None else np.array([rng.choice(weights) for _ in range(rows)], float)
    name = next(iter(columns))
    wishes = draw(
        st.sampled_from(
            [
                ColumnOptions(),
                ColumnOptions({name: "levels"}),
                ColumnOptions({name: "numeric"}),
                ColumnOptions({name: "out"}),
                ColumnOptions(keep=(name,), missing=("2", "oops")),
                ColumnOptions({name: "text"}, min_count=3),
            ]
        )
    )
    inf = draw(st.sampled_from(["error", "missing"]))
    cuts = sorted(rng.randrange(rows + 1) for _ in range(draw(st.integers(0, 4))))
    return pa.table(columns), given, wishes, inf, cuts, rng


def surveyed(question, batches, rng):
    """Survey every batch alone, send it through pickle, and merge in any order."""

    def walk(empty):
        alone = [pickle.loads(pickle.dumps(empty.zero().add(*b))) for b in batches]
        rng.shuffle(alone)
        while len(alone) > 1:
            a, b = alone.pop(), alone.pop()
            alone.insert(rng.randrange(len(alone) + 1), a.merge(b))
        return alone[0]

    survey = walk(Survey(question))
    while (more := survey.again()) is not None:
        survey.complete(walk(more))
    return survey


def told(column):
    return {**column.to_dict(), "why": column.why}


def outcome(work):
    try:
        return work()
    except TallyError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from(["y", None, "regression"]))
def test_a_survey_of_any_cut_in_any_order_decides_and_encodes_as_reading_the_table_does(case, goal):
    table, weights, wishes, inf, cuts, rng = case
    source = open_source(table)
    target, regression = (None, False) if goal is None else ("y", goal == "regression")
    ends = [0, *cuts, table.num_rows]
    batches = []
    for start, stop in itertools.pairwise(ends):
        part = table.slice(start, stop - start).combine_chunks()
        batch = pa.RecordBatch.from_arrays(
            [c.combine_chunks() if c.num_chunks != 1 else c.chunk(0) for c in part.columns],
            names=part.column_names,
        )
        batches.append((batch, start, None, None if weights is None else pa.array(weights[start:stop])))

    def whole():
        return read_table(source, wishes, target, weights, regression=regression, inf=inf)

    def parts():
        question = SurveyRequest.about(
            source, wishes, target, weights=weights, regression=regression, inf=inf
        )
        decision = surveyed(question, batches, rng).decide(source.notes)
        encoder = pickle.loads(pickle.dumps(Encoder(decision)))
        return decision, [encoder.block(batch, y, w) for batch, _, y, w in batches]

    expected, found = outcome(whole), outcome(parts)
    if isinstance(expected, str):
        assert found == expected
        return
    assert not isinstance(found, str), found
    decision, blocks = found
    assert [told(c) for c in decision.schema.columns] == [told(c) for c in expected.schema.columns]
    assert decision.schema.target == expected.schema.target
    assert decision.notes == expected.notes
    assert decision.source_notes == expected.source_notes
    assert decision.rows == expected.rows
    assert (decision.unit or 1) == expected.unit
    assert joined([b.classes for b in blocks]) == plain(expected.classes)
    assert joined([b.response for b in blocks]) == plain(expected.response)
    assert joined([b.weights for b in blocks]) == plain(expected.weights)
    for column in expected.schema.used:
        check_column(column, [b.columns[column.name] for b in blocks], expected.columns[column.name])


class Cut(BaseSource):
    """A source in batches of any size; it counts how often it is walked through."""

    def __init__(self, source, batches):
        self.name, self.columns, self.notes, self.typed = source.name, source.columns, source.notes, True
        self.cut, self.walks = batches, 0

    def batches(self):
        self.walks += 1
        return iter(self.cut)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from(["y", None, "regression"]), st.booleans(), st.sampled_from([1, 2]))
def test_a_table_on_disk_has_the_rows_of_the_table_in_memory(case, goal, apart, threads):
    table, weights, wishes, inf, cuts, rng = case
    if inf == "missing":
        weights = None  # some cases without
    target, regression = (None, False) if goal is None else ("y", goal == "regression")
    if apart and target is not None:
        target, table = table["y"].to_pylist(), table.drop_columns(["y"])
    source = open_source(table)
    ends = [0, *cuts, table.num_rows]
    parts = [table.slice(a, b - a).combine_chunks() for a, b in itertools.pairwise(ends)]
    batches = [p.to_batches()[0] if p.num_rows else _empty(table) for p in parts]
    cut = Cut(source, batches)

    def whole():
        return read_table(source, wishes, target, weights, regression=regression)

    def on_disk():
        return read_to_disk(cut, 32 << 20, wishes, target, weights, threads, regression=regression)

    expected, found = outcome(whole), outcome(on_disk)
    if isinstance(expected, str):
        assert found == expected
        return
    assert not isinstance(found, str), found
    same_table(found, expected)
    some = np.array(sorted(rng.sample(range(found.rows), found.rows // 2)), np.int64)
    if len(some):
        same_table(found.take(some), expected.take(some))
        other = np.setdiff1d(np.arange(found.rows), some)
        schema = expected.take(some).schema
        same_table(found.take(other, schema), expected.take(other, schema))


def _empty(table):
    return pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], names=table.column_names)


def same_table(found, expected):
    """All that a table is: what it means, and every row."""
    assert [told(c) for c in found.schema.columns] == [told(c) for c in expected.schema.columns]
    assert found.schema.target == expected.schema.target
    assert (found.notes, found.source_notes) == (expected.notes, expected.source_notes)
    assert (found.rows, found.unit, found.fingerprint) == (expected.rows, expected.unit, expected.fingerprint)
    for name in ("classes", "response", "weights", "kept"):
        assert plain(getattr(found, name)) == plain(getattr(expected, name)), name
    assert plain(found.row_hashes()) == plain(expected.row_hashes())
    for column in expected.schema.used:
        check_column(column, [found.columns[column.name]], expected.columns[column.name])
        if column.kind == "numeric":
            for mine, own in zip(found.ranks(column.name), expected.ranks(column.name), strict=True):
                assert plain(mine) == plain(own)


def check_column(column, parts, whole):
    if column.kind != "text":
        assert joined(parts) == plain(whole)
        return
    for at in (1, 2):
        assert joined([p[at] for p in parts]) == plain(whole[at])
    assert np.concatenate([np.diff(p[0]) for p in parts]).tolist() == np.diff(whole[0]).tolist()


def joined(arrays):
    return None if arrays[0] is None else plain(np.concatenate(arrays))


def plain(array):
    """An array as its dtype and bits, so that NaN equals NaN and -0.0 is not 0.0."""
    return None if array is None else (array.dtype, np.ascontiguousarray(array).tobytes())


def test_a_survey_that_does_not_know_its_place_still_says_what_is_wrong():
    table = pa.table({"x": [f"{i / 3:.3f}" for i in range(30)] + ["inf"], "y": ["a", "b"] * 15 + ["a"]})
    survey = Survey(SurveyRequest.about(open_source(table), target="y"))
    for batch in table.to_batches(max_chunksize=10):
        survey.add(batch)
    with pytest.raises(TallyError, match=r"holds 1 infinite value.*or pass inf='missing'"):
        survey.decide()
