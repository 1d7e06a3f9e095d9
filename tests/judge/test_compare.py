"""Comparing and dealing: settings answered together are settings answered alone, rows that belong together
stay together, an interrupt keeps what is finished, and folds cost no memory.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tables import mixed

import tallystick as ts
from tallystick.cli.main import run as tally
from tallystick.errors import OptionError
from tallystick.judge import folds as large
from tallystick.judge.compare import best_method
from tallystick.judge.folds import Dealing, hold_out
from tallystick.judge.result import difference
from tallystick.judge.run import answer

pytestmark = pytest.mark.slow

EXAMPLES = Path(ts.__file__).parent / "examples"
VOTES = str(EXAMPLES / "votes.csv")


def test_rows_of_a_group_never_train_and_test_at_once():
    data = mixed()
    data["patient"] = [f"p{i // 8}" for i in range(240)]
    found = ts.cross_validate(ts.NaiveBayes(), data, "y", folds=5, groups="patient")
    patient = np.array(data["patient"])
    assert all(len(set(found.fold[patient == p])) == 1 for p in set(patient))
    assert "5 folds that keep each patient together, 48 rows each" in str(found)
    compared = ts.compare(data, "y", methods=["bayes"], folds=5, groups="patient")
    assert (compared["naive Bayes"].result.fold == found.fold).all()
    learned = [c.name for c in compared["naive Bayes"].model.schema_.columns]
    assert "patient" not in learned  # it deals rows
    assert np.allclose(compared["naive Bayes"].result.shares, found.shares)


def test_inner_folds_keep_groups_together_too():
    data = mixed()
    groups = np.array([f"p{i // 8}" for i in range(240)])
    table = ts.NaiveBayes()._read(data, "y")
    dealing = Dealing(groups=groups)
    train, _ = dealing.outer(table, 5).part(0)
    inner = dealing.inner(table.take(train), 5, train)
    assert all(len(set(inner.fold[groups[train] == g])) == 1 for g in set(groups[train]))


def test_a_fold_by_time_is_trained_on_earlier_rows_only():
    data = mixed()
    data["day"] = [f"2020-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(240)]
    found = ts.cross_validate(ts.NaiveBayes(), data, "y", folds=4, time="day")
    fold = found.fold
    assert (fold[np.argsort(data["day"])] == np.sort(fold)).all()
    assert (fold < 0).sum() > 0  # the first stretch only teaches
    assert len(found.to_dict()["fold_sizes"][0]) == 4
    compared = ts.compare(data, "y", methods=["bayes"], folds=4, time="day")
    assert np.allclose(compared["naive Bayes"].result.shares[fold >= 0], found.shares[fold >= 0])
    with pytest.raises(OptionError, match="not both"):
        ts.cross_validate(ts.NaiveBayes(), data, "y", groups="day", time="day")


def test_parts_that_train_validate_and_test_share_no_row():
    table = ts.NaiveBayes()._read(mixed(), "y")
    dealing = Dealing(shares=(0.6, 0.2, 0.2))
    train, test = dealing.outer(table, 0).part(0)
    validate = train[dealing.inner(table.take(train), 5, train).fold == 0]
    assert len(test) == pytest.approx(48, abs=3)
    assert len(validate) == pytest.approx(48, abs=3)
    assert not set(test) & set(train)
    found = ts.compare(mixed(), "y", methods=["bayes", "tree"], folds=(0.6, 0.2, 0.2))
    assert "60% train, 20% validate, 20% test" in str(found)
    assert found.to_dict()["fold_sizes"] == [len(test)]
    assert {e.against_best for e in found.entries} == {None}  # one part has no spread to test by
    alone = ts.cross_validate(ts.NaiveBayes(), mixed(), "y", folds=(0.8, 0.2))
    assert alone.scores.rows == len(test)
    with pytest.raises(OptionError, match="two"):
        ts.compare(mixed(), "y", folds=(1.0,))


def test_a_share_held_out_depends_on_what_rows_hold_not_on_their_order():
    table = ts.NaiveBayes()._read(mixed(), "y")
    order = np.random.default_rng(1).permutation(240)
    assert (hold_out(table.take(order), 0.3).fold == hold_out(table, 0.3).fold[order]).all()
    share = [(hold_out(table, 0.3).fold == 0)[table.classes == c].mean() for c in (0, 1)]
    assert share == pytest.approx([0.3, 0.3], abs=0.01)


def test_rows_of_another_file_test_a_model_of_this_one(tmp_path):
    lines = Path(VOTES).read_text(encoding="utf-8").splitlines()
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("\n".join(lines[:300]))
    test.write_text("\n".join([lines[0], *lines[300:]]))
    found = ts.cross_validate(ts.DecisionTree(), str(train), "party", held_out=str(test))
    assert found.accuracy == pytest.approx(
        ts.DecisionTree().fit(str(train), "party").score(str(test), "party")
    )
    assert "136 rows, held out, 299 training rows, " in str(found)


def test_levels_and_words_of_test_rows_alone_are_unseen_and_teach_nothing():
    rows = mixed(60)
    rows["text"] = [
        f"some words about number {i % 7} and a long enough sentence to be text" for i in range(60)
    ]
    new = {"x": [0.1] * 2, "z": [0.2] * 2, "colour": ["zebra"] * 2, "text": ["quite another vocabulary"] * 2}
    more = {n: [*v, *([*new[n]] if n != "y" else ["yes", "no"])] for n, v in rows.items()}
    kinds = {"text": "text"}
    train, test = np.arange(60), np.array([60, 61])
    for make in (ts.NaiveBayes, ts.LogisticRegression, ts.DecisionTree, ts.Scorecard):
        plain, wider = (make(kinds=kinds)._read(data, "y") for data in (rows, more))
        model = make(kinds=kinds)._fit_table(wider.take(train))
        assert make(kinds=kinds)._fit_table(plain.take(train)).to_bytes() == model.to_bytes()
        training = wider.take(train)
        inside = answer(model, training, wider.take(test, training.schema), ("no", "yes"))
        assert (
            inside.tolist() == model.predict_proba({n: v[60:] for n, v in more.items() if n != "y"}).tolist()
        )


@pytest.fixture
def texts(tmp_path):
    """A file of text alone."""
    rng = np.random.default_rng(0)
    words, lines = ["sun", "rain", "storm", "calm", "wave", "gale", "mist"], ["say,y"]
    for i in range(60):
        good = rng.random() < 0.5
        said = [*rng.choice(words, 6), "good" if good else "bad", f"n{i}"]
        lines.append(" ".join(said) + (",up" if good else ",down"))
    (tmp_path / "t.csv").write_text("\n".join(lines))
    return str(tmp_path / "t.csv")


def test_tables_of_text_alone_are_compared_without_the_tree_and_say_so(texts, capsys):
    found = ts.compare(texts, "y", tuned=False, folds=3)
    assert {e.family for e in found.entries} == {"majority", "bayes", "logistic", "card"}
    assert "check text-alone: all columns hold text, which a tree does not read" in str(found)
    curve = ts.learning_curve(texts, "y", methods=["tree", "bayes", "logistic"], repeats=2)
    assert [c.name for c in curve.curves] == ["naive Bayes", "logistic regression"]
    assert "left out 'decision tree'." in curve.to_dict()["left_out"]
    assert "note: all columns hold text" in str(curve)
    assert "text-alone" in {c.code for c in ts.report(texts, "y", repeats=2).comparison.checks}
    for words in (
        ["fit", "--model", "best", "--json"],
        ["compare", "--no-tuning"],
        ["curve", "--repeats", "2"],
    ):
        assert tally([words[0], texts, "-t", "y", *words[1:]], False) == 0
        assert "which a tree does not read" in capsys.readouterr().out
    with pytest.raises(OptionError, match="a tree does not read text"):
        ts.compare(texts, "y", methods=["tree"])


def test_the_best_method_is_sought_with_the_folds_asked_for(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("x,y\n" + "a,up\nb,down\n" * 4)
    best = ["fit", str(tmp_path / "t.csv"), "-t", "y", "--model", "best"]
    assert tally([*best, "--folds", "2"], False) == 0
    assert "(2 folds)" in capsys.readouterr().out
    assert tally(best, False) == 0
    assert "cross-validated (each row left out in turn)" in capsys.readouterr().out


def test_a_class_of_one_row_is_compared_and_scored_by_every_method():
    rows = {"x": [i / 7 for i in range(100)], "y": ["p" if i == 50 else "q" for i in range(100)]}
    found = ts.compare(rows, "y", folds=5)
    assert {e.family for e in found.entries} == {"majority", "tree", "bayes", "logistic", "card"}
    assert ts.cross_validate(ts.LogisticRegression(), rows, "y", folds=5).accuracy >= 0.98


def test_one_number_to_read_is_one_number():
    rows = {"x": ["a", "b"] * 10, "y": ["p", "q"] * 10}
    assert "1 numbers" not in ts.compare(rows, "y", folds=2, tuned=False).why


def test_the_baseline_is_not_taken_where_answers_are_better_beyond_chance():
    found = ts.compare(VOTES, "party", methods=["bayes"], tuned=False)
    bayes, base = found["naive Bayes"].result, found["most frequent class"].result
    assert bayes.loss > base.loss - difference(bayes, base)[0]  # by log-loss alone the baseline would do
    assert bayes.beats_base
    assert not base.beats_base
    assert found.chosen.name == "naive Bayes"
    assert "is chosen for its accuracy" in found.why
    assert "rely on its answers, not on its probabilities" in found.why
    assert "baseline" not in {c.code for c in found.checks}


def test_a_method_that_is_right_in_far_fewer_rows_is_not_taken_for_its_log_loss():
    """Sixty words say one thing: naive Bayes is right in nearly all rows, and far too sure where it is wrong.
    The tree does not read them.
    """
    rng = np.random.default_rng(5)
    y = rng.random(600) < 0.5
    hint, sign = (np.where(rng.random(600) < wrong, ~y, y) for wrong in (0.14, 0.06))
    texts = [" ".join(f"{'pq'[int(v)]}word{chr(97 + j % 26)}{j}" for j in range(60)) for v in sign]
    rows = {"text": texts, "hint": ["ab"[int(v)] for v in hint], "y": ["ny"[int(v)] for v in y]}
    given = {"methods": ["tree", "bayes"], "tuned": False, "folds": 5, "kinds": {"text": "text"}}
    found = ts.compare(rows, "y", **given)
    right = {e.name: e.result.accuracy for e in found.entries}
    assert right["naive Bayes"] > right["decision tree"] + 0.05
    assert found.entries[0].name == "decision tree"  # the lowest log-loss
    assert found.chosen.name == "naive Bayes"
    assert found.why.startswith("decision tree has the lowest log-loss, ")
    told = [f"{right[name]:.1%}" for name in ("decision tree", "naive Bayes")]
    assert f"is right in {told[0]} of the rows, and naive Bayes in {told[1]}" in found.why
    priced = ts.compare(rows, "y", cost={"n": {"y": 9}}, **given)
    assert priced.chosen.name == "decision tree"  # where errors have prices, being right is not the aim


def test_nothing_is_said_to_be_better_where_no_measure_says_so():
    rows = [{"x": i % 7, "y": "pq"[i % 4 < 2]} for i in range(60)]
    found = ts.compare(rows, "y", methods=["bayes"], tuned=False)
    assert not found["naive Bayes"].result.beats_base
    assert found.chosen.name == "most frequent class"
    assert "baseline" in {c.code for c in found.checks}
    entry, why = best_method(found)
    assert entry.name == "naive Bayes"  # a model to draw
    assert why.startswith("No method is clearly better")


def test_answers_that_memory_does_not_hold_lie_on_disk_and_are_judged_alike(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 9, 400)
    path = tmp_path / "rows.csv"
    lines = [f"{a},{'up' if a + b > 6 else 'down'}" for a, b in zip(x, rng.integers(0, 5, 400), strict=True)]
    path.write_text("x,y\n" + "\n".join(lines) + "\n")
    plain = ts.compare(path, "y", methods=["bayes", "logistic"], tuned=False)
    monkeypatch.setattr(large, "ROW_BYTES", 1 << 40)
    found = ts.compare(path, "y", methods=["bayes", "logistic"], tuned=False, memory="32MB")
    assert not found.entries[0].result.shares.flags.owndata
    for mine, own in zip(found.entries, plain.entries, strict=True):
        assert (mine.name, mine.result.loss) == (own.name, pytest.approx(own.result.loss, rel=1e-8))
        np.testing.assert_array_equal(mine.result.shares, own.result.shares)
