"""One tab: steps that follow on each other, and an end when nobody wants them."""

from __future__ import annotations

import threading

import pytest
from opened import soon

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.parallel import KEPT
from tallystick.studio.session import Session


@pytest.fixture
def session(tables):
    out = Session()
    out.open("days.csv", tables / "days.csv")
    return done(out)


def ended(session):
    while (job := session.job) is not None:  # asked once: the job takes itself away when it ends
        job.thread.join()
    return session


def done(session):
    assert ended(session).problem == ""
    return session


def compared(session, **more):
    session.change({"target": "play"})
    done(session).compare({"methods": ["tree", "bayes"], "folds": 3, **more})
    return done(session)


@pytest.mark.slow
def test_the_whole_job_and_the_model_is_that_of_the_library(session, tables):
    compared(session)
    assert set(session.state()["parts"]) >= {"columns", "methods", "model", "decide", "save"}
    session.show("naive Bayes")
    done(session)
    name, content = session.saved("model")
    assert name == "play.tally.json"
    assert content == ts.NaiveBayes().fit(str(tables / "days.csv"), "play").to_bytes()
    assert "model = ts.NaiveBayes().fit('days.csv', 'play')" in session.part("save")["script"]
    assert b"SELECT" in session.saved("sql")[1].upper()
    session.report()
    done(session)
    own = ts.report(str(tables / "days.csv"), "play", methods=["tree", "bayes"], folds=3)
    assert session.saved("report") == ("play.html", own.html.encode())


@pytest.mark.slow
def test_another_wish_drops_what_was_made_from_the_one_before(session):
    compared(session)
    session.change({"column": "sky", "kind": "out"})
    assert set(done(session).state()["parts"]) == {"columns"}
    with pytest.raises(OptionError, match="Compare the methods first"):
        session.saved("model")


def at_work() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.name.startswith(KEPT)}


@pytest.mark.slow
def test_a_cancelled_comparison_leaves_what_was_shown(session):
    compared(session)
    before = session.state()["parts"]
    threads = at_work()
    with session.lock:  # it cannot end before it is cancelled
        session.compare({"methods": ["card", "logistic"], "folds": 50, "tuned": True})
        thread = session.job.thread
        session.cancel()
    assert session.state()["job"] is None
    thread.join()
    assert session.state()["parts"] == before
    soon(lambda: at_work() <= threads, True)


def test_what_goes_wrong_is_told_and_the_rest_stays(session):
    session.change({"target": "nothing"})
    assert "nothing" in ended(session).problem
    assert session.state()["target"] == ""
    for wish in ({"cure": 99}, {"cure": "x"}, {"column": "sky", "kind": "odd"}):
        with pytest.raises(OptionError):
            session.change(wish)
    with pytest.raises(OptionError, match="no target yet"):
        session.compare({})


@pytest.mark.slow
def test_changes_are_those_of_the_model_shown(session):
    compared(session)
    told = session.changes({"row": {"sky": "sun", "wind": "3"}, "columns": ["wind"], "answer": None})
    assert told["sentences"]
    assert all(s.startswith("With wind") for s in told["sentences"])


@pytest.mark.slow
@pytest.mark.parametrize("wish", [{"threshold": 0.2, "of": "yes"}, {"costs": [[0.0, 1.0], [4.0, 0.0]]}])
def test_a_decision_is_kept_with_the_model_in_its_file_script_and_command(session, tables, wish):
    compared(session)
    session.show("naive Bayes")
    done(session).decide(wish)
    html = done(session).part("decide")["html"]
    own = ts.NaiveBayes().fit(str(tables / "days.csv"), "play").set_decision(**wish)
    assert session.saved("model")[1] == own.to_bytes()
    assert f"The model answers <bdi>{own.model_.decision}" in html
    script, lines = (session.part("save")[name] for name in ("script", "lines"))
    line = next(t for t in script.splitlines() if t.startswith("model.set_decision("))
    model = ts.NaiveBayes().fit(str(tables / "days.csv"), "play")
    exec(line, {"model": model})
    assert model.to_bytes() == own.to_bytes()
    fit = next(t for t in lines.splitlines() if t.startswith("tally fit"))
    assert ("--threshold 'yes: 0.2'" if "threshold" in wish else "--costs 'yes→no: 4.0'") in fit
    session.decide({})
    assert "The model answers the most probable class" in done(session).part("decide")["html"]
    assert "set_decision" not in session.part("save")["script"]


@pytest.mark.slow
def test_a_decision_that_makes_no_sense_is_refused(session):
    compared(session)
    with pytest.raises(OptionError, match="between 0 and 1"):
        session.decide({"threshold": 2, "of": "yes"})


@pytest.mark.slow
def test_a_pruned_tree_stands_beside_the_others_and_is_what_the_script_fits(session, tables):
    compared(session)
    session.show("decision tree")
    done(session).prunings()
    path = done(session).part("hand")["path"]
    assert path["leaves"][0] == 1
    session.prune(1)
    done(session)
    assert f"pruned to {path['leaves'][1]} lea" in session.part("methods")["html"]
    line = next(t for t in session.part("save")["script"].splitlines() if t.startswith("model = "))
    names = {"ts": ts}
    exec(line.replace("'days.csv'", repr(str(tables / "days.csv"))), names)
    assert names["model"].to_bytes() == session.saved("model")[1]


@pytest.mark.slow
def test_a_tree_by_hand_is_shown_scored_and_saved(session):
    compared(session)
    session.by_hand({"do": "begin"})
    done(session).by_hand({"do": "ask", "node": 0, "column": "wind"})
    told = done(session).part("hand")["hand"]
    assert told["leaves"] == 2
    assert told["held_out_rows"] == 50
    assert session.part("model")["name"] == "tree by hand"
    assert "tree.split(0, 'wind')" in session.part("save")["script"]
    assert session.tests(0)["leaf"] is False
    assert session.saved("model")[1] == session.hand.tree.model().to_bytes()
    session.show("naive Bayes")
    assert "hand" not in done(session).parts


@pytest.mark.slow
def test_a_row_of_the_file_comes_as_the_page_reads_numbers_and_goes_back_as_numbers(tmp_path):
    lines = ["sum;late", *(f"{k}.{k % 10}00,50;{'no' if k < 30 else 'yes'}" for k in range(1, 61))]
    (tmp_path / "sums.csv").write_text("\n".join(lines))
    session = Session()
    session.open("sums.csv", tmp_path / "sums.csv")
    done(session).change({"target": "late"})
    done(session).compare({"methods": ["tree"], "folds": 3})
    done(session)
    assert session.row(12) == {"sum": "12200.5", "late": "no"}
    found = session.changes({"row": {"sum": "45.501"}, "columns": ["sum"], "answer": "yes"})
    assert found["told"].startswith("The answer is no")  # as text of this column it would be 45501
