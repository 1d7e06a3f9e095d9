"""Models that are served, and a server of them."""

from __future__ import annotations

import pytest
from served_rows import ROWS
from serving import serving

import tallystick as ts


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with a model of each of some kinds."""
    folder = tmp_path_factory.mktemp("models")
    ts.NaiveBayes().fit(ROWS, "y").save(folder / "bayes.tally.json")
    ts.DecisionTree().fit(ROWS, "y").save(folder / "tree.tally.json")
    ts.Scorecard(pairs=0).fit(ROWS, "y").save(folder / "card.tally.json")
    return folder


@pytest.fixture(scope="module")
def server(models, tmp_path_factory):
    """A server of one model, for tests that leave it as it is."""
    with serving(tmp_path_factory.mktemp("server"), models / "bayes.tally.json", "--seconds", "300") as found:
        yield found


@pytest.fixture(scope="module")
def hurried(models, tmp_path_factory):
    """The same, that cuts clients off after a second: a busy machine may be such a client at any time."""
    with serving(tmp_path_factory.mktemp("hurried"), models / "bayes.tally.json", "--seconds", "1") as found:
        yield found
