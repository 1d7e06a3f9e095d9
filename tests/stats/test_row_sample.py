"""The rows that a profile is made of: the same wherever they lie, and the profile that they give."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.stats.profile import SAMPLE, RowSample, in_proportion, row_prints
from tallystick.table.block import Hasher
from tallystick.table.reader import read_table, read_to_disk


def rows_of(n):
    rng = np.random.default_rng(n)
    number, level = rng.normal(size=n), np.array(["u", "v", "w"])[rng.integers(0, 3, n)]
    number[::50] = np.nan
    label = np.array(["no", "yes"])[(np.nan_to_num(number) + rng.normal(size=n) > 0).astype(int)]
    other = rng.normal(size=n)
    return pa.table({"a": number, "b": level, "c": other, "y": label})


class Summing:
    """An engine without any shortcut."""

    def total(self, table, question):
        return Local(1).summed(table, question)


def same(one, other):
    np.testing.assert_array_equal(one.hashes, other.hashes)
    np.testing.assert_array_equal(one.rows.weights, other.rows.weights)
    np.testing.assert_array_equal(one.rows.classes, other.rows.classes)
    for name, data in one.rows.columns.items():
        np.testing.assert_array_equal(data, other.rows.columns[name])


def test_hashes_of_rows_are_halves_of_those_that_the_fingerprint_sums():
    table = read_table(open_source(rows_of(500)), None, "y")
    hasher, (block,) = Hasher(table.schema), table.blocks()
    hashes = row_prints(hasher, block)
    total, at, least = hasher.total_and_least(block, 2**62)
    np.testing.assert_array_equal(least, hashes[at])
    assert (np.flatnonzero(hashes <= 2**62) == at).all()
    assert int(hashes.sum()) == total % 2**64


@pytest.mark.parametrize("size", [30, 400, 3_000])
def test_a_sample_is_the_rows_of_least_hashes_wherever_they_lie(size):
    data = rows_of(2_000)
    data = pa.concat_tables([data, data.slice(0, 700)])
    table = read_table(open_source(data), None, "y")
    mixed = read_table(open_source(data.take(np.random.default_rng(0).permutation(len(data)))), None, "y")
    disk = read_to_disk(open_source(data), 32 << 20, None, "y")
    question = RowSample(table.schema, table.unit, size)
    found = Local(2).total(table, question)
    assert len(found.hashes) == min(size + 1, 2_000)
    hashes = row_prints(Hasher(table.schema), table.slice(0, table.rows))
    distinct, copies = np.unique(hashes, return_counts=True)
    np.testing.assert_array_equal(found.hashes, distinct[: size + 1])
    np.testing.assert_array_equal(found.rows.weights, copies[: size + 1])
    for other in (mixed, disk):
        same(found, Summing().total(other, question))
    parts = [
        question.add(question.zero(), table.slice(start, min(start + 500, 2_700)))
        for start in range(0, 2_700, 500)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = question.merge(part, total)
    same(found, total)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["matrix", "single floats", "rows"])
def test_a_model_of_many_rows_has_the_same_profile_whoever_sums(form):
    data = rows_of(3 * SAMPLE)
    X, y = data, "y"
    if form != "rows":
        X = np.stack([data["c"].to_numpy(), data["a"].fill_null(np.nan).to_numpy()], axis=1)
        X, y = X.astype(np.float32 if form == "single floats" else np.float64), data["y"].to_numpy()
        y = (y == "yes").astype(int)
    models = [
        ts.NaiveBayes(distributions="gaussian", **given).fit(X, y)
        for given in ({}, {"engine": Summing()}, {"memory": "32MB"})
    ]
    assert len({model.to_bytes() for model in models}) == 1


@pytest.mark.slow
def test_a_profile_of_many_rows_is_nearly_that_of_all():
    data = rows_of(4 * SAMPLE)
    model = ts.NaiveBayes(distributions={"a": "gaussian", "c": "gaussian"}).fit(data, "y")
    a, b, c = model.profile_.columns
    values = data["c"].to_numpy()
    assert (c.values[0], c.values[-1]) == (values.min(), values.max())
    assert int(c.counts.sum()) + c.missing == len(values)
    assert abs(a.missing - np.isnan(data["a"].to_numpy()).sum()) < 0.3 * a.missing
    for percent in (1, 25, 50, 99):
        assert abs((values <= c.quantile(percent)).mean() - percent / 100) < 0.02
    assert b.counts.tolist() == [int((data["b"].to_numpy() == level).sum()) for level in "uvw"]
    labels = data["y"].to_numpy()
    assert model.profile_.target.counts.tolist() == [int((labels == name).sum()) for name in ("no", "yes")]
    answered = (np.asarray(model.predict(data)) == "yes").sum()
    assert abs(int(model.profile_.answers.given[1]) - answered) < 0.02 * len(values)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 40_000])
def test_rows_with_very_many_copies_are_counted_all(copies):
    """One row that has most of the weight is in no sample, or all of it."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(2 * SAMPLE, 2)), np.repeat([[0.5, 0.25]], copies, axis=0)])
    y = np.arange(len(X)) % 2
    profile = ts.NaiveBayes(distributions="gaussian").fit(X, y).profile_
    share = profile.columns[0].counts[profile.columns[0].values.tolist().index(0.5) * 2] if copies > 1 else 0
    assert share == (copies if copies > 1 else 0)


@pytest.mark.parametrize(
    ("counts", "total", "wanted"),
    [([1, 1, 1], 10, [4, 3, 3]), ([0, 2, 6], 4, [0, 1, 3]), ([5, 5], 10, [5, 5]), ([0, 0], 7, [0, 0])],
)
def test_counts_are_shared_out_by_the_largest_remainders(counts, total, wanted):
    assert in_proportion(np.array(counts), total).tolist() == wanted


def test_a_sample_known_from_the_fingerprint_is_of_the_same_rows_in_smaller_blocks_on_disk():
    rng = np.random.default_rng(5)
    data = pa.table({f"x{i}": rng.normal(size=12_000) for i in range(40)})
    data = data.append_column("y", pa.array(np.where(rng.random(12_000) < 0.5, "no", "yes")))
    here = read_table(open_source(data), None, "y")
    disk = read_to_disk(open_source(data), 32 << 20, None, "y")
    assert disk.block_rows < disk.rows
    assert disk.fingerprint == here.fingerprint
    question = RowSample(here.schema, here.unit)
    found = Local(1).total(disk, question)
    same(found, Summing().total(here, question))
    np.testing.assert_array_equal(found.rows.columns["x7"], Local(1).total(here, question).rows.columns["x7"])


@pytest.mark.parametrize("n", [SAMPLE, SAMPLE + 1, SAMPLE + 600])
def test_a_table_of_few_rows_more_than_a_sample_can_be_fitted(n):
    found = ts.NaiveBayes(distributions="gaussian").fit(rows_of(n), "y")
    assert found.rows_["count"] == n
    assert found.profile_ is not None


def test_no_rows_have_a_fingerprint():
    table = read_table(open_source(rows_of(30)), None, "y")
    none = table.take(np.zeros(0, np.int64), table.schema)
    assert none.fingerprint == "0" * 32


def test_a_profile_that_another_thread_took_meanwhile_is_no_error():
    class Raced(ts.NaiveBayes):
        @property
        def _profiled(self):
            found, self._own = self._own, None  # the other thread is done by the second look
            return found

        @_profiled.setter
        def _profiled(self, given):
            self._own = given

    data = rows_of(60)
    want = ts.NaiveBayes().fit(data, "y").profile_.to_dict()
    assert Raced().fit(data, "y").profile_.to_dict() == want
