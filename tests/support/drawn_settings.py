"""Settings of every method, as hypothesis may combine them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import tallystick as ts

WISHES = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.sampled_from([{"size": "ordered"}, {"size": "ordered", "note": "text"}]),
        "missing": st.sampled_from([["?"], ["green", "3"], "red"]),
        "keep": st.just(["flag"]),
    },
).map(
    lambda w: {
        "columns": ts.Columns(
            **w, **({"levels": {"size": ["low", "medium", "high"]}} if "kinds" in w else {})
        )
    }
)


def per_class(labels: list[Any], numbers: Any) -> st.SearchStrategy[Any]:
    """Return a number for each class, by label or in a list."""
    size = len(labels)
    lists = st.lists(numbers, min_size=size, max_size=size)
    return lists.flatmap(lambda v: st.sampled_from([v, dict(zip(labels, v, strict=True))]))


GROWTH: dict[str, Any] = {
    "level_splits": st.sampled_from(["groups", "each"]),
    "missing_values": st.sampled_from(["learned", "fractions"]),
    "max_depth": st.sampled_from([None, 1, 3]),
    "min_samples_leaf": st.sampled_from([1, 2, 7, 0.1]),
    "min_samples_split": st.sampled_from([2, 20]),
    "max_leaf_nodes": st.sampled_from([None, 2, 3, 5, 1000]),
    "min_impurity_decrease": st.sampled_from([0.0, 0.02]),
    "stop_at_zero_gain": st.booleans(),
    "max_bins": st.sampled_from([None, 4]),
    "pruning": st.none()
    | st.builds(ts.CostComplexity, st.sampled_from([None, 0.0, 0.01]))
    | st.builds(ts.Pessimistic, st.sampled_from([0.25, 0.05]))
    | st.sampled_from(["mdl", ts.DescriptionLength()]),
}


def tree_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    size = len(labels)
    cost = st.sampled_from([0.0, 1.0, 0.25, 5.0])
    rows = st.lists(cost, min_size=size, max_size=size)
    costs = st.lists(rows, min_size=size, max_size=size).filter(lambda t: any(map(any, t)))
    named = costs.map(
        lambda t: {a: dict(zip(labels, row, strict=True)) for a, row in zip(labels, t, strict=True)}
    )
    shares = st.lists(st.integers(1, 5), min_size=size, max_size=size)
    return st.fixed_dictionaries(
        {},
        optional=GROWTH
        | {
            "criterion": st.sampled_from(["entropy", "gain-ratio", "gini"]),
            "cuts": st.sampled_from(["midpoint", "observed"]),
            "cut_price": st.sampled_from([0.0, 0.5, 1]),
            "cut_rows": st.booleans(),
            "min_entropy": st.sampled_from([0, 0.5, 0.9]),
            "class_weight": st.just("balanced") | per_class(labels, st.sampled_from([0.5, 1.0, 4])),
            "priors": shares.map(lambda s: dict(zip(labels, [v / sum(s) for v in s], strict=True))),
            "costs": costs | named,
            "average": st.booleans(),
            "smoothing": st.sampled_from([None, 0.5, 3]),
            "split_prior": st.sampled_from([None, 0.1, 0.9]),
        },
    )


WORDS: dict[str, Any] = {
    "words": st.sampled_from(["counts", "tf-idf"]),
    "min_letters": st.sampled_from([1, 3]),
}


def bayes_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    size = len(labels)
    shares = st.lists(st.integers(1, 5), min_size=size, max_size=size).map(lambda s: [v / sum(s) for v in s])
    return st.fixed_dictionaries(
        {},
        optional={
            "distributions": st.sampled_from(["auto", "gaussian", "binned", {"n": "poisson"}]),
            "alpha": st.sampled_from([0, 0.1, 1.0, {"name": 3}]),
            "m": st.sampled_from([None, 2.0, {"x": 4}]),
            "p": st.sampled_from([None, 0.2, {"flag": 0.4}]),
            "priors": st.sampled_from(["data", "uniform", "none"])
            | shares
            | shares.map(lambda s: dict(zip(labels, s, strict=True))),
            "variance": st.sampled_from([None, "ml", "unbiased", "smoothed"]),
            "share": st.sampled_from(["none", "classes", "columns", "both"]),
            "calibrate": st.booleans(),
            "class_weight": st.sampled_from([None, "balanced", dict.fromkeys(labels, 2.0)]),
        }
        | WORDS
        | {"min_count": st.sampled_from([1, 3])},
    )


def logistic_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "l2": st.sampled_from(["auto", 1.0, 30, "cv"]),
            "l1": st.sampled_from([0.0, 2]),
            "standardize": st.booleans(),
            "class_weight": st.sampled_from(["balanced", dict.fromkeys(labels, 2.0)]),
            "reference": st.sampled_from(labels),
            "interactions": st.sampled_from([1, 2]),
            "polynomial": st.sampled_from([1, 2]),
            "solver": st.sampled_from(["auto", "newton", "lbfgs"]),
            "max_iter": st.sampled_from([None, 500]),
            "trace": st.booleans(),
            "eta": st.none(),  # with tolerance for solver="gradient" alone, whose steps are many
            "tolerance": st.none(),
            "fit_intercept": st.booleans(),
            "base_levels": st.none(),  # by columns, as the next two: tests/linear/test_logistic_design.py
            "offset": st.none(),
            "firth": st.just(False),
        }
        | WORDS,
    )


def linear_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "l2": st.sampled_from(["auto", 1.0, 0, "cv"]),
            "standardize": st.booleans(),
            "interactions": st.sampled_from([1, 2]),
            "polynomial": st.sampled_from([1, 2]),
            "fit_intercept": st.booleans(),
            "base_levels": st.none(),  # by columns: tests/linear/test_linear.py
        },
    )


def card_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    size = len(labels)
    shares = st.lists(st.integers(1, 5), min_size=size, max_size=size).map(lambda s: [v / sum(s) for v in s])
    return st.fixed_dictionaries(
        {},
        optional={
            "points_to_double": st.sampled_from([20, 7]),
            "ranges": st.sampled_from([32, 4]),
            "cuts": st.sampled_from([None, {"x": [-0.5, 0.25]}]),
            "monotone": st.sampled_from([None, {"x": "rising"}, {"n": {labels[0]: "falling"}}]),
            "pairs": st.sampled_from([None, 0, 2]),
            "max_lines": st.sampled_from([None, 2]),
            "max_columns": st.sampled_from([None, 1, 3]),
            "l2": st.sampled_from(["auto", "cv", 3.0]),
            "class_weight": st.sampled_from(["balanced", dict.fromkeys(labels, 2.0)]),
            "population": shares.map(lambda s: dict(zip(labels, s, strict=True))),
            "min_letters": st.sampled_from([1, 3]),
        },
    )


def dear(labels: list[Any]) -> st.SearchStrategy[Any]:
    """Return costs of wrong answers."""
    return st.sampled_from([None, {labels[0]: {labels[1]: 3.0}}])


def rules_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "max_rules": st.sampled_from([None, 1, 4]),
            "max_conditions": st.sampled_from([None, 1, 2]),
            "costs": dear(labels),
            "class_weight": st.sampled_from(["balanced", dict.fromkeys(labels, 2.0)]),
            "smoothing": st.sampled_from([None, 0.5, 3]),
            "max_bins": st.sampled_from([64, 4]),
        },
    )


def optimal_settings(labels: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "max_depth": st.sampled_from([1, 2]),
            "max_leaf_nodes": st.sampled_from([None, 3]),
            "leaf_price": st.sampled_from([0.0, 0.02]),
            "costs": dear(labels),
            "class_weight": st.sampled_from(["balanced", dict.fromkeys(labels, 2.0)]),
            "max_work": st.sampled_from([10**11, 1000]),  # cut short: the best tree so far
            "seconds": st.none(),  # a limit of time would make the tree one of luck
        },
    )
