"""One GPU: memory, kernels by name, and what can go wrong with it.

Knows CuPy, which is imported when a device is first asked for. Knows nothing of tables or statistics.
Laws: arrays of a device are used through it alone; an error of CUDA is one line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.engines.gpu import source
from tallystick.errors import DeviceError, DeviceFull

KINDS = {"float64": 0, "float32": 1, "uint8": 2, "uint16": 3, "uint32": 4}  # as device/cells.hpp
OPTIONS = ("--std=c++17", "-default-device", "--fmad=false")


class Device(Protocol):
    """Whoever has memory of its own and runs the device code."""

    threads: int  # of a block
    processors: int  # blocks that run at the same time, about
    block_memory: int  # bytes that a block has for itself
    least_rows: int  # of a table that is worth the way to the device, where a tree is grown
    small_rows: int  # of a node that the processor grows to its leaves in less time

    def room(self) -> int:
        """Return how many bytes of its memory are free."""
        ...

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Return an array of zeros there."""
        ...

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Return an array there, whatever is in it."""
        ...

    def buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Return an array here from which copies are quick."""
        ...

    def put(self, array: NDArray[Any], to: Any = None) -> Any:
        """Return a copy there; to: an array there that takes it."""
        ...

    def get(self, array: Any) -> NDArray[Any]:
        """Return a copy here."""
        ...

    def address(self, array: Any) -> int:
        """Return where an array lies there."""
        ...

    def holds(self, array: Any) -> bool:
        """Say whether an array lies there; what others still write to it is waited for."""
        ...

    def ranked(self, values: Any) -> tuple[Any, Any]:
        """Return order[uint32], the rows of a column as its numbers rise, and the rank of each in that order:
        a number that is equal for equals, and rises with them; missing is the largest there is.
        """
        ...

    def launch(self, kernel: str, blocks: int, *given: Any, memory: int = 0) -> None:
        """Run a kernel. given: arrays there, None, and numbers: whole ones as int, others as float."""
        ...

    def wait(self) -> None:
        """Wait until all lanes of this thread are done."""
        ...

    def use(self, lane: int = 0) -> Any:
        """Return the context in which this thread uses the device. What is done in one lane is done in order;
        copies to one lane go on while kernels of the other run.
        """
        ...


class Cuda:
    """A GPU through CuPy."""

    threads = 256
    block_memory = 48 << 10
    least_rows = 100_000
    small_rows = 32_768

    def __init__(self, number: int) -> None:
        self.cupy = _cupy()
        self.number = number
        found = _asked(self.cupy.cuda.runtime.getDeviceCount)
        if not 0 <= number < found:
            raise DeviceError(
                f"there is no GPU {number}: {found} found here. Pass ts.Gpu(device=0), or leave engine= out."
            )
        self.device = self.cupy.cuda.Device(number)
        self.processors = int(self.device.attributes["MultiProcessorCount"])
        self._streams = threading.local()
        with self.use():
            self._module = self.cupy.RawModule(code=source.text(), options=OPTIONS, backend="nvrtc")
        self._kernels: dict[str, Any] = {}

    def room(self) -> int:
        """Return how many bytes of its memory are free, what CuPy holds back included."""
        with self.use():
            return int(self.device.mem_info[0]) + int(self.cupy.get_default_memory_pool().free_bytes())

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Return an array of zeros there."""
        return self.cupy.zeros(shape, dtype)

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Return an array there, whatever is in it."""
        return self.cupy.empty(shape, dtype)

    def buffer(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Return an array here that stays where it is in memory."""
        import cupyx

        return cupyx.empty_pinned(shape, dtype)  # type: ignore[no-any-return]

    def put(self, array: NDArray[Any], to: Any = None) -> Any:
        """Return a copy there."""
        own = np.ascontiguousarray(array)
        if to is None:
            return self.cupy.asarray(own)
        to.set(own)
        self.cupy.cuda.get_current_stream().synchronize()  # the caller may write to the array again
        return to

    def get(self, array: Any) -> NDArray[Any]:
        """Return a copy here."""
        return self.cupy.asnumpy(array)  # type: ignore[no-any-return]

    def address(self, array: Any) -> int:
        """Return where an array lies there."""
        return int(array.data.ptr)

    def holds(self, array: Any) -> bool:
        """Say whether an array lies there; what others still write to it is waited for."""
        if isinstance(array, np.ndarray):
            return False
        self.cupy.cuda.runtime.deviceSynchronize()
        return True

    def ranked(self, values: Any) -> tuple[Any, Any]:
        """Return the order of a column and the ranks in it."""
        return ranked(self, self.cupy, values)

    def launch(self, kernel: str, blocks: int, *given: Any, memory: int = 0) -> None:
        """Run a kernel."""
        if kernel not in self._kernels:
            self._kernels[kernel] = self._module.get_function(kernel)
        own = tuple(np.uint64(0) if g is None else np.int64(g) if isinstance(g, int) else g for g in given)
        self._kernels[kernel]((max(blocks, 1),), (self.threads,), own, shared_mem=memory)

    def wait(self) -> None:
        """Wait until all lanes of this thread are done."""
        for lane in range(3):
            self._lane(lane).synchronize()

    @contextmanager
    def use(self, lane: int = 0) -> Iterator[None]:
        """Use the device in this thread, in streams of its own: fits side by side do not wait for each
        other.
        """
        try:
            with self.device, self._lane(lane) as stream:
                if lane:
                    stream.wait_event(self._lane(0).record())
                yield
                if lane == 0:
                    stream.synchronize()
        except Exception as error:
            raise _plain(self.cupy, error) from error

    def _lane(self, lane: int) -> Any:
        own = self._streams.__dict__.setdefault("own", {})
        if lane not in own:
            own[lane] = self.cupy.cuda.Stream(non_blocking=True)
        return own[lane]


def ranked(device: Device, arrays: Any, values: Any) -> tuple[Any, Any]:
    """Return the order of a column and the ranks in it. arrays: CuPy, or NumPy where a processor stands for
    the device.
    """
    single = values.dtype == np.float32
    keys = device.empty(len(values), np.uint32 if single else np.uint64)
    given = len(values), values, KINDS[str(values.dtype)], keys
    device.launch("sort_keys", device.processors * 8, *given)
    order = arrays.argsort(keys, kind="stable").astype(np.uint32)
    risen = keys[order]
    if single:
        return order, risen
    rank = arrays.zeros(len(values), np.uint32)
    rank[1:] = arrays.cumsum(risen[1:] != risen[:-1])
    rank[risen == np.uint64(2**64 - 1)] = np.uint32(2**32 - 1)
    return order, rank


def _cupy() -> Any:
    try:
        import cupy
    except ImportError:
        raise DeviceError(
            "engine=ts.Gpu() needs CuPy, which is not installed. Run: pip install 'tallystick[gpu]', on a "
            "machine with an NVIDIA GPU; or leave engine= out."
        ) from None
    return cupy


def _asked(question: Callable[[], int]) -> int:
    try:
        return question()
    except Exception as error:  # CuPy's own classes: no driver, no device, a driver too old
        raise DeviceError(
            f"no GPU can be used here: {_line(error)}. Leave engine= out to work on the processor."
        ) from error


def _plain(cupy: Any, error: Exception) -> Exception:
    """Return an error of CUDA as one line; any other as it is."""
    if isinstance(error, cupy.cuda.memory.OutOfMemoryError):
        return DeviceFull(
            f"the GPU's memory is full: {_line(error)}. Pass ts.Gpu(memory=...), so that rows come in parts."
        )
    if isinstance(error, (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError)):
        return DeviceError(f"the GPU failed: {_line(error)}. Begin a new process, or leave engine= out.")
    return error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
