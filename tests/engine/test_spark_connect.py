"""Sessions without a Java of their own: a real server of Spark Connect, and one whose Java is closed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tables import of_every_kind

import tallystick as ts
from tallystick.spark import read as read_room
from tallystick.spark.table import rows_of_frame

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "spark_connect.py"
SAME = ("tree", "bayes", "logistic", "pieces", "brought", "far", "groups", "curve", "arrow", "sql", "sent")


def test_a_session_of_spark_connect_gives_the_models_and_scores_given_here():
    pytest.importorskip("pyspark")
    pytest.importorskip("grpc")
    done = subprocess.run(
        [sys.executable, PROGRAM],
        capture_output=True,
        text=True,
        env=dict(os.environ),
        cwd=PROGRAM.parent,
        check=False,
    )
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    assert done.returncode == 0, done.stderr[-3000:]
    assert ".connect." in said["module"]
    assert {name: said.get(name) for name in SAME} == dict.fromkeys(SAME, "same")


def test_rows_cross_by_public_calls_where_java_is_closed_to_python(spark, monkeypatch):
    import pyspark

    def closed(*given):
        raise AttributeError("Java is closed")

    walked = []
    monkeypatch.setattr(read_room, "rows_of_frame", lambda frame: walked.append(1) or rows_of_frame(frame))
    monkeypatch.setattr(pyspark, "RDD", closed)
    rows = of_every_kind(rows=300)
    frame = spark.createDataFrame(rows).repartition(3)
    for make in (lambda: ts.DecisionTree(max_depth=2, kinds={"said": "out"}), ts.NaiveBayes):
        assert make().fit(frame, "y").to_bytes() == make().fit(rows, "y").to_bytes()
    assert walked == [1, 1]
