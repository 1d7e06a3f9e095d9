"""One hand-made model file for each rule of the reader: which model, what is changed, what the reader says.

Knows the format. `tests/rules/test_models_rules.py` checks that no rule is left without a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broken_density import DENSITY
from broken_profiles import PROFILES

Change = Callable[[dict[str, Any]], None]
GONE = object()


def edit(*steps: Any) -> Change:
    """Return a change of (path, value) pairs; GONE takes the key or entry away."""

    def change(document: dict[str, Any]) -> None:
        for path, value in zip(steps[::2], steps[1::2], strict=True):
            place: Any = document
            *way, last = path.split()
            for step in way:
                place = place[int(step) if isinstance(place, list) else step]
            last = int(last) if isinstance(place, list) else last
            if value is GONE:
                del place[last]
            else:
                place[last] = value(place[last]) if callable(value) else value

    return change


def words(path: str, value: Any) -> Change:
    """Return a change of the words on a card."""

    def change(document: dict[str, Any]) -> None:
        parts = document["model"]["parts"]
        at = next(i for i, part in enumerate(parts) if part["part"] == "words")
        edit(f"model parts {at} {path}", value)(document)

    return change


def many_points(document: dict[str, Any]) -> None:
    """Give a text so many words of so many points that they do not add up to the last one."""
    column = next(c for c in document["schema"]["columns"] if c["name"] == "said")
    column["words"] = [f"w{i}" for i in range(10_000)]
    part = {"name": "said", "part": "words", "words": list(range(10_000))}
    part |= {"points": [[10**12]] * 10_000, "rows": [[1, 1]] * 10_000}
    document["model"] |= {"parts": [part], "errors": [], "left_out": []}


def many_words(document: dict[str, Any]) -> None:
    """Give a text more words, times classes, than can be laid out."""
    labels = [f"k{i}" for i in range(12_000)]
    document["schema"]["target"]["labels"] = labels
    column = next(c for c in document["schema"]["columns"] if c["name"] == "said")
    column["words"] = [f"w{i}" for i in range(12_000)]
    zeros = [[0] * len(labels)]
    part = {"name": "said", "part": "words", "words": [0], "points": zeros, "rows": zeros}
    document["model"] |= {"parts": [part], "errors": [], "left_out": [], "base": zeros[0]}
    document["model"].pop("spread", None)


CARD_TWICE = {"line": [0, 1, 2], "name": "sky", "part": "levels", "points": [[0]] * 5, "rows": [[0, 0]] * 5}
BROKEN: list[tuple[str, Change, str]] = [
    # the envelope
    ("bayes", edit("kind", "knave"), "unknown kind of model 'knave'"),
    ("bayes", edit("kind", ["naive-bayes"]), "unknown kind"),
    ("bayes", edit("schema", GONE), "the file lacks the key 'schema'"),
    ("bayes", edit("more", 1), "the file has the unknown key 'more'"),
    ("bayes", edit("notes", [{"code": "x"}]), "notes[0] lacks the key 'column'"),
    ("bayes", edit("notes", {}), "notes must be a list, found an object of 0"),
    ("bayes", edit("rows fingerprint", "abc"), "must be 32 hex digits, found 'abc'"),
    ("bayes", edit("rows unit", 0), "must be a whole number from 1"),
    ("bayes", edit("rows count", 2**63), "must be a whole number from 0"),
    # the schema
    ("bayes", edit("schema target", None), "schema.target must be an object, found None"),
    ("bayes", edit("schema target", 7), "schema.target must be an object, found 7"),
    ("bayes", edit("schema columns 0 kind", "magic"), "must be one of numeric, levels"),
    ("bayes", edit("schema columns 0", []), "schema.columns[0] must be an object"),
    ("bayes", edit("schema columns 0 extra", 1), "has the unknown key 'extra'"),
    ("bayes", edit("schema columns 0 declared", False), "must be true, found False"),
    ("bayes", edit("schema columns 0 name", ""), "must be a name, found ''"),
    ("bayes", edit("schema columns 0 name", 7), "must be a name, found 7"),
    ("bayes", edit("schema columns 1 name", "sky"), "two columns of the schema have one name"),
    ("bayes", edit("schema columns 0 levels", ["a", "a"]), "must be without repetition"),
    ("bayes", edit("schema columns 1 levels", ["false"]), "column 'wet' levels must be a list of 2"),
    ("tree", edit("schema columns 2 low", 1e9), "column 'temp' range must be low <= high"),
    ("tree", edit("schema columns 2 low", None), "column 'temp' range must be low <= high"),
    ("dated", edit("schema columns 1 of", GONE), "a part of a column of dates, or none"),
    ("dated", edit("schema columns 1 part", "weekday"), "weekday of levels, another of numbers"),
    ("dated", edit("schema columns 2 levels 0", "Freitag"), "the seven weekdays"),
    ("dated", edit("schema columns 1 unit", "date"), "unit must be none"),
    ("merged", edit("schema columns 1 merged Rain", "hail"), "one of its levels, and itself none"),
    ("bayes", edit("schema target type", "integer"), "must be integer text, found 'a'"),
    ("bayes", edit("schema target type", "number"), "must be number text, found 'a'"),
    ("bayes", edit("schema target type", "boolean"), "the target's labels must be false and true"),
    # naive Bayes
    (
        "bayes",
        edit("schema target labels", [], "model classes", [], "model columns", []),
        "needs class labels",
    ),
    ("bayes", edit("model classes", [12]), "must be a list of 2 (classes)"),
    ("bayes", edit("model classes 0", True), "model.classes[0] must be a whole number"),
    ("bayes", edit("model classes 0", -1), "must be whole numbers from 0"),
    ("bayes", edit("model classes 0", 13), "the class counts sum to 25, not to 24 rows"),
    ("bayes", edit("model columns 0 name", "nobody"), "the model's columns are not those of the schema"),
    ("bayes", edit("model columns 1 name", "sky"), "the model's columns are not those of the schema"),
    (
        "bayes",
        edit("model columns 0 distribution", "bernoulli"),
        "column 'sky' is levels, not fit for bernoulli",
    ),
    ("bayes", edit("model columns 0 distribution", "exotic"), "must be one of bernoulli"),
    ("bayes", edit("model columns 0 missing 0", 99), "column 'sky' misses more rows than a class has"),
    ("bayes", edit("model columns 0 counts", [[12, 12]]), "has 1 rows of counts, needs 3"),
    (
        "bayes",
        edit("model columns 0 counts 0 0", 4),
        "the counts of column 'sky' in class 0 sum to 9, not to 8",
    ),
    ("bayes-3", edit("model columns 4 counts 0 0", 12), "has a word in more rows than there are"),
    (
        "bayes",
        edit("model columns 4 counts 0 0", 2**63 - 1),
        "the word counts of column 'said' are too large",
    ),
    ("bayes-text", edit("model columns 4 idf", [1]), "has 1 word weights, needs 8"),
    ("bayes-text", edit("model columns 4 idf 0", 2**40), "must be whole numbers from 0"),
    ("bayes", edit("model columns 2 sums 0", "0.1"), "must be an exact sum of doubles"),
    ("bayes", edit("model columns 2 sums 0", "1e5"), "must be an exact sum of doubles"),
    ("bayes", edit("model columns 2 sums 0", "9" * 5000), "must be an exact sum of doubles"),
    ("bayes", edit("model columns 2 squares 0", "-4"), "must be an exact sum of squares"),
    ("bayes", edit("model columns 2 squares 0", "0"), "the sums of column 'temp' cannot come from 11 rows"),
    ("bayes", edit("model columns 3 sums 0", "-4"), "has a negative sum of counts"),
    ("bayes-3", edit("model columns 2 cuts", [2.0, 1.0]), "must be in rising order"),
    ("bayes-3", edit("model calibration slope", -1.0), "must be a number from 0 to 1e+09"),
    ("bayes-3", edit("model calibration slope", "x"), "must be a finite number"),
    ("bayes", edit("parameters calibrate", 0), "must be true or false"),
    ("bayes", edit("parameters variance", "sd"), "must be one of ml, unbiased"),
    ("bayes", edit("parameters levels", []), "parameters.levels must be an object"),
    ("bayes", edit("parameters priors", [0.5, 0.6]), "model file: priors"),
    ("bayes", edit("model classes", [0, 0], "rows count", 0, "model columns", []), "needs rows"),
    # trees
    ("tree", edit("schema target labels", []), "a decision-tree cannot have 0 class labels"),
    ("tree-numbers", edit("schema target labels", ["1"]), "a regression-tree cannot have 1 class labels"),
    ("tree", edit("model nodes", []), "holds no tree"),
    ("tree", edit("model nodes 3", 7), "a node is not a list"),
    ("tree", edit("model nodes 2", [5, 0]), "node 2 has 2 entries, not 3 or 7"),
    ("tree", edit("model nodes 0 0", 11.0), "a count is not a whole number"),
    ("tree", edit("model nodes 0 0", -1), "a count is out of range"),
    (
        "tree",
        edit("model nodes 0 0", 2**62, "model nodes 0 1", 2**62),
        "the counts of the root are too large",
    ),
    ("tree", edit("model nodes 0 3", 99), "a column is out of range"),
    ("tree", edit("model nodes 0 3", 0), "a test does not suit the kind of its column"),
    ("tree", edit("model nodes 0 4", "6"), "a cut is not a number"),
    ("tree", edit("model nodes 0 4", 10**400), "model file: a whole number is too large|is too large"),
    ("tree", edit("model nodes 0 6", None), "a gain is not a number"),
    ("tree", edit("model nodes 0 5", 2), "a missing value is sent to a branch that is not there"),
    (
        "tree",
        edit("model branches 1", [0, 1]),
        "the branches of a test do not match the levels of its column",
    ),
    ("tree", edit("model branches 1", [-1, -1, -1]), "a test of levels has fewer than two branches"),
    ("tree", edit("model branches 1", [0, 2, 1]), "the branches do not add up to the nodes"),
    ("tree-no-levels", edit("model nodes 0", lambda node: node[:2]), "is not one tree"),
    ("tree", edit("model nodes 2 0", 4), "the counts below node 0 do not add up to its own"),
    (
        "tree",
        edit("model nodes", lambda nodes: [[0, 0, 0, *n[3:]] for n in nodes]),
        "the root of the tree holds no rows",
    ),
    ("tree", edit("model nodes", [[0, 0, 0]], "model branches", [], "model candidates", []), "holds no rows"),
    ("tree", edit("model candidates 0", GONE), "tests need as many texts of candidates"),
    ("tree", edit("model candidates 0", 7), "tests need as many texts of candidates"),
    (
        "tree",
        edit("model candidates 0", "[["),
        "the candidate splits of node 0 in the model file cannot be read",
    ),
    (
        "tree",
        edit("model candidates 0", "[" * 10**5),
        "the candidate splits of node 0 in the model file cannot",
    ),
    ("tree", edit("model candidates 0", "[[0,null,1,1,[99,0,0],[0,0,1]]]"), "the candidate splits of node 0"),
    ("tree", edit("parameters class_weight", [1.0]), "class_weight must give a number for each of 3"),
    ("tree", edit("parameters cut_price", 1e7), "must be a number from 0 to 1e+06"),
    ("tree-numbers", edit("model nodes 2 2", -1), "a deviance is negative"),
    (
        "tree-numbers",
        edit("model nodes 2 1", 10**308 * 10),
        "a mean in the tree of the model file is too large",
    ),
    ("tree-numbers", edit("parameters costs", None), "has the unknown key 'costs'"),
    # logistic regression
    ("logistic", edit("model reference", 2), "the weights are not those of the class labels"),
    ("logistic", edit("model constant", [0.1, 0.2]), "(links)|the weights are not those of the class labels"),
    ("logistic", edit("parameters l1", 1.0, "parameters solver", "gradient"), "cannot hold weights at 0"),
    ("logistic", edit("model parts 0 name", "nobody"), "the model's columns are not those of the schema"),
    ("logistic", edit("model parts 0", GONE), "the model's columns are not those of the schema"),
    ("logistic", edit("model errors", [[1.0]]), "1 standard errors for"),
    (
        "logistic",
        edit("model parts 0 name", "temp", "model parts 2 name", "sky"),
        "is levels, not fit for slope|is numeric, not fit for cells",
    ),
    ("logistic", edit("model parts 0 base", 3), "is compared with level 3, which it lacks"),
    ("logistic", edit("model parts 0 weights", [[0.1]]), "needs a weight for each of 3 levels and missing"),
    ("logistic", edit("model parts 4 weights", [[0.1]]), "needs a weight for each of 8 words"),
    ("logistic", edit("model parts 4 idf", [0.1]), "needs a weight for each of 8 words"),
    ("logistic-3", edit("model parts 4 factors", [["temp", None]]), "must be a list of at least 2"),
    ("logistic-3", edit("model parts 4 factors 0", ["nobody", None]), "names no column of the schema"),
    ("logistic-3", edit("model parts 4 factors 0", ["sky", 99]), "names no level of its column"),
    # linear regression
    (
        "linear",
        edit("model constant", [0.1, 0.2], "model errors", [], "model parts", []),
        "a linear regression answers a number",
    ),
    ("linear", edit("parameters interactions", [["sky", "temp", "n"]]), "interactions must be"),
    ("linear", edit("model parts 0", GONE), "the model's columns are not those of the schema"),
    ("linear", edit("model errors", [[1.0]]), "the standard errors are not those of"),
    # scorecards
    ("card", edit("model base", [1, 2]), "(links)|the points are not those of the class labels"),
    (
        "card",
        edit("model base", [1, 2], "model parts", [], "model errors", [], "model spread", GONE),
        "not those of the class labels",
    ),
    ("card", edit("model base 0", 10**12 + 1), "must be a whole number from -1,000,000,000,000"),
    ("card", edit("model step", 0), "must be a whole number from 1"),
    ("card", edit("parameters l2", 0.0), "model file: l2 must be a number above 0"),
    ("card", edit("parameters monotone", {"temp": "up"}), "must be one of rising, falling"),
    ("card", edit("model parts 1", lambda part: CARD_TWICE), "stands twice on the card"),
    ("card", edit("model parts 0 points", [[1]]), "needs points and rows for each of"),
    (
        "card",
        edit("model parts 0 rows 0 0", 2**63 - 1, "model parts 0 rows 0 1", 1),
        "are too many to be counted",
    ),
    ("card", edit("model parts 0 line", [0]), "the lines of column 'sky' are not those of its levels"),
    ("card", edit("model parts 0 name", "nobody"), "column 'nobody' is not one that has levels"),
    ("card", edit("model errors", lambda errors: errors[1:]), "not a standard error for each line"),
    ("card", edit("model spread factors 0 0", [1]), "what the standard errors have in common"),
    ("card", edit("model left_out", ["sky"]), "a column without points has points"),
    (
        "card-3",
        edit("model parts 2 cuts", lambda cuts: cuts[::-1]),
        "the ranges of column 'temp' do not rise",
    ),
    ("card", words("words", lambda at: [99] * len(at)), "must be without repetition"),
    ("card", words("words 0", 99), "column 'said' has a word that is not in its vocabulary"),
    ("card", many_points, "more than a whole number can be told from the next"),
    ("card", many_words, "the words of column 'said' would fill the memory"),
    # density trees
    *DENSITY,
    *PROFILES,
]
