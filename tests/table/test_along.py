"""What goes along with the look at a matrix is what a walk over the rows of its table tells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.stats.class_counts import Ask, BayesSums
from tallystick.stats.values import ValueSample
from tallystick.table.hash_sample import first_share, limit_of, take_picked
from tallystick.table.lazy_columns import Doubles
from tallystick.table.reader import read_table
from tallystick.table.table import LocalTable as Table
from tallystick.table.table import known_moments

ROWS = 70_001  # more than a block, and no multiple of any tile


def matrix(seed=0, width=5, rows=ROWS):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-3, 4, width)


def gaps(X):
    X[::97, 1] = np.nan
    X[5::101, 2] = -0.0
    return X


def wild(X):
    X[:, 1] *= 10.0 ** np.random.default_rng(1).integers(-200, 100, len(X))
    return X


def whole():
    return np.trunc(np.random.default_rng(3).normal(size=(ROWS, 5)) * 900)


def several(X, wholes):
    kinds = (np.float64, np.float32, np.int64, np.int16, np.uint32)
    cells = (X[:, 0], X[:, 1], wholes[:, 2], wholes[:, 3], abs(wholes[:, 4]))
    return pa.table({f"x{j}": c.astype(kind) for j, (c, kind) in enumerate(zip(cells, kinds, strict=True))})


MATRICES = {
    "by rows": lambda: matrix(),
    "by columns": lambda: np.asfortranarray(matrix()),
    "of a wider one": lambda: matrix(width=9)[:, 2:7],
    "with gaps and -0.0": lambda: gaps(matrix()),
    "of very different sizes": lambda: wild(matrix()),
    "single floats": lambda: matrix().astype(np.float32),
    "more columns than lanes": lambda: matrix(width=70, rows=20_001),
    "whole numbers": lambda: whole().astype(np.int64),
    "whole numbers by columns": lambda: np.asfortranarray(whole().astype(np.int32)),
    "small whole numbers": lambda: (whole() % 200).astype(np.uint8),
    "whole doubles with -0.0": whole,
    "every second column": lambda: matrix(width=10)[:, ::2],
    "columns of a frame": lambda: pd.DataFrame({f"x{j}": c.copy() for j, c in enumerate(matrix().T)}),
    "a frame of whole numbers": lambda: pd.DataFrame(whole().astype(np.int64)).add_prefix("x"),
    "Arrow columns of several types": lambda: several(matrix(), whole()),
}
LABELS = {
    "two": lambda rows: np.arange(rows) % 2,
    "numbers in another order than their texts": lambda rows: np.arange(rows) % 12,
    "texts": lambda rows: np.array(["b", "ä", "a"])[np.arange(rows) % 3],
    "numbers that are not whole": lambda rows: np.arange(rows) % 3 + 0.5,
    "more than are summed at once": lambda rows: np.arange(rows) % 40,
}


def read(X, y, wishes=None, weights=None, sums=True, sample=0):
    wishes = replace(wishes or ColumnOptions(), sums=sums, sample=sample)
    return read_table(open_source(X), wishes, y, weights, 2)


def check(table, sums=True):
    """The fingerprint and the sums of a table that was told them are those of one that was not."""
    walked = replace(table, _fingerprint=None)
    assert table._fingerprint is not None
    assert known_moments(walked) is None
    assert table.fingerprint == walked.fingerprint
    names, labels = [c.name for c in table.schema.used], table.schema.predicted.labels
    question = BayesSums(tuple(Ask(name, "moments") for name in names), len(labels))
    found, summed = question.solve(table, Local(1)), Local(2).total(walked, question)
    assert (found is not None) == sums
    assert sorted(found or ()) == (sorted(summed) if sums else [])
    for name, array in (found or {}).items():
        np.testing.assert_array_equal(array, summed[name])


@pytest.mark.slow
@pytest.mark.parametrize("made", MATRICES)
def test_what_is_told_of_a_matrix_is_what_its_rows_tell(made):
    X = MATRICES[made]()
    check(read(X, np.arange(len(X)) % 2))


@pytest.mark.slow
@pytest.mark.parametrize("made", LABELS)
def test_what_is_told_of_labels_is_what_rows_tell(made):
    labels = LABELS[made](ROWS)
    check(read(matrix(), labels), len(np.unique(labels)) <= 32)


def test_sums_are_told_where_they_are_asked_for_only():
    X, y = matrix(), np.arange(ROWS) % 2
    check(read(X, y, sums=False), sums=False)


def test_a_class_that_no_row_has_is_a_class():
    X, y = matrix(), np.arange(ROWS) % 2
    check(read(X, y, ColumnOptions(levels={"y": ["-1", "0", "1"]})))


QUICK = [name for name in MATRICES if name not in ("by rows", "by columns", "more columns than lanes")]


@pytest.mark.parametrize("made", QUICK)
def test_sums_that_go_along_need_no_doubles(made, monkeypatch):
    monkeypatch.setattr(Doubles, "made", lambda self: pytest.fail("nobody needs them"))
    model = ts.NaiveBayes(distributions="gaussian", threads=2).fit(MATRICES[made](), np.arange(ROWS) % 2)
    assert len(model.model_.parts) == 5


@pytest.mark.parametrize("made", ["whole numbers", "small whole numbers", "a frame of whole numbers"])
def test_values_of_few_are_counted_as_they_lie(made, monkeypatch):
    for owner, name in ((Doubles, "made"), (Table, "ranks")):
        monkeypatch.setattr(owner, name, lambda *_: pytest.fail("nobody needs them"))
    model = ts.NaiveBayes(threads=2).fit(MATRICES[made](), np.arange(ROWS) % 2)
    assert {part.distribution for part in model.model_.parts} <= {"binned", "gaussian"}


def test_cells_of_single_floats_are_counted_as_they_lie(monkeypatch):
    X, y = np.random.default_rng(2).standard_cauchy((ROWS, 5)).astype(np.float32), np.arange(ROWS) % 2
    X[:, 0] += y
    with monkeypatch.context() as nobody:
        nobody.setattr(Doubles, "made", lambda self: pytest.fail("nobody needs them"))
        told = ts.NaiveBayes(threads=2).fit(X, y)
    assert told.to_bytes() == ts.NaiveBayes(threads=2).fit(X.astype(np.float64), y).to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("distributions", ["gaussian", "auto"])
def test_a_model_is_the_same_of_numbers_of_any_type_and_layout(distributions):
    X, y = whole(), np.arange(ROWS) % 3
    X[:, 0] += 400 * y
    names = [f"x{j}" for j in range(5)]
    same = [X, np.asfortranarray(X), X.astype(np.float32), X.astype(np.int64), X.astype(np.int32)]
    same += [X.astype(np.int16), np.repeat(X, 2, axis=1)[:, ::2], pd.DataFrame(X, columns=names)]
    same += [pd.DataFrame(X.astype(np.int64), columns=names)]
    same += [pa.table(dict(zip(names, X.T.astype(np.int64), strict=True)))]
    fits = [ts.NaiveBayes(distributions=distributions, threads=t).fit(x, y) for t in (1, 2, 5) for x in same]
    assert len({fit.to_bytes() for fit in fits}) == 1


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_rows_of_weight_0_are_left_out_of_numbers_of_any_type(kind):
    X, y, weights = whole(), np.arange(ROWS) % 2, np.arange(ROWS) % 3
    fits = [ts.NaiveBayes(threads=2).fit(x, y, sample_weight=weights) for x in (X, X.astype(kind))]
    assert fits[0].to_bytes() == fits[1].to_bytes()


@pytest.mark.parametrize("large", [2**53 + 1, -(2**53) - 1, 2**62])
def test_whole_numbers_that_no_double_holds_are_what_they_were(large):
    X, y = whole().astype(np.int64), np.arange(ROWS) % 2
    X[7, 1] = large
    frame = pa.table({f"x{j}": pa.chunked_array([c[:9], c[9:]]) for j, c in enumerate(X.T.copy())})
    told, slow = (read(given, y).schema.columns for given in (X, frame))
    assert [c.kind for c in told] == [c.kind for c in slow]
    assert told == slow


def test_a_column_that_doubles_were_made_of_has_no_negative_zero():
    X = whole()
    table = read(X, np.arange(ROWS) % 2)
    assert np.signbit(X[X == 0]).any()
    for j, name in enumerate(table.columns):
        values = table.column(name)
        np.testing.assert_array_equal(values, X[:, j])
        assert values.dtype == np.float64
        assert not np.signbit(values[values == 0]).any()


def test_one_column_with_negative_zeros_is_copied_alone():
    X = matrix()
    X[::9, 3] = -0.0
    table = read(X, np.arange(ROWS) % 2)
    assert [np.shares_memory(table.column(name), X) for name in table.columns] == [True] * 3 + [False, True]
    assert not np.shares_memory(table.column("x3"), table.column("x2"))
    assert table.column("x3").flags.c_contiguous
    assert not np.signbit(table.column("x3")[::9]).any()


def constant(X):
    X[:, 2] = 2.5
    return X


def switches(X):
    X[:, 2] = np.where(np.arange(len(X)) % 3, 1.0, 0.0)
    return X


UNSURE = {
    "a column is left out": lambda: (constant(matrix()), np.arange(ROWS) % 2, None),
    "a column is levels": lambda: (switches(matrix()), np.arange(ROWS) % 2, None),
    "rows have weights": lambda: (matrix(), np.arange(ROWS) % 2, np.arange(ROWS) % 3),
    "a row has no label": lambda: (matrix(), np.r_[np.nan, np.arange(ROWS - 1) % 2], None),
}


@pytest.mark.parametrize("why", UNSURE)
def test_a_guess_that_was_wrong_is_not_used(why):
    table = read(*(UNSURE[why]()[i] for i in (0, 1)), weights=UNSURE[why]()[2])
    assert table._fingerprint is None
    assert known_moments(table) is None


def test_marks_and_wishes_are_no_matter_of_guesses():
    X, y = matrix(), np.arange(ROWS) % 2
    X[::50, 0] = -99.5
    for wishes in (ColumnOptions(missing=("-99.5",)), ColumnOptions(kinds={"x1": "out"})):
        assert known_moments(read(X, y, wishes)) is None


@pytest.mark.parametrize("distributions", ["gaussian", "auto"])
def test_a_model_says_the_same_whoever_sums(distributions):
    X, y = gaps(matrix()), np.arange(ROWS) % 3
    X[:, 0] += y  # a Gaussian; the others are bins
    told = ts.NaiveBayes(distributions=distributions, threads=2).fit(X, y)

    class Summing:
        def total(self, table, question):
            total = question.zero()
            for block in table.blocks():
                total = question.add(total, block)
            return total

    summed = ts.NaiveBayes(distributions=distributions, engine=Summing()).fit(X, y)
    assert told.to_bytes() == summed.to_bytes()
    read_as = {part.distribution for part in told.model_.parts}
    assert read_as == {"gaussian"} | ({"binned"} if distributions == "auto" else set())


def same_samples(told, walked):
    for a, b in zip(told, walked, strict=True):
        assert a.limit == b.limit
        for own, other in zip(a.values, b.values, strict=True):
            np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize("made", ["by rows", "by columns", "with gaps and -0.0", "single floats"])
def test_a_sample_that_was_told_is_the_one_that_rows_give(made):
    X, size = MATRICES[made](), 1_000
    table = read(X, np.arange(len(X)) % 3, sums=False, sample=size)
    names, limit = [c.name for c in table.schema.used], limit_of(first_share(size, table.rows))
    known = table._picked
    assert known is not None
    assert known.column(names[0], limit) is not None
    assert known.column(names[0], limit + 1) is None
    walked = replace(table, _fingerprint=None)
    assert take_picked(walked) is None
    question = ValueSample(tuple(names), 3, size)
    same_samples(question.solve(table, Local(2)), question.solve(walked, Local(2)))
    assert take_picked(table) is None  # nobody asks twice, and it takes memory


def test_a_column_for_which_there_is_no_room_is_looked_at_again():
    X, size = matrix(), 1_000
    X[::3, 1] = np.nan  # picked too
    table = read(X, np.arange(ROWS) % 2, sums=False, sample=size)
    names, limit = [c.name for c in table.schema.used], limit_of(first_share(size, ROWS))
    assert [table._picked.column(name, limit) is None for name in names] == [False, True, *[False] * 3]
    question = ValueSample(tuple(names), 2, size)
    same_samples(question.solve(table, Local(2)), question.solve(replace(table, _fingerprint=None), Local(2)))


def test_there_is_room_for_the_missing_cells_of_a_column_that_has_some():
    X, size = matrix(), 1_000
    X[np.random.default_rng(2).random(X.shape) < 0.05] = np.nan
    table = read(X, np.arange(ROWS) % 2, sums=False, sample=size)
    limit = limit_of(first_share(size, ROWS))
    assert all(table._picked.column(column.name, limit) is not None for column in table.schema.used)
    question = ValueSample(tuple(c.name for c in table.schema.used), 2, size)
    same_samples(question.solve(table, Local(2)), question.solve(replace(table, _fingerprint=None), Local(2)))


def test_no_sample_is_told_of_many_columns_or_few_rows():
    wide, y = matrix(width=70, rows=20_001), np.arange(20_001) % 2
    assert take_picked(read(wide, y, sums=False, sample=1_000)) is None
    assert take_picked(read(wide[:, :9], y, sums=False, sample=1_000)) is not None
    assert take_picked(read(wide[:, :9], y, sums=False, sample=10_000)) is None
    assert known_moments(read(wide, y, sample=1_000)) is None  # of which columns, the sample will tell
    assert known_moments(read(wide[:, :9], y, sample=1_000)) is not None
