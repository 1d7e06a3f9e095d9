"""What every model must keep. A new method joins by being listed in methods.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from declared import Recorder, lacking, members

from tallystick.contracts import Model
from tallystick.methods import METHODS


def rows(n=200):
    rng = np.random.default_rng(7)
    x, z = np.round(rng.normal(0, 1, (2, n)), 2)
    x[::9] = np.nan
    good = np.nan_to_num(x) + z + rng.normal(0, 1, n) > 0
    return pd.DataFrame({"x": x, "z": z}), np.where(good, "yes", "no"), 2 * z + rng.normal(0, 1, n)


@pytest.fixture(scope="module", params=METHODS, ids=lambda method: method.name)
def fitted(request):
    frame, labels, response = rows()
    kind = request.param.load("estimator")
    return request.param, kind().fit(frame, response if request.param.regression else labels)


def test_a_model_has_every_member_and_says_its_kind(fitted):
    method, estimator = fitted
    assert lacking(Model, estimator.model_) == set()
    assert estimator.model_.kind == method.kind


def test_a_row_and_columns_of_numbers_are_answered_with_the_bits_of_shares(fitted):
    method, estimator = fitted
    frame, _, _ = rows()
    model = estimator.model_
    want = np.concatenate([model.shares(m.block) for m in estimator._blocks(frame)])
    columns = [frame[c.name].to_numpy() for c in model.schema.used]
    found = model.of_columns(columns, len(frame))
    assert found is None or np.asarray(found).tobytes() == want.tobytes()
    best = model.of_columns(columns, len(frame), best=True)
    assert method.regression or best is None or best.tolist() == model.decide(want).tolist()
    for i, row in enumerate(frame.head(20).to_dict("records")):
        record = model.shares_of_row(row)
        assert record is None or record.tobytes() == want[i].tobytes()
    if not method.regression:
        found = estimator.classes_[model.decide(want)]
        assert found.tolist() == estimator.predict(frame).tolist()
        blocks = [m.block for m in estimator._blocks(frame)]
        logs = np.concatenate([model.log_shares(block) for block in blocks])
        np.testing.assert_allclose(np.exp(logs), want, atol=1e-12)


def test_all_that_a_model_declares_is_asked_for():
    asked = set()
    for method in METHODS:
        frame, labels, response = rows()
        estimator = method.load("estimator")().fit(frame, response if method.regression else labels)
        estimator._adopt(Recorder(estimator.model_, asked), estimator.notes_, estimator.rows_)
        answers = [estimator.predict]
        if not method.regression:
            answers += [estimator.predict_proba, estimator.predict_log_proba]
        for answer in answers:
            answer(frame)
            answer(frame.assign(x=frame["x"].astype(str)))  # texts are read as tables are
        estimator.predict(frame.to_dict("records")[0])
        estimator.to_bytes()
        estimator.export("python")
    assert members(Model) - asked == set()
