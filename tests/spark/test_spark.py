"""Training on Spark: the bytes of the local engine, whatever the partitions and whatever fails."""

from __future__ import annotations

import hashlib
import sys

import numpy as np
import pyarrow as pa
import pytest
from tables import of_every_kind as table

import tallystick as ts
from tallystick.errors import DataError, OptionError, TallyError, TargetError
from tallystick.spark import table as engine_room
from tallystick.spark.table import Sum

pytestmark = pytest.mark.slow


def sha(model):
    return hashlib.sha256(model.to_bytes()).hexdigest()


LEARNERS = {
    "tree": lambda: ts.DecisionTree(max_depth=2),
    "binned tree": lambda: ts.DecisionTree(max_depth=2, max_bins=12, criterion="gini"),
    "bayes": lambda: ts.NaiveBayes(distributions="gaussian"),
    "logistic": lambda: ts.LogisticRegression(l2=1.0),
    "card": lambda: ts.Scorecard(pairs=1, ranges=8),
    "rules": lambda: ts.RuleList(),
    "rule set": lambda: ts.RuleSet(max_rules=2),
}
MOST = ("tree", "bayes", "logistic")


def shas(rows, names=MOST):
    """The sha256 of each method's model, from one reading of the rows."""
    found = LEARNERS["tree"]()._read(rows, "y")
    try:
        return {name: sha(LEARNERS[name]()._fit_table(found)) for name in names}
    finally:
        if hasattr(found, "release"):
            found.release()


@pytest.mark.parametrize("parts", [1, 2, 7, 64])
def test_one_sha256_for_any_partitions_in_any_order(spark, parts):
    rows = table().drop_columns(["said", "day"])
    order = np.random.default_rng(parts).permutation(rows.num_rows)
    frame = spark.createDataFrame(rows.take(order)).repartition(parts)
    names = tuple(LEARNERS) if parts == 7 else MOST
    assert shas(frame, names) == shas(rows, names)


def numbers(rows, seed=2):
    """Numbers alone: with gaps, whole ones, -0.0; some rows have no target."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=rows), 2)
    y = np.where(x + rng.normal(size=rows) > 0, "yes", "no").tolist()
    y[:3] = [None, None, None]
    x[rng.random(rows) < 0.1] = np.nan
    x[5] = -0.0
    fine = rng.normal(size=rows).astype(np.float32)
    return pa.table(
        {"x": pa.array(x, from_pandas=True), "n": rng.integers(-9, 9, rows), "fine": fine, "y": y}
    )


@pytest.mark.parametrize("parts", [1, 5])
def test_numbers_alone_are_learned_from_the_batches_as_they_came(spark, parts):
    rows, names = numbers(600), tuple(LEARNERS) if parts == 5 else MOST
    assert shas(spark.createDataFrame(rows).repartition(parts), names) == shas(rows, names)


def test_a_sample_of_many_rows_is_the_same_sample(spark):
    rows = numbers(100_500).select(["n", "fine", "y"])
    frame = spark.createDataFrame(rows).repartition(3)
    assert shas(frame, ("logistic",)) == shas(rows, ("logistic",))


def test_texts_dates_and_what_is_left_out_are_read_as_here(spark):
    rows, frame = table(), spark.createDataFrame(table()).repartition(3)
    for model in (ts.NaiveBayes, ts.LogisticRegression):
        here, there = (model(kinds={"said": "text"}).fit(data, "y") for data in (rows, frame))
        assert here.schema_["said"].kind == "text"
        assert there.to_bytes() == here.to_bytes()
        assert there.notes_ == here.notes_
        assert there.source_notes_ == here.source_notes_


@pytest.mark.parametrize("l2", [0, "auto"])
def test_a_linear_regression_on_spark_is_the_one_here(spark, l2):
    gaps = [None if i % 7 == 6 else i % 11 - 2.5 for i in range(300)]
    rows = [
        {"x": i % 17 * 0.3, "c": "abc"[i % 3], "z": z, "y": i % 17 + i % 5 / 4} for i, z in enumerate(gaps)
    ]
    here = ts.LinearRegression(l2=l2).fit(rows, "y")
    frame = spark.createDataFrame(rows, "x double, c string, z double, y double").repartition(3)
    assert ts.LinearRegression(l2=l2).fit(frame, "y").to_bytes() == here.to_bytes()


def test_a_regression_tree_on_spark_is_the_one_here(spark):
    rows = table().select(["whole", "colour", "flag", "x"]).slice(0, 300).drop_null()
    here = ts.RegressionTree(max_depth=2).fit(rows, "x")
    there = ts.RegressionTree(max_depth=2).fit(spark.createDataFrame(rows).repartition(2), "x")
    assert there.to_bytes() == here.to_bytes()


def test_a_column_of_weights_counts_rows_as_weights_do_here(spark):
    rows = table().select(["x", "colour", "heavy", "y"])
    here = ts.NaiveBayes(distributions="gaussian").fit(
        rows.drop_columns(["heavy"]), "y", sample_weight=rows["heavy"].to_numpy()
    )
    frame = spark.createDataFrame(rows).repartition(3)
    there = ts.NaiveBayes(distributions="gaussian").fit(frame, "y", sample_weight="heavy")
    assert there.to_bytes() == here.to_bytes()


class Failing(Sum):
    """A third of the tasks fail when they are first tried."""

    def __call__(self, blocks):
        from pyspark import TaskContext

        task = TaskContext.get()
        if task.attemptNumber() == 0 and (task.stageId() + task.partitionId()) % 3 == 0:
            raise RuntimeError("a task fails")
        return super().__call__(blocks)


def test_a_third_of_the_tasks_failing_at_first_changes_no_bit(spark, monkeypatch):
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(engine_room, "Sum", Failing)
    rows = table(1).drop_columns(["said", "day"])
    frame = spark.createDataFrame(rows).repartition(3)
    failed = failures(spark)
    assert shas(frame) == shas(rows)
    assert failures(spark) > failed


def failures(spark):
    """How many tasks of this session have failed so far."""
    store = spark.sparkContext._jsc.sc().statusStore()
    return store.executorSummary("driver").failedTasks()


# ---- errors ----


def test_what_cannot_be_learned_from_is_refused_in_one_line(spark):
    frame = spark.createDataFrame(table(rows=20))
    model = ts.NaiveBayes()
    stream = spark.readStream.format("rate").load()
    nested = spark.createDataFrame([("a", [1], {"k": 1})], "y string, list array<int>, map map<string,int>")
    wrong = [
        (lambda: model.fit(stream, "value"), DataError, "is a stream"),
        (lambda: model.fit(nested, "y"), DataError, "column 'list' is of type"),
        (lambda: model.fit(frame.limit(0), "y"), DataError, "no rows"),
        (lambda: model.fit(frame, "z"), TargetError, "no column 'z'"),
        (lambda: model.fit(frame, [0] * 20), TargetError, "name of one of its columns"),
        (lambda: model.fit(frame, "y", [1] * 20), OptionError, "name of one of its columns"),
        (lambda: model.fit(frame), OptionError, "y"),
    ]
    for work, kind, said in wrong:
        with pytest.raises(kind, match=said) as caught:
            work()
        assert "\n" not in str(caught.value)


def test_settings_that_need_all_rows_in_one_place_are_refused_before_any_work(spark):
    frame = spark.createDataFrame(table(rows=20)).selectExpr("*", "assert_true(heavy > 9) as never")
    wrong = [
        (
            lambda: ts.DecisionTree(pruning="pessimistic").fit(frame, "y"),
            "pruning='pessimistic' needs all rows",
        ),
        (
            lambda: ts.DecisionTree(pruning=ts.Pessimistic(0.1)).fit(frame, "y"),
            "pruning='pessimistic' needs all rows",
        ),
        (lambda: ts.NaiveBayes().fit(frame.select("x", "x", "y"), "y"), "2 columns called 'x'"),
    ]
    for work, said in wrong:
        with pytest.raises(TallyError, match=said) as caught:
            work()
        assert "\n" not in str(caught.value)


STRANGE = {  # expressions of types that nothing can be learned from, and what they are called
    "struct(1 as a)": "'struct",
    "array(1, 2)": "'list",
    "map('a', 1)": "'map",
    "cast('a' as binary)": "'binary'",
    "interval '1' month": "'interval month'",
    "make_interval(0, 1, 2, 3)": "'interval'",
    "parse_json('1')": "'struct",
}


def test_columns_of_strange_types_are_refused_by_name_or_left_out(spark):
    for cells, said in STRANGE.items():
        frame = spark.range(9).selectExpr("id as x", f"{cells} as c", "id % 2 as y")
        with pytest.raises(DataError, match="column 'c' is of type " + said) as caught:
            ts.NaiveBayes().fit(frame, "y")
        assert "\n" not in str(caught.value)
    columns = [f"{cells} as c{i}" for i, cells in enumerate(STRANGE)]
    frame = spark.range(20).selectExpr("id * id * 0.5d as x", *columns, "if(id < 9, 'a', 'b') as y")
    left = ts.NaiveBayes(kinds={f"c{i}": "out" for i in range(len(columns))}).fit(frame, "y")
    assert [c.name for c in left.schema_.used] == ["x"]


def test_decimals_dates_and_times_are_read_as_here(spark):
    frame = spark.range(20).selectExpr(
        "cast(id * 1.5 as decimal(20, 4)) as price",
        "date_add(date'2020-01-01', cast(id * id as int)) as day",
        "timestamp_micros(id * id * 86400000000) as moment",
        "cast(timestamp_micros(id * id * 86400000000) as timestamp_ntz) as plain",
        "make_dt_interval(cast(id * id as int), 1) as lasted",
        "if(id < 9, 'a', 'b') as y",
    )
    here, there = (ts.NaiveBayes(distributions="gaussian").fit(f, "y") for f in (frame.toArrow(), frame))
    assert [c.kind for c in here.schema_.used] == ["numeric"] * 5
    assert there.to_bytes() == here.to_bytes()
    assert there.transform(frame).count() == 20


def test_what_spark_cannot_compute_is_told_in_one_line(spark):
    frame = spark.range(9).selectExpr("id / (id - id) as x", "cast(id % 2 as string) as y")
    with pytest.raises(DataError, match=r"Spark failed while it worked on the DataFrame: .*DIVIDE") as caught:
        ts.NaiveBayes().fit(frame, "y")
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is not None


def test_an_error_that_a_worker_finds_is_raised_here_as_what_it_is(spark):
    frame = spark.createDataFrame([(1.0, "a"), (float("inf"), "b")], "x double, y string").repartition(2)
    with pytest.raises(DataError, match="column 'x' holds 1 infinite value") as caught:
        ts.NaiveBayes().fit(frame, "y")
    assert "\n" not in str(caught.value)


def test_workers_without_tallystick_are_told_of_in_one_line(spark, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['tallystick'] = None\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:$PYTHONPATH exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    with pytest.raises(OptionError, match="workers have no tallystick") as caught:
        ts.NaiveBayes().fit(spark.createDataFrame(table(rows=20)), "y")
    assert "\n" not in str(caught.value)


def test_workers_with_another_version_are_refused(spark, monkeypatch):
    monkeypatch.setattr(ts, "__version__", "9.9")
    with pytest.raises(OptionError, match=r"'9.9' here, but .* where Spark's workers run"):
        ts.NaiveBayes().fit(spark.createDataFrame(table(rows=20)), "y")
