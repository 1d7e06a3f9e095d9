"""Training on Spark beside MLlib: one session, one cached DataFrame, the same settings, workers warm.

    python benchmarks/spark.py [rows ...]      500,000 and 5,000,000 rows x 20 numbers when none are given

A fit is timed from the DataFrame to the model, so ours holds the walk of the rows into Python, MLlib's its
assembling of vectors. Both trees: Gini, depth 8, 32 bins (MLlib's default). Both naive Bayes: Gaussian. Both
logistic regressions: maximum likelihood.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from functools import partial

from turns import Figure, in_turn, over, timed

warnings.filterwarnings("ignore", category=FutureWarning)  # of PySpark, about pandas
COLUMNS = [f"x{i}" for i in range(20)]


def session():
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tallystick benchmark")
    for key, value in {
        "spark.driver.memory": "5g",
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def data(spark, rows: int):
    """Return a cached DataFrame of 20 float columns and a class that depends on five of them."""
    parts = 8

    def make(batches):
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            for part in batch.column(0).to_pylist():
                rng = np.random.default_rng(part)
                for _ in range(0, rows // parts, 62_500):
                    x = rng.normal(size=(62_500, 20)).astype(np.float32)
                    score = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + x[:, 4]
                    y = (score + rng.normal(size=len(x)) > 0).astype(np.int32)
                    arrays = [pa.array(x[:, i]) for i in range(20)]
                    yield pa.RecordBatch.from_arrays([*arrays, pa.array(y)], names=[*COLUMNS, "y"])

    kinds = ", ".join(f"{name} float" for name in COLUMNS) + ", y int"
    frame = spark.range(parts, numPartitions=parts).mapInArrow(make, kinds).cache()
    assert frame.count() == rows, frame.count()
    return frame


def methods():
    """Return the fits to be compared: name, ours, MLlib's; each takes a DataFrame."""
    from pyspark.ml.classification import DecisionTreeClassifier, LogisticRegression, NaiveBayes
    from pyspark.ml.feature import VectorAssembler

    import tallystick as ts

    def mllib(method):
        vectors = VectorAssembler(inputCols=COLUMNS, outputCol="features")
        return lambda frame: method.setLabelCol("y").fit(vectors.transform(frame))

    def ours(method):
        return lambda frame: method().fit(frame, "y")

    return [
        (
            "tree",
            ours(lambda: ts.DecisionTree(criterion="gini", max_depth=8, max_bins=32)),
            mllib(DecisionTreeClassifier(maxDepth=8, maxBins=32, impurity="gini")),
        ),
        (
            "logistic",
            ours(lambda: ts.LogisticRegression(l2=0.0)),
            mllib(LogisticRegression(maxIter=100, tol=1e-6)),
        ),
        (
            "naive Bayes",
            ours(lambda: ts.NaiveBayes(distributions="gaussian")),
            mllib(NaiveBayes(modelType="gaussian")),
        ),
    ]


def compared(spark, rows: int):
    """Yield, for each method, our seconds and MLlib's, in turn."""
    frame = data(spark, rows)
    for name, ours, theirs in methods():
        here, there = in_turn(partial(ours, frame), partial(theirs, frame))
        shown = f"{Figure(here):7.2f} s, MLlib {Figure(there):7.2f} s"
        print(f"  {rows:>9,} rows: {name:<12} {shown}", flush=True)
        yield name, here, there
    frame.unpersist()


def figures(sizes=(500_000, 5_000_000)) -> list[tuple[str, float]]:
    started = time.perf_counter()
    spark = session()
    print(f"  session: {time.perf_counter() - started:.1f} s", flush=True)
    small = data(spark, 500_000)
    cold = timed(partial(methods()[2][1], small))
    print(f"  first fit of all (500k, naive Bayes, workers start and import): {cold:.1f} s", flush=True)
    for _, ours, theirs in methods():  # warm: both have run once
        ours(small)
        theirs(small)
    small.unpersist()
    out = [("cold start: seconds of the first fit of 500k", cold)]
    for rows in sizes:
        size = f"{rows // 1_000_000}M" if rows >= 1_000_000 else f"{rows // 1_000}k"
        for name, here, there in compared(spark, rows):
            out.append((f"{name}, {size} x 20: x faster than MLlib", over(there, here)))
    spark.stop()
    return out


if __name__ == "__main__":
    chosen = tuple(int(a) for a in sys.argv[1:]) or (500_000, 5_000_000)
    for figure, value in figures(chosen):
        print(f"{figure:<50} {value:8.2f}")
