"""Write tests/files/vN/: model files of the format's version N, rows to ask them, and what they must answer.

    python tools/make_model_files.py

Each NAME.tally.json has a NAME.answers.json with rows and answers, shares in hex so that no bit is lost.
Files that are there stay as they are unless --again is given: a file of a released version is never remade
and never deleted, because every later version must read it and give the same bits.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from model_files import models, questions, rows  # noqa: E402

import tallystick as ts  # noqa: E402
from tallystick.model.file import VERSION  # noqa: E402

FOLDER = ROOT / "tests" / "files" / f"v{VERSION}"


def more() -> dict[str, Any]:
    """Return models of further targets and columns: whole, real and boolean labels, dates, orders."""
    table = [
        {
            "size": ["S", "M", "L"][i % 3],
            "day": f"2026-0{i % 9 + 1}-1{i % 7}",
            "x": None if i % 13 == 12 else (i * 7 % 11) / 4,
            "y": i % 3,
        }
        for i in range(30)
    ]
    wishes: dict[str, Any] = {"columns": ts.Columns({"size": "ordered"}, {"size": ["S", "M", "L"]})}
    weights = [1 + i % 3 / 2 for i in range(30)]
    halves = [r | {"y": r["y"] / 2} for r in table]
    flags = [r | {"y": r["y"] == 1} for r in table]
    return {
        "bayes-whole-labels": ts.NaiveBayes(**wishes, alpha=0.5).fit(table, "y"),
        "bayes-weights": ts.NaiveBayes(**wishes).fit(table, "y", sample_weight=weights),
        "tree-real-labels": ts.DecisionTree(**wishes).fit(halves, "y"),
        "tree-weights": ts.DecisionTree(class_weight={"0": 2.0}, **wishes).fit(
            table, "y", sample_weight=weights
        ),
        "logistic-flags": ts.LogisticRegression(**wishes).fit(flags, "y"),
        "cart": ts.DecisionTree.cart(**wishes).fit(table, "y"),
        "bayes-marks": ts.NaiveBayes(columns=ts.Columns(missing=["fog"])).fit(
            [{k: r[k] for k in ("sky", "n", "y")} for r in rows()], "y"
        ),
    }


def answers(model: Any) -> dict[str, Any]:
    """Return rows and what the model answers."""
    asked = questions(model.schema_)
    if hasattr(model, "score_samples"):
        return {"rows": asked, "log_likelihoods": [v.hex() for v in model.score_samples(asked).tolist()]}
    out: dict[str, Any] = {"rows": asked, "predictions": [_plain(v) for v in model.predict(asked).tolist()]}
    if hasattr(model, "predict_proba"):
        out["shares"] = [[v.hex() for v in row] for row in model.predict_proba(asked).tolist()]
    return out


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def main() -> None:
    """Write what is not there yet, in the version of today."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, model in (models() | more()).items():
        path = FOLDER / f"{name}.tally.json"
        if path.exists() and "--again" not in sys.argv:
            continue
        model.save(path)
        text = json.dumps(answers(ts.load(path)), ensure_ascii=False, separators=(",", ":"))
        (FOLDER / f"{name}.answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
