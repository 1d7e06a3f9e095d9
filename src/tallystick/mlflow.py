"""An MLflow flavour: models are logged, saved and loaded as MLflow's own, and the artifact is the model file.

Law: what is loaded is what was saved, to the byte.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mlflow.pyfunc
from mlflow.models import Model, ModelSignature
from mlflow.models.utils import _save_example
from mlflow.tracking.artifact_utils import _download_artifact_from_uri
from mlflow.types import ColSpec, ParamSchema, ParamSpec, Schema
from mlflow.types.schema import AnyType
from mlflow.utils.model_utils import _get_flavor_configuration

import tallystick
from tallystick.errors import OptionError, shown
from tallystick.estimator.base import Estimator, load

if TYPE_CHECKING:
    from mlflow.models.model import ModelInfo


FLAVOR_NAME = "tallystick"
FILE = "model.tally.json"
LABEL_TYPES = {"text": "string", "integer": "long", "number": "double", "boolean": "boolean"}


def signature_of(model: Estimator) -> ModelSignature:
    """Return MLflow's signature of a model, from its schema.

    Cells may come in any type: MLflow would refuse whole numbers where a signature says double, and numbers
    where it says string, and the model reads both.

    Parameters
    ----------
    model : estimator
        A fitted model.

    Returns
    -------
    ModelSignature
        The columns that the model needs, its answer, and the parameter `proba`.
    """
    model._check_fitted()
    if not model._predicts:
        raise OptionError(f"a {model.model_.kind} predicts nothing, so it has no signature.")
    inputs = [ColSpec("string" if c.kind == "text" else AnyType(), c.name) for c in model.schema_.used]
    target = model.schema_.predicted
    outputs = [ColSpec(LABEL_TYPES[target.type], target.name)]
    params = ParamSchema([ParamSpec("proba", "boolean", False)])
    return ModelSignature(Schema(inputs), Schema(outputs), params)


def save_model(
    model: Estimator,
    path: str | os.PathLike[str],
    *,
    mlflow_model: Model | None = None,
    signature: ModelSignature | None = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Save a model as a folder that MLflow knows.

    Parameters
    ----------
    model : estimator
        A fitted model.
    path : str or path
        The folder; it must not be there yet.
    mlflow_model : mlflow.models.Model, default None
        What MLflow knows of the model so far.
    signature : ModelSignature, default None
        None is `signature_of(model)`.
    input_example : frame or dict, default None
        Some rows to show.
    pip_requirements : list of str, default None
        None is this release of Tallystick.
    metadata : dict, default None
        What else MLflow is to keep.
    """
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise OptionError(f"{shown(str(path))} is there already. Save to another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    found = Model() if mlflow_model is None else mlflow_model
    found.signature = signature_of(model) if signature is None else signature
    if metadata is not None:
        found.metadata = metadata
    if input_example is not None:
        _save_example(found, input_example, str(folder))
    model.save(folder / FILE)
    needed = pip_requirements or [f"tallystick=={tallystick.__version__}"]
    (folder / "requirements.txt").write_text("\n".join(needed) + "\n", encoding="utf-8")
    kinds = {column.name: column.kind for column in model.schema_.used}
    found.add_flavor(
        FLAVOR_NAME,
        tallystick_version=tallystick.__version__,
        data=FILE,
        kind=model.model_.kind,
        columns=kinds,
    )
    mlflow.pyfunc.add_to_model(
        found, loader_module="tallystick.mlflow", data=FILE, python_env=_python_env(folder)
    )
    found.save(str(folder / "MLmodel"))


def _python_env(folder: Path) -> str:
    """Write what a new environment for the model needs, and return the name of the file."""
    import platform

    needs = "build_dependencies:\n- pip\ndependencies:\n- -r requirements.txt\n"
    text = f"python: {platform.python_version()}\n{needs}"
    (folder / "python_env.yaml").write_text(text, encoding="utf-8")
    return "python_env.yaml"


def log_model(model: Estimator, name: str = "model", **given: Any) -> ModelInfo:
    """Log a model to the current run.

    Parameters
    ----------
    model : estimator
        A fitted model.
    name : str, default "model"
        What it is called there.
    **given
        What `save_model` and MLflow's `Model.log` take: signature, input_example, registered_model_name, ...

    Returns
    -------
    ModelInfo
        What MLflow says of it: `model_uri` and others.
    """
    import sys

    return Model.log(artifact_path=None, name=name, flavor=sys.modules[__name__], model=model, **given)


def load_model(model_uri: str, dst_path: str | None = None) -> Estimator:
    """Return the estimator of a model that MLflow keeps.

    Parameters
    ----------
    model_uri : str
        A folder, or an address such as "models:/votes/3" or "runs:/.../model".
    dst_path : str, default None
        Where to download it to.

    Returns
    -------
    estimator
        The model, with the parameters of its fit.
    """
    folder = _download_artifact_from_uri(artifact_uri=model_uri, output_path=dst_path)
    found = _get_flavor_configuration(model_path=folder, flavor_name=FLAVOR_NAME)
    return load(os.path.join(folder, os.path.basename(found["data"])))


class PyfuncModel:
    """A model as `mlflow.pyfunc` and MLflow's scoring server ask it."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Return the label of each row; with params={"proba": True} a frame of P(label)."""
        if not (params or {}).get("proba"):
            return self.estimator.predict(model_input)
        if self.estimator._regression:
            raise OptionError("this model predicts numbers, and has no probabilities.")
        import pandas as pd

        names = [f"P({label})" for label in self.estimator.schema_.predicted.labels]
        return pd.DataFrame(self.estimator.predict_proba(model_input), columns=names)

    def get_raw_model(self) -> Any:
        """Return the estimator."""
        return self.estimator


def _load_pyfunc(path: str) -> PyfuncModel:
    """Return what `mlflow.pyfunc.load_model` wraps; path: the model file."""
    return PyfuncModel(load(path))
