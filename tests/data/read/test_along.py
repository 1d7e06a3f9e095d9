"""What goes along with the look at a matrix is what a walk over the rows of its table tells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tallystick as ts
from tallystick.data.read.reader import read_table
from tallystick.data.schema import Wishes
from tallystick.data.source import open_source
from tallystick.data.table.moments import known_moments
from tallystick.data.table.picked import first_share, limit_of, take_picked
from tallystick.engines.local import Local
from tallystick.stats.bayes import Ask, BayesSums, KnownSums
from tallystick.stats.value_samples import ByGuess, ValueSample

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


MATRICES = {
    "by rows": lambda: matrix(),
    "by columns": lambda: np.asfortranarray(matrix()),
    "of a wider one": lambda: matrix(width=9)[:, 2:7],
    "with gaps and -0.0": lambda: gaps(matrix()),
    "of very different sizes": lambda: wild(matrix()),
    "single floats": lambda: matrix().astype(np.float32),
    "more columns than lanes": lambda: matrix(width=70, rows=20_001),
}
LABELS = {
    "two": lambda rows: np.arange(rows) % 2,
    "numbers in another order than their texts": lambda rows: np.arange(rows) % 12,
    "texts": lambda rows: np.array(["b", "ä", "a"])[np.arange(rows) % 3],
    "numbers that are not whole": lambda rows: np.arange(rows) % 3 + 0.5,
    "more than are summed at once": lambda rows: np.arange(rows) % 40,
}


def read(X, y, wishes=None, weights=None, sums=True, sample=0):
    wishes = replace(wishes or Wishes(), sums=sums, sample=sample)
    return read_table(open_source(X), wishes, y, weights, 2)


def check(table, sums=True):
    """The fingerprint and the sums of a table that was told them are those of one that was not."""
    walked = replace(table, _fingerprint=None)
    assert table._fingerprint is not None
    assert known_moments(walked) is None
    assert table.fingerprint == walked.fingerprint
    names, labels = [c.name for c in table.schema.used], table.schema.predicted.labels
    question = BayesSums(tuple(Ask(name, "moments") for name in names), len(labels))
    found, summed = KnownSums().solve(question, table, 1), Local(2).total(walked, question)
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
    check(read(X, y, Wishes(levels={"y": ["-1", "0", "1"]})))


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
    for wishes in (Wishes(missing=("-99.5",)), Wishes(kinds={"x1": "out"})):
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
    same_samples(ByGuess().solve(question, table, 2), ByGuess().solve(question, walked, 2))
    assert take_picked(table) is None  # nobody asks twice, and it takes memory


def test_a_column_for_which_there_is_no_room_is_looked_at_again():
    X, size = matrix(), 1_000
    X[::3, 1] = np.nan  # picked too
    table = read(X, np.arange(ROWS) % 2, sums=False, sample=size)
    names, limit = [c.name for c in table.schema.used], limit_of(first_share(size, ROWS))
    assert [table._picked.column(name, limit) is None for name in names] == [False, True, *[False] * 3]
    question = ValueSample(tuple(names), 2, size)
    same_samples(
        ByGuess().solve(question, table, 2), ByGuess().solve(question, replace(table, _fingerprint=None), 2)
    )


def test_no_sample_is_told_of_many_columns_or_few_rows():
    wide, y = matrix(width=70, rows=20_001), np.arange(20_001) % 2
    assert take_picked(read(wide, y, sums=False, sample=1_000)) is None
    assert take_picked(read(wide[:, :9], y, sums=False, sample=1_000)) is not None
    assert take_picked(read(wide[:, :9], y, sums=False, sample=10_000)) is None
    assert known_moments(read(wide, y, sample=1_000)) is None  # of which columns, the sample will tell
    assert known_moments(read(wide[:, :9], y, sample=1_000)) is not None
