"""Peers of the accuracy table, each as one would use it on a mixed table: fit(X, y) gives shares of new rows.

Every function here takes a pandas frame with missing cells and gives back `answer(new)`: shares[row, class],
classes in sorted order. What a peer cannot take (texts, missing cells) is prepared in its usual way: one-hot
columns for levels, missing as a level of its own, the median for missing numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

Answer = Callable[[pd.DataFrame], np.ndarray]
ALPHAS = 20  # strengths of pruning that cross-validation chooses from, evenly spread over the path


def numbers_of(X: pd.DataFrame) -> list[str]:
    """Return the names of numeric columns."""
    return [c for c in X if pd.api.types.is_numeric_dtype(X[c]) and X[c].dtype != bool]


def texts(X: pd.DataFrame) -> pd.DataFrame:
    """Return the other columns as text, missing a text of its own."""
    rest = X.drop(columns=numbers_of(X))
    return rest.astype(object).where(rest.notna(), "missing").astype(str)


def one_hot(X: pd.DataFrame, scaled: bool) -> ColumnTransformer:
    """Return the preparation: one column per level; numbers filled by the median, scaled on wish."""
    numbers = numbers_of(X)
    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    levels = [c for c in X if c not in numbers]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(filled, StandardScaler()) if scaled else filled, numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore", sparse_output=False), levels),
        ]
    )


def _ready(X: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([X[numbers_of(X)], texts(X)], axis=1)


def _with(X: pd.DataFrame, y: pd.Series, model: object, scaled: bool) -> Answer:
    front = one_hot(X, scaled).fit(_ready(X))
    model.fit(front.transform(_ready(X)), y)
    kinds = X.dtypes
    return lambda new: model.predict_proba(front.transform(_ready(new.astype(kinds))))


def tree_default(X: pd.DataFrame, y: pd.Series) -> Answer:
    """scikit-learn's tree as it is, on one-hot columns."""
    return _with(X, y, DecisionTreeClassifier(random_state=0), scaled=False)


def tree_pruned(X: pd.DataFrame, y: pd.Series) -> Answer:
    """scikit-learn's tree, pruned by cost-complexity at the strength that 5-fold cross-validation chooses."""
    front = one_hot(X, scaled=False).fit(_ready(X))
    rows = front.transform(_ready(X))
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(rows, y).ccp_alphas
    alphas = np.unique(np.maximum(path[np.linspace(0, len(path) - 1, ALPHAS).astype(int)], 0))
    least = int(y.value_counts().min())
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"ccp_alpha": alphas[::-1]},  # of equals the smaller tree
        cv=StratifiedKFold(max(2, min(5, least)), shuffle=True, random_state=0),
        n_jobs=1,
    ).fit(rows, y)
    return lambda new: search.predict_proba(front.transform(_ready(new)))


def ydf_cart(X: pd.DataFrame, y: pd.Series) -> Answer:
    """YDF's CART with its defaults, on the columns as they are."""
    import ydf

    ydf.verbose(0)
    labels = np.unique(y)
    taught = X.assign(**{"the target": np.searchsorted(labels, y).astype(str)})
    model = ydf.CartLearner(label="the target").train(taught)
    names = model.label_classes()

    def answer(new: pd.DataFrame) -> np.ndarray:
        found = model.predict(new)
        if found.ndim == 1:
            found = np.c_[1 - found, found]
        out = np.zeros((len(new), len(labels)))
        out[:, [int(n) for n in names]] = found
        return out

    return answer


def nb_bins(X: pd.DataFrame, y: pd.Series) -> Answer:
    """scikit-learn's CategoricalNB on ten quantile bins; missing is a value of its own."""
    numbers = numbers_of(X)
    known = {c: X[[c]].dropna() for c in numbers}
    given = {"encode": "ordinal", "strategy": "quantile", "quantile_method": "averaged_inverted_cdf"}
    bins = {c: KBinsDiscretizer(10, **given) for c in numbers}
    for c in numbers:
        if len(known[c]):
            bins[c].fit(known[c])

    def coded(new: pd.DataFrame) -> pd.DataFrame:
        out = {}
        for c in numbers:
            here = new[c].notna().to_numpy()
            codes = np.full(len(new), "missing", object)
            if here.any() and len(known[c]):
                codes[here] = bins[c].transform(new.loc[here, [c]])[:, 0].astype(int).astype(str)
            out[c] = codes
        return pd.concat([pd.DataFrame(out, index=new.index), texts(new)], axis=1)

    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    codes = encoder.fit_transform(coded(X)) + 1
    model = CategoricalNB(min_categories=[len(c) + 1 for c in encoder.categories_]).fit(codes, y)
    return lambda new: model.predict_proba(encoder.transform(coded(new)) + 1)


def lr(X: pd.DataFrame, y: pd.Series) -> Answer:
    """scikit-learn's logistic regression as it is, on one-hot columns and scaled numbers."""
    return _with(X, y, LogisticRegression(max_iter=2000), scaled=True)


# ---- black boxes, and the glass box beside the scorecard ----


def _with_categories(X: pd.DataFrame) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return what makes levels of X categories; levels that X does not have are missing."""
    numbers = numbers_of(X)
    kinds = {
        c: pd.CategoricalDtype(sorted(X[c].dropna().astype(str).unique())) for c in X if c not in numbers
    }

    def made(new: pd.DataFrame) -> pd.DataFrame:
        own = {
            c: new[c].astype(object).where(new[c].isna(), new[c].astype(str)).astype(k)
            for c, k in kinds.items()
        }
        return new.assign(**own)

    return made


def hist_boosting(X: pd.DataFrame, y: pd.Series) -> Answer:
    """scikit-learn's HistGradientBoosting as it is, levels as categories; not columns without a value."""
    filled = [c for c in X if X[c].notna().any()]
    made = _with_categories(X[filled])
    model = HistGradientBoostingClassifier(random_state=0, categorical_features="from_dtype")
    model.fit(made(X[filled]), y)
    return lambda new: model.predict_proba(made(new[filled]))


def lightgbm(X: pd.DataFrame, y: pd.Series) -> Answer:
    """LightGBM as it is, levels as categories."""
    from lightgbm import LGBMClassifier

    made = _with_categories(X)
    plain = {c: f"c{i}" for i, c in enumerate(X)}  # it refuses some characters in names
    model = LGBMClassifier(random_state=0, verbose=-1, n_jobs=1).fit(made(X).rename(columns=plain), y)
    return lambda new: model.predict_proba(made(new).rename(columns=plain))


def ebm(X: pd.DataFrame, y: pd.Series) -> Answer:
    """InterpretML's explainable boosting as it is, its pairs among it; levels as texts."""
    from interpret.glassbox import ExplainableBoostingClassifier

    model = ExplainableBoostingClassifier(n_jobs=1).fit(X, y)
    return lambda new: model.predict_proba(new)
