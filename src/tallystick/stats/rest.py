"""What is left of a question where reading the table told a part of its total.

Knows questions. Knows nothing of who sums them.
Law: `whole` of the rest's total is the total of the question, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tallystick.contracts import Statistic

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rest(Generic[T]):
    """A question to be summed in the place of another; `whole` makes the total of that one from its own."""

    question: Statistic[Any]
    whole: Callable[[Any], T]
