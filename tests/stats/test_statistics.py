"""What every statistic keeps: it never changes, and adding up changes nothing but the first total."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.contracts import Statistic
from tallystick.methods import METHODS


def statistics():
    """Every class of the package that is a Statistic, or has zero, add and merge."""
    found = {}
    for module in pkgutil.walk_packages(ts.__path__, "tallystick."):
        if module.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            ours = inspect.isclass(kind) and kind.__module__.startswith("tallystick.")
            if ours and all(hasattr(kind, name) for name in ("zero", "add", "merge")):
                found[f"{kind.__module__}.{kind.__name__}"] = kind
    asked = {name: kind for name, kind in sorted(found.items()) if kind is not Statistic}
    # a survey adds to itself: it is the total of a reader, not a question
    return {name: kind for name, kind in asked.items() if "total" in inspect.signature(kind.add).parameters}


STATISTICS = statistics()


@pytest.mark.parametrize("kind", STATISTICS.values(), ids=list(STATISTICS))
def test_a_statistic_cannot_be_changed(kind):
    assert issubclass(kind, Statistic)
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen


def written(thing):
    """What a question or a total holds, as bytes; what it works out of that, once, is left aside."""
    if dataclasses.is_dataclass(thing):
        thing = [written(getattr(thing, f.name)) for f in dataclasses.fields(thing)]
    elif isinstance(thing, list | tuple):
        thing = [written(one) for one in thing]
    return pickle.dumps(thing)


class Watched:
    """An engine that adds up block by block and looks at all that must stay as it is."""

    def __init__(self):
        self.met = set()

    def total(self, table, question):
        self.met.add(type(question))
        before = written(question)
        totals = []
        for block in table.blocks():
            cells = written([block.classes, block.weights, block.response])
            totals.append(question.add(question.zero(), block))
            assert written([block.classes, block.weights, block.response]) == cells, type(question)
        first = question.zero()
        for other in totals:
            kept = written(other)
            first = question.merge(first, other)
            assert written(other) == kept, f"{type(question)}: merge changed its second total"
        assert written(question) == before, f"{type(question)} changed"
        return first


def some_rows(n=400):
    rng = np.random.default_rng(3)
    x = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.normal(0, 1, n), 2))
    sky = rng.choice(["sun", "rain", None], n)
    text = [" ".join(rng.choice(["good", "bad", "film", "plot"], 3)) for _ in range(n)]
    good = np.nan_to_num(x) + (sky == "sun") + rng.normal(0, 0.5, n) > 0.5
    return pd.DataFrame({"x": x, "sky": sky, "text": text, "y": np.where(good, "yes", "no")})


WAYS = {  # settings worth asking of a method; of any other, as it is
    "tree": [{}, {"missing_values": "fractions"}, {"pruning": "cost-complexity"}],
    "bayes": [{}, {"distributions": "binned"}, {"distributions": "gaussian", "calibrate": True}],
    "logistic": [{}, {"l2": 0}, {"solver": "lbfgs"}],
    "regression": [{}, {"missing_values": "fractions"}],
}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_adding_up_changes_the_first_total_alone(method, monkeypatch):
    from tallystick.table import table as table_room

    monkeypatch.setattr(table_room, "BLOCK", 60)
    frame = some_rows()
    rows, target = (frame.drop(columns="y"), np.nan_to_num(frame["x"])) if method.regression else (frame, "y")
    kinds = {"text": "text"} if method.reads_text else {"text": "out"}
    for own in WAYS.get(method.name, [{}]):
        watched, kind = Watched(), method.load("estimator")
        model = kind(engine=watched, kinds=kinds, **own).fit(rows, target)
        assert model.to_bytes() == kind(kinds=kinds, **own).fit(rows, target).to_bytes()
        assert watched.met <= set(STATISTICS.values())
        assert watched.met
