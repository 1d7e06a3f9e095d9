"""The criteria of a tree: each has a name of its own, and the kernels know it; a new one is searched over all
cuts.
"""

from __future__ import annotations

import os
import platform
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from reference_tree import Data, Rules, Twin, preorder

from tallystick.errors import OptionError
from tallystick.kernels import trees
from tallystick.kernels.trees import GrowColumn, Grower, GrowRules
from tallystick.tree import work
from tallystick.tree.options import CRITERIA, Criterion

ROOT = Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CXX", "c++").split()


def test_every_criterion_is_one_that_the_kernels_know_and_none_twice():
    kernels = [c.kernel for c in CRITERIA.values()]
    assert set(kernels) <= set(trees.CRITERIA)
    assert len(set(kernels)) == len(kernels)
    assert all(name == c.name for name, c in CRITERIA.items())


@pytest.mark.parametrize(("name", "gain"), [("entropy", 1.0), ("gain-ratio", 1.0), ("gini", 0.5)])
def test_the_gain_of_two_even_classes_told_apart(name, gain):
    column = GrowColumn("numeric", np.array([0.0, 0.0, 1.0, 1.0]))
    labels = np.array([0, 0, 1, 1], np.uint8)
    grower = Grower((column,), [0], GrowRules(CRITERIA[name].kernel), classes=2, labels=labels)
    grower.run()
    assert grower.arrays()["gain"][0] == pytest.approx(gain)


# -- the recipe of docs/extending.md, as it stands --


class ErrorTwin(Twin):
    """Every split tried, by the formula of the recipe; groups of levels are priced as under Gini."""

    def part(self, rows, middle):
        return Fraction(max(self.vector(rows)[:-1]) << self.shift)

    def two_sided(self, column, rows):
        if self.data.kinds[column] != "levels":
            return super().two_sided(column, rows)
        cells = self.data.cells[column]
        known = sorted({cells[r] for r in rows if cells[r] is not None})
        masks = range(1, 1 << max(len(known) - 1, 0))
        return [
            ([v for i, v in enumerate(known) if i == 0 or not m >> (i - 1) & 1], float("nan")) for m in masks
        ]


@dataclass
class Grown:
    """A node as the program prints it."""

    column: int
    branches: int
    missing: int
    cut: float
    of_code: list[int]

    def side(self, cell, kind):
        if cell is None:
            return self.missing
        return int(cell >= self.cut) if kind == "numeric" else self.of_code[cell]


@pytest.fixture(scope="module")
def grow(tmp_path_factory):
    """Compile the kernels with the recipe of the page in its place; return what grows trees of tables."""
    if shutil.which(COMPILER[0]) is None:
        pytest.skip(f"{COMPILER[0]} is not installed")
    folder = tmp_path_factory.mktemp("recipe")
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    section = page.partition("\n## A criterion of trees\n")[2].partition("\n## ")[0]
    recipe = re.search(r"```cpp\n(enum class .*?\n)// in Sum::put\n(.*?)}\n```", section, re.DOTALL)
    assert recipe is not None
    shutil.copytree(ROOT / "src" / "kernels", folder / "kernels")
    score = folder / "kernels" / "tree" / "score.hpp"
    text = score.read_text(encoding="utf-8")
    text, lists = re.subn(r"enum class Criterion .*\n", lambda _: recipe[1], text)
    last = "        } else {\n            whole_ += away"
    assert (lists, text.count(last)) == (1, 1)
    score.write_text(text.replace(last, recipe[2] + last), encoding="utf-8")
    processor = ["-march=x86-64-v2"] if platform.machine() in ("x86_64", "AMD64") else []
    program = folder / "grow"
    source = ROOT / "tests" / "support" / "own_criterion.cpp"
    flags = ["-std=gnu++20", "-ffp-contract=off", *processor, f"-I{folder}"]
    subprocess.run([*COMPILER, *flags, str(source), "-o", str(program)], check=True)

    def run(tables):
        said = " ".join([str(len(tables)), *(as_text(*t) for t in tables)])
        done = subprocess.run([program], input=said, capture_output=True, text=True, check=True)
        return [
            [
                Grown(int(c), int(n), int(m), float(cut), [int(b) for b in codes])
                for c, n, m, cut, *codes in map(str.split, tree.splitlines())
            ]
            for tree in done.stdout.split("\n\n")[:-1]
        ]

    return run


def as_text(data, small, least):
    """Return a table as the program reads it."""
    weighted = any(w != 1 for w in data.score)
    words = [data.classes, len(data.target), small, least, len(data.cells), int(weighted)]
    for kind, k, cells in zip(data.kinds, data.k, data.cells, strict=True):
        words += [trees.KINDS.index(kind), k, *cells]
    return " ".join(map(str, words + data.target + (data.score if weighted else [])))


def made(draw, kinds, n, classes, most, missing, heaviest):
    """Return a table of chance, whose class depends on its first column."""
    cells = [
        [
            None if draw.random() < missing else draw.randrange(5 if kind == "levels" else most)
            for _ in range(n)
        ]
        for kind in kinds
    ]
    target = [
        draw.randrange(classes) if v is None or draw.random() < 0.4 else (3 * v // most + v % 2) % classes
        for v in cells[0]
    ]
    weights = [draw.randint(1, heaviest) for _ in range(n)]
    k = [0 if kind == "numeric" else 5 if kind == "levels" else most for kind in kinds]
    return Data(cells, list(kinds), k, target, classes, weights, [1] * n)


@pytest.mark.slow
def test_the_recipe_grows_the_tree_of_every_split_tried(grow):
    draw = random.Random(7)
    tables = [
        (
            made(
                draw,
                draw.choices(("numeric", "ordered", "levels"), k=3),
                draw.randint(10, 45),
                draw.randint(2, 4),
                30,
                draw.choice((0, 0.2)),
                draw.choice((1, 4)),
            ),
            draw.choice((5, 16_384)),
            draw.randint(1, 3),
        )
        for _ in range(60)
    ]
    for (data, _, least), found in zip(tables, grow(tables), strict=True):
        wanted = preorder(ErrorTwin(data, Rules("gini", min_leaf=least)).grow())
        assert [n.column for n in found] == [n.split.column if n.split else -1 for n in wanted]
        assert [n.cut for n in found if n.cut == n.cut] == [
            n.split.cut for n in wanted if n.split and n.split.cut == n.split.cut
        ]
        assert [n.missing for n in found] == [n.split.missing if n.split else -1 for n in wanted]


def every_cut(data, rows, least):
    """Yield the score of every cut that leaves rows enough: the weight of both sides' commonest classes."""
    for cells in data.cells:
        there = [r for r in rows if cells[r] is not None]
        lost = [r for r in rows if cells[r] is None]
        values = sorted({cells[r] for r in there})
        for cut in [*values[1:], *([float("inf")] if lost else [])]:
            low, high = [r for r in there if cells[r] < cut], [r for r in there if cells[r] >= cut]
            for a, b in ((low + lost, high), (low, high + lost)):
                if min(len(a), len(b)) >= least:
                    yield right(data, a) + right(data, b)


def right(data, rows):
    """Return what the commonest class of some rows weighs."""
    weights = [0] * data.classes
    for r in rows:
        weights[data.target[r]] += data.score[r]
    return max(weights)


def check_cuts(data, nodes, rows, least):
    """Walk a printed tree: no cut of a node has a higher score than its own. Return how many were checked."""
    node = next(nodes)
    scores = (
        list(every_cut(data, rows, least)) if right(data, rows) < sum(data.score[r] for r in rows) else []
    )
    if node.column < 0:
        assert not scores
        return 0
    sides = ([], [])
    for r in rows:
        sides[node.side(data.cells[node.column][r], data.kinds[node.column])].append(r)
    assert right(data, sides[0]) + right(data, sides[1]) == max(scores)
    return 1 + sum(check_cuts(data, nodes, side, least) for side in sides)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["numeric", "ordered"])  # long runs of rows, and tables of many levels
@pytest.mark.parametrize("classes", [2, 3])
def test_the_recipe_cuts_long_columns_where_its_own_score_is_best(grow, kind, classes):
    draw = random.Random(8)
    tables = [
        (made(draw, [kind], 400, classes, 2_000 if kind == "numeric" else 600, missing, heaviest), small, 20)
        for missing in (0, 0.1)
        for heaviest in (1, 9)
        for small in (50, 16_384)
    ]
    checked = 0
    for (data, _, least), found in zip(tables, grow(tables), strict=True):
        nodes = iter(found)
        checked += check_cuts(data, nodes, list(range(len(data.target))), least)
        assert next(nodes, None) is None
    assert checked > 8 * 5


def test_no_work_is_written_out_by_the_impurity_of_another_criterion(monkeypatch):
    monkeypatch.setitem(CRITERIA, "error", Criterion("error", "error"))

    class Options:
        criterion = "error"

    with pytest.raises(OptionError, match="error"):
        work.impurity_of(Options())
