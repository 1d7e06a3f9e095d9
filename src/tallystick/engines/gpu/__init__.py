"""Sum on a GPU: columns are copied there once, and each question is a few kernels whose answer is a total.

    table --rows.py--> columns on the device --answers.py--> kernels (device/*.hpp) --> a total

Sums of whole numbers do not depend on their order, so a device may add them in any. What it has no kernel
for is summed on this machine's processor. Knows which questions have kernels. Knows nothing of models, and
loads CuPy only when it is asked to sum. Law: the answer is the sum, whoever computes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tallystick.contracts import Statistic, Table
from tallystick.data.schema import typed
from tallystick.data.source.size import budget
from tallystick.engines.local import Local, check_progress
from tallystick.errors import DeviceFull, OptionError, shown

if TYPE_CHECKING:
    from tallystick.engines.gpu.rows import Kept

T = TypeVar("T")
Progress = Callable[[int, int], None]
_devices: dict[int, Kept] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True, repr=False)
class Gpu:
    """Let an NVIDIA GPU sum. None of this changes a model: its bytes are those of the fit on a processor.

    Needs CuPy: `pip install 'tallystick[gpu]'`. The rows are read on this machine, copied to the device once
    and stay there until the fit ends; a table that does not fit comes in parts.

    Parameters
    ----------
    device : int, default 0
        Which GPU, as CUDA numbers them.
    memory : str or int, default None
        How much of its memory the rows may take, such as "20GB"; None is what is free.
    threads : int, default None
        How many threads of this machine read rows, and sum what the device has no kernel for; None is one for
        each core.
    progress : callable, default None
        progress(rows done, rows in all) is called after each question.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.NaiveBayes(engine=ts.Gpu(memory="20GB"))
    NaiveBayes(engine=Gpu(memory='20GB'))
    """

    device: int = 0
    memory: int | str | None = None
    threads: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if type(self.device) is not int or self.device < 0:
            raise OptionError(f"device must be a whole number from 0, not {shown(self.device)}.")
        if self.memory is not None:
            budget(self.memory)
        check_progress(self.progress)

    __repr__ = typed

    def __deepcopy__(self, memo: Any) -> Gpu:
        return self  # nothing of it changes, and a progress bar cannot be copied

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""
        from tallystick.engines.gpu.answers import ANSWERS

        way = ANSWERS.get(type(question))
        found = None
        if way is not None and table.place != "far":
            found = self._asked(table, question, way)
        if found is None:
            return Local(self.threads, progress=self.progress).total(table, question)
        if self.progress is not None:
            self.progress(table.rows, table.rows)
        return found  # type: ignore[no-any-return]

    def _asked(self, table: Table, question: Any, way: Callable[[Any, Any], Any]) -> Any:
        """Return what the device answers. Where its memory runs out, less of it is asked for, then none."""
        from tallystick.engines.gpu.rows import DeviceRows

        kept = device_of(self.device)
        room = None if self.memory is None else budget(self.memory)
        for memory in (room, kept.device.room() // 8):
            try:
                with kept.device.use():
                    return way(DeviceRows(kept.device, kept, table, memory, self.threads), question)
            except DeviceFull:
                kept.arrays.clear()
        return None


def device_of(number: int) -> Kept:
    """Return a device with what it keeps; it is opened when it is first asked for."""
    from tallystick.engines.gpu.device import Cuda
    from tallystick.engines.gpu.rows import Kept

    with _lock:
        if number not in _devices:
            _devices[number] = Kept(Cuda(number))
        return _devices[number]
