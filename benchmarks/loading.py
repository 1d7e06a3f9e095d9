"""How long until a saved tree of 10,000 nodes is back: in a fresh process beside joblib, and warm.

Both trees have 5,000 leaves and come from the same rows. A fresh process is Python's start, the imports and
the load, ours and the peer's in turn, in seconds on the clock.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from startup import started
from turns import Figure, over, seconds

LEAVES = 5_000
OURS = "import sys, tallystick; tallystick.load(sys.argv[1])"
PEER = "import sys, joblib; joblib.load(sys.argv[1])"


def saved(folder: Path) -> tuple[str, str]:
    """Fit both trees on the same rows, save them, and return the paths."""
    import joblib
    from sklearn.tree import DecisionTreeClassifier

    import tallystick as ts

    chance = np.random.default_rng(1)
    X = chance.normal(size=(40_000, 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + chance.normal(size=len(X)) * 2 > 0).astype(int)
    ours, peer = str(folder / "tree.tally.json"), str(folder / "tree.joblib")
    model = ts.DecisionTree(max_leaf_nodes=LEAVES).fit(X, y)
    model.save(ours)
    known = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0).fit(X, y)
    joblib.dump(known, peer)
    assert len(model.model_.nodes) == known.tree_.node_count == 2 * LEAVES - 1
    return ours, peer


def warm(path: str) -> Figure:
    """Return the milliseconds of a load when everything is imported."""
    import tallystick as ts

    return seconds(lambda: ts.load(path), runs=4) * 1000


def figures() -> list[tuple[str, float]]:
    with tempfile.TemporaryDirectory() as name:
        ours, peer = saved(Path(name))
        fresh, theirs = started((sys.executable, "-c", OURS, ours), (sys.executable, "-c", PEER, peer))
        return [
            ("10,000 nodes, fresh process: x faster than joblib.load", over(theirs, fresh)),
            ("10,000 nodes, fresh process, seconds", Figure(fresh)),
            ("10,000 nodes, warm, milliseconds", warm(ours)),
        ]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name:<56} {figure:.3f}")
