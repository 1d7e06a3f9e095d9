"""What every learner must keep: one table, one model. Every method of `methods.py` joins, and every
criterion of trees; settings of a method by adding a line to METHODS."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick import methods as listed
from tallystick.rules.estimator import RuleList, RuleSet
from tallystick.table import table as table_room
from tallystick.testing import check_method
from tallystick.tree.estimator import AnyTree
from tallystick.tree.options import CRITERIA

METHODS = {m.words: m.load("estimator") for m in listed.METHODS} | {
    "logistic regression, no prior": lambda **given: ts.LogisticRegression(l2=0, **given),
    "logistic regression, prior by cross-validation": lambda **given: ts.LogisticRegression(l2="cv", **given),
    "logistic regression, L1": lambda **given: ts.LogisticRegression(l2=0, l1=2.0, **given),
    "naive Bayes, Gaussian": lambda **given: ts.NaiveBayes(distributions="gaussian", **given),
    "naive Bayes, binned": lambda **given: ts.NaiveBayes(distributions="binned", **given),
    "naive Bayes, calibrated": lambda **given: ts.NaiveBayes(calibrate=True, **given),
    "tree, Gini, binned": lambda **given: ts.DecisionTree(criterion="gini", max_bins=20, **given),
    **{
        f"tree, {name}": lambda name=name, **given: ts.DecisionTree(criterion=name, **given)
        for name in CRITERIA
    },
    "tree, ID3": lambda **given: ts.DecisionTree.id3(**given),
    "tree, C4.5": lambda **given: ts.DecisionTree.c45(**given),
    "tree, CART": lambda **given: ts.DecisionTree.cart(class_weight="balanced", **given),
}
REGRESSION = {m.load("estimator") for m in listed.METHODS if m.regression}
QUICK = {m.words for m in listed.METHODS} - {"rule list", "rule set"}  # the laws that `make fast` runs
methods = pytest.mark.parametrize(
    "method",
    [
        pytest.param(make, marks=[] if name in QUICK else pytest.mark.slow, id=name)
        for name, make in METHODS.items()
    ],
)

LEVELS = [
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
]


def mixed_table(rows=600, seed=7, regression=False):
    """Return a table with every kind of column, missing cells and an answer that depends on some of them."""
    rng = np.random.default_rng(seed)
    sky = rng.choice(["sun", "rain", "fög", "snow"], rows)
    temperature = np.round(rng.normal(12, 7, rows) + 5 * (sky == "sun"), 2)
    visits = rng.poisson(3, rows)
    member = rng.random(rows) < 0.4
    note = rng.choice(
        ["late again and again", "very good service here", "good value", "bad late food today"], rows
    )
    score = 1.0 * (sky == "sun") + member + (temperature > 14) + rng.normal(0, 0.5, rows)
    frame = pd.DataFrame(
        {
            "sky": sky,
            "temperature": temperature,
            "visits": visits,
            "member": np.where(member, "true", "false"),
            "note": np.char.add(np.char.add(note, " "), rng.choice(["x1y", "zz", "qq ww"], rows)),
            "answer": np.round(score, 3) if regression else np.where(score > 1.4, "yes", "no"),
        }
    )
    frame.loc[rng.random(rows) < 0.1, "sky"] = None
    frame.loc[rng.random(rows) < 0.1, "temperature"] = np.nan
    return frame


TABLES = {regression: mixed_table(regression=regression) for regression in (False, True)}


@pytest.fixture
def frame(method):
    """The table of a method: the answer is a class, or a number."""
    return TABLES[method in REGRESSION]


@cache
def fitted(method):
    """A model of the table of a method, for those who ask it and change nothing."""
    return method().fit(TABLES[method in REGRESSION], "answer")


def answers(model, rows):
    """shares[row, class] of a model, or the numbers [row] that it answers."""
    return model.predict(rows) if type(model) in REGRESSION else model.predict_proba(rows)


def digest(model):
    return hashlib.sha256(model.to_bytes()).hexdigest()


@methods
def test_a_method_passes_the_published_suite(method, frame):
    rows = frame.rename(columns={"answer": "y"}).replace({np.nan: None}).to_dict("records")
    check_method(method, rows)


@methods
def test_one_model_for_any_number_of_threads_and_any_block_size(method, frame, monkeypatch):
    digests = {digest(method(threads=n).fit(frame, "answer")) for n in (1, 2)} | {digest(fitted(method))}
    monkeypatch.setattr(table_room, "BLOCK", 100)
    digests |= {digest(method(threads=n).fit(frame, "answer")) for n in (1, 2, 8)}
    assert len(digests) == 1


@methods
def test_one_model_for_any_input(method, frame, tmp_path):
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    chunks = pa.concat_tables([arrow.slice(i, 97) for i in range(0, len(arrow), 97)])
    pyarrow.csv.write_csv(arrow, tmp_path / "t.csv")
    pyarrow.parquet.write_table(arrow, tmp_path / "t.parquet", row_group_size=50)
    inputs = {
        "pandas": frame,
        "polars": pl.from_arrow(arrow),
        "arrow": arrow,
        "chunked": chunks,
        "csv": tmp_path / "t.csv",
        "parquet": str(tmp_path / "t.parquet"),
        "records": arrow.to_pylist(),
    }
    digests = {name: digest(method().fit(given, "answer")) for name, given in inputs.items()}
    assert len(set(digests.values())) == 1, digests
    X, y = frame.drop(columns="answer"), frame["answer"]
    assert digest(method().fit(X, y)) == digests["pandas"]


@methods
def test_real_weights_do_not_depend_on_order_or_threads(method, frame):
    weights = np.random.default_rng(1).random(len(frame)) + 0.01
    order = np.random.default_rng(2).permutation(len(frame))
    first = digest(method(threads=1).fit(frame, "answer", sample_weight=weights))
    assert digest(method(threads=2).fit(frame.iloc[order], "answer", sample_weight=weights[order])) == first


@methods
def test_saved_loaded_copied_and_pickled_models_answer_with_the_same_bits(method, frame, tmp_path):
    model = fitted(method)
    model.save(tmp_path / "m.tally.json")
    for again in (
        ts.load(tmp_path / "m.tally.json"),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ):
        assert again.to_bytes() == model.to_bytes()
        np.testing.assert_array_equal(answers(again, frame), answers(model, frame))


@methods
def test_columns_are_matched_by_name_and_others_ignored(method, frame):
    model = fitted(method)
    turned = frame[frame.columns[::-1]].assign(extra=1, answer="?")
    np.testing.assert_array_equal(answers(model, turned), answers(model, frame))


@methods
def test_missing_and_unseen_values_are_answered(method, frame):
    model = fitted(method)
    strange = [{"sky": "hail", "temperature": None, "visits": 10**6, "member": None, "note": "unheard words"}]
    nothing = [dict.fromkeys(strange[0])]
    for rows in (strange, nothing):
        found = answers(model, rows)
        assert np.isfinite(found).all()
        assert method in REGRESSION or abs(found.sum() - 1) < 1e-12


@methods
def test_a_print_names_columns_and_classes_never_codes(method, frame):
    model = fitted(method)
    text = str(model)
    columns = ["sky", "temperature", "visits", "member", "note"]
    if isinstance(model, AnyTree):  # a tree names the columns it tests
        columns = [c.name for c, use in zip(model.schema_.used, model.column_use().usage, strict=True) if use]
    if isinstance(model, RuleList | RuleSet):  # so do rules
        columns = [c.column.name for rule in model.model_.rules for c in rule.conditions]
    for name in (*columns, *model.schema_.target.labels):
        assert name in text
    assert "fög" in text or "sun" in text or "sky" in text


@methods
def test_an_unfitted_model_says_so(method):
    for call in (lambda m: m.predict([{"a": 1}]), lambda m: m.save("x"), lambda m: m.to_bytes()):
        with pytest.raises(ts.errors.NotFitted, match="not fitted"):
            call(method())


@methods
def test_a_fit_that_fails_leaves_the_fitted_model_as_it_was(method, frame):
    model = method().fit(frame, "answer")
    before = model.to_bytes()
    with pytest.raises(ts.errors.TallyError):
        model.fit(frame, "nobody")
    assert model.to_bytes() == before


@methods
def test_execution_parameters_are_not_in_the_file(method, frame):
    plain = fitted(method).to_bytes()
    assert (
        method(engine=ts.Local(threads=2, progress=lambda *_: None)).fit(frame, "answer").to_bytes() == plain
    )
    for word in (b"threads", b"progress", b"engine", b"memory"):
        assert word not in plain


@methods
def test_verify_finds_its_own_model_again(method, frame, tmp_path):
    from tallystick.estimator.verify import verify

    fitted(method).save(tmp_path / "m")
    assert verify(tmp_path / "m", frame.sample(frac=1, random_state=3)).same


@methods
def test_cross_validation_beats_the_baseline_and_does_not_depend_on_row_order(method, frame):
    result = ts.cross_validate(method(), frame, "answer", folds=5)
    turned = ts.cross_validate(method(), frame.sample(frac=1, random_state=5), "answer", folds=5)
    first = result.measures[0]
    better = first.value < first.base if method in REGRESSION else result.accuracy > result.baseline
    assert better
    for one, other in zip(result.measures, turned.measures, strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-12), one.name


# -- the table everyone knows: Adult's level columns --

FIT = """
import hashlib, sys
import tallystick as ts
model = ts.NaiveBayes(threads=int(sys.argv[3])).fit(sys.argv[1], "income")
print(hashlib.sha256(model.to_bytes()).hexdigest())
"""


@pytest.mark.slow
@needs_data
def test_one_sha256_for_adult_over_orders_threads_chunks_inputs_and_instruction_sets(tmp_path, monkeypatch):
    frame = pd.read_csv(shared("adult/adult-train"), keep_default_na=False)[[*LEVELS, "income"]]
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    pyarrow.csv.write_csv(arrow, tmp_path / "a.csv")
    pyarrow.parquet.write_table(arrow, tmp_path / "a.parquet", row_group_size=1000)
    digests = [digest(ts.NaiveBayes().fit(frame.sample(frac=1, random_state=s), "income")) for s in range(5)]
    for threads in (1, 2, 8):
        digests.append(digest(ts.NaiveBayes(threads=threads).fit(arrow, "income")))
    chunks = pa.Table.from_batches(arrow.to_batches(max_chunksize=1000))
    for given in (tmp_path / "a.csv", tmp_path / "a.parquet", frame, pl.from_arrow(arrow), arrow, chunks):
        digests.append(digest(ts.NaiveBayes().fit(given, "income")))
    for hidden in ("", "baseline"):
        settings = dict(os.environ, NPY_DISABLE_CPU_FEATURES="X86_V4 X86_V3" if hidden else "")
        if hidden:
            settings["TALLYSTICK_INSTRUCTIONS"] = hidden
        run = [sys.executable, "-c", FIT, str(tmp_path / "a.csv"), "", "2"]
        digests.append(
            subprocess.run(run, env=settings, capture_output=True, text=True, check=True).stdout.strip()
        )
    monkeypatch.setattr(table_room, "BLOCK", 1000)
    digests.append(digest(ts.NaiveBayes().fit(frame, "income")))
    assert len(set(digests)) == 1, digests
