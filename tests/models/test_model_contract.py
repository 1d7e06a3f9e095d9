"""What every model must keep. A new method joins by being listed in methods.py."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.contracts import Engine, Learner, Model, Statistic
from tallystick.methods import METHODS

PACKAGE = Path(ts.__file__).parent
SOURCE = "\n".join(
    p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py") if p.name != "contracts.py"
)  # who asks, and who answers


def members(protocol) -> list[str]:
    return [name for name in vars(protocol) if not name.startswith("_")]


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
    for name in members(Model):
        getattr(estimator.model_, name)
    assert estimator.model_.kind == method.kind


def test_a_record_and_columns_of_floats_are_answered_with_the_bits_of_shares(fitted):
    method, estimator = fitted
    frame, _, _ = rows()
    model = estimator.model_
    want = np.concatenate([model.shares(m.block) for m in estimator._blocks(frame)])
    columns = [frame[c.name].to_numpy() for c in model.schema.used]
    floats = model.floats(columns, len(frame))
    assert floats is None or np.asarray(floats).tobytes() == want.tobytes()
    for i, row in enumerate(frame.head(20).to_dict("records")):
        record = model.record(row)
        assert record is None or record.tobytes() == want[i].tobytes()
    if not method.regression:
        found = estimator.classes_[model.decide(want)]
        assert found.tolist() == estimator.predict(frame).tolist()
        blocks = [m.block for m in estimator._blocks(frame)]
        logs = np.concatenate([model.log_shares(block) for block in blocks])
        np.testing.assert_allclose(np.exp(logs), want, atol=1e-12)


@pytest.mark.parametrize("protocol", [Engine, Learner, Model, Statistic], ids=lambda p: p.__name__)
def test_what_a_contract_declares_is_asked_for(protocol):
    unasked = [name for name in members(protocol) if not re.search(rf"\.{name}\b", SOURCE)]
    assert unasked == []
