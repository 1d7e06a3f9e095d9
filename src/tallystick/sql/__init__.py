"""Sum in a database: the rows stay in its table, and each question is a query whose answer is a total.

    table --read.py--> what its columns are, in SQL --answers.py--> a GROUP BY --> a total

What a database cannot sum exactly is summed here, of rows fetched once through Arrow. Law: the answer is
the sum, whoever computes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tallystick.contracts import Statistic, Table
from tallystick.engine import Local, check_progress
from tallystick.schema import typed

if TYPE_CHECKING:
    from tallystick.sql.table import SqlTable


T = TypeVar("T")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Sql:
    """Let a database sum: DuckDB or PostgreSQL. The rows stay there, and only totals travel.

    Naive Bayes, trees and the bins of scorecards are summed there. Whatever cannot be summed there to the
    same bytes is summed here, of rows that are fetched once, and a note says so.

    Parameters
    ----------
    connection : connection or str, default None
        A DuckDB connection, an ADBC connection to PostgreSQL, or an address; then X is the name of a table.
        None: X is an address that names its table, such as "duckdb:///votes.db?table=votes".
    progress : callable, default None
        progress(rows done, rows in all) is called after each question.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.NaiveBayes(engine=ts.Sql())
    NaiveBayes(engine=Sql())
    """

    connection: Any = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_progress(self.progress)

    __repr__ = typed

    def __deepcopy__(self, memo: Any) -> Sql:
        return self  # a connection cannot be copied

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""
        from tallystick.sql.table import SqlTable

        if not isinstance(table, SqlTable):
            return Local(progress=self.progress).total(table, question)
        found = self._asked(table, question)
        if found is None:
            found = Local().total(table.here, question)
        if self.progress is not None:
            self.progress(table.rows, table.rows)
        return found  # type: ignore[no-any-return]

    @staticmethod
    def _asked(table: SqlTable, question: Any) -> Any:
        """Return what the database answers; None where it cannot, or is at its end with its numbers."""
        from tallystick.io.database import QueryError
        from tallystick.sql.answers import answer

        if table.fetched:
            return None
        try:
            return answer(table, question)
        except QueryError:
            return None
