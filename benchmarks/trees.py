"""How fast are trees grown and asked? Peers beside us, in the same minute, two threads each where they have
threads.

python benchmarks/run.py trees
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from startup import started
from turns import Figure, in_turn, over, ratio, seconds

from tallystick.estimator.base import from_data
from tallystick.tree.estimator import DecisionTree

PLAIN = {"criterion": "entropy", "cut_price": 0.0, "average": False, "smoothing": 0.0}  # as the peers do


def numbers(rows: int = 500_000, columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, four columns that matter, noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)).astype(np.float32)
    noise = rng.standard_normal(rows)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + noise > 0).astype(np.int64)
    return X, y


def lightgbm_tree(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, **given: object) -> object:
    """One LightGBM tree with its data set construction."""
    import lightgbm

    options = {
        "objective": "binary",
        "num_leaves": 2**17,
        "min_data_in_leaf": 1,
        "num_threads": 2,
        "verbose": -1,
    }
    options |= {"min_sum_hessian_in_leaf": 0.0} | {
        k: v for k, v in given.items() if k != "categorical_feature"
    }
    data = lightgbm.Dataset(
        X, y, weight=weight, categorical_feature=given.get("categorical_feature", "auto"), params=options
    )
    return lightgbm.train(options, data, 1)


def growing() -> list[tuple[str, float]]:
    from sklearn.tree import DecisionTreeClassifier as Theirs

    X, y = numbers()
    out = []
    for name, ours, theirs, light in (
        ("depth 8", {"max_depth": 8}, {"max_depth": 8}, {"max_depth": 8, "num_leaves": 256}),
        (
            "full, min leaf 20",
            {"min_samples_leaf": 20},
            {"min_samples_leaf": 20},
            {"min_data_in_leaf": 20, "num_leaves": 25_000},  # as many as there can be
        ),
    ):
        mine, peer, boost = in_turn(
            lambda o=ours: DecisionTree(**o, **PLAIN, threads=2).fit(X, y),
            lambda o=theirs: Theirs(criterion="entropy", random_state=0, **o).fit(X, y),
            lambda o=light: lightgbm_tree(X, y, **o),
        )
        out += [(f"500k x 20, {name}: x faster than scikit-learn exact", over(peer, mine))]
        out += [(f"500k x 20, {name}: x faster than LightGBM", over(boost, mine))]
    return out


def large() -> list[tuple[str, float]]:
    X, y = numbers(2_000_000)
    found = ratio(
        lambda: lightgbm_tree(X, y, max_depth=8, num_leaves=256),
        lambda: DecisionTree(max_depth=8, **PLAIN, threads=2).fit(X, y),
    )
    return [("2M x 20, depth 8: x faster than LightGBM", found)]


def weighed() -> list[tuple[str, float]]:
    """Two classes of which one is rare, by weights of classes and of rows, and by Gini."""
    X, y = numbers()
    y &= (np.random.default_rng(1).random(len(y)) < 0.2).astype(np.int64)
    rows = np.random.default_rng(2).random(len(y))
    balanced = np.where(y == 1, len(y) / (2 * y.sum()), len(y) / (2 * (1 - y).sum()))

    def ours(weight: np.ndarray | None = None, **given: object) -> object:
        tree = DecisionTree(max_depth=8, min_samples_leaf=20, **(PLAIN | given), threads=2)
        return tree.fit(X, y, sample_weight=weight)

    def theirs(weight: np.ndarray | None = None) -> object:
        least = {"min_data_in_leaf": 20, "min_sum_hessian_in_leaf": 1e-3}  # with less it ends in an error
        return lightgbm_tree(X, y, weight, max_depth=8, num_leaves=256, **least)

    works = {
        "balanced classes": (lambda: ours(class_weight="balanced"), lambda: theirs(balanced)),
        "weights of rows": (lambda: ours(rows), lambda: theirs(rows)),
        "Gini": (lambda: ours(criterion="gini"), theirs),
    }
    return [
        (f"500k x 20, depth 8, {name}: x faster than LightGBM", ratio(peer, mine))
        for name, (mine, peer) in works.items()
    ]


def covertype() -> list[tuple[str, float]]:
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier as Theirs

    folder = os.environ.get("TALLYSTICK_DATA")
    files = sorted(Path(folder).glob("covertype/*")) if folder else []
    if not files:
        print("trees: Covertype is not there (TALLYSTICK_DATA); that figure is left out")
        return []
    frame = pd.read_csv(files[0]) if ".csv" in files[0].name else pd.read_parquet(files[0])
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    coded = np.ascontiguousarray(X.to_numpy(np.float32))
    found = ratio(
        lambda: Theirs(criterion="entropy", max_depth=12, random_state=0).fit(coded, y),
        lambda: DecisionTree(max_depth=12, **PLAIN, threads=2).fit(X, y),
    )
    return [("Covertype, depth 12: x faster than scikit-learn exact", found)]


def levels() -> list[tuple[str, float]]:
    import pandas as pd

    rng = np.random.default_rng(1)
    rows, parts = 1_000_000, {}
    effect = np.zeros(rows)
    for j in range(30):
        size = 12 if j % 2 == 0 else 1_000
        codes = rng.integers(0, size, rows)
        effect += rng.standard_normal(size)[codes] * (j < 6)
        names = np.array([f"level {i}" for i in range(size)])
        parts[f"c{j}"] = pd.Categorical.from_codes(codes, categories=names)
    frame = pd.DataFrame(parts)
    y = (effect + rng.standard_normal(rows) > 0).astype(np.int64)
    light = {"max_depth": 8, "num_leaves": 256, "max_cat_to_onehot": 1, "max_bin": 1_024}

    def ours() -> object:
        return DecisionTree(max_depth=8, **PLAIN, threads=2).fit(frame, y)

    found = ratio(lambda: lightgbm_tree(frame, y, **light), ours)
    return [("1M x 30 levels, depth 8: x faster than LightGBM", found), *ydf_levels(frame, y, ours)]


def ydf_levels(frame: object, y: np.ndarray, ours: Callable[[], object]) -> list[tuple[str, float]]:
    try:
        import ydf
    except ImportError:
        print("trees: ydf is not installed; that figure is left out")
        return []
    full = frame.astype(str).assign(y=y)
    ydf.verbose(0)
    learner = ydf.CartLearner(label="y", max_depth=9, validation_ratio=0.0, min_examples=1, num_threads=2)
    return [("1M x 30 levels, depth 8: x faster than YDF CART", ratio(lambda: learner.train(full), ours))]


def small() -> list[tuple[str, float]]:
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier as Theirs

    X, y = load_iris(return_X_y=True)
    found = ratio(
        lambda: [DecisionTree(**PLAIN).fit(X, y) for _ in range(50)],
        lambda: [Theirs().fit(X, y) for _ in range(50)],
    )
    return [("iris: share of scikit-learn's time", found)]


def asking() -> list[tuple[str, float]]:
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier as Theirs

    X, y = numbers(1_000_000)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    part = slice(0, 100_000)
    mine = DecisionTree(max_depth=8, **PLAIN, threads=2).fit(frame[part], y[part])
    peer = Theirs(max_depth=8).fit(frame[part], y[part])
    row = frame.iloc[0].to_dict()
    one = seconds(lambda: mine.predict(row), runs=200)
    whole = (1000 * X).astype(np.int64)
    my_whole = DecisionTree(max_depth=8, **PLAIN, threads=2).fit(whole[part], y[part])
    peer_whole = Theirs(max_depth=8).fit(whole[part], y[part])
    return [
        (
            "predict 1M x 20: x faster than scikit-learn",
            ratio(lambda: peer.predict(frame), lambda: mine.predict(frame)),
        ),
        (
            "predict 1M x 20 int64: x faster than scikit-learn",
            ratio(lambda: peer_whole.predict(whole), lambda: my_whole.predict(whole)),
        ),
        ("predict one row as a dict, µs", one * 1e6),
    ]


OURS = """
import sys
import tallystick as ts
tree = ts.DecisionTree(criterion="entropy", cut_price=0.0, average=False, smoothing=0.0)
tree.fit(sys.argv[1], sys.argv[2])
"""
THEIRS = """
import sys
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
frame = pd.read_csv(sys.argv[1])
X, y = frame.drop(columns=sys.argv[2]), frame[sys.argv[2]]
texts = [c for c in X if X[c].dtype.kind not in "iuf"]
codes = make_column_transformer((OrdinalEncoder(), texts), remainder="passthrough")
make_pipeline(codes, DecisionTreeClassifier(criterion="entropy")).fit(X, y)
"""


def csv() -> list[tuple[str, float]]:
    """Adult, from a CSV to a fitted tree, as whole processes: starting Python and importing included."""
    folder = os.environ.get("TALLYSTICK_DATA")
    packed = Path(folder or "", "adult", "adult-train.csv.gz")
    if not folder or not packed.exists():
        print("trees: Adult is not there (TALLYSTICK_DATA); that figure is left out")
        return []
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "adult.csv")
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        target = path.read_text().partition("\n")[0].split(",")[-1].strip()
        scripts = ((sys.executable, "-c", script, str(path), target) for script in (OURS, THEIRS))
        mine, peer = started(*scripts)
    return [("Adult, CSV to tree, whole process: x faster than pandas + scikit-learn", over(peer, mine))]


def loading() -> list[tuple[str, float]]:
    """A file of 10,000 nodes, warm."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(32_500, 10))
    tree = DecisionTree().fit(X, (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int))
    data, nodes = tree.to_bytes(), len(tree.model_.nodes)
    return [("load a tree of 10,000 nodes, ms", seconds(lambda: from_data(data)) * (1e7 / nodes))]


def fractions() -> list[tuple[str, float]]:
    """C4.5's settings on a table with missing values (sick), beside the defaults."""
    import pandas as pd

    folder = os.environ.get("TALLYSTICK_DATA")
    path = Path(folder or "", "sick", "sick.csv.gz")
    if not folder or not path.exists():
        print("trees: sick is not there (TALLYSTICK_DATA); that figure is left out")
        return []
    frame = pd.read_csv(path)
    c45, plain = (
        lambda m=make: m().fit(frame, frame.columns[-1]) for make in (DecisionTree.c45, DecisionTree)
    )
    return [("C4.5 with missing values, in times of the defaults", ratio(c45, plain))]


def doubling() -> list[tuple[str, float]]:
    X, y = numbers(400_000, 20)
    grow = {"max_depth": 8, "threads": 2, **PLAIN}

    def fit(rows: int, columns: int) -> Callable[[], object]:
        part, labels = np.ascontiguousarray(X[:rows, :columns]), y[:rows]
        return lambda: DecisionTree(**grow).fit(part, labels)

    base, rows, columns = in_turn(fit(200_000, 10), fit(400_000, 10), fit(200_000, 20))
    return [("twice the rows cost", over(rows, base)), ("twice the columns cost", over(columns, base))]


def memory() -> list[tuple[str, float]]:
    X, y = numbers()
    tree = DecisionTree(max_depth=8, **PLAIN, threads=2)
    table = tree._read(X, y)
    encoded = sum(table.column(c.name).nbytes for c in table.schema.used) + table.classes.nbytes
    before, peak, done = resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    tree._fit_table(table)
    done.set()
    watcher.join()
    return [("peak memory of a fit, in encoded tables", (encoded + peak[0] - before) / encoded)]


def resident() -> int:
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def keeping() -> list[tuple[str, float]]:
    """What it costs to keep all candidate splits."""
    from tallystick.engine import Local, fit
    from tallystick.tree.learner import TreeLearner

    X, y = numbers(200_000)
    table = DecisionTree()._read(X, y)
    options = DecisionTree(criterion="entropy", cut_price=0.0, min_samples_leaf=20)._options()
    kept, plain = in_turn(
        *(lambda k=k: fit(TreeLearner(options, keep_candidates=k), table, Local(2)) for k in (True, False)),
        rounds=12,
    )
    more = Figure(a / b - 1 for a, b in zip(kept, plain, strict=True))
    return [("all candidates kept, share of the fit's time", more)]


def figures() -> list[tuple[str, float]]:
    out: list[tuple[str, float]] = []
    parts = sys.argv[2:] or [
        "growing",
        "large",
        "weighed",
        "covertype",
        "levels",
        "csv",
        "small",
        "asking",
        "loading",
        "fractions",
        "doubling",
        "memory",
        "keeping",
    ]
    for name in parts:
        if name in globals():
            out += globals()[name]()
    return out
