"""A program for test_spark_cluster.py: two executor processes, one of which is killed while a model is
learned, and tasks that run twice because they are slow. Prints one line of sha256s for each way of learning.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
import warnings

warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from databases import spark_session  # noqa: E402

import tallystick as ts  # noqa: E402
from tallystick.spark.table import Spark  # noqa: E402

CLUSTER = {
    "spark.speculation": "true",
    "spark.speculation.interval": "20ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "0ms",
}
METHODS = {
    "tree": lambda: ts.DecisionTree(max_depth=3),
    "bayes": lambda: ts.NaiveBayes(distributions="gaussian"),
    "logistic": lambda: ts.LogisticRegression(l2=1.0),
    "card": lambda: ts.Scorecard(pairs=0),
}


def rows(n: int = 2_000) -> pa.Table:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 3))
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(x[:, 0] + (colour == "red") + rng.normal(size=n) > 0, "yes", "no")
    return pa.table({"a": x[:, 0], "b": x[:, 1], "c": np.round(x[:, 2], 1), "colour": colour, "y": y})


def executors() -> list[int]:
    """The processes of this program's executors."""
    ps = ["ps", "-ww", "-eo", "pid,args"]
    listed = subprocess.run(ps, capture_output=True, text=True, check=True).stdout
    driver = f"127.0.0.1:{SPARK.sparkContext.getConf().get('spark.driver.port')}"
    lines = [line.split(maxsplit=1) for line in listed.splitlines()]
    return [int(p) for p, args in lines if "CoarseGrainedExecutorBackend" in args and driver in args]


def two() -> list[int]:
    """The executors, as soon as both are there: a busy machine takes its time, also to replace one."""
    for _ in range(1_500):
        if len(found := executors()) == 2:
            return found
        time.sleep(0.2)
    raise RuntimeError("the executors do not come up")


def shas(table: object, kill_at: int = 0) -> str:
    """Learn all methods from one reading; after so many questions an executor is killed."""
    asked = [0]
    plain = Spark.total

    def total(self, *given):
        asked[0] += 1
        if asked[0] == kill_at:
            killed.append(two()[0])
            os.kill(killed[0], signal.SIGKILL)
        return plain(self, *given)

    Spark.total = total
    read = METHODS["tree"]()._read(table, "y")
    found = [hashlib.sha256(make()._fit_table(read).to_bytes()).hexdigest() for make in METHODS.values()]
    Spark.total = plain
    return " ".join(found)


if __name__ == "__main__":
    SPARK = spark_session("local-cluster[2,1,1024]", **CLUSTER)
    frame = SPARK.createDataFrame(rows()).repartition(5)
    print("here", shas(rows()), flush=True)
    killed: list[int] = []
    print("killed", shas(frame, kill_at=4), flush=True)
    print("gone", len(set(killed) - set(executors())), flush=True)
    SPARK.stop()
    sys.exit(0)
