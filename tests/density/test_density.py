"""`ts.DensityTree`: one table, one tree; its words of scikit-learn; what it refuses."""

from __future__ import annotations

import copy
import math
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from density_tables import mixed

import tallystick as ts
from tallystick.errors import DataError, NotFitted, OptionError
from tallystick.judge.folds import deal
from tallystick.table import table as table_room

FRAME = mixed(600, 7)
TREE = ts.DensityTree().fit(FRAME)


def test_the_tree_of_these_tests_has_tests_of_several_kinds():
    assert len(TREE.leaves_) >= 4
    tested = {TREE.schema_.used[c].kind for c in TREE.model_.nodes.column if c >= 0}
    assert len(tested) >= 2


# -- one table, one model --


@pytest.mark.slow
@pytest.mark.parametrize("pruning", ["length", "held-out", None])
def test_one_model_for_any_row_order_threads_and_blocks(pruning, monkeypatch):
    options = {"pruning": pruning, "min_samples_leaf": 20, "max_depth": 3}
    want = ts.DensityTree(**options).fit(FRAME).to_bytes()
    for seed in range(3):
        assert ts.DensityTree(**options).fit(FRAME.sample(frac=1, random_state=seed)).to_bytes() == want
    monkeypatch.setattr(table_room, "BLOCK", 100)
    for threads in (1, 2, 8):
        assert ts.DensityTree(threads=threads, **options).fit(FRAME).to_bytes() == want


@pytest.mark.slow
def test_one_model_for_any_input(tmp_path):
    arrow = pa.Table.from_pandas(FRAME, preserve_index=False)
    pyarrow.csv.write_csv(arrow, tmp_path / "t.csv")
    pyarrow.parquet.write_table(arrow, tmp_path / "t.parquet", row_group_size=50)
    for given in (
        pl.from_arrow(arrow),
        arrow,
        tmp_path / "t.csv",
        str(tmp_path / "t.parquet"),
        arrow.to_pylist(),
    ):
        assert ts.DensityTree().fit(given).to_bytes() == TREE.to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("pruning", ["length", "held-out"])
def test_rows_on_disk_give_the_same_model(pruning, tmp_path):
    pyarrow.csv.write_csv(pa.Table.from_pandas(FRAME, preserve_index=False), tmp_path / "t.csv")
    want = ts.DensityTree(pruning=pruning).fit(FRAME)
    found = ts.DensityTree(pruning=pruning, memory="64MB").fit(tmp_path / "t.csv")
    assert found.to_bytes() == want.to_bytes()


@pytest.mark.slow
def test_rows_on_spark_give_the_same_model_and_what_needs_them_here_is_refused(spark):
    rows = FRAME[["age", "home", "member"]].head(200)
    plain = rows.astype(object).where(rows.notna(), None)
    frame = spark.createDataFrame(plain, "age double, home string, member boolean").repartition(3)
    tree = ts.DensityTree(max_depth=1)
    assert tree.fit(frame).to_bytes() == ts.DensityTree(max_depth=1).fit(rows).to_bytes()
    assert len(tree.leaves_) == 2
    with pytest.raises(OptionError, match=r"pruning='held-out' needs all rows in one place"):
        ts.DensityTree(pruning="held-out").fit(frame)


@pytest.mark.slow
def test_a_whole_weight_is_so_many_copies_and_0_is_no_row():
    weights = np.random.default_rng(1).integers(0, 4, len(FRAME))
    copies = FRAME.loc[np.repeat(FRAME.index, weights)]
    for own in ({}, {"pruning": "held-out", "max_depth": 2}):
        weighted = ts.DensityTree(**own).fit(FRAME, sample_weight=weights)
        assert weighted.to_bytes() == ts.DensityTree(**own).fit(copies).to_bytes()


@pytest.mark.slow
def test_real_weights_count_by_their_ratios():
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(FRAME))
    tree = ts.DensityTree().fit(FRAME, sample_weight=weights)
    assert len(tree.leaves_) > 1
    assert math.fsum(leaf.share for leaf in tree.leaves_) == pytest.approx(1)
    order = np.random.default_rng(2).permutation(len(FRAME))
    again = ts.DensityTree().fit(FRAME.iloc[order], sample_weight=weights[order])
    assert again.to_bytes() == tree.to_bytes()


def test_copies_and_pickles_are_the_model_file():
    for again in (pickle.loads(pickle.dumps(TREE)), copy.deepcopy(TREE)):
        assert again.to_bytes() == TREE.to_bytes()


def test_verify_fits_again_and_finds_a_difference():
    assert ts.verify(TREE, FRAME)
    found = ts.verify(TREE, FRAME.iloc[1:])
    assert not found
    assert found.difference


# -- pruning --


@pytest.mark.slow
def test_held_out_rows_choose_the_leaves_and_are_likelier_than_with_one_leaf():
    tree = ts.DensityTree(pruning="held-out").fit(FRAME)
    said = next(n for n in tree.notes_ if n.code == "leaves-chosen").text
    assert said == f"rows held out in 5 folds are likeliest with {len(tree.leaves_)} leaves."
    scores = {1: [], len(tree.leaves_): []}
    for training, test in deal(tree._read(FRAME), 5).parts():
        for leaves, found in scores.items():
            fitted = ts.DensityTree(max_leaf_nodes=leaves).fit(FRAME.iloc[training])
            found.append(fitted.score(FRAME.iloc[test]))
    assert np.mean(scores[len(tree.leaves_)]) > np.mean(scores[1])


def test_a_tree_of_a_file_has_the_parameters_of_its_fit(tmp_path):
    tree = ts.DensityTree(pruning=None, max_depth=2, min_samples_leaf=9, pieces=5, alpha=3, max_leaf_nodes=3)
    tree.fit(FRAME).save(tmp_path / "t.tally.json")
    again = ts.load(tmp_path / "t.tally.json")
    assert again.get_params() == tree.get_params()


# -- answers --


def test_a_dict_records_frames_and_files_are_answered_alike(tmp_path):
    want = TREE.score_samples(FRAME)
    assert TREE.score_samples(FRAME.to_dict("records")).tobytes() == want.tobytes()
    assert TREE.score_samples(FRAME.iloc[0].to_dict()).tolist() == want[:1].tolist()
    assert TREE.score_samples(FRAME[FRAME.columns[::-1]]).tobytes() == want.tobytes()
    assert TREE.score(FRAME) == pytest.approx(want.mean())
    assert TREE.score(FRAME, sample_weight=np.arange(600)) == pytest.approx(
        np.average(want, weights=range(600))
    )


def test_score_is_the_mean_and_rows_come_to_leaves_in_their_shares():
    leaf = TREE.apply(FRAME)
    counts = np.bincount(leaf)
    assert counts.tolist() == [found.rows for found in TREE.leaves_]


def test_rows_of_a_matrix_without_names():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(200, 3))
    tree = ts.DensityTree().fit(matrix)
    assert tree.n_features_in_ == 3
    assert tree.score_samples(matrix).shape == (200,)
    with pytest.raises(DataError, match="X has 2 features, but DensityTree is expecting 3"):
        tree.score_samples(matrix[:, :2])


def test_missing_columns_and_unreadable_numbers_are_refused_or_count_as_missing():
    with pytest.raises(DataError, match="income"):
        TREE.score_samples(FRAME.drop(columns="income"))
    without = TREE.score_samples(FRAME.drop(columns="income"), missing_columns="as-missing")
    assert without.tolist() == TREE.score_samples(FRAME.assign(income=np.nan)).tolist()
    odd = FRAME.head(2).assign(income=["much", "12.5"])
    with pytest.raises(DataError, match="much"):
        TREE.score_samples(odd)
    assert np.isfinite(TREE.score_samples(odd, lenient=True)).all()


# -- what it shows --


def test_it_prints_sentences_and_draws_itself():
    lines = str(TREE).split("\n")
    assert lines[0].startswith(f"Density tree of 5 columns: 600 rows, {len(TREE.leaves_)} leaves, depth ")
    assert len(lines) == 1 + min(len(TREE.leaves_), 20)
    shares = [leaf.share for leaf in sorted(TREE.leaves_, key=lambda leaf: -leaf.share)]
    assert shares == sorted(shares, reverse=True)
    assert TREE.show(leaves=1).endswith(f"show(leaves={len(TREE.leaves_)}) tells all.")
    picture = TREE.picture()
    assert picture.startswith("<svg")
    assert "all 600 rows" in picture
    assert picture.partition(" ")[2] in TREE._repr_html_()
    assert ts.DensityTree()._repr_html_().endswith(">DensityTree()</pre>")


# -- refusals --


def test_a_target_is_refused_and_says_what_to_do():
    with pytest.raises(
        OptionError, match=r"a density tree has no target: all columns count alike\. Leave out y"
    ):
        ts.DensityTree().fit(FRAME, "home")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no row"),
        (pd.DataFrame({"a": []}), "no row"),
        ([{"id": f"x{i}"} for i in range(50)], "no usable column"),
    ],
)
def test_rows_without_rows_or_columns_are_refused_in_one_line(rows, said):
    with pytest.raises((DataError, OptionError)) as error:
        ts.DensityTree().fit(rows)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_asked_before_the_fit_and_what_it_has_not_is_refused():
    for ask in (
        lambda t: t.score_samples(FRAME),
        lambda t: t.sample(3),
        lambda t: t.leaves_,
        lambda t: t.picture(),
    ):
        with pytest.raises(NotFitted, match="not fitted yet"):
            ask(ts.DensityTree())
    for kind in ("sql", "python", "js", "c", "onnx", "pmml", "excel", "rules", "card"):
        with pytest.raises(OptionError) as error:
            TREE.export(kind)
        assert "\n" not in str(error.value)
        assert re.search("density.tree", str(error.value))
    assert not hasattr(TREE, "transform")
    for bad in (0, -1, True, "two"):
        with pytest.raises(OptionError, match="whole number of at least 1"):
            TREE.show(most=bad)
        with pytest.raises(OptionError, match="whole number of at least 1"):
            TREE.picture(most=bad)


def test_one_row_and_one_column_are_learnt():
    one = ts.DensityTree(columns=ts.Columns(keep=["a", "b"])).fit([{"a": 1.5, "b": "u"}])
    assert len(one.leaves_) == 1
    assert np.isfinite(one.score([{"a": 1.5, "b": "u"}, {"a": None, "b": "w"}]))
    alone = ts.DensityTree().fit(FRAME[["income"]])
    assert len(alone.leaves_) == 1


def test_scikit_learn_knows_what_it_is():
    utils = pytest.importorskip("sklearn.utils")
    tags = utils.get_tags(ts.DensityTree())
    assert (tags.estimator_type, tags.target_tags.required) == ("density_estimator", False)
    assert tags.input_tags.allow_nan
