"""How well rules generalise at their defaults, beside wittgenstein's RIPPER and the rule models of imodels.

    TALLYSTICK_DATA=folder python benchmarks/rules.py [set ...]

The two-class sets of `protocol.py`, its folds and scores; the peers know two classes only. What a peer cannot
take is prepared in its usual way: RIPPER gets levels as they are, missing a level of its own; imodels gets
one-hot columns, missing numbers filled by the median. Conditions are those of the model of all rows: tests
of one column, a range of a number is one. Results are kept in a file (TALLYSTICK_CACHE), so that a second run
costs nothing; ours are run again when the package has changed.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from accuracy import Kept, our_version
from peers import _ready, numbers_of, one_hot, texts
from protocol import folds, scores, table

import tallystick as ts

TWO_CLASSES = (
    "breast-cancer", "breast-cancer-wisconsin", "haberman", "house-votes-84", "ionosphere", "labor",
    "liver-disorders", "mushroom", "pima-diabetes", "promoters", "sick", "sonar", "spambase", "adult",
)  # fmt: skip
SLOW = {"ripper": 10_000, "slipper": 300}  # rows beyond which a peer is not run
Fitted = tuple[Callable[[pd.DataFrame], np.ndarray], int]  # answers of new rows, and conditions


def ripper(X: pd.DataFrame, y: np.ndarray) -> Fitted:
    """wittgenstein's RIPPER as it is; the rarer class is what rules are for."""
    import wittgenstein

    numbers = numbers_of(X)
    middle = X[numbers].median()

    def ready(new: pd.DataFrame) -> pd.DataFrame:
        return pd.concat([new[numbers].fillna(middle), texts(new)], axis=1)

    rare = int(y.mean() < 0.5)
    model = wittgenstein.RIPPER(random_state=0)
    model.fit(ready(X), y=y, pos_class=rare)
    conditions = sum(len(rule.conds) for rule in model.ruleset_.rules)

    def answer(new: pd.DataFrame) -> np.ndarray:
        found = np.asarray(model.predict_proba(ready(new)))
        return found if rare else found[:, ::-1]

    return answer, conditions


def _imodels(make: Callable[[Any], Any]) -> Callable[[pd.DataFrame, np.ndarray], Fitted]:
    def fit(X: pd.DataFrame, y: np.ndarray) -> Fitted:
        import imodels

        front = one_hot(X, scaled=False).fit(_ready(X))
        rows = front.transform(_ready(X))
        names = [f"x{i}" for i in range(rows.shape[1])]
        model = make(imodels).fit(rows, y, feature_names=names)
        kinds = X.dtypes

        def answer(new: pd.DataFrame) -> np.ndarray:
            return np.asarray(model.predict_proba(front.transform(_ready(new.astype(kinds)))))

        return answer, _conditions(model)

    return fit


def _conditions(model: Any) -> int:
    """Return how many conditions the rules of a model of imodels have; a linear term counts as one."""
    if hasattr(model, "estimators_") and hasattr(model, "estimator_weights_"):
        trees = [getattr(e, "tree_", None) for e in model.estimators_]
        return sum(
            int((t.feature >= 0).sum()) if t is not None else len(e.rule)
            for t, e in zip(trees, model.estimators_, strict=True)
        )
    rules = getattr(model, "rules_", None) or []
    total = 0
    for rule in rules:
        if isinstance(rule, dict):
            total += "index_col" in rule or "col" in rule
        else:
            total += len(re.findall(r"<=|>=|<|>|==", str(rule))) or 1
    coefficients = getattr(model, "coef", None)
    if coefficients is not None and hasattr(model, "n_features_") and getattr(model, "include_linear", False):
        kept = np.abs(np.ravel(coefficients)[: model.n_features_]) > 0
        total += int(kept.sum())
    return int(total)


def ours(make: Callable[[], Any]) -> Callable[[pd.DataFrame, np.ndarray], Fitted]:
    """Return one of our methods in the peers' form."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Fitted:
        model = make().fit(X, y)
        return model.predict_proba, model.model_.conditions

    return fit


PEERS: dict[str, Callable[[pd.DataFrame, np.ndarray], Fitted]] = {
    "greedy rule list": _imodels(lambda m: m.GreedyRuleListClassifier()),
    "boosted rules": _imodels(lambda m: m.BoostedRulesClassifier(random_state=0)),
    "skope rules": _imodels(lambda m: m.SkopeRulesClassifier(random_state=0)),
    "rulefit": _imodels(lambda m: m.RuleFitClassifier(random_state=0)),
    "slipper": _imodels(lambda m: m.SlipperClassifier()),
    "ripper": ripper,
}


OURS = {"tallystick list": ours(ts.RuleList), "tallystick set": ours(ts.RuleSet)}


def judged(fit: Callable[[pd.DataFrame, np.ndarray], Fitted], X: pd.DataFrame, y: np.ndarray) -> list[float]:
    """Return accuracy, log-loss and conditions by the protocol, and the seconds of all fits."""
    shares, start = np.zeros((len(y), 2)), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for training, test in folds(X, y):
            shares[test] = fit(X.iloc[training], y[training])[0](X.iloc[test])
        conditions = fit(X, y)[1]
    return [*scores(np.nan_to_num(shares, nan=0.5), y), conditions, time.perf_counter() - start]


def table_lines(found: dict[str, list[float]], sets: list[str], tag: str) -> list[str]:
    """Return a line for each method: means over the sets on which all of them were run."""
    lines = ["| method | mean accuracy | mean log-loss | mean conditions |", "|---|---:|---:|---:|"]
    for method in (*OURS, *PEERS):
        keys = [f"{name}|{method}|{tag if method in OURS else ''}" for name in sets]
        if all(key in found for key in keys):
            right, cost, conditions, _ = np.mean([found[key] for key in keys], axis=0)
            lines.append(f"| {method} | {right:.4f} | {cost:.4f} | {conditions:.1f} |")
    return lines


def main() -> None:
    """Run what is not kept yet, and print the means."""
    kept, tag = Kept(), our_version()
    kept.path = kept.path.with_name("rules.json")
    sets = sys.argv[1:] or list(TWO_CLASSES)
    for name in sets:
        X, labels = table(name)
        y = (labels.to_numpy() == np.unique(labels)[1]).astype(int)
        for method, fit in (OURS | PEERS).items():
            key = f"{name}|{method}|{tag if method in OURS else ''}"
            if key in kept.all() or len(y) > SLOW.get(method, len(y)):
                continue
            found = judged(fit, X, y)
            kept.put(key, found)
            print(name, method, *(f"{v:.4f}" for v in found), flush=True)
    print("\n".join(table_lines(kept.all(), sets, tag)))


if __name__ == "__main__":
    main()
