"""Models by name and version, taken over anew when their files change."""

from __future__ import annotations

import hashlib
import os
import shutil

import pytest
from served_rows import ROWS

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.serve.guards import Log, Metrics
from tallystick.serve.models import Shelf, named
from tallystick.serve.requests import Refused


class Told(Log):
    """A log that keeps what is said."""

    def __init__(self):
        super().__init__()
        self.said = []

    def say(self, event, **more):
        self.said.append((event, more))


@pytest.mark.parametrize(
    ("given", "name", "path"),
    [
        ("votes.tally.json", "votes", "votes.tally.json"),
        ("a/b/votes.json", "votes", "a/b/votes.json"),
        ("x=a/votes.tally.json", "x", "a/votes.tally.json"),
        ("a/odd name=1.json", "odd-name-1", "a/odd name=1.json"),
        ("../=.json", "model", "../=.json"),
    ],
)
def test_a_model_is_called_as_it_is_told_or_as_its_file(given, name, path):
    assert named(given) == (name, path)


def test_models_are_found_by_name_and_version(models):
    bayes, tree = str(models / "bayes.tally.json"), str(models / "tree.tally.json")
    shelf = Shelf([("m", bayes), ("m", tree), ("other", tree)])
    version = hashlib.sha256((models / "tree.tally.json").read_bytes()).hexdigest()
    assert shelf.find("m").estimator.model_.kind == "naive-bayes"
    assert shelf.find("m", version).version == version
    assert shelf.find("m", version[:8].upper()).version == version
    for name, of in (("m", version[:7]), ("m", "0" * 64), ("n", None), (None, None)):
        with pytest.raises(Refused) as refused:
            shelf.find(name, of)
        assert refused.value.status == 404
    assert Shelf([("m", bayes)]).find().name == "m"


def test_a_replaced_file_is_taken_over_and_a_broken_one_is_not(models, tmp_path):
    path = tmp_path / "m.tally.json"
    shutil.copy(models / "bayes.tally.json", path)
    shelf, log, metrics = Shelf([("m", str(path))]), Told(), Metrics()
    first = shelf.find().version
    shelf.look(log, metrics)
    assert log.said == []
    ts.DecisionTree().fit(ROWS, "y").save(path)
    shelf.look(log, metrics)
    second = shelf.find().version
    assert second != first
    assert log.said.pop()[0] == "model taken over"
    path.write_bytes(path.read_bytes()[:-20])
    shelf.look(log, metrics)
    shelf.look(log, metrics)  # said once
    ((event, told),) = log.said
    assert event == "model refused"
    assert "cut short" in told["reason"]
    assert str(tmp_path) not in told["reason"]
    assert shelf.find().version == second
    os.unlink(path)
    shelf.look(log, metrics)
    assert shelf.find().version == second
    shutil.copy(models / "bayes.tally.json", path)
    shelf.look(log, metrics)
    assert shelf.find().version == first


def test_a_pipe_in_the_place_of_a_model_is_refused_and_not_waited_for(models, tmp_path):
    path = tmp_path / "m.tally.json"
    shutil.copy(models / "bayes.tally.json", path)
    shelf, log, metrics = Shelf([("m", str(path))]), Told(), Metrics()
    first = shelf.find().version
    path.unlink()
    for new in (os.mkfifo, os.mkdir):
        new(path)
        shelf.look(log, metrics)
        shelf.look(log, metrics)  # said once
        ((event, told),) = log.said
        assert (event, told["serving"]) == ("model refused", first)
        assert told["reason"].startswith("'m.tally.json' is not a file.")
        with pytest.raises(TallyError, match="is not a file"):
            Shelf([("m", str(path))])
        log.said.clear()
        path.rmdir() if path.is_dir() else path.unlink()
    shutil.copy(models / "tree.tally.json", path)
    shelf.look(log, metrics)
    assert shelf.find().version != first


def test_what_predicts_no_classes_is_refused(tmp_path):
    ts.RegressionTree().fit([{"a": i, "b": i % 3, "y": i * 1.5} for i in range(50)], "y").save(
        tmp_path / "r.json"
    )
    with pytest.raises(TallyError, match=r"'r\.json' is a .*does not predict classes"):
        Shelf([("r", str(tmp_path / "r.json"))])
    with pytest.raises(TallyError, match="cannot read the model file"):
        Shelf([("r", str(tmp_path / "none.json"))])
