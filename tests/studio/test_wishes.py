"""Requests of any shape to every address of the studio: refused in one line, never a failure of ours."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studio_server import studio

from tallystick.studio.app import WISHES

pytestmark = pytest.mark.slow

OWN = {  # what each address looks at
    "file": ["name"],
    "change": ["kind", "column", "missing", "cure", "target"],
    "compare": ["methods", "folds", "tuned"],
    "show": ["name"],
    "prunings": ["session"],
    "prune": ["step"],
    "hand": ["do", "node", "column"],
    "report": ["session"],
    "cancel": ["session"],
    "changes": ["row", "columns", "answer"],
    "decide": ["threshold", "of", "costs"],
}
TOLD = ["files", "state", "part", "row", "tests", "save"]
WORDS = [
    "days.csv",
    "play",
    "sky",
    "wind",
    "numeric",
    "levels",
    "tree",
    "bayes",
    "ask",
    "back",
    "begin",
    "undo",
]
WORDS += [
    "finish",
    "columns",
    "model",
    "hand",
    "report",
    "sql",
    "python",
    "c",
    "excel",
    "",
    "\0",
    "\ud800",
    "é" * 300,
]
ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.integers(-3, 12)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def grown(tables):
    """A studio that has compared, shows a tree, and has begun one by hand."""
    with studio(tables) as found:
        found.enter()
        found.post("file", name="days.csv")
        found.done()
        found.post("change", target="play")
        found.done()
        found.post("compare", methods=["tree", "bayes"], folds=3, tuned=False)
        assert found.done()["problem"] == ""
        found.post("prunings")
        assert found.done()["problem"] == ""
        found.post("hand", do="begin")
        assert found.done()["problem"] == ""
        yield found


def asked(found, what, wish):
    body = wish if isinstance(wish, bytes) else json.dumps(wish).encode()
    status, headers, told = found.ask("POST", f"/api/{what}", body)
    assert status == 200 or 400 <= status < 500, (what, wish, told)
    if status != 200:
        assert headers["content-type"] == "application/problem+json"
        assert told.count(b"\n") == 1


ASKED = st.sampled_from(sorted(OWN)).flatmap(
    lambda what: st.tuples(st.just(what), st.fixed_dictionaries({}, optional=dict.fromkeys(OWN[what], ANY)))
)


@given(ASKED)
@settings(max_examples=400, deadline=None)
def test_a_request_of_any_types_is_answered_or_refused(grown, wished):
    what, wish = wished
    asked(grown, what, {"session": grown.session, **wish})


def test_every_name_of_a_request_is_known():
    assert {name for names in OWN.values() for name in names} == set(WISHES)


@given(st.sampled_from(sorted(OWN)), ANY | st.binary(max_size=50))
@settings(max_examples=100, deadline=None)
def test_a_body_of_any_kind_is_answered_or_refused(grown, what, body):
    asked(grown, what, body)


@given(
    st.sampled_from(TOLD),
    st.dictionaries(
        st.sampled_from(["name", "number", "node", "what"]),
        st.sampled_from(WORDS[:-2]) | st.integers(-2, 10**20),
        max_size=3,
    ),
)
@settings(max_examples=200, deadline=None)
def test_a_question_of_any_kind_is_answered_or_refused(grown, what, query):
    query = {"session": grown.session, "version": "-1", **query}
    status, _, told = grown.ask("GET", f"/api/{what}?{urlencode(query)}")
    assert status == 200 or 400 <= status < 500, told


def test_nothing_of_all_that_failed_in_the_studio(grown):
    for what, wish in [
        ("compare", {"methods": 1}),
        ("compare", {"methods": "tree"}),
        ("compare", {"folds": "ten"}),
        ("compare", {"folds": None}),
        ("prune", {"step": "1"}),
        ("hand", {"do": "ask", "node": [1]}),
        ("hand", {"do": ["ask"]}),
        ("changes", {"row": {"sky": [1]}, "columns": ["sky"]}),
        ("changes", {"row": {"sky": "sun"}, "columns": [["sky"]]}),
        ("decide", {"threshold": "x", "of": "yes"}),
        ("decide", {"threshold": 0.5, "of": {}}),
        ("decide", {"costs": 1}),
        ("decide", {"costs": [["a"]]}),
        ("change", {"target": ["play"]}),
        ("change", {"kind": "numeric"}),
        ("change", {"missing": 1}),
        ("show", {"name": None}),
        ("file", {"name": {}}),
    ]:
        status, _, told = grown.ask(
            "POST", f"/api/{what}", json.dumps({"session": grown.session, **wish}).encode()
        )
        assert status in (400, 422), (what, wish, told)
    grown.done()
    assert "Traceback" not in grown.said.read_text()
