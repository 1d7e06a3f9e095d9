"""A real server of Spark Connect, and a client that trains there: one line for each thing that is as it is
here.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import warnings

import numpy as np
import pyarrow as pa
from databases import BRIEF_JAVA
from tables import of_every_kind

import tallystick as ts
from tallystick.spark import levels
from tallystick.spark import table as table_room

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": BRIEF_JAVA,
    "spark.log.level": "OFF",
}
LEARNERS = {
    "tree": lambda: ts.DecisionTree(max_depth=2),
    "bayes": lambda: ts.NaiveBayes(distributions="gaussian"),
    "logistic": lambda: ts.LogisticRegression(l2=1.0),
}


def session():
    """A client and, in this process, its server, bound to this machine alone."""
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_TESTING": "1"}
    arguments = " ".join(f"--conf {shlex.quote(f'{name}={value}')}" for name, value in SETTINGS.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{arguments} pyspark-shell"
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SparkSession.builder.remote("local[2]").getOrCreate()


def told(name, same):
    """Print a line."""
    print(name, "same" if same else "DIFFERENT", flush=True)


def numbers(many):
    """Numbers that all differ, so that a tree searches them in pieces."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(many, 2))
    return pa.table({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] * x[:, 1] > 0.1, "in", "out")})


def fits(spark):
    """Every method on columns of every kind, from one reading."""
    rows = of_every_kind(rows=300).drop_columns(["said", "day"])
    frame = spark.createDataFrame(rows).repartition(3)
    print("module", type(frame).__module__, flush=True)
    there, here = (LEARNERS["tree"]()._read(data, "y") for data in (frame, rows))
    for name, make in LEARNERS.items():
        told(name, make()._fit_table(there).to_bytes() == make()._fit_table(here).to_bytes())


def large_nodes(spark):
    """A tree whose nodes are too large to be brought to one place."""
    rows = numbers(3_000)
    here = ts.DecisionTree(max_depth=3).fit(rows, "y")
    levels.PIECE_ROWS = 1_000
    there = ts.DecisionTree(max_depth=3).fit(spark.createDataFrame(rows).repartition(3), "y")
    told("pieces", there.to_bytes() == here.to_bytes())


def judged(spark):
    """Folds, dealt where rows are brought and where they stay; answers by both ways; rows that lie here."""
    rows = of_every_kind(rows=60).select(["x", "colour", "y"])
    frame = spark.createDataFrame(rows).repartition(2)
    model = LEARNERS["bayes"]()
    here = ts.cross_validate(model, rows, "y", folds=2).to_dict()
    told("brought", ts.cross_validate(model, frame, "y", folds=2).to_dict() == here)
    table_room.NEAR_CELLS = 0
    told("far", ts.cross_validate(model, frame, "y", folds=2).to_dict() == here)
    grouped = [ts.cross_validate(model, d, "y", folds=2, groups="colour").to_dict() for d in (rows, frame)]
    told("groups", grouped[0] == grouped[1])
    asked = {"methods": ["bayes"], "sizes": [20], "repeats": 1}
    curves = [ts.learning_curve(data, "y", **asked).to_dict() for data in (rows, frame)]
    told("curve", curves[0] == curves[1])
    model.fit(rows, "y")
    for how in ("arrow", "sql"):
        answered = model.transform(frame, how).toArrow()
        wanted = model.predict(answered.select(["x", "colour"])).tolist()
        told(how, answered["prediction"].to_pylist() == wanted)
    summed = ts.NaiveBayes(distributions="gaussian", engine=ts.Spark(spark)).fit(rows, "y")
    told("sent", hashlib.sha256(summed.to_bytes()).digest() == hashlib.sha256(model.to_bytes()).digest())


if __name__ == "__main__":
    spark = session()
    fits(spark)
    large_nodes(spark)
    judged(spark)
    spark.stop()
