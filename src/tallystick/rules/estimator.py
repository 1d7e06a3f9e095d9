"""`RuleList` and `RuleSet`: if-then rules learnt from sums, printed with the rows behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from tallystick.contracts import Engine, Model, Table
from tallystick.draw.svg import Picture
from tallystick.errors import ModelFileError, OptionError, counted, some
from tallystick.estimator.classifier import Classifier
from tallystick.model.decision import cost_table
from tallystick.rules.model import LIST, SET, RuleModel, RuleOptions
from tallystick.schema import Columns, Note, Schema, Target
from tallystick.tree.options import check_classes, named_by_label, text_notes

if TYPE_CHECKING:
    from tallystick.rules.explain import RulesOnRows
    from tallystick.tree.rules import Rules


class _AnyRules(Classifier):
    """What lists and sets of rules share."""

    model_: RuleModel
    class_weight: Any
    costs: Any

    def __init__(
        self,
        *,
        max_rules: int | None = 32,
        max_conditions: int | None = None,
        smoothing: float | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        costs: Any = None,
        max_bins: int = 64,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.costs = costs
        self.max_bins = max_bins
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    def _options(self) -> RuleOptions:
        return RuleOptions.of(self)

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that is learnt from."""
        table = super()._read(X, y, sample_weight)
        if table.schema.target is not None:
            check_classes(self.class_weight, None, self.costs, table.schema.target)
        return table

    def _rows_of(self, table: Table) -> dict[str, Any]:
        own = {} if table.unit == 1 else {"row": table.row_unit}
        return super()._rows_of(table) | own

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.engine import fit
        from tallystick.rules.learner import RuleLearner

        notes = [*text_notes(table.schema)]
        learner = RuleLearner(self._options(), self._kind, table.unit, table.row_unit, table.rows)
        model = fit(learner, table, engine)
        if not model.rules:
            words = (
                f"no rule is worth its conditions in {counted(table.rows, 'row')}: all rows are answered "
                "alike. smoothing=0 finds rules that are right on every row, however many conditions that "
                "takes."
            )
            notes.append(Note("no-rules", words, count=table.rows))
        left = [c.name for c in table.schema.used if c.kind != "text" and c not in model.schema.used]
        if model.rules and left:
            them = "it" if len(left) == 1 else "them"
            text = f"no rule asks for {some(left, 5)}: new rows need not have {them}."
            notes.append(Note("columns-not-used", text, count=len(left)))
        return model, tuple(notes)

    def _document(self, profile: bool, model: dict[str, Any]) -> dict[str, Any]:
        """Return the model file's content: numbers per class by label, costs as a table."""
        out = super()._document(profile, model)
        if self.costs is not None:
            out["parameters"]["costs"] = [list(row) for row in cost_table(self.costs, self.schema_.predicted)]
        return out

    def _restore(self, document: Mapping[str, Any]) -> None:
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        try:
            self._set_stored(document["parameters"])
            options = self._options()
        except OptionError as error:
            raise ModelFileError(f"model file: {error} The file was edited.") from None
        model = RuleModel.from_dict(document["model"], schema, options, self._kind, rows)
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    def rules(self) -> Rules:
        """Return the rules with their training rows, probabilities and intervals.

        Returns
        -------
        Rules
            It prints as the model does; `expression(label)` says when a class is answered, as the least
            Boolean expression.
        """
        from tallystick.rules.explain import measured_rules

        self._check_fitted()
        return measured_rules(self.model_)

    def rules_on(self, X: Any, y: Any = None, sample_weight: Any = None) -> RulesOnRows:
        """Return how each rule does on labelled rows that it was not learnt from.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array, default None
            The weight of each row; None is 1.

        Returns
        -------
        RulesOnRows
            Rows that a rule answers, how many it answers wrongly, and its share in training beside; it prints
            as a table and has `to_dict`.
        """
        from tallystick.io.open import with_each_row
        from tallystick.judge.run import class_labels_of as labels_of
        from tallystick.rules.explain import rules_on

        self._check_fitted()
        X = with_each_row(X)
        truth = labels_of(X, self.schema_.predicted.name if y is None else y, self.schema_)
        first = list(self._each_block(X, self.model_.first))
        return rules_on(self.model_, first, truth, sample_weight)

    def picture(self) -> Picture:
        """Return the rules as a picture: a line for each, with a bar of the classes of its training rows.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.rules.explain import rules_svg

        self._check_fitted()
        return Picture(rules_svg(self.model_))

    def _as_text(self) -> str:
        return str(self.rules())

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed

        return framed(self.picture(), text=self._as_text())

    def _numbers(self) -> int:
        """Return how many conditions a reader looks at, and an answer for each rule."""
        self._check_fitted()
        return self.model_.conditions + len(self.model_.all_rules)

    def _own_costs(self, target: Target) -> tuple[tuple[float, ...], ...]:
        """Return costs[class][answer] by which answers are decided; nothing where the largest share is."""
        return cost_table(self.costs, target)

    def _by_label(self, target: Target) -> Self:
        """Return an unfitted copy with its lists of numbers per class by label: a part of the rows may lack
        a class.
        """
        return type(self)(**named_by_label(self.get_params(deep=False), ("costs",), target))


class RuleList(_AnyRules):
    """If-then rules in an order: the first rule that holds answers.

    Each rule is grown by the condition that tells the classes of the rows best, on the rows that no rule
    before it takes. A rule is kept if what it tells pays for naming its conditions; then the list is looked
    over once more, and rules whose rows are told as well by those behind them go.

    Parameters
    ----------
    max_rules : int, default 32
        The most rules; None: as many as the rows pay for, hundreds on a large table.
    max_conditions : int, default None
        The most conditions of a rule; None leaves it to the rows.
    smoothing : float, default None
        Imagined rows of each rule, with the class shares of all rows, before those that the search for its
        conditions adds; None is sqrt(8 / number of classes), 0 asks for rules that are right on every row
        they take, those of a truth table: then conditions cost nothing and a rule may take one row.
    class_weight : dict or "balanced", default None
        What a row of each class counts: {label: weight}.
    costs : dict or table, default None
        {label: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right) or `costs[class][answer]`:
        the cheapest class is answered.
    max_bins : int, default 64
        Ranges of a number whose ends a condition may take; numbers of fewer distinct values have all cuts.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    See Also
    --------
    RuleSet : rules without an order, a Boolean expression for a class.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n, "cured": n > 4} for n in range(10)] * 3
    >>> model = ts.RuleList().fit(rows, "cured")
    >>> model.predict([{"dose": 9}]).tolist()
    [True]
    """

    _kind = LIST


class RuleSet(_AnyRules):
    """If-then rules without an order: any rule that holds answers, of two classes one Boolean expression.

    Every class but the most frequent has rules of its own, a disjunction of conjunctions; where no rule
    holds, the most frequent class is answered, and where rules of several classes hold, the surest of them
    answers.

    Parameters
    ----------
    max_rules : int, default 32
        The most rules; None: as many as the rows pay for, hundreds on a large table.
    max_conditions : int, default None
        The most conditions of a rule; None leaves it to the rows.
    smoothing : float, default None
        Imagined rows of each rule, with the class shares of all rows, before those that the search for its
        conditions adds; None is sqrt(8 / number of classes), 0 asks for rules that are right on every row
        they take, those of a truth table: then conditions cost nothing and a rule may take one row.
    class_weight : dict or "balanced", default None
        What a row of each class counts: {label: weight}.
    costs : dict or table, default None
        {label: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right) or `costs[class][answer]`:
        the cheapest class is answered.
    max_bins : int, default 64
        Ranges of a number whose ends a condition may take; numbers of fewer distinct values have all cuts.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    See Also
    --------
    RuleList : rules in an order.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n, "cured": n > 4} for n in range(10)] * 3
    >>> model = ts.RuleSet().fit(rows, "cured")
    >>> model.rules().expression()
    '(dose ≥ 4.5)'
    """

    _kind = SET
