"""Rows of the front door's list that speak of a method, with the method: see bad_inputs.py."""

from __future__ import annotations

from bad_inputs import ROWS, Case, column, target

METHODS = ("bayes", "tree", "logistic", "card")


def numbers(*columns: list[float], labels: str = "pqqpq") -> bytes:
    """A table of these columns of numbers, and labels that follow none of them."""
    names = ",".join([f"c{j}" for j in range(len(columns))] + ["y"])
    rows = [",".join(map(str, (*row, labels[i * i % 5]))) for i, row in enumerate(zip(*columns, strict=True))]
    return "\n".join([names, *rows, ""]).encode()


def parted(rows: int = ROWS) -> bytes:
    """A table whose first column parts the classes."""
    lines = [f"{i + 0.5},{'abc'[i % 3]},{'pq'[i >= rows // 2]}" for i in range(rows)]
    return "\n".join(["x,w,y", *lines, ""]).encode()


STEPS = [i % 7 + 0.5 for i in range(ROWS)]
TWICE = [2 * step for step in STEPS]
MANY = [[(i * (j + 3)) % 11 + 0.5 * ((i * j) % 3) for i in range(20)] for j in range(1, 40)]
ONE_SIDED = ["one" if i % 7 > 2 else "two" for i in range(ROWS)]
ONE_VALUE = [2.5 if i % 7 > 2 else 1.5 + i % 2 for i in range(ROWS)]
BY_METHOD = [
    Case(40, "one class", target(["no"]), "NOTE", r"has one class \('no'\): there is nothing", method="tree"),
    Case(
        48,
        "separable classes",
        parted(),
        "NOTE",
        r"Column 'x' separates the classes completely.*come from the prior.*standard errors are withheld",
        method="logistic",
    ),
    Case(
        48,
        "separable classes",
        parted(),
        "NOTE",
        r"'x' separates the classes completely: the points come from the prior",
        method="card",
    ),
    Case(
        49,
        "collinear columns",
        numbers(STEPS, TWICE),
        "NOTE",
        "'c1' repeats 'c0'; the prior shares the weight among them",
        method="logistic",
    ),
    Case(
        49,
        "more columns than rows",
        numbers(*MANY),
        "NOTE",
        "follow from others: .* follows from",
        method="logistic",
    ),
    Case(
        50,
        "no convergence in the iterations that were allowed",
        parted(),
        "NOTE",
        "did not converge in 1 iteration: gradient norm per row .*Raise max_iter or l2",
        wishes={"max_iter": 1},
        flags=("--set", "max_iter=1"),
        method="logistic",
    ),
    Case(51, "a level that one class never has", column(ONE_SIDED), "OK"),
    Case(
        51,
        "a number that is the same in all rows of a class, as Gaussian",
        column(ONE_VALUE),
        "OK",
        "",
        wishes={"distributions": "gaussian"},
        flags=("--set", "distributions=gaussian"),
    ),
]
