"""How naive Bayes may read a column: one name each, fit for some kinds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_models import bayes

import tallystick as ts
from tallystick.bayes.options import AUTO, DISTRIBUTIONS, every_name, fitting, of_part, smoothed_means
from tallystick.errors import OptionError, TallyError


def test_every_kind_has_its_names_and_the_default_comes_first():
    assert fitting("numeric") == (AUTO, "binned", "gaussian", "poisson", "frequencies")
    assert fitting("text") == ("multinomial", "complement", "bernoulli")
    assert fitting("levels") == ("levels",)
    assert set(every_name()) == {AUTO, *DISTRIBUTIONS}


def test_an_entry_is_called_what_it_is_listed_as_and_says_what_it_keeps():
    assert all(name == d.name for name, d in DISTRIBUTIONS.items())
    assert {d.keeps for d in DISTRIBUTIONS.values()} == {"counts", "sums", "words"}
    assert of_part(bayes().parts[0]) is DISTRIBUTIONS["gaussian"]


def test_means_are_drawn_to_the_mean_of_all_by_one_case():
    part = bayes().parts[0]  # sums 4 and 12 of 4 rows each, the mean of all is 2
    assert smoothed_means(part, bayes().options, 1).tolist() == [(4 + 2) / 5, (12 + 2) / 5]
    assert smoothed_means(part, bayes(m=0).options, 1).tolist() == [1.0, 3.0]


def test_a_poisson_column_adds_x_times_the_log_of_its_rate_less_the_rate():
    part = replace(bayes().parts[0], distribution="poisson")
    term = DISTRIBUTIONS["poisson"].term(part, bayes(m=0).options, 1)
    np.testing.assert_allclose(term.slope, np.log([1.0, 3.0]), atol=1e-15)
    assert term.at_zero.tolist() == [-1.0, -3.0]


# -- a matrix of counts or tf-idf --


@pytest.mark.slow
@pytest.mark.parametrize("form", ["counts", "tf-idf", "sparse"])
def test_frequencies_are_the_multinomial_model_of_scikit_learn(form, tmp_path):
    from scipy.sparse import csr_matrix
    from sklearn.naive_bayes import MultinomialNB

    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.poisson(rng.uniform(0.5, 3, (3, 8))[y]).astype(float)
    X[0] += 3  # every column has more than two values: they are numbers
    if form == "tf-idf":
        X = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    given = csr_matrix(X) if form == "sparse" else X
    kinds = {f"x{j}": "numeric" for j in range(8)}
    for alpha in (1.0, 0.1):
        model = ts.NaiveBayes(distributions="frequencies", alpha=alpha, kinds=kinds).fit(given, y)
        peer = MultinomialNB(alpha=alpha).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(given), peer.predict_proba(X), rtol=1e-9, atol=1e-12)
    model.save(tmp_path / "m.tally.json")
    assert ts.load(tmp_path / "m.tally.json").to_bytes() == model.to_bytes()
    half = ts.NaiveBayes(distributions="frequencies", alpha=0.1, kinds=kinds).fit(X[:60], y[:60])
    assert half.update(X[60:], y[60:]).model_.to_dict() == model.model_.to_dict()
    assert np.isclose(sum(model.explain(X, row=0).shares), 1)


def test_frequencies_read_numbers_and_say_so():
    X = np.column_stack([np.arange(20) % 2, np.arange(20) % 5])
    with pytest.raises(OptionError, match="'frequencies' reads numbers, and column 'x0' is boolean"):
        ts.NaiveBayes(distributions="frequencies").fit(X, np.arange(20) % 3)
    model = ts.NaiveBayes(distributions={"x1": "frequencies"}, kinds={"x1": "numeric"})
    with pytest.raises(TallyError, match="x1"):
        model.fit(X - 1, np.arange(20) % 3)


# -- weights of classes --


def test_class_weights_multiply_the_prior(tmp_path):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(200) < 0.2, "rare", "usual")
    X = rng.normal(size=(200, 2)) + (y == "rare")[:, None]
    plain = ts.NaiveBayes(distributions="gaussian").fit(X, y)
    heavy = ts.NaiveBayes(distributions="gaussian", class_weight={"rare": 3}).fit(X, y)
    odds = [np.diff(np.log(m.predict_proba(X)))[:, 0] for m in (plain, heavy)]
    np.testing.assert_allclose(odds[0] - odds[1], np.log(3), rtol=1e-9)
    even = ts.NaiveBayes(distributions="gaussian", class_weight="balanced").fit(X, y)
    uniform = ts.NaiveBayes(distributions="gaussian", priors="uniform").fit(X, y)
    np.testing.assert_allclose(even.predict_proba(X), uniform.predict_proba(X), rtol=1e-12)
    heavy.save(tmp_path / "m.tally.json")
    assert ts.load(tmp_path / "m.tally.json").to_bytes() == heavy.to_bytes()
    with pytest.raises(OptionError, match="class_weight"):
        ts.NaiveBayes(class_weight={"rar": 3}).fit(X, y)
