"""Inference takes the rows of the fit, however they come, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import loans

import tallystick as ts
from tallystick.errors import DataError, OptionError


def test_rows_come_as_a_file_a_frame_or_columns_and_labels(tmp_path):
    frame, _ = loans(200)
    frame.to_csv(tmp_path / "loans.csv", index=False)
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    wanted = model.inference(frame).covariance
    saved = tmp_path / "m.tally.json"
    model.save(saved)
    again = ts.load(saved)
    np.testing.assert_array_equal(again.inference(tmp_path / "loans.csv").covariance, wanted)
    np.testing.assert_array_equal(
        model.inference(frame.drop(columns="paid"), frame["paid"]).covariance, wanted
    )
    small = ts.LogisticRegression(l2=0, memory="64 MB").fit(tmp_path / "loans.csv", "paid")
    np.testing.assert_allclose(small.inference(tmp_path / "loans.csv").covariance, wanted, rtol=1e-12)


def test_other_rows_are_an_error():
    frame, _ = loans(200)
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    with pytest.raises(DataError, match="these are not the rows of the fit: 199 rows"):
        model.inference(frame.iloc[1:])
    with pytest.raises(DataError, match="not the rows of the fit"):
        model.inference(frame, sample_weight=np.arange(200) % 2 + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"errors": "HC3"}, "errors must be one of curvature, HC0, HC1, not 'HC3'"),
        ({"errors": "HC0", "groups": [0] * 100 + [1] * 100}, "groups= gives clustered errors"),
        ({"groups": [0] * 200}, "one group only"),
        ({"groups": [0, 1]}, "groups has 2 values for 200 rows"),
        ({"groups": [None] + [1] * 199}, "groups is missing in row 0"),
        ({"groups": "hosing"}, "there is no column 'hosing'"),
        ({"level": 95}, "level must be a number between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(options, words):
    frame, _ = loans(200)
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    with pytest.raises(OptionError, match=words):
        model.inference(frame, **options)


def test_a_model_without_errors_has_nothing_to_infer_from():
    frame, _ = loans(200)
    with pytest.raises(OptionError, match=r"nothing to infer from this model\. Standard errors"):
        ts.LogisticRegression(l1=1.0).fit(frame, "paid").inference(frame)
    apart = frame.assign(paid=np.where(frame.age > 40, "yes", "no"))
    with pytest.warns(ts.TallyWarning):
        model = ts.LogisticRegression(l2=0).fit(apart, "paid")
    with pytest.raises(OptionError, match="separates the classes"):
        model.inference(apart)


def test_decision_function_is_the_log_odds():
    frame, _ = loans()
    model = ts.LogisticRegression().fit(frame, "paid")
    p = model.predict_proba(frame)
    np.testing.assert_allclose(model.decision_function(frame), np.log(p[:, 1] / p[:, 0]), rtol=1e-9)
    three, _ = loans(classes=3)
    model = ts.LogisticRegression().fit(three, "paid")
    scores = model.decision_function(three)
    assert scores.shape == (len(three), 3)
    np.testing.assert_allclose(
        np.diff(scores), np.diff(model.predict_log_proba(three)), rtol=1e-9, atol=1e-12
    )


def test_where_classes_are_separated_the_columns_and_a_way_out_are_named():
    frame, _ = loans(200)
    frame["sure"] = frame["paid"]
    apart = frame["paid"].iloc[0]
    frame.loc[frame["paid"] == apart, "sure"] = "other"
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    with pytest.raises(OptionError, match="Column 'sure' separates the classes completely") as caught:
        model.inference(frame)
    assert str(caught.value).endswith("Leave such columns out, or merge their levels, or pass firth=True.")
    assert ts.LogisticRegression(firth=True).fit(frame, "paid").inference(frame).names


def test_the_table_names_the_levels_that_others_are_compared_with():
    frame, _ = loans(200)
    for l2 in (0, "auto"):
        model = ts.LogisticRegression(l2=l2).fit(frame, "paid")
        said = " ".join(str(model.inference(frame)).split())
        named = " ".join(str(model).split()).split("Levels are compared with ")[1].split(". ")[0]
        assert f"Levels are compared with {named}." in said
