"""The MLflow flavour, with MLflow itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")]

ROWS = pd.DataFrame(
    {
        "x": [i % 7 for i in range(60)],
        "w": [[*"abc", None][i % 4] for i in range(60)],
        "on": [i % 2 == 0 for i in range(60)],
        "y": [(i % 7 > 2) ^ (i % 11 == 0) for i in range(60)],
    }
)
NEW = ROWS.drop(columns="y").iloc[:9]


@pytest.fixture(scope="module")
def flavour():
    mlflow = pytest.importorskip("mlflow")
    from tallystick import mlflow as flavour

    assert mlflow.pyfunc
    return flavour


@pytest.fixture(scope="module")
def model():
    return ts.NaiveBayes().fit(ROWS, "y")


def test_what_is_loaded_is_what_was_saved(flavour, model, tmp_path):
    import mlflow

    flavour.save_model(model, tmp_path / "m", input_example=NEW.iloc[:2], metadata={"owner": "us"})
    assert flavour.load_model(str(tmp_path / "m")).to_bytes() == model.to_bytes()
    general = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert general.predict(NEW).tolist() == model.predict(NEW).tolist()
    shares = general.predict(NEW, params={"proba": True})
    assert list(shares.columns) == ["P(false)", "P(true)"]
    assert np.ascontiguousarray(shares.to_numpy()).tobytes() == model.predict_proba(NEW).tobytes()
    assert general.metadata.metadata == {"owner": "us"}
    with pytest.raises(OptionError, match="there already"):
        flavour.save_model(model, tmp_path / "m")


def test_the_signature_is_that_of_the_schema_and_takes_any_type_of_cells(flavour, model, tmp_path):
    import mlflow

    told = flavour.signature_of(model)
    assert told.inputs.input_names() == ["x", "w", "on"]
    assert told.outputs.to_dict() == [{"type": "boolean", "name": "y", "required": True}]
    flavour.save_model(model, tmp_path / "m")
    general = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert general.metadata.signature == told
    for frame in (NEW, NEW.astype({"x": float}), NEW.astype({"x": str}), NEW[["on", "x", "w"]]):
        assert general.predict(frame).tolist() == model.predict(NEW).tolist()
    with pytest.raises(mlflow.exceptions.MlflowException, match="missing"):
        general.predict(NEW[["x"]])


def test_a_model_is_logged_to_a_run_and_found_there(flavour, model, tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database would need more than the light package
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    with mlflow.start_run():
        told = flavour.log_model(model, "votes", input_example=NEW.iloc[:2])
    assert flavour.load_model(told.model_uri).to_bytes() == model.to_bytes()
    assert told.flavors["tallystick"]["kind"] == "naive-bayes"


def test_a_model_of_numbers_and_one_that_predicts_nothing(flavour, tmp_path):
    import mlflow

    tree = ts.RegressionTree().fit(ROWS.drop(columns="y"), "x")
    flavour.save_model(tree, tmp_path / "m")
    general = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert general.predict(NEW).tolist() == tree.predict(NEW).tolist()
    with pytest.raises(OptionError, match="no probabilities"):
        general.predict(NEW, params={"proba": True})
    with pytest.raises(OptionError, match="predicts nothing"):
        flavour.signature_of(ts.DensityTree().fit(ROWS))


def test_mlflow_is_loaded_only_where_it_is_asked_for():
    code = "import tallystick, tallystick.cli, sys; print('mlflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
