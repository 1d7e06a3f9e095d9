"""How long until the first answer: importing, asking for help, and predicting ten rows, beside scikit-learn.

Each figure is the best of several fresh processes, ours and the peer's in turn, in seconds on the clock.
Compiled bytecode is kept between runs, as it is wherever a package is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib import resources
from pathlib import Path

ROUNDS = 5

PEER_FIT = """
import sys, pickle, pandas as pd
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
data = pd.read_csv(sys.argv[1]).astype(str)
model = make_pipeline(OrdinalEncoder(), CategoricalNB())
model.fit(data.drop(columns="party"), data["party"])
pickle.dump(model, open(sys.argv[2], "wb"))
"""
PEER_PREDICT = """
import sys, pickle, pandas as pd
model = pickle.load(open(sys.argv[1], "rb"))
rows = pd.read_csv(sys.argv[2]).astype(str)
pd.DataFrame({"prediction": model.predict(rows)}).to_csv(sys.argv[3], index=False)
"""


def seconds(*command: str) -> float:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def best(*commands: tuple[str, ...]) -> list[float]:
    """Return the shortest time of each command over ROUNDS rounds in turn."""
    times = [[seconds(*c) for c in commands] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*times, strict=True)]


def figures() -> list[tuple[str, float]]:
    python, tally = sys.executable, str(Path(sys.executable).with_name("tally"))
    bare, ours, peer = best(
        (python, "-c", "0"), (python, "-c", "import tallystick"), (python, "-c", "import sklearn.tree")
    )
    (help_time,) = best((tally, "--help"))
    with tempfile.TemporaryDirectory() as folder:
        votes = resources.files("tallystick.examples") / "votes.csv"
        lines = votes.read_text(encoding="utf-8").splitlines()
        train, rows, out = (str(Path(folder) / name) for name in ("votes.csv", "ten.csv", "out.csv"))
        Path(train).write_text("\n".join(lines) + "\n", encoding="utf-8")
        # party is the last column: cut it off, a column to be predicted is not there yet
        Path(rows).write_text(
            "".join(line.rpartition(",")[0] + "\n" for line in lines[:11]), encoding="utf-8"
        )
        model, pickled = str(Path(folder) / "votes.tally.json"), str(Path(folder) / "model.pkl")
        seconds(tally, "fit", train, "--target", "party", "-o", model)
        seconds(python, "-c", PEER_FIT, train, pickled)
        predict, peer_predict = best(
            (tally, "predict", model, rows, "-o", out), (python, "-c", PEER_PREDICT, pickled, rows, out)
        )
    return [
        ("import: share of scikit-learn's", (ours - bare) / (peer - bare)),
        ("import tallystick, seconds with Python's own start", ours),
        ("tally --help, seconds", help_time),
        ("tally predict of 10 rows, seconds", predict),
        ("tally predict of 10 rows, x faster than scikit-learn", peer_predict / predict),
    ]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name:<56} {figure:.3f}")
