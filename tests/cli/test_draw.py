"""tally draw: every picture from the command line, and one line for what does not go together."""

from __future__ import annotations

import json

import pytest
from svg import title, words

from tallystick.cli.main import run


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("entropy", "entropy, in bits"),
        ("sigmoid", "w = 1"),
        ("regions play-tennis.csv -t Play --column Outlook --column Wind --method id3", "ID3 tree"),
        ("shares play-tennis.csv -t Play --column Wind", "4/7 = 0.5714"),
        ("prior play-tennis.csv -t Play", "Losses"),
        ("overfitting votes.csv -t party", "training error"),
    ],
)
def test_a_picture_is_saved_under_its_own_name(here, line, told, capsys):
    assert run(["draw", *line.split()], debug=False) == 0
    name = f"{line.split()[0]}.svg"
    assert f"saved {name}" in capsys.readouterr().out
    assert told in words((here / name).read_text(encoding="utf-8"))


def test_json_names_the_picture(here, capsys):
    assert run(["draw", "entropy", "--picture", "e.svg", "--json"], debug=False) == 0
    assert json.loads(capsys.readouterr().out)["picture"] == "e.svg"
    assert (
        title((here / "e.svg").read_text(encoding="utf-8")) == "impurity against share p of the first class"
    )


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("prior", "prior is drawn from a file. Write: tally draw prior FILE --target NAME."),
        ("entropy votes.csv", "the curve of entropy is the same for every file"),
        ("shares votes.csv", "Add --target NAME."),
        (
            "prior votes.csv -t party --column crime",
            "--column is for sigmoid, regions, likelihood, shares, not for prior",
        ),
        ("shares votes.csv -t party --method tree", "--method is for regions, not for shares"),
        ("likelihood votes.csv -t party", "needs 1 column (numeric), and the table has 0"),
        ("sigmoid votes.csv -t party --column a --column b", "takes one --column"),
        ("entropy --picture votes.csv", "pictures are SVG"),
    ],
)
def test_what_does_not_go_together_is_one_line(here, line, error, capsys):
    assert run(["draw", *line.split()], debug=False) == 2
    assert error in capsys.readouterr().err
