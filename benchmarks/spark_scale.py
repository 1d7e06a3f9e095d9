"""How the cost of a question grows: processor time of one core and bytes of a total, without Spark itself.

    python benchmarks/spark_scale.py

Prints the tables of docs/scale.md. The work is what a worker does with packed blocks: unpack, add, send.
"""

from __future__ import annotations

import pickle
import time

import numpy as np
import pyarrow as pa

import tallystick as ts
from tallystick.bayes.learner import NaiveBayesLearner
from tallystick.io.open import open_source
from tallystick.linear.learner import LogisticLearner
from tallystick.schema import ColumnOptions
from tallystick.table.block import pack, unpack
from tallystick.table.reader import read_table
from tallystick.tree.learner import TreeLearner


class Counted:
    """An engine that notes, for every question, processor time over all rows and the bytes of its total."""

    def __init__(self, packed):
        self.packed, self.seconds, self.sizes, self.form = packed, [], [], None

    def total(self, table, question):
        """Return the total."""
        blocks = self.packed
        if (prepared := question.prepared()) is not None:
            form, question = prepared
            if self.form is None or self.form != form:
                self.form, self.coded = form, [pack(form(unpack(b))) for b in self.packed]
            blocks = self.coded
        started, total = time.process_time(), question.zero()
        for data in blocks:
            total = question.add(total, unpack(data))
        self.seconds.append(time.process_time() - started)
        self.sizes.append(len(pickle.dumps(total, 5)))
        return total


def table(rows=500_000, numbers=20, levels=0, size=10, classes=2):
    """Return a table of float32 numbers and of levels."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=rows).astype(np.float32) for i in range(numbers)}
    names = np.array([f"level {i:05d}" for i in range(size)])
    columns |= {f"l{i}": names[rng.integers(0, size, rows)] for i in range(levels)}
    score = rng.normal(size=rows) + (columns["x0"] if numbers else (columns["l0"] < names[size // 2]))
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    return read_table(open_source(pa.table(columns)), ColumnOptions(), y)


def learners(rows, depth):
    tree = ts.DecisionTree(max_depth=depth, max_bins=32)
    return {
        "tree": TreeLearner(tree._options(), 1, tree._answers(None), rows=rows),
        "naive Bayes": NaiveBayesLearner(ts.NaiveBayes(distributions="gaussian")._options()),
        "logistic": LogisticLearner(ts.LogisticRegression(l2=1.0)._options()),
    }


def cost(name, given, depth=8):
    """Return questions, seconds a question, the largest and the mean total in kilobytes; bytes a row kept."""
    from tallystick.engine import fit

    packed = [pack(block) for block in given.blocks()]
    engine = Counted(packed)
    fit(learners(given.rows, depth)[name], given, engine)
    mean = sum(engine.sizes) / len(engine.sizes) / 1e3
    kept = sum(map(len, packed)) / given.rows
    return len(engine.sizes), sum(engine.seconds) / len(engine.sizes), max(engine.sizes) / 1e3, mean, kept


def main():
    print("| method | table | questions | s a question | largest total, kB | mean, kB | bytes a row |")
    print("|---|---|---|---|---|---|---|")
    base = {"rows": 200_000, "numbers": 20}
    shapes = [
        ("200k x 20 numbers", base, 8),
        ("400k x 20", base | {"rows": 400_000}, 8),
        ("200k x 40", base | {"numbers": 40}, 8),
        ("200k x 20, 8 classes", base | {"classes": 8}, 8),
        ("200k x 20, depth 4", base, 4),
        ("200k x 20 levels of 10", base | {"numbers": 0, "levels": 20}, 8),
        ("200k x 20 levels of 100", base | {"numbers": 0, "levels": 20, "size": 100}, 8),
    ]
    for title, shape, depth in shapes:
        given = table(**shape)
        for name in ("tree", "naive Bayes", "logistic"):
            if (name == "logistic" and shape.get("size", 0) > 50) or (name != "tree" and depth != 8):
                continue
            n, seconds, largest, mean, kept = cost(name, given, depth)
            sizes = f"{largest:,.0f} | {mean:,.0f} | {kept:.0f}"
            print(f"| {name} | {title} | {n} | {seconds:.3f} | {sizes} |", flush=True)


if __name__ == "__main__":
    main()
