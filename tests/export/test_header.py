"""The C header, compiled without a warning by gcc and clang: it answers what the model answers."""

from __future__ import annotations

import shutil
import subprocess

import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.export.c import header
from tallystick.export.form import form_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
]
LOGISTIC = 4e-15  # the model adds its parts in another order: a few units in the last place
LINEAR = 1e-13  # the same, of parts that are tens


@pytest.mark.parametrize("name", [*e.MODELS, *e.TEXT_MODELS])
def test_the_code_answers_what_the_model_answers(name, tmp_path):
    found = e.run_c(e.fitted(name), e.records(e.new_rows(name)), tmp_path)
    within = {"logistic": LOGISTIC, "linear": LINEAR}
    e.same(found, name, within.get(name.split()[0], 0))


@pytest.mark.parametrize("name", ["tree", "tree observed", "bayes"])
def test_a_number_at_a_cut_goes_where_the_model_sends_it(name, tmp_path):
    model, table = e.fitted(name), e.at_cuts(name)
    found = e.run_c(model, e.records(table), tmp_path)
    assert (found[1] == model.predict_proba(table)).all()


@pytest.mark.parametrize("name", ["tree", "tree id3", "bayes", "bayes gaussian", "logistic"])
def test_a_cell_is_read_however_it_is_written(name, tmp_path):
    model = e.fitted(name)
    rows = [row | {"income (€)": None, "size": "high"} for row in e.CELLS]
    found = e.run_c(model, rows, tmp_path)
    assert found[0] == [model.predict([row]).tolist()[0] for row in rows]
    assert np.abs(found[1] - np.concatenate([model.predict_proba([row]) for row in rows])).max() < 1e-12


INSTALLED = {"clang": shutil.which("clang"), "gcc": shutil.which("gcc"), "g++": shutil.which("g++")}
COMPILERS = {
    "clang": ["clang", *e.STRICT, "-Wshadow"],
    "gcc": ["gcc", *e.STRICT, "-O2", "-Wshadow"],
    "sanitizers": ["gcc", "-std=c11", "-fsanitize=undefined,address", "-fno-sanitize-recover"],
    "c++": ["g++", "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic"],
}
EACH = ["tree c4.5", "regression tree", "bayes poisson", "card words", "rule set"]
PAIRS = [("clang", name) for name in EACH] + [
    ("gcc", "card crossed"),
    ("c++", "card words"),
    ("c++", "tree c4.5"),
]
PAIRS += [("sanitizers", name) for name in ("tree c4.5", "card words", "rule set")]


@pytest.mark.parametrize(("compiler", "name"), PAIRS)
def test_every_compiler_takes_it_without_a_warning_and_answers_the_same(compiler, name, tmp_path):
    command = COMPILERS[compiler]
    if INSTALLED[command[0]] is None:
        pytest.skip(f"{command[0]} is not installed")
    rows = {n: v[:2000] for n, v in e.new_rows(name).items()}
    found = e.run_c(e.fitted(name), e.records(rows), tmp_path, *command)
    assert (found[1] == e.expected(name)[1][:2000]).all()


@pytest.mark.parametrize("name", ["card", "card three", "card crossed", "card words"])
def test_reasons_are_those_of_the_model(name, tmp_path):
    model, rows = e.fitted(name), {n: v[:300] for n, v in e.new_rows(name).items()}
    form = form_of(model.model_)
    lines = e.c_lines(model.export("c"), form.given, e.records(rows), tmp_path, e.C_REASONS)
    found = _by_row(lines)
    wanted = model.reasons(rows, most=50)
    assert [[text for _, _, text in row] for row in found] == [[r.text for r in row] for row in wanted]
    assert [[int(p) for p, _, _ in row] for row in found] == [[int(r.points) for r in row] for row in wanted]


def _by_row(lines):
    out: list = [[]]
    for line in lines:
        if line == ".":
            out.append([])
        else:
            out[-1].append(line.split("\t"))
    return out[:-1]


def test_levels_never_seen_are_counted(tmp_path):
    table = {"a": ["x", "y"] * 9, "b": ["1", "2", "2"] * 6, "y": ["p", "q"] * 9}
    model = ts.NaiveBayes(kinds={"b": "levels"}).fit(table, "y")
    rows = [{"a": "x", "b": "2"}, {"a": "z", "b": "2.0"}, {"a": "z", "b": "3"}, {"a": None, "b": ""}]
    lines = e.c_lines(model.export("c"), ["a", "b"], rows, tmp_path, e.C_ANSWERS[True])
    assert [line.split()[1] for line in lines] == ["0", "1", "2", "0"]


UNREADABLE = [
    (e.EVIL, "abc"),
    (e.EVIL, "inf"),
    (e.EVIL, "1e999"),
    (e.EVIL, np.inf),
    ("when", "2021-02-29"),
    ("when", "5"),
]


def test_what_cannot_be_read_is_named(tmp_path):
    model = e.fitted("bayes")
    given = form_of(model.model_).given
    rows = [dict.fromkeys(given) | {column: value} for column, value in UNREADABLE]
    lines = e.c_lines(model.export("c"), given, rows, tmp_path, e.C_ANSWERS[True])
    assert lines == [f"unreadable {column}" for column, _ in UNREADABLE]


def test_no_name_can_leave_its_quotes_or_its_comment(tmp_path):
    name, level = 'a"\\n??/ */ end\\', '%s\\"??/\t\u2028é'
    rows = {name: [level, "b", level, "b"] * 5, "y": ["no\\", "*/", "no\\", "*/"] * 5}
    model = ts.DecisionTree().fit(rows, "y")
    found = e.run_c(model, [{name: level}, {name: "b"}], tmp_path, "gcc", *e.STRICT)
    assert found[0] == ["no\\", "*/"]


def test_two_models_fit_into_one_program(tmp_path):
    for name in ("first", "second"):
        model = e.fitted("tree cart" if name == "first" else "card")
        (tmp_path / f"{name}.h").write_text(model.export("c", name=name), encoding="utf-8")
    code = '#include "first.h"\n#include "second.h"\nint main(void) { return first_column("count") < 0; }\n'
    (tmp_path / "main.c").write_text(code)
    subprocess.run(["gcc", *e.STRICT, "main.c"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", ["Model", "1x", "a b", "", "a-b", 5, "é"])
def test_a_name_that_c_cannot_have_is_refused(name):
    with pytest.raises(OptionError, match="is not a name for C"):
        header(form_of(e.fitted("tree cart").model_), name)


def test_a_level_with_a_nul_is_refused():
    model = ts.DecisionTree().fit({"a": ["x\0", "y"] * 9, "y": ["p", "q"] * 9}, "y")
    with pytest.raises(OptionError, match="NUL"):
        model.export("c")


def test_nothing_is_allocated_or_kept():
    for name in ("tree c4.5", "card words", "rules"):
        code = e.fitted(name).export("c")
        assert not any(word in code for word in ("malloc", "calloc", "realloc", "free("))
        kept = [line for line in code.splitlines() if line.startswith("static ")]
        assert all(line.startswith(("static const ", "static inline ")) for line in kept)


def test_a_model_that_asks_nothing_is_a_header_too(tmp_path):
    table = {"a": [1.0, 2.0, 1.0, 2.0] * 5, "y": ["p", "p", "q", "p"] * 5}
    model = ts.DecisionTree(min_samples_leaf=15).fit(table, "y")
    assert form_of(model.model_).given == ()
    assert e.run_c(model, [{"a": 1.0}], tmp_path)[0] == ["p"]
