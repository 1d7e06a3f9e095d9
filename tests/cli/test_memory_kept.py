"""`--memory` is kept: a process of its own, its peak beyond what the same command on a small file had loaded.

The tables are the smallest on which a command that held rows in memory would need more than its budget: many
rows of little (arrays of a few numbers a row), few rows of long texts (the cells themselves), or columns of
many lines (matrices of the lines of a card).
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pytest
from grown import grown

import tallystick as ts
from tallystick.cli.main import COMMANDS as ALL
from tallystick.cli.main import tally

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells what is held")
BUDGET = 32  # MB, the least that is taken
MARGIN = 4  # MB: what small blocks leave behind in the heaps of the threads, whatever the rows


def write(path: Path, rows: int, kind: str) -> Path:
    """Write a table with the target y."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    hint = np.where(rng.random(rows) < 0.8, y, 1 - y)
    if kind == "many rows":
        cells = rng.integers(0, 9, (rows, 1)).tolist()
    elif kind == "numbers":
        cells = rng.normal(size=(rows, 2)).tolist()
    elif kind == "lines":
        x = rng.normal(size=(rows, 25))
        y = (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] + x[:, 4] + rng.normal(size=rows) > 0).astype(int)
        cells = x.tolist()
    elif kind == "words":
        cells = [[" ".join(f"w{30 * i + j:x}" for j in range(30)) + f" often{i % 50}"] for i in range(rows)]
    else:
        texts = [f"{i:02d} " + "a long text that stands for a level " * 3 for i in range(40)]
        cells = [[texts[i] for i in row] for row in rng.integers(0, 40, (rows, 8)).tolist()]
    lines = [
        f"{'uv'[h]},{','.join(map(str, row))},{'pq'[k]}" for h, row, k in zip(hint, cells, y, strict=True)
    ]
    names = ["a", *(f"c{j}" for j in range(len(cells[0]))), "y"]
    path.write_text(",".join(names) + "\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    sizes = {"many rows": 300_000, "long cells": 66_000, "numbers": 120_000, "words": 50_000, "lines": 20_000}
    return {
        kind: (write(folder / f"small {kind}.csv", 2_000, kind), write(folder / f"{kind}.csv", rows, kind))
        for kind, rows in sizes.items()
    }


COMMANDS = {
    "compare": ("many rows", "compare @ -t y --method bayes --no-tuning --folds 2 --json"),
    "report": ("long cells", "report @ -t y --method bayes -o OUT.html"),
    "describe": ("long cells", "describe @ -t y"),
    "fit": ("long cells", "fit @ -t y --model bayes -o OUT.json"),
    "predict": ("long cells", "predict MODEL @ -o OUT.csv"),
    "explain": ("long cells", "explain MODEL @ --row 1900"),
    "diff": ("long cells", "diff MODEL MODEL --on @"),
    "card": ("long cells", "card MODEL --on @ --folds 2"),
    "curve": ("long cells", "curve @ -t y --method bayes"),
    "density": ("long cells", "density @ --set max_leaf_nodes=4"),
    "words": ("words", "fit @ -t y --model bayes --set min_count=2 --kind c0=text -o OUT.json"),
    "splits": ("numbers", "splits @ -t y --model id3:max_depth=9"),
    "lines of a card": ("lines", "fit @ -t y --model card --folds 0 -o OUT.json"),
    "tree": ("numbers", "fit @ -t y --model tree:max_depth=9 --folds 0 -o OUT.json"),
    "tree left out": ("numbers", "compare @ -t y --method tree --method bayes --no-tuning --folds 2"),
    "report with a tree": ("numbers", "report @ -t y --method tree --method bayes -o OUT.html"),
    "prune": ("numbers", "prune @ -t y --model id3:max_depth=4 --folds 2"),
}


@pytest.mark.parametrize("name", ALL)
def test_a_command_that_reads_a_table_takes_a_budget(name):
    command = tally.get_command(click.Context(tally), name)
    taken = {parameter.name for parameter in command.params}
    assert "encoding" not in taken or "memory" in taken  # whoever reads a file can be told how it is written


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_keeps_to_the_memory_it_is_given(command, tables, tmp_path):
    kind, words = COMMANDS[command]
    small, large = tables[kind]
    if "MODEL" in words:
        ts.NaiveBayes().fit(small, "y").save(tmp_path / "m.json")
    places = {"OUT": str(tmp_path / "out"), "MODEL": str(tmp_path / "m.json")}
    for name, place in places.items():
        words = words.replace(name, place)
    assert grown(small, large, *words.split(), "--memory", f"{BUDGET}MB") <= BUDGET + MARGIN
