"""Reports that the pages of the tests are made of, by name: one for each family and for each hard table."""

from __future__ import annotations

import random
from importlib import resources

from pages import QUICK, hostile, hostile_table, people

import tallystick as ts

VOTES = str(resources.files("tallystick.examples") / "votes.csv")


def grown(steps=1_100, each=8):
    """A tree of thousands of nodes: the class changes at every step of a number."""
    draw, order = random.Random(1), [0]
    while len(order) < steps:
        order.append((order[-1] + draw.randrange(1, 6)) % 6)
    table = [{"x": k + i / each, "y": "abcdef"[c]} for k, c in enumerate(order) for i in range(each)]
    return ts.report(table, "y", methods=("tree",), folds=2, repeats=0)


def classes(n=50):
    draw = random.Random(6)
    table = [
        {"x": k * 10 + draw.random() * 12, "z": draw.random(), "y": f"class {k}"}
        for k in range(n)
        for _ in range(12)
    ]
    return ts.report(table, "y", methods=("bayes",), folds=2, repeats=0)


def columns(n=300):
    draw = random.Random(8)
    table = [{f"column {j}": draw.choice("abc") for j in range(n)} for _ in range(200)]
    for row in table:
        row["y"] = "p" if (row["column 7"] == "a") != (draw.random() < 0.1) else "q"
    return ts.report(table, "y", methods=("tree", "bayes"), folds=2, repeats=0)


def evil(method):
    table, target = hostile_table(hostile())
    return ts.report(table, target, methods=(method,), title=hostile()[1], folds=2, repeats=0)


def texts():
    draw = random.Random(9)
    plain, odd = [f"word{i}" for i in range(300)], ["free", "prize", "call", "<b>now</b>"]
    table = []
    for i in range(240):
        words = draw.choices(plain, k=12) + (draw.choices(odd, k=3) if i % 3 == 0 else [])
        table.append({"message": " ".join(words), "label": "spam" if i % 3 == 0 else "ham"})
    return ts.report(table, "label", kinds={"message": "text"}, methods=("logistic",), folds=2, repeats=0)


def three(method):
    """Three classes, told by numbers, by levels, and by a level that one class never has."""
    draw, table = random.Random(12), []
    for i in range(240):
        k = i % 3
        colour = draw.choice(["red", "green", "blue"][: 3 - (k == 2)] if draw.random() < 0.8 else ["red"])
        size = round(draw.gauss((10, 14, 19)[k], 2.5), 1)
        table.append({"size": size, "colour": colour, "y": ("low", "middle", "high")[k]})
    return ts.report(table, "y", methods=(method,), folds=2, repeats=0)


def pairs():
    """Two columns that tell the class only together, beside a number."""
    table = [
        {"a": "xy"[i % 2], "b": "klm"[i // 2 % 3], "n": i % 7, "y": "pq"[(i % 2) ^ (i // 2 % 3 == 1)]}
        for i in range(240)
    ]
    return ts.report(table, "y", methods=("card",), folds=2, repeats=0)


MAKERS = {
    "tree": lambda: ts.report(VOTES, "party", methods=("tree", "bayes"), **QUICK),
    "bayes": lambda: ts.report(people(400), "income", methods=("bayes",), **QUICK),
    "logistic": lambda: ts.report(people(400), "income", methods=("logistic",), **QUICK),
    "card": lambda: ts.report(people(400), "income", methods=("card",), **QUICK),
    "grown": grown,
    "classes": classes,
    "columns": columns,
    "evil": lambda: evil("bayes"),
    "evil tree": lambda: evil("tree"),
    "text": texts,
    "three bayes": lambda: three("bayes"),
    "three logistic": lambda: three("logistic"),
    "three card": lambda: three("card"),
    "pairs card": pairs,
    "evil card": lambda: evil("card"),
}
