"""The report as a file: true sentences, bytes that do not depend on order, nothing of a user unescaped."""

from __future__ import annotations

import csv
import html
import itertools
import json
import random
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest
from command import bad, good
from pages import QUICK, people
from report_pages import evil as hostile_report

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.reports.page import SECTIONS

pytestmark = pytest.mark.slow

EXAMPLES = resources.files("tallystick.examples")
VOTES, TENNIS = str(EXAMPLES / "votes.csv"), str(EXAMPLES / "play-tennis.csv")


@cache
def votes(method: str = "tree", rows: bool = True):
    return ts.report(VOTES, "party", methods=(method,), rows=rows, **QUICK)


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


KNOWN = [
    "datalist",
    "input",
    "output",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "div",
    "p",
    "h1",
    "h2",
    "h3",
    "span",
    "bdi",
    "wbr",
    "button",
    "nav",
    "ol",
    "ul",
    "li",
    "main",
    "section",
    "b",
    "dl",
    "dt",
    "dd",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "svg",
    "rect",
    "line",
    "circle",
    "polyline",
    "polygon",
    "path",
    "text",
    "g",
    "details",
    "summary",
    "figure",
    "figcaption",
    "br",
    "code",
    "pre",
    "label",
    "select",
    "option",
    "form",
    "footer",
    "script",
]


class Outline(HTMLParser):
    """Tags and attributes of a page, and whether elements are closed in order."""

    VOID = ("meta", "link", "br", "input", "img", "hr", "wbr")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.wrong, self.events = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.events += [a for a, _ in attrs if a.startswith("on") or a == "style"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append((tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.events += [a for a, _ in attrs if a.startswith("on") or a == "style"]


# -- sentences --


def test_a_single_vote_tells_the_party_and_the_counts_bear_it_out():
    answer = " ".join(votes("tree").answer)
    found = re.search(r"One column, (\S+), predicts party correctly for about (\d+) of 100 rows", answer)
    assert found
    assert found[1] == "physician-fee-freeze"
    table = rows_of(VOTES)
    sides = {"y": [r for r in table if r[found[1]] == "y"], "n": [r for r in table if r[found[1]] != "y"]}
    right = sum(
        max(sum(r["party"] == p for r in side) for p in ("democrat", "republican")) for side in sides.values()
    )
    assert round(100 * right / len(table)) == int(found[2])
    share = sum(r["party"] == "republican" for r in sides["y"]) / len(sides["y"])
    assert f"where it is y, {round(100 * share)} of 100 are republican" in answer


def test_a_sentence_has_score_interval_and_base_rate_of_the_comparison():
    found = votes("tree")
    accuracy = found.comparison.chosen.result.measure("accuracy")
    last = found.answer[-2]  # before what is found of the rarer class
    assert f"right for {round(100 * accuracy.value)} of 100" in last
    assert f"95 % interval: {100 * accuracy.low:.0f} to {100 * accuracy.high:.0f}" in last
    assert f"always answering democrat is right for {round(100 * accuracy.base)} of 100" in last


def test_naive_bayes_sentences_count_values_within_classes():
    found = ts.report(people(), "income", methods=("bayes",), **QUICK)
    assert found.comparison.chosen.family == "bayes"
    table = people()
    told = re.search(
        r"Of the (\S+) rows, (\d+) of 100 have (\S+) (.+?); of the (\S+) rows, (\d+) of 100", found.answer[1]
    )
    assert told, found.answer
    label, share, column, value = told[1], int(told[2]), told[3], told[4]
    own = [r[column] for r in table if r["income"] == label and r[column] is not None]

    def holds(x):
        if value.startswith("= "):
            return x == value[2:]
        if value.startswith("< "):
            return x < float(value[2:])
        if value.startswith(">= "):
            return x >= float(value[3:])
        low, high = value.removeprefix("of ").split(" to ")
        return float(low) <= x < float(high)

    assert round(100 * sum(map(holds, own)) / len(own)) == share


def test_logistic_sentences_tell_the_odds_of_the_model():
    found = ts.report(people(), "income", methods=("logistic",), **QUICK)
    told = re.search(
        r"odds of (\S+) against (\S+) are (\S+) times as high(?: \(95 % interval .+?\))? where (\S+) is (\S+)"
        r"(?: \(.+? rows?\))? as where it is (\S+?)(?: \(.+? rows?\))?\.$",
        found.answer[1],
    )
    assert told, found.answer
    one, other, ratio, column, high, low = told.groups()
    rows = [{"education-num": 10, "hours": 40, "marital": "single"} | {column: v} for v in (high, low)]
    rows = [{k: float(v) if k != "marital" else v for k, v in r.items()} for r in rows]
    shares = found.model.predict_proba(rows)
    at = [found.model.classes_.tolist().index(c) for c in (one, other)]
    odds = shares[:, at[0]] / shares[:, at[1]]
    assert odds[0] / odds[1] == pytest.approx(float(ratio), rel=0.06)


def test_a_target_that_nothing_tells_is_said_to_be_so():
    table = [{"a": i % 3, "b": "xyz"[i % 3], "y": "pq"[(i // 3) % 2]} for i in range(60)]
    answer = " ".join(ts.report(table, "y", **QUICK).answer)
    assert "No " in answer


@pytest.mark.parametrize("method", ["tree", "bayes", "logistic", "card"])
def test_no_sentence_claims_a_cause(method):
    words = {"cause", "causes", "because", "leads", "effect", "makes", "due"}
    for said in (*votes(method).answer, *ts.report(TENNIS, "Play", methods=(method,), **QUICK).answer):
        assert not {w.strip(".,;").lower() for w in said.split()} & (words - {"makes"})


# -- the file --


def test_same_rows_in_another_order_and_container_give_the_same_bytes(tmp_path):
    table = people(200)
    path = tmp_path / "people.csv"

    def write(rows):
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
        return ts.report(str(path), "income", **QUICK).html

    one = write(table)
    random.Random(3).shuffle(table)
    assert write(table) == one
    assert ts.report(str(path), "income", threads=1, **QUICK).html == one


def test_the_page_is_well_formed_and_allows_only_its_own_style_and_script():
    page = Outline(votes("tree").html)
    assert page.wrong == []
    assert page.open == []
    assert page.events == []  # no handler and no style attribute
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert [t for t, a in page.tags if "src" in a or (t == "link")] == []
    assert [a["href"] for t, a in page.tags if "href" in a and not a["href"].startswith("#")] == []
    assert "http" not in re.sub(
        r'xmlns="http://www.w3.org/2000/svg"|"http://www.w3.org/2000/svg"', "", votes("tree").html
    ).replace("http-equiv", "")


def test_all_sections_stand_in_order_with_headings():
    page = Outline(votes("tree").html)
    ids = [a["id"] for t, a in page.tags if t == "section"]
    assert ids == [s.id for s in SECTIONS]
    levels = [int(t[1]) for t, _ in page.tags if re.fullmatch(r"h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_500_hostile_strings_stand_in_the_page_escaped(pages):
    evil = {"tree": "evil tree", "bayes": "evil", "card": "evil card"}
    for method in ("tree", "bayes", "logistic", "card"):
        made = pages(evil[method])[1] if method in evil else hostile_report(method)
        found = made.html
        assert made.comparison.chosen.family == method
        page = Outline(found)
        assert page.wrong == []
        assert page.open == []
        assert page.events == []
        assert {t for t, _ in page.tags} <= set(KNOWN)
        assert sum(t == "script" for t, _ in page.tags) == 2
        assert "\u202e" not in found
        assert "\x1b" not in found
        assert "\u2028" not in found


def test_a_hostile_file_name_stands_in_the_page_escaped(tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>\u202e.csv"
    path.write_text("a,y\n" + "1,p\n2,q\n" * 20, encoding="utf-8")
    page = Outline(ts.report(str(path), "y", methods=("tree",), **QUICK).html)
    assert page.wrong == []
    assert page.events == []
    assert {t for t, _ in page.tags} <= set(KNOWN)


def test_no_rows_leaves_out_every_raw_row_and_one_row_leaf():
    table = people(300)
    for i, row in enumerate(table):
        row["note"] = (
            f"secret{i}" if i % 2 else None
        )  # an identifier in half of the rows: never used, never shown
        row["hours"] = row["hours"] + i / 1000  # every row can be told by its hours
    kinds = {"note": "out"}
    found = ts.report(table, "income", methods=("tree",), rows=False, kinds=kinds, **QUICK)
    assert "secret" not in found.html
    data = given_data(found.html)
    assert len(data["ask"]["starts"]) == 1  # the middle of every column, a row that nobody brought
    assert found.model.model_.rows.sum(axis=1).min() >= 2
    assert "made without raw rows" in found.html
    hours = {f"{r['hours']:.3f}" for r in table}
    shown = {t for t in re.findall(r"\d+\.\d{3}(?!\d)", html.unescape(found.html)) if t in hours}
    whole = ts.report(table, "income", methods=("tree",), rows=True, kinds=kinds, **QUICK).html
    assert len(shown) < len({t for t in re.findall(r"\d+\.\d{3}(?!\d)", html.unescape(whole)) if t in hours})


def given_data(page):
    text = re.search(r'<script type="application/json" id="given">(.*?)</script>', page, re.DOTALL)[1]
    return json.loads(text)


def test_tree_data_has_the_counts_and_candidates_of_the_tree():
    found = votes("tree")
    tree, data = found.model.model_.shown, given_data(found.html)["tree"]
    assert np.array_equal(np.array(data["counts"]), tree.rows)
    assert data["parent"] == tree.nodes.parent.tolist()
    first = found.model.splits(0).candidates
    assert [c[0] for c in data["tables"]["0"]] == [c.column for c in first[: len(data["tables"]["0"])]]
    assert sum(c[4] for c in data["tables"]["0"]) == 1


def test_a_text_column_keeps_its_heaviest_words_and_the_page_says_so():
    draw = random.Random(2)
    words = [f"word{i:05d}" for i in range(50_000)]
    table = []
    for i in range(1_000):
        label = i % 2
        text = " ".join(draw.choices(words, k=60)) + (
            " free prize" if label and draw.random() < 0.9 else " lunch home"
        )
        table.append({"text": text, "label": "spam" if label else "ham"})
    found = ts.report(table, "label", methods=("bayes",), kinds={"text": "text"}, folds=2, repeats=0)
    data = given_data(found.html)
    assert len(data["ask"]["form"]["columns"][0]["words"]) == 2_000
    assert {"free", "prize", "lunch", "home"} <= set(data["ask"]["form"]["columns"][0]["words"])
    assert "2,000 heaviest of" in found.html
    assert len(found.html.encode()) < 2_000_000


def test_a_numeric_target_that_is_said_to_be_classes_is_refused_in_one_line():
    table = [{"x": i % 9, "y": i * 1.37 + (i % 7)} for i in range(200)]
    with pytest.raises(TallyError, match="continuous") as error:
        ts.report(table, "y", regression=False)
    assert "\n" not in str(error.value)


def test_a_misspelt_group_column_names_the_nearest():
    with pytest.raises(TallyError, match="Did you mean 'crime'"):
        ts.report(VOTES, "party", by="crim", methods=("tree",), **QUICK)


def test_errors_are_counted_by_the_columns_asked_for():
    found = ts.report(VOTES, "party", by="crime", methods=("tree",), **QUICK)
    assert found.html.count('aria-label="errors by ') == found.html.count('aria-label="errors by crime"') == 1
    assert "The columns asked for." in found.html


def test_size_stays_under_two_megabytes_for_fifty_columns():
    draw = np.random.default_rng(4)
    values = draw.normal(size=(250, 50)).round(3)
    label = (values[:, 0] + values[:, 1] + draw.normal(size=250) > 0).astype(int)
    table = [
        {f"c{j}": float(v) for j, v in enumerate(row)} | {"y": "ab"[k]}
        for row, k in zip(values, label, strict=True)
    ]
    assert len(ts.report(table, "y", **QUICK).html.encode()) < 2_000_000


def test_jinja_is_loaded_when_a_report_is_made_and_not_before():
    look = "print('jinja2' in sys.modules)"
    code = f"import tallystick as ts, sys; ts.compare; {look}; ts.report; {look}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


# -- the command line --


def test_tally_report_writes_page_and_model_and_prints_the_answer(tmp_path):
    said = good("report", VOTES, "-t", "party", "-o", "r.html", "--save-model", "m.tally.json",
                "--folds", "3", "--repeats", "1", "--method", "tree", cwd=tmp_path)  # fmt: skip
    assert "One column, physician-fee-freeze" in said
    assert "saved r.html" in said
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    import hashlib

    assert hashlib.sha256((tmp_path / "m.tally.json").read_bytes()).hexdigest() in page
    assert "tally verify model.tally.json votes.csv" in page
    good("verify", "m.tally.json", VOTES, cwd=tmp_path)


def test_tally_report_never_writes_over_its_data(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,p\n2,q\n", encoding="utf-8")
    said = bad("report", "t.csv", "-t", "y", "-o", "t.csv", cwd=tmp_path)
    assert "is a file that this command reads" in said
    assert path.read_text(encoding="utf-8") == "a,y\n1,p\n2,q\n"
