"""What a fitted naive Bayes can say about itself and about a row; every answer is data that prints well.

Knows estimators and the explain room. Knows nothing of sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import Picture, as_html
from tallystick.errors import OptionError, shown, some
from tallystick.estimators.classifier import Classifier
from tallystick.models.additive import NormalTerm, WordTerm
from tallystick.models.naive_bayes import NaiveBayesModel, Summed
from tallystick.models.naive_bayes.distributions import of_part

if TYPE_CHECKING:  # loaded when a method asks for them: who only predicts does not wait
    from tallystick.draw.nomogram import Scale
    from tallystick.explain.independence import Independence
    from tallystick.explain.likelihood import Likelihood
    from tallystick.explain.logistic_form import LogisticForm
    from tallystick.explain.naive_bayes import Shares, Votes

MOST_MARKS = 24


class BayesViews(Classifier):
    """shares, votes, explain, nomogram, to_logistic and independence for a model of naive Bayes."""

    model_: NaiveBayesModel

    def shares(self, column: str) -> Shares:
        """Return the share of each value of a column in each class, with the counts it comes from.

        Parameters
        ----------
        column : str
            The name of a column.

        Returns
        -------
        Shares
            A line per value.
        """
        from tallystick.explain.naive_bayes import shares

        self._check_fitted()
        return shares(self.model_, column)

    def votes(self, label: Any = None) -> Votes:
        """Return how much each value speaks for a class, in log-odds, the strongest first.

        Parameters
        ----------
        label : label, default None
            The class; None is the last.

        Returns
        -------
        Votes
            A line per value.
        """
        from tallystick.explain.naive_bayes import votes

        self._check_fitted()
        return votes(self.model_, label)

    def nomogram(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: each column a line, each value where its weight lies.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the most frequent other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.draw.nomogram import nomogram
        from tallystick.explain.naive_bayes import class_number

        self._check_fitted()
        model = self.model_
        labels = model.schema.predicted.labels
        c = class_number(model, label) if label is not None else len(labels) - 1
        others = [i for i in np.argsort(-model.classes, kind="stable").tolist() if i != c]
        if not others:
            raise OptionError(f"the model knows one class only, {shown(labels[0])}.")
        d = class_number(model, against) if against is not None else others[0]
        if c == d:
            raise OptionError(
                f"a nomogram compares two classes, and both are {shown(labels[c])}. "
                f"The classes are {some(labels)}."
            )
        known = model.calibration
        slope, shift = (1.0, 0.0) if known is None else (known.slope, known.shift[c] - known.shift[d])
        ranges = self._usual_ranges()
        scales = [_scale(model, i, (c, d, slope), ranges) for i in range(len(model.parts))]
        scales.sort(
            key=lambda s: -(max(w for _, w in s.marks) - min(w for _, w in s.marks)) if s.marks else 0.0
        )
        base = slope * float(model.additive.base[c] - model.additive.base[d]) + shift
        title = f"{model.schema.predicted.name}: {labels[c]} against {labels[d]}"
        sides = labels[d], labels[c]
        return Picture(nomogram(title, scales, base if math.isfinite(base) else 0.0, sides))

    def to_logistic(self) -> LogisticForm:
        """Return the equivalent logistic form; an error names the column that has none."""
        from tallystick.explain.logistic_form import logistic_form

        self._check_fitted()
        return logistic_form(self.model_)

    def independence(self, X: Any, y: Any = None, sample_weight: Any = None) -> Independence:
        """Return the pairs of columns that most violate the assumption: how much they tell about each other
        given the class.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        Independence
            A line per pair, the worst first.
        """
        from tallystick.explain.independence import independence

        if y is None and self.__sklearn_is_fitted__():
            y = self.schema_.predicted.name
        return independence(self._read(X, y, sample_weight))

    def likelihood(self, X: Any, y: Any = None) -> Likelihood:
        """Return how probable labelled rows are under the model: with their classes, and the classes alone.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.

        Returns
        -------
        Likelihood
            The data likelihood, sum of log P(row, class), which naive Bayes makes large, and the conditional
            one, sum of log P(class | row), which logistic regression makes large.
        """
        from tallystick.data.source.door import with_each_row
        from tallystick.evaluate.labels import labels_of
        from tallystick.explain.likelihood import Likelihood

        self._check_fitted()
        X = with_each_row(X)
        truth = labels_of(X, self.schema_.predicted.name if y is None else y, self.schema_)
        data, conditional, start = 0.0, 0.0, 0
        for match in self._blocks(X):
            own = truth[start : start + match.block.rows]
            known, start = np.flatnonzero(own >= 0), start + match.block.rows
            data += float(self.model_.joint(match.block)[known, own[known]].sum())
            conditional += float(self.model_.log_shares(match.block)[known, own[known]].sum())
        return Likelihood(int((truth >= 0).sum()), data, conditional)

    def _in_notebook(self) -> str:
        from tallystick.draw.notebook import framed

        if len(self.model_.classes) < 2:
            return as_html(self._as_text())
        return framed(self.nomogram(), text=self._as_text())

    def picture(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: its nomogram for two classes.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the most frequent other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        return self.nomogram(label, against)


def _scale(
    model: NaiveBayesModel, i: int, way: tuple[int, int, float], ranges: Mapping[str, tuple[float, float]]
) -> Scale:
    from tallystick.draw.nomogram import Scale
    from tallystick.draw.svg import around
    from tallystick.explain.naive_bayes import value_names

    (c, d, slope), part, term = way, model.parts[i], model.additive.terms[i]
    if isinstance(part, Summed):
        usual = ranges.get(part.name)
        points = _points(model, part, [c, d]) if usual is None else np.array(around(*usual))
        scores = np.zeros((len(points), len(model.classes)))
        if isinstance(term, NormalTerm):
            scores = term.constant - term.half * (points[:, None] - term.mean) ** 2
        else:
            scores = term.at_zero + term.slope * points[:, None]  # type: ignore[attr-defined]
        weights = slope * (scores[:, c] - scores[:, d])
        return Scale(part.name, tuple((f"{x:.6g}", float(w)) for x, w in zip(points, weights, strict=True)))
    names = value_names(model, part)
    with np.errstate(invalid="ignore"):
        weights = slope * (term.table[: len(names), c] - term.table[: len(names), d])  # type: ignore[attr-defined]
    weights = np.where(np.isnan(weights), 0.0, weights)
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_MARKS].tolist()
    shown_ = order if isinstance(term, WordTerm) or len(names) > MOST_MARKS else range(len(names))
    return Scale(part.name, tuple((names[j], float(weights[j])) for j in shown_))


def _points(model: NaiveBayesModel, part: Summed, classes: list[int]) -> NDArray[np.float64]:
    """Return round values within two deviations of the means of some classes."""
    from tallystick.draw.nomogram import ticks

    means = np.array([float(m) for m in part.means()])
    way = of_part(part)
    found = way.variance
    wide = np.sqrt(model.variances[part.name] if found is None else np.maximum(found(means), 1e-9))
    low, high = float((means - 2 * wide)[classes].min()), float((means + 2 * wide)[classes].max())
    if way.counts:
        low = max(low, 0.0)
    if not np.isfinite([low, high]).all() or low >= high:
        return np.array([low])
    return np.array(ticks(low, high))
