"""The table says how it was made: constant, offset, base levels, correction, budget."""

from __future__ import annotations

import pytest
from loan_tables import loans

import tallystick as ts


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fit_intercept": False}, "There is no constant."),
        ({"offset": "income"}, "income is an offset: it is added with weight 1."),
        ({"base_levels": {"housing": "rent"}}, "Levels are compared with housing = rent."),
        ({"firth": True}, "Firth's correction: Jeffreys' prior"),
        ({}, "No prior: maximum likelihood. Levels are compared with housing = free."),
    ],
)
def test_what_is_out_of_the_ordinary_is_said(options, words):
    frame, _ = loans()
    assert words in " ".join(str(ts.LogisticRegression(l2=0, **options).fit(frame, "paid")).split())


def test_a_budget_that_was_spent_is_why_there_are_no_errors():
    frame, _ = loans()
    with pytest.warns(ts.TallyWarning, match="did not converge in 2 iterations"):
        model = ts.LogisticRegression(l2=0, max_iter=2).fit(frame, "paid")
    assert "Standard errors are not given: 2 steps did not reach the optimum." in str(model)
