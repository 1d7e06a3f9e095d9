"""The slow twin of the search for the best tree: every tree there is, one by one.

It knows the words of the law alone (which tests there are, what a tree loses, which of equals is taken) and
nothing of bounds, lanes or whole numbers: losses are fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache


def tests_of(columns, rows):
    """Yield (column, left rows) of every test of some rows, in the order in which equals are taken.

    columns: {name: (kind, values)}, a value of each row, numbers rising for numeric and ordered; None is
    missing. rows: a bit for each.
    """
    for name in sorted(columns, key=str.encode):
        kind, values = columns[name]
        here = [i for i in range(len(values)) if rows >> i & 1]
        lost = sum(1 << i for i in here if values[i] is None)
        known = rows & ~lost
        found = sorted({values[i] for i in here if values[i] is not None})
        if kind == "levels":
            lefts = [sum(1 << i for i in here if values[i] == v) for v in found]
        else:
            there = [i for i in here if values[i] is not None]
            lefts = [sum(1 << i for i in there if values[i] <= v) for v in found[:-1]]
        for left in lefts:
            if left == known:
                continue
            if lost:
                yield name, left | lost
            yield name, left
        if lost and known:
            yield name, known


def best_tree(columns, losses, depth, leaves, price):
    """Return (loss and price, leaves, tree) of the best tree. losses[row][answer]; a tree is None for a leaf,
    else (column, left rows, left tree, right tree).
    """
    answers = len(losses[0])

    def leaf(rows):
        here = [losses[i] for i in range(len(losses)) if rows >> i & 1]
        return min(sum((row[a] for row in here), Fraction(0)) for a in range(answers)) + price, 1, None

    @cache
    def every(rows):
        return list(tests_of(columns, rows))

    @cache
    def solve(rows, deep, most):
        best = leaf(rows)
        if deep == 0 or most == 1:
            return best
        for name, left in every(rows):
            for own in range(1, most):
                a, b = solve(left, deep - 1, own), solve(rows & ~left, deep - 1, most - own)
                key = a[0] + b[0], a[1] + b[1]
                if key < best[:2]:
                    best = (*key, (name, left, a[2], b[2]))
        return best

    return solve((1 << len(losses)) - 1, depth, leaves)


def told(tree, columns, ends):
    """Return a fitted tree as the twin writes it. ends[row]: the node where each row stops."""
    nodes = tree.nodes

    def rows(node):
        return sum(1 << i for i, end in enumerate(ends) if node <= end < nodes.end[node])

    def walk(node):
        if nodes.column[node] < 0:
            return None
        left, right = nodes.branches(node).tolist()
        return tree.schema.used[int(nodes.column[node])].name, rows(left), walk(left), walk(right)

    return walk(0)
