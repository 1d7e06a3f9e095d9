"""What users write to serve a scikit-learn pipeline: FastAPI, a pydantic model of a row, a data frame.

`python serve_peer.py fit MODEL` fits and saves the pipeline, `python serve_peer.py serve MODEL PORT` serves
it. It is run by a Python of its own, so it imports nothing of ours.
"""

import os
import sys
from pathlib import Path

import joblib
import pandas as pd

NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def fit(path: str) -> None:
    """Fit Adult as the documentation of scikit-learn shows it."""
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    folder = Path(os.environ["TALLYSTICK_DATA"]) / "adult"
    frame = pd.read_csv(folder / "adult-train.csv.gz", na_values=["?"])
    X, y = frame.drop(columns="income"), frame["income"]
    levels = [name for name in X if name not in NUMBERS]
    parts = [
        ("numbers", StandardScaler(), NUMBERS),
        ("levels", OneHotEncoder(handle_unknown="ignore"), levels),
    ]
    joblib.dump(make_pipeline(ColumnTransformer(parts), LogisticRegression(max_iter=1000)).fit(X, y), path)


def serve(path: str, port: int) -> None:
    """Serve it, one process, uvicorn with its fast parts, no access log."""
    import uvicorn
    from fastapi import FastAPI
    from pydantic import BaseModel, Field, create_model

    model = joblib.load(path)
    names = list(model.feature_names_in_)
    cells = {
        name.replace("-", "_"): (float if name in NUMBERS else str | None, Field(alias=name))
        for name in names
    }
    Row: type[BaseModel] = create_model("Row", **cells)
    app = FastAPI()
    labels = model.classes_.tolist()

    def answered(rows: list[BaseModel]) -> list[dict[str, object]]:
        frame = pd.DataFrame([row.model_dump(by_alias=True) for row in rows], columns=names)
        shares = model.predict_proba(frame)
        best = shares.argmax(1)
        return [
            {"label": labels[b], "probabilities": dict(zip(labels, own, strict=True))}
            for b, own in zip(best.tolist(), shares.tolist(), strict=True)
        ]

    @app.post("/one")
    def one(row: Row) -> dict:  # type: ignore[valid-type]
        return answered([row])[0]

    @app.post("/many")
    def many(rows: list[Row]) -> list[dict]:  # type: ignore[valid-type]
        return answered(rows)

    uvicorn.run(app, port=port, log_level="warning", access_log=False, http="httptools", loop="uvloop")


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        fit(sys.argv[2])
    else:
        serve(sys.argv[2], int(sys.argv[3]))
