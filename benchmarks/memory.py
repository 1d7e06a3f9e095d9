"""Learning from a CSV without holding it in memory, against peers that can: two threads, in turn.

    python benchmarks/memory.py [--peaks]

One tree beside LightGBM's two-round loading (one tree of as many bins and levels), and naive Bayes beside
scikit-learn's partial_fit over chunks of pandas: GaussianNB on numbers alone, and on a table of which half
the columns are levels, these coded chunk by chunk for CategoricalNB (the categories are given to it). All
begin at the file. Each figure is the peer's time over ours. Naive Bayes on numbers is also learnt with its
rows in memory.

Then the peak of a fit of each method, beyond the rows it is given, in tables of input: 300,000 x 20 doubles
in memory, a process each time. With `--peaks` these alone.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder
from turns import in_turn, over, ratio, repeated

import tallystick as ts

ROWS, UNIQUE, FEW, HALF = 250_000, 40, 20, 30
MEMORY = "256MB"


def write(path: Path) -> None:
    """Write about 190 MB of numbers, two thirds of the columns all different, the target first."""
    rng = np.random.default_rng(0)
    for part in range(10):
        rows = ROWS // 10
        x = rng.normal(size=(rows, UNIQUE))
        columns = {"y": (x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=rows) > 0).astype(np.int8)}
        columns |= {f"x{j:02d}": x[:, j] for j in range(UNIQUE)}
        columns |= {f"c{j:02d}": rng.integers(0, 5 + j, rows).astype(np.int8) for j in range(FEW)}
        with open(path, "wb" if part == 0 else "ab") as file:
            if part == 0:
                file.write((",".join(columns) + "\n").encode())  # LightGBM takes quotes as part of a name
            pacsv.write_csv(pa.table(columns), file, pacsv.WriteOptions(include_header=False))


def write_mixed(path: Path) -> None:
    """Write about 130 MB, half of the columns numbers that are all different, half levels as texts."""
    rng = np.random.default_rng(1)
    for part in range(10):
        rows = ROWS // 10
        x = rng.normal(size=(rows, HALF))
        columns = {"y": (x[:, 0] + rng.normal(size=rows) > 0).astype(np.int8)}
        columns |= {f"x{j:02d}": x[:, j] for j in range(HALF)}
        columns |= {f"c{j:02d}": levels_of(j)[rng.integers(0, 3 + j, rows)] for j in range(HALF)}
        with open(path, "wb" if part == 0 else "ab") as file:
            names = pacsv.WriteOptions(include_header=part == 0, quoting_style="none")
            pacsv.write_csv(pa.table(columns), file, names)


def levels_of(j: int) -> np.ndarray:
    """Return the levels of one column, sorted."""
    return np.array(sorted(f"level {i}" for i in range(3 + j)))


def mixed_bayes_of_sklearn(path: Path) -> None:
    """Learn chunk by chunk: numbers by one model, levels by another; their log shares would be added."""
    numbers, levels = GaussianNB(), CategoricalNB(min_categories=[3 + j for j in range(HALF)])
    coder = OrdinalEncoder(categories=[levels_of(j) for j in range(HALF)], dtype=np.int64)
    names = [f"x{j:02d}" for j in range(HALF)], [f"c{j:02d}" for j in range(HALF)]
    for chunk in pd.read_csv(path, chunksize=50_000):
        y = chunk["y"].to_numpy()
        numbers.partial_fit(chunk[names[0]].to_numpy(), y, classes=[0, 1])
        levels.partial_fit(coder.fit_transform(chunk[names[1]].to_numpy()), y, classes=[0, 1])


def tree_of_lightgbm(path: Path) -> None:
    """Load in two rounds and grow one tree."""
    params = {
        "two_round": True,
        "header": True,
        "label_column": 0,
        "max_bin": 255,
        "objective": "binary",
        "num_leaves": 256,
        "max_depth": 8,
        "min_data_in_leaf": 1,
        "num_threads": 2,
        "verbosity": -1,
    }
    lgb.train(params, lgb.Dataset(str(path), params=params), num_boost_round=1)


def bayes_of_sklearn(path: Path) -> None:
    """Learn chunk by chunk."""
    model = GaussianNB()
    for chunk in pd.read_csv(path, chunksize=50_000):
        model.partial_fit(chunk.drop(columns="y").to_numpy(), chunk["y"].to_numpy(), classes=[0, 1])


PEAKS = {
    "naive Bayes": "ts.NaiveBayes()",
    "Gaussian naive Bayes": "ts.NaiveBayes(distributions='gaussian')",
    "tree, depth 8": "ts.DecisionTree(max_depth=8)",
    "logistic regression": "ts.LogisticRegression()",
    "scorecard": "ts.Scorecard()",
}
PEAK = """
import sys
import numpy as np
import tallystick as ts

rng = np.random.default_rng(0)
x = rng.normal(size=(300_000, 20))
y = (x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=len(x)) > 0).astype(np.int8)
model = eval(sys.argv[1])
model.fit(x[:3000], y[:3000])  # all that is loaded on the way is loaded now


def kilobytes(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


open("/proc/self/clear_refs", "w").write("5")  # the peak begins again
before = kilobytes("VmRSS")
model.fit(x, y)
print((kilobytes("VmHWM") - before) * 1024 / x.nbytes)
"""


def peak(made: str) -> float:
    """Return the peak of a fit in a process of its own, in tables of input."""
    done = subprocess.run([sys.executable, "-c", PEAK, made], check=True, capture_output=True, text=True)
    return float(done.stdout)


def peaks():
    """Yield the peak of a fit of each method."""
    for name, made in PEAKS.items():
        yield f"peak of a fit, in tables of input: {name}", repeated(partial(peak, made))


def figures():
    """Yield name and value."""
    yield from peaks()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        write(path)
        path.read_bytes()  # in the page cache for all
        tree = ts.DecisionTree(max_bins=255, max_depth=8, memory=MEMORY, threads=2)
        found = ratio(lambda: tree_of_lightgbm(path), lambda: tree.fit(path, "y"))
        yield "one tree from CSV: x faster than LightGBM, two_round", found
        bayes = ts.NaiveBayes(distributions="gaussian", memory=MEMORY, threads=2)
        held = ts.NaiveBayes(distributions="gaussian", threads=2)
        peer, disk, memory = in_turn(
            lambda: bayes_of_sklearn(path), lambda: bayes.fit(path, "y"), lambda: held.fit(path, "y")
        )
        yield "naive Bayes from CSV: x faster than partial_fit", over(peer, disk)
        yield "naive Bayes from CSV, in memory: x faster than partial_fit", over(peer, memory)
        write_mixed(path)
        path.read_bytes()
        found = ratio(lambda: mixed_bayes_of_sklearn(path), lambda: bayes.fit(path, "y"))
        yield "naive Bayes from CSV, half levels: x faster than partial_fit", found


if __name__ == "__main__":
    for name, value in peaks() if "--peaks" in sys.argv else figures():
        print(f"{name:<60} {value:.2f} ({value.low:.2f} to {value.high:.2f})", flush=True)
    sys.exit(0)
