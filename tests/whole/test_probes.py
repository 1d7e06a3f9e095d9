"""Nobody asks an object of ours what it is: contracts.py says it, or a base class does. Both lists may only
shrink: a file that asks less often than it is listed is a failure too.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

from sources import MODULES, PACKAGE, nodes, tree

# hasattr, and getattr with a default, by file: each looks at what no contract of ours binds, for this reason.
PROBES = {
    "cli/inference.py": (1, "methods of estimators: some conclude, some do not"),
    "cli/main.py": (2, "streams, errors of click"),
    "data/read/survey_target.py": (8, "targets that users pass"),
    "data/source/bytes.py": (1, "Python's errors"),
    "data/source/containers.py": (4, "whatever users call a table"),
    "data/source/door.py": (2, "sources that users write; arrays of a device"),
    "data/source/frames.py": (7, "frames"),
    "data/source/json.py": (1, "Python's errors"),
    "data/source/names.py": (1, "names that users pass"),
    "data/source/of_polars.py": (3, "frames of polars"),
    "data/source/scratch.py": (1, "the C library"),
    "data/threads.py": (2, "the system"),
    "description/against.py": (2, "what users pass as a model"),
    "engines/choice.py": (1, "what users pass as an engine"),
    "estimators/base.py": (1, "scikit-learn's way to say fitted: the attribute is there"),
    "estimators/judging.py": (1, "estimators of others"),
    "estimators/naive_bayes_updates.py": (2, "columns of pandas"),
    "estimators/peers.py": (8, "estimators of others"),
    "estimators/plain_rows.py": (1, "arrays and frames"),
    "estimators/rows.py": (10, "arrays and frames"),
    "files/system.py": (9, "the system"),
    "files/whole.py": (1, "the system"),
    "models/naive_bayes/options.py": (1, "numbers that users pass"),
    "serve/server.py": (1, "the system"),
    "studio/pruned.py": (2, "estimators of others: can they be pruned?"),
}

# The alternatives of a sum: what a part or a term is, and what there is to know of it, is said by its type.
SUMS = {
    "models/additive.py": {"LevelTerm", "BinTerm", "NormalTerm", "LinearTerm", "WordTerm"},
    "models/logistic/parts.py": {"Slope", "Cells", "WordWeights", "Product", "ProductTerm", "TextTerm"},
    "models/naive_bayes/columns.py": {"Counted", "Summed", "Worded"},
    "models/scorecard/axes.py": {"RangeAxis", "LevelAxis", "WordAxis", "PairAxis"},
    "models/scorecard/parts.py": {"LinePoints", "WordPoints", "PairPoints", "PairTerm"},
    "learners/prune/methods.py": {"CostComplexity", "Pessimistic", "DescriptionLength"},
    "kernels/newton.py": {"Landing"},  # what a shortcut answers in place of a total
    "models/in_parts.py": {"ToldInParts"},  # a list of a model file, whole or part by part
    "models/logistic/model.py": {"KnownFit"},  # what a fit tells: known, or found when somebody asks
    "stats/distribution.py": {"Grid", "Spreads", "Near"},  # cells of a column, finer ones, values in some
    "stats/finer_cells.py": {"Zoomed"},
    "stats/rest.py": {"Rest"},  # what a shortcut leaves to be summed
    "stats/split_search.py": {"Grown"},
    "working/document.py": {"Headline", "Sentence", "Formula", "Listing", "Drawing", "Space"},
    "working/pieces.py": {"Quoted", "Value", "Ratio", "Over", "Raised", "Lowered", "Root"},
    "errors.py": {"TallyError", "Message"},  # a text is plain, or holds its arguments as data
}

# isinstance of a class of another room that is not an alternative of a sum.
KINDS = {
    "estimators/peers.py": 1,  # rows held out, which a method of others is given as they were read
    "estimators/judging.py": 1,  # a threshold is a decision, and has no prices of its own
    "evaluate/costs.py": 1,
    "evaluate/crossval.py": 2,  # a user may pass a table or the data of one
    "evaluate/running.py": 1,  # the threads of an engine that a user made
    "studio/asked.py": 1,  # the cure among a note's words
}


def calls(path: Path) -> list[ast.Call]:
    """All calls of a plain name in a file."""
    return [node for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def probes(path: Path) -> int:
    """How often a file asks an object what it has."""
    named = [(call.func.id, len(call.args)) for call in calls(path)]
    return sum(name == "hasattr" or (name, given) == ("getattr", 3) for name, given in named)


def room(name: str) -> str:
    """The room that a file lies in."""
    return name.split("/")[0].removesuffix(".py")


FILES = {path.relative_to(PACKAGE).as_posix(): path for path in MODULES}


@cache
def classes() -> dict[str, set[str]]:
    """The files that define a class of a name."""
    out: dict[str, set[str]] = {}
    for name, path in FILES.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                out.setdefault(node.name, set()).add(name)
    return out


def asked(path: Path) -> list[str]:
    """The names of classes that a file asks for by isinstance."""
    given = [call.args[1] for call in calls(path) if call.func.id == "isinstance"]
    named = [node for one in given for node in ast.walk(one)]
    return [
        n.id if isinstance(n, ast.Name) else n.attr for n in named if isinstance(n, ast.Name | ast.Attribute)
    ]


def foreign_kinds(name: str, path: Path) -> int:
    """How often a file asks whether something is of a class of another room."""
    free = {(home, kind) for home, kinds in SUMS.items() for kind in kinds}
    out = 0
    for kind in asked(path):
        homes = {home for home in classes().get(kind, ()) if (home, kind) not in free}
        out += bool(homes) and room(name) not in {room(home) for home in classes()[kind]}
    return out


def test_objects_are_not_probed_but_where_it_is_listed():
    found = {name: n for name, path in FILES.items() if (n := probes(path))}
    assert found == {name: n for name, (n, _) in PROBES.items()}, "declare the member, or list what is asked"


def test_nobody_asks_for_classes_of_other_rooms_but_where_it_is_listed():
    found = Counter({name: n for name, path in FILES.items() if (n := foreign_kinds(name, path))})
    assert found == KINDS, "declare a member, or a face in methods.py"


def test_the_alternatives_of_sums_are_where_they_are_said_to_be():
    for home, kinds in SUMS.items():
        assert [kind for kind in kinds if home not in classes()[kind]] == [], home


def test_rooms_that_sum_and_learn_probe_nothing():
    for place in (
        "stats",
        "learners",
        "data/table",
        "engines/spark",
        "engines/local.py",
        "evaluate",
        "reports",
    ):
        assert not [name for name in PROBES if name.startswith(place)], place
