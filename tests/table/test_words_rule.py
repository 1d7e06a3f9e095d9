"""What a word is: a longest run of letters, digits and underscores, be it one letter."""

from __future__ import annotations

import json
import shutil

import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError

ROWS = [
    {"said": "a red apple and a blue apple", "y": "p"},
    {"said": "I see: 2 b or not 2 b", "y": "q"},
    {"said": "é x_1 apple", "y": "q"},
]


def test_words_of_one_letter_count():
    model = ts.NaiveBayes(kinds={"said": "text"}, alpha=0).fit(ROWS, "y")
    words = model.schema_["said"].words
    assert words == ("2", "a", "and", "apple", "b", "blue", "i", "not", "or", "red", "see", "x_1", "é")
    shares = model.model_.parts[0].shares(model.model_.options, 1)[:, 0]
    assert shares[words.index("apple")] == 2 / 7
    assert shares[words.index("a")] == 2 / 7


@pytest.mark.parametrize("estimator", [ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_an_option_leaves_short_words_out_and_the_file_keeps_it(estimator, tmp_path):
    rows = ROWS * 20  # enough that a card uses the words, and keeps them
    model = estimator(kinds={"said": "text"}, min_letters=2).fit(rows, "y")
    assert model.schema_["said"].words == ("and", "apple", "blue", "not", "or", "red", "see", "x_1")
    model.save(tmp_path / "m.tally.json")
    again = ts.load(tmp_path / "m.tally.json")
    assert again.min_letters == 2
    assert again.to_bytes() == model.to_bytes()
    assert again.fit(rows, "y").to_bytes() == model.to_bytes()
    on_disk = estimator(kinds={"said": "text"}, min_letters=2, memory="64MB").fit(rows, "y")
    assert on_disk.to_bytes() == model.to_bytes()
    plain = estimator(kinds={"said": "text"}).fit(rows, "y")
    kept = json.loads(plain.to_bytes())["parameters"]
    assert ("min_letters" in kept) is (estimator is ts.Scorecard)  # older methods write it where it is more
    with pytest.raises(OptionError, match="min_letters must be a whole number"):
        estimator(min_letters=0).fit(rows, "y")


@pytest.mark.slow
@pytest.mark.parametrize("letters", [1, 2])
@pytest.mark.parametrize("estimator", [ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_exported_code_cuts_words_alike(estimator, letters, tmp_path):
    model = estimator(kinds={"said": "text"}, min_letters=letters).fit(ROWS, "y")
    rows = [{"said": s} for s in ("a b apple", "I", "2 é red x_1", "", "a a a")]
    expected = model.predict_proba(rows)
    found = [e.run_python(model.export("python"), rows, tmp_path)[1]]
    if shutil.which("node"):
        found.append(e.run_node(model.export("js"), rows, tmp_path)[1])
    for shares in found:
        assert np.allclose(shares, expected, atol=1e-12)


def test_rows_that_come_later_are_cut_by_the_same_rule():
    given = {"kinds": {"said": "text"}, "min_letters": 2}
    whole = ts.NaiveBayes(**given).fit(ROWS, "y").to_bytes(profile=False)  # quantiles do not add up
    later = ts.NaiveBayes(**given).fit(ROWS[:2], "y").update(ROWS[2:], "y")
    assert later.to_bytes(profile=False) == whole
    parts = ts.NaiveBayes(**given).partial_fit(ROWS[:2], "y", classes=["p", "q"])
    assert (
        parts.partial_fit(ROWS[2:], "y").schema_["said"].words == parts.fit(ROWS, "y").schema_["said"].words
    )
