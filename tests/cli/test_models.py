"""tally verify and tally diff: the same bytes or not, and what changed."""

from __future__ import annotations

import json
import random

import pytest
from command import good, tally

from tallystick.cli.model import FEW

pytestmark = pytest.mark.slow  # a process per call


def test_verify_says_yes_to_the_same_rows_in_another_order(fitted):
    head, *rows = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "turned.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    for name in ("votes.csv", "turned.csv"):
        assert "the same" in good("verify", "votes.tally.json", name, cwd=fitted)
    assert "the same" in good("verify", "votes.tally.json", "votes.csv", "--memory", "32MB", cwd=fitted)
    assert json.loads(good("verify", "votes.tally.json", "votes.csv", "--json", cwd=fitted))["same"] is True


def test_verify_shows_the_first_difference_and_fails(fitted):
    text = (fitted / "votes.csv").read_text()
    (fitted / "other.csv").write_text(text.replace("n,y,n,y,y,y", "y,y,n,y,y,y", 1))
    done = tally("verify", "votes.tally.json", "other.csv", cwd=fitted)
    assert done.returncode == 1
    assert "first difference: line " in done.stdout.decode()
    assert "handicapped-infants" in done.stdout.decode()
    assert tally("verify", "votes.tally.json", "other.csv", "--json", cwd=fitted).returncode == 1


def test_verify_refits_with_the_parameters_of_the_model(folder):
    good(
        "fit",
        "votes.csv",
        "-t",
        "party",
        "--model",
        "bayes",
        "-o",
        "m.tally.json",
        "--set",
        "alpha=0.5",
        "--kind",
        "crime=out",
        cwd=folder,
    )
    good("verify", "m.tally.json", "votes.csv", cwd=folder)


def test_diff_says_what_changed(fitted):
    head, *rows = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "fewer.csv").write_text("\n".join([head, *rows[1:]]) + "\n")
    good("fit", "--model", "bayes", "fewer.csv", "-t", "party", "-o", "fewer.tally.json", cwd=fitted)
    done = tally("diff", "votes.tally.json", "fewer.tally.json", cwd=fitted)
    assert done.returncode == 1
    text = " ".join(done.stdout.decode().split())
    assert "435" in text
    assert "434" in text
    assert "republican" in text
    assert tally("diff", "votes.tally.json", "fewer.tally.json", "--json", cwd=fitted).returncode == 1


def test_diff_of_a_model_with_itself_is_nothing(fitted):
    assert "nothing changed" in good("diff", "votes.tally.json", "votes.tally.json", cwd=fitted)
    data = json.loads(good("diff", "votes.tally.json", "votes.tally.json", "--json", cwd=fitted))
    assert data == {"same": True, "largest": [], "changes": []}


def test_diff_lists_few_of_all_changes_where_the_largest_stand_before_them(folder):
    for name, seed in (("a", 1), ("b", 2)):
        draw = random.Random(seed)
        lines = ["p,q,r,y", *(",".join(map(draw.choice, ("abcd", "efg", "hij", "yn"))) for _ in range(60))]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        good("fit", f"{name}.csv", "--target", "y", "--model", "bayes", "-o", f"{name}.json", cwd=folder)
    short, whole = (
        tally("diff", "a.json", "b.json", *more, cwd=folder).stdout.decode().split("all changes")[1]
        for more in ((), ("--all",))
    )
    assert short.count("  - ") == FEW < whole.count("  - ")
    assert "more changes (--all)" in short
