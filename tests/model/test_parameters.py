"""Parameters people can hold: what all estimators share is grouped, printed, copied and said once."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import inspect
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import tallystick as ts
from tallystick.bayes.options import BayesOptions
from tallystick.errors import OptionError, TallyError
from tallystick.linear.options import LogisticOptions
from tallystick.tree.options import TreeOptions

ESTIMATORS = [ts.DecisionTree, ts.RegressionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard]
every = pytest.mark.parametrize("estimator", ESTIMATORS)
ROWS = [
    {
        "id": i,
        "size": "SML"[i % 3],
        "zip": 10 + i % 4,
        "x": -999 if i % 9 == 8 else i % 7,
        "y": "pq"[i * 7 % 5 > 2],
    }
    for i in range(60)
]
KNOWN = ts.Columns({"zip": "levels", "size": "ordered"}, {"size": ["S", "M", "L"]}, ["-999"], ["id"])


def target(estimator):
    return "x" if estimator is ts.RegressionTree else "y"


def test_an_object_prints_as_it_is_typed_and_compares_by_value():
    assert repr(ts.Columns()) == "Columns()"
    assert repr(ts.Columns(missing="?", keep="id")) == "Columns(missing=['?'], keep=['id'])"
    for thing in (KNOWN, ts.Local(2, "1GB"), ts.Spark(), ts.Columns(kinds={"a": "text"})):
        again = eval(repr(thing), vars(ts) | {n: getattr(ts, n) for n in ts.__all__})
        assert again == thing
        assert copy.deepcopy(thing) == thing
    assert ts.Columns(keep=["a"]) == ts.Columns(keep=("a",)) != ts.Columns(keep=["b"])
    with pytest.raises(AttributeError):
        KNOWN.kinds = {}


@every
def test_kinds_alone_and_in_columns_give_one_model(estimator):
    short = estimator(kinds={"zip": "levels"}).fit(ROWS, target(estimator))
    long = estimator(columns=ts.Columns({"zip": "levels"})).fit(ROWS, target(estimator))
    assert short.to_bytes() == long.to_bytes()


@pytest.mark.slow
@every
def test_all_that_is_known_of_columns_is_in_the_file_and_comes_back(estimator, tmp_path):
    model = estimator(columns=KNOWN).fit(ROWS, target(estimator))
    own = model.to_dict()["parameters"]
    assert own["keep"] == ["id"]
    assert own["levels"] == {"size": ["S", "M", "L"]}
    assert "columns" not in own
    model.save(tmp_path / "m.tally.json")
    assert ts.load(tmp_path / "m.tally.json").columns == KNOWN
    assert pickle.loads(pickle.dumps(model)).columns == KNOWN
    assert ts.verify(model, ROWS)


@pytest.mark.slow
@every
@pytest.mark.parametrize(
    "engine",
    [ts.Local(1), ts.Local(threads=2, progress=lambda *_: None), ts.Local(memory="64MB")],
    ids=["one thread", "progress", "on disk"],
)
def test_no_engine_changes_a_model(estimator, engine):
    plain = estimator().fit(ROWS, target(estimator))
    other = estimator(engine=engine).fit(ROWS, target(estimator))
    assert other.to_bytes() == plain.to_bytes()
    assert other.predict(ROWS).tolist() == plain.predict(ROWS).tolist()


@pytest.mark.slow
@every
@pytest.mark.parametrize("engine", [ts.Local(), ts.Local(2)], ids=str)
def test_judging_takes_an_engine_as_it_takes_threads(estimator, engine):
    plain, other = (
        ts.cross_validate(estimator(**given), ROWS, target(estimator), folds=3)
        for given in ({}, {"engine": engine})
    )
    assert other.to_dict() == plain.to_dict()


@every
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"kinds": {"a": "text"}, "columns": ts.Columns({"a": "text"})}, "were both given"),
        ({"threads": 2, "engine": ts.Local(threads=2)}, r"threads= and engine=ts.Local\(threads=\) were"),
        ({"memory": "1GB", "engine": ts.Local(memory=9**9)}, r"memory= and engine=ts.Local\(memory=\) were"),
        ({"columns": {"a": "text"}}, r"columns must be ts.Columns\(...\), not"),
        ({"kinds": ["a"]}, "kinds go by column"),
        ({"engine": "spark"}, r"engine must be ts.Local\(...\), ts.Spark\(...\) or ts.Sql"),
        ({"threads": -3}, "threads must be a whole number of at least 1"),
        ({"memory": "much"}, "memory='much' is not a size"),
    ],
)
def test_what_makes_no_sense_is_an_error_before_any_row_is_read(estimator, given, says):
    with pytest.raises(OptionError, match=says):
        estimator(**given).fit("no such file.csv", "y")


@every
@pytest.mark.parametrize("name", ["levels", "missing", "keep", "verbose", "progress"])
def test_a_word_that_stands_elsewhere_is_told_its_place(estimator, name):
    place = "engine=ts.Local" if name in ("verbose", "progress") else f"columns=ts.Columns({name}="
    for call in (lambda: estimator(**{name: None}), lambda: estimator().set_params(**{name: None})):
        with pytest.raises(TallyError) as caught:
            call()
        assert isinstance(caught.value, TypeError)
        assert place in str(caught.value)


@every
def test_a_misspelt_parameter_gets_the_nearest_name(estimator):
    with pytest.raises(TypeError, match=r"has no parameter 'thread'. Did you mean 'threads'"):
        estimator(thread=2)
    with pytest.raises(TypeError, match=r"columns has no part 'kind'. Did you mean 'kinds'"):
        estimator().set_params(columns__kind={})


@every
def test_parts_of_a_parameter_are_set_by_nested_names(estimator):
    model = estimator(columns=KNOWN)
    assert model.get_params()["columns__keep"] == ("id",)
    assert "columns__keep" not in model.get_params(deep=False)
    other = clone(model).set_params(columns__keep=["zip"], engine__threads=2)
    assert other.columns.keep == ("zip",)
    assert other.columns.levels == KNOWN.levels
    assert other.engine == ts.Local(2)
    assert model.columns == KNOWN  # a copy shares nothing that changes
    assert estimator().set_params(columns__kinds={"a": "text"}).columns == ts.Columns({"a": "text"})


WAYS = {
    "cost-complexity": ts.CostComplexity(),
    "pessimistic": ts.Pessimistic(),
    "mdl": ts.DescriptionLength(),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "name"),
    [*((ts.DecisionTree, name) for name in WAYS), (ts.RegressionTree, "cost-complexity")],
)
def test_the_name_of_a_way_to_prune_stands_for_its_defaults(tree, name):
    short = tree(pruning=name).fit(ROWS, target(tree))
    long = tree(pruning=WAYS[name]).fit(ROWS, target(tree))
    assert short.to_bytes() == long.to_bytes()
    assert long.to_dict()["parameters"]["pruning"] == name
    assert pickle.loads(pickle.dumps(long)).pruning == WAYS[name]
    assert clone(long).pruning == WAYS[name]


@pytest.mark.parametrize(
    "way", [ts.CostComplexity(0.05), ts.Pessimistic(0.1), ts.DescriptionLength()], ids=str
)
def test_a_fitted_tree_is_pruned_by_the_same_objects(way, tmp_path):
    grown = ts.DecisionTree(average=False).fit(ROWS, "y")
    small = grown.prune(way)
    asked = ts.DecisionTree(average=False, pruning=way).fit(ROWS, "y")
    assert small.get_n_leaves() == asked.get_n_leaves() < grown.get_n_leaves()
    assert small.predict(ROWS).tolist() == asked.predict(ROWS).tolist()
    asked.save(tmp_path / "m.tally.json")
    assert ts.load(tmp_path / "m.tally.json").pruning == way


@pytest.mark.parametrize("name", ["cp", "confidence"])
def test_what_belongs_to_a_way_to_prune_is_told_its_place(name):
    with pytest.raises(TypeError, match=rf"Pass pruning=ts\.\w+\({name}="):
        ts.DecisionTree(**{name: 0.1})
    with pytest.raises(TypeError, match="pruning=None has no part"):
        ts.DecisionTree().set_params(**{f"pruning__{name}": 0.1})
    assert ts.DecisionTree(pruning="cost-complexity").set_params(
        pruning__cp=0.1
    ).pruning == ts.CostComplexity(0.1)


@pytest.mark.slow
def test_a_search_goes_over_nested_names():
    import pandas as pd

    frame = pd.DataFrame(ROWS)
    grid = {"columns__kinds": [{"zip": "levels"}, {"zip": "numeric"}], "engine__threads": [1, 2]}
    search = GridSearchCV(ts.NaiveBayes(columns=ts.Columns(missing=["-999"])), grid, cv=2)
    search.fit(frame.drop(columns="y"), frame["y"])
    assert search.best_estimator_.columns.missing == ("-999",)
    assert search.best_params_["columns__kinds"]["zip"] in ("levels", "numeric")
    prices = GridSearchCV(ts.DecisionTree(pruning=ts.CostComplexity()), {"pruning__cp": [0.0, 0.9]}, cv=2)
    assert prices.fit(frame.drop(columns="y"), frame["y"]).best_params_["pruning__cp"] in (0.0, 0.9)


@every
def test_constructors_keep_their_signature_and_few_parameters_are_shared(estimator):
    names = list(inspect.signature(estimator).parameters)
    assert names[-5:] == ["columns", "kinds", "engine", "threads", "memory"]
    assert repr(estimator(threads=2)) == f"{estimator.__name__}(threads=2)"


CLASSES = [
    *ESTIMATORS,
    *(ts.Columns, ts.Local, ts.Spark, ts.CostComplexity, ts.Pessimistic, ts.DescriptionLength),
]


def defaults(thing):
    """Return each parameter's default as it is typed."""
    made = thing() if dataclasses.is_dataclass(thing) else None
    return {
        p.name: repr(p.default if made is None else getattr(made, p.name)).replace("'", '"')
        for p in inspect.signature(thing).parameters.values()
    }


@pytest.mark.parametrize("thing", CLASSES)
def test_every_parameter_has_a_line_with_its_default(thing):
    lines = re.findall(r"^(\w+(?:, \w+)*) : .*?default (.+)$", inspect.getdoc(thing), re.MULTILINE)
    told = {name: default for names, default in lines for name in names.split(", ")}
    assert told == defaults(thing)
    assert list(told) == list(defaults(thing))  # in the order of the signature


@pytest.mark.parametrize("thing", [*CLASSES, ts.verify, ts.diff])
def test_every_docstring_has_an_example_that_runs(thing):
    (test,) = doctest.DocTestFinder(recurse=False).find(thing, globs={})
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("options", [TreeOptions, BayesOptions, LogisticOptions])
def test_a_default_stands_in_the_constructor_and_nowhere_else(options):
    nothing = dataclasses.MISSING
    assert [f.name for f in dataclasses.fields(options) if f.default is not nothing] == []
    assert [f.name for f in dataclasses.fields(options) if f.default_factory is not nothing] == []


def test_short_words_and_an_engine_are_one_also_where_folds_are_judged():
    rows = [{"sky": "sun", "y": "no"}, {"sky": "rain", "y": "yes"}] * 10
    given = {"threads": 2, "engine": ts.Local(memory="64MB")}
    assert ts.NaiveBayes(**given).fit(rows, "y").to_bytes() == ts.NaiveBayes().fit(rows, "y").to_bytes()
    assert ts.NaiveBayes(**given)._local() == ts.Local(2, "64MB")
    assert ts.cross_validate(ts.DecisionTree(**given), rows, "y", folds=4).accuracy == 1
    assert ts.cross_validate(ts.DecisionTree(engine=ts.Local(threads=2)), rows, "y", folds=4).accuracy == 1


# -- scikit-learn's metadata routing --


def test_weights_are_routed_as_asked():
    import sklearn
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] > 0).astype(int)
    weights = np.where(y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = ts.DecisionTree(max_depth=1).set_fit_request(sample_weight=True)
        asked = asked.set_score_request(sample_weight=False)
        search = GridSearchCV(asked, {"max_depth": [1, 2]}, cv=3).fit(X, y, sample_weight=weights)
        assert search.best_estimator_.rows_["count"] == int(weights.sum())
        assert clone(asked).get_metadata_routing().fit.requests == {"sample_weight": True}
        again = pickle.loads(pickle.dumps(asked))
        assert again.get_metadata_routing().score.requests == {"sample_weight": False}
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asked)
        pipe.fit(X, y, sample_weight=weights)
        plain = GridSearchCV(ts.DecisionTree(), {"max_depth": [1]}, cv=3)
        with pytest.raises(ValueError, match="sample_weight"):
            plain.fit(X, y, sample_weight=weights)
