"""docs/extending.md is true: its recipes run as they stand, its table of faces is that of `methods.py`."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tallystick.methods import Method

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
ROWS = """
import tallystick as ts
import numpy as np
rng = np.random.default_rng(3)
play = rng.random(300) < 0.4
visits, sky = rng.geometric(np.where(play, 0.5, 0.2)) - 1, rng.choice(list("abcd"), 300)
rows = [
    {"visits": int(v), "sky": str(s), "play": "yes" if p else "no"}
    for v, s, p in zip(visits, sky, play, strict=True)
]

def kept(model):
    model.save("m.tally.json")
    again = ts.load("m.tally.json")
    assert again.to_bytes() == model.to_bytes()
    assert (again.predict_proba(rows) == model.predict_proba(rows)).all()
    return model
"""
USES = {
    "A score": """
found = ts.cross_validate(ts.NaiveBayes(), rows, "play", folds=3)
assert "sureness" in str(found)
assert 0.5 < found.measure("sureness").low < found.measure("sureness").value < 1
assert "sureness" in [m["name"] for m in found.to_dict()["measures"]]
""",
    "A distribution of naive Bayes": """
model = kept(ts.NaiveBayes(distributions="geometric").fit(rows, "play"))
assert "geometric" in str(model)
assert model.shares("visits").distribution == "geometric"
assert "visits" in model.export("sql")
try:
    ts.NaiveBayes(distributions="geometrical").fit(rows, "play")
except ts.errors.TallyError as error:
    assert "poisson, geometric" in str(error) or "Did you mean 'geometric'" in str(error), error
""",
    "A pruning method": """
grown = ts.DecisionTree(average=False, max_depth=3).fit(rows, "play")
fitted = kept(ts.DecisionTree(average=False, max_depth=3, pruning="same-answer").fit(rows, "play"))
assert fitted.get_n_leaves() < grown.get_n_leaves()
assert (fitted.predict(rows) == grown.predict(rows)).all()
assert grown.prune("same-answer").get_n_leaves() == fitted.get_n_leaves()
from tallystick.cli.main import run
import csv
with open("t.csv", "w", newline="") as file:
    out = csv.DictWriter(file, list(rows[0]))
    out.writeheader()
    out.writerows(rows)
assert run("fit t.csv -t play --model tree --set pruning=same-answer --folds 0".split(), False) == 0
""",
    "An export target": """
model = ts.NaiveBayes().fit(rows, "play")
assert model.export("labels") == "no\\nyes"
try:
    model.export("label")
except ts.errors.TallyError as error:
    assert "Did you mean 'labels'" in str(error), error
""",
    "A file format": """
with open("t.cols", "w") as file:
    print("COLUMNS visits sky play", file=file)
    print(*(f"{r['visits']}|{r['sky']}|{r['play']}" for r in rows), sep="\\n", file=file)
assert ts.NaiveBayes().fit("t.cols", "play").to_bytes() == ts.NaiveBayes().fit(rows, "play").to_bytes()
from tallystick.io.open import open_source
from tallystick.testing import check_source
check_source(open_source("t.cols"))
""",
    "A container of rows in memory": """
ledger = Ledger(list(rows[0]), [tuple(r.values()) for r in rows])
assert ts.NaiveBayes().fit(ledger, "play").to_bytes() == ts.NaiveBayes().fit(rows, "play").to_bytes()
""",
    "A learner": """
from tallystick.engine import fit
table = ts.NaiveBayes()._read(rows, "play")
assert fit(OneRuleLearner(), table, ts.Local()).column == "sky"
""",
    "An engine": """
assert ts.NaiveBayes(engine=Backwards()).fit(rows, "play").to_bytes() == (
    ts.NaiveBayes().fit(rows, "play").to_bytes()
)
assert ts.DecisionTree(engine=Backwards()).fit(rows, "play").to_bytes() == (
    ts.DecisionTree().fit(rows, "play").to_bytes()
)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("title", USES)
def test_a_recipe_runs_as_it_stands_and_everybody_knows_the_new_one(title, tmp_path):
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    recipe = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert recipe is not None
    code = f"{recipe[1]}\n{ROWS}\n{USES[title]}"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_recipe_of_the_page_is_run_and_touches_few_files():
    titles = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert set(titles) == {*USES, "A criterion of trees", "The faces of a method"}  # criteria: tests/tree
    files = re.findall(r"^\| (?:a|an) .*\| (\d+) \| `", PAGE, re.MULTILINE)
    assert len(files) == 9
    assert max(map(int, files)) <= 3


def test_the_page_tells_every_entry_of_a_method_and_every_list_is_there():
    told = re.findall(r"^\| `(\w+)` \|", PAGE.partition("## The faces of a method")[2], re.MULTILINE)
    assert sorted(told) == sorted(f.name for f in dataclasses.fields(Method))
    required = [f.name for f in dataclasses.fields(Method) if f.default is dataclasses.MISSING]
    assert told[: len(required)] == required
    for path in re.findall(r"\| `((?:src|tests)/[^`]+)` \|", PAGE):
        assert (ROOT / path).is_file(), path
