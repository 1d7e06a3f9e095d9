"""JavaScript exports in node: what cannot be read, explanations, hostile names, words."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata

import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.export.targets import runtime

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
]


def evaluate(script: str, expression: str, folder) -> object:
    """Return the value of an expression about an exported script, in node."""
    (folder / "model.js").write_text(script, encoding="utf-8")
    code = f"const model = require('./model.js'); console.log(JSON.stringify({expression}));"
    done = subprocess.run(
        ["node", "-e", code], cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (e.EVIL, "abc"),
        (e.EVIL, True),
        (e.EVIL, "inf"),
        (e.EVIL, "1e999"),
        ("when", "2021-02-29"),
        ("when", "5"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_column(column, value, tmp_path):
    model = e.fitted("bayes")
    row = dict.fromkeys(e.new_rows("bayes")) | {column: value}
    with pytest.raises(DataError):
        model.predict([row])
    tried = f"(() => {{ try {{ model.predict({json.dumps(row)}) }} catch (e) {{ return e.message }} }})()"
    form = "date such as 2020-12-31" if column == "when" else "number such as 1771.55"
    assert evaluate(model.export("js"), tried, tmp_path).startswith(f"column '{column}' needs a {form}, but ")


def test_a_lacking_column_is_named(tmp_path):
    tried = "(() => { try { model.predict({}) } catch (e) { return e.message } })()"
    assert "lacks the column" in evaluate(e.fitted("bayes").export("js"), tried, tmp_path)


@pytest.mark.parametrize("name", ["bayes", "logistic three", "bayes words", "logistic words"])
def test_the_parts_of_an_explanation_add_up_to_the_answer(name, tmp_path):
    model = e.fitted(name)
    row = e.records(e.new_rows(name))[0]
    told = evaluate(model.export("js"), f"model.explain({json.dumps(row)})", tmp_path)
    assert [p["column"] for p in told["parts"]] == [t.column for t in model.model_.additive.terms]
    assert told["parts"][0]["value"] == row[told["parts"][0]["column"]]
    scores = np.array(told["base"]) + sum(np.array(p["parts"]) for p in told["parts"])
    shares = np.exp(scores - scores.max())
    assert np.allclose(shares / shares.sum(), list(told["probabilities"].values()), atol=1e-12)
    usual = model.model_.additive.averages or [0.0] * len(told["parts"])  # a text is less the average text
    for part, average in zip(told["parts"], usual, strict=True):
        if "words" in part:
            own = np.array(part["parts"]) + average
            assert np.allclose(sum(np.array(w["parts"]) for w in part["words"]), own, atol=1e-12)


def test_the_path_of_a_tree_is_the_way_the_row_goes(tmp_path):
    model, rows = e.fitted("tree"), e.records(e.new_rows("tree"))[:12]
    told = evaluate(model.export("js"), f"{json.dumps(rows)}.map(model.explain)", tmp_path)
    ends = model.apply(rows).tolist()
    assert [t["path"][-1]["next"] for t in told] == ends
    for row, t in zip(rows, told, strict=True):
        steps = [step.node for step in model.explain(row).steps][: len(t["path"])]
        assert [p["node"] for p in t["path"]] == steps
    assert any(p["missing"] for t in told for p in t["path"])


def test_no_name_can_end_the_script_and_nothing_is_evaluated(tmp_path):
    name, level = "</script><script>alert(1)", "<!--\u2028'\"\\`${1}"
    rows = {name: [level, "b", level, "b"] * 5, "y": ["__proto__", "no", "__proto__", "no"] * 5}
    script = ts.DecisionTree().fit(rows, "y").export("js")
    assert "</script" not in script
    assert "<!--" not in script
    assert "\u2028" not in script
    answer = evaluate(script, f"model.predict({json.dumps({name: level})})", tmp_path)
    assert answer["label"] == "__proto__"
    assert (
        re.search(
            r"\beval\b(?!uates)|new Function|import\(|document\.write", runtime().replace("no eval", "")
        )
        is None
    )


def test_words_are_found_as_the_model_finds_them_for_every_character(tmp_path):
    """The script's pattern on x, character, y against Python's (?u)\\b\\w\\w+\\b, if both know it."""
    pattern = re.search(r"toLowerCase\(\)\.match\((/.*?/gu)\)", runtime())[1]
    code = (
        f"const out = []; for (let c = 0; c < 0x110000; c++) if (c < 0xd800 || c > 0xdfff) "
        f"out.push((('x' + String.fromCodePoint(c) + 'y').toLowerCase().match({pattern}) || []).join(' '));"
        "process.stdout.write(JSON.stringify(out));"
    )
    found = json.loads(subprocess.run(["node", "-e", code], capture_output=True, check=True).stdout)
    points = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    word = re.compile(r"(?u)\b\w+\b")
    wrong = [
        hex(c)
        for c, js in zip(points, found, strict=True)
        if unicodedata.category(chr(c)) != "Cn" and " ".join(word.findall(f"x{chr(c)}y".lower())) != js
    ]
    assert wrong == []
