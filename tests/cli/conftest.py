"""Folders with what commands read."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import sqlite3
from importlib import resources

import pytest
from command import good

import tallystick as ts

EXAMPLES = resources.files("tallystick.examples")


@pytest.fixture
def folder(tmp_path):
    """A folder with the bundled tables in it."""
    for name in ("votes.csv", "play-tennis.csv", "household-survey.csv"):
        shutil.copy(str(EXAMPLES / name), tmp_path)
    return tmp_path


@pytest.fixture
def fitted(folder):
    """The same folder with a model of the votes."""
    good("fit", "--model", "bayes", "votes.csv", "--target", "party", "-o", "votes.tally.json", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder with what the examples speak of."""
    folder = tmp_path_factory.mktemp("examples")
    text = (EXAMPLES / "votes.csv").read_text(encoding="utf-8")
    (folder / "votes.csv").write_text(text, encoding="utf-8")
    shutil.copy(str(EXAMPLES / "play-tennis.csv"), folder)
    few = [line.rpartition(",")[0] for line in text.splitlines()[:7]]
    (folder / "new.csv").write_text("\n".join(few) + "\n", encoding="utf-8")
    ts.NaiveBayes().fit(folder / "votes.csv", "party").save(folder / "votes.tally.json")
    ts.DecisionTree().fit(folder / "votes.csv", "party").save(folder / "tree.tally.json")
    ts.Scorecard(pairs=0).fit(folder / "votes.csv", "party").save(folder / "card.tally.json")
    days = [
        f"2026-01-{i % 28 + 1:02},{'abc'[i % 3]},{i * 7 % 5},{'yes' if i * 7 % 5 > 2 else 'no'}"
        for i in range(56)
    ]
    (folder / "days.csv").write_text("day,shop,orders,late\n" + "\n".join(days) + "\n")
    with contextlib.closing(sqlite3.connect(folder / "shop.db")) as shop:
        shop.execute("CREATE TABLE orders (a, b)")
        shop.execute("INSERT INTO orders VALUES (1, 'x'), (2, 'y'), (3, 'x')")
        shop.commit()
    (folder / "semicolon.csv").write_text("a;b\n1,5;x\n2,5;y\n3,5;x\n")
    (folder / "bare.csv").write_text("1,x\n2,y\n3,x\n")
    (folder / "latin.csv").write_bytes("name,b\ncafé,1\nthé,2\ncafé,3\n".encode("cp1252"))
    (folder / "alike.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,x\n2,y\n" * 500))
    (folder / "ragged.csv").write_text("a,b\n1,x\n2\n3,y\n")
    (folder / "infinite.csv").write_text("a,b\n1,x\ninf,y\n3,x\n")
    (folder / "token.txt").write_text("0123456789abcdef\n")
    (folder / "sizes.csv").write_text("code,size\n" + "".join(f"c{i},{'SML'[i % 3]}\n" for i in range(40)))
    return folder


@pytest.fixture
def inside(ready, tmp_path, monkeypatch):
    """A copy of `ready`, and the process in it."""
    shutil.copytree(ready, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
