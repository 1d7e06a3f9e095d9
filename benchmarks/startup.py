"""How long until the first answer: importing, asking for help, and predicting ten rows, beside scikit-learn.

Each figure is of several fresh processes, ours and the peer's in turn, in seconds on the clock.
Compiled bytecode is kept between runs, as it is wherever a package is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from importlib import resources
from pathlib import Path

from turns import Figure, in_turn, over

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


def run(*command: str) -> None:
    """Run one process to its end."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def started(*commands: tuple[str, ...]) -> list[list[float]]:
    """Return seconds[command][round] of fresh processes, in turn."""
    return in_turn(*(partial(run, *command) for command in commands))


def beyond(times: list[float], bare: list[float]) -> list[float]:
    """Return what Python's own start does not take, round by round."""
    return [a - b for a, b in zip(times, bare, strict=True)]


def figures() -> list[tuple[str, float]]:
    python, tally = sys.executable, str(Path(sys.executable).with_name("tally"))
    bare, ours, peer = started(
        (python, "-c", "0"), (python, "-c", "import tallystick"), (python, "-c", "import sklearn.tree")
    )
    (help_time,) = started((tally, "--help"))
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
        run(tally, "fit", train, "--target", "party", "-o", model)
        run(python, "-c", PEER_FIT, train, pickled)
        predict, peer_predict = started(
            (tally, "predict", model, rows, "-o", out), (python, "-c", PEER_PREDICT, pickled, rows, out)
        )
    return [
        ("import: share of scikit-learn's", over(beyond(ours, bare), beyond(peer, bare))),
        ("import tallystick, seconds with Python's own start", Figure(ours)),
        ("tally --help, seconds", Figure(help_time)),
        ("tally predict of 10 rows, seconds", Figure(predict)),
        ("tally predict of 10 rows, x faster than scikit-learn", over(peer_predict, predict)),
    ]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name:<56} {figure:.3f}")
