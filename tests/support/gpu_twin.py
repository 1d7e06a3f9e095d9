"""A device that is a processor: the device code compiled by a plain compiler, its memory NumPy's.

Every line of the GPU engine but CuPy's own calls runs through it, so that the engine is tested where there is
no GPU. With one, tests/engines/gpu/test_device.py asks the real device the same questions.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from tallystick.engines.gpu import source
from tallystick.engines.gpu.device import ranked
from tallystick.engines.gpu.rows import Kept

HOST = Path(__file__).with_name("gpu_host.hpp")
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC", "-w"]


class There(np.ndarray):
    """An array that says it lies on a device."""

    @property
    def __cuda_array_interface__(self):
        return self.__array_interface__ | {"version": 3}

    def get(self):
        """Return the array here."""
        return np.array(self)


@cache
def compiled() -> ctypes.CDLL:
    """Return the device code as a library of this machine."""
    text = source.text(HOST)
    # the shim's own includes are stripped with all others, so they come first
    includes = "#include <bit>\n#include <cstddef>\n#include <cstdint>\n"
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = Path(tempfile.mkdtemp(prefix="tally-twin-"))
    try:
        code, library = folder / "twin.cpp", folder / f"twin-{name}.so"
        code.write_text(includes + text)
        call = ["g++", *FLAGS, str(code), "-o", str(library)]
        subprocess.run(call, check=True, capture_output=True, text=True)
        return ctypes.CDLL(str(library))
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # a library that is loaded stays


class Twin:
    """The device. memory: bytes that it says are free."""

    threads = 1
    processors = 2
    block_memory = 48 << 10
    least_rows = 0

    def __init__(self, memory: int = 1 << 40, small_rows: int = 0) -> None:
        self.memory, self.small_rows, self.sent, self.launched = memory, small_rows, 0, []

    def room(self) -> int:
        return self.memory

    def zeros(self, shape, dtype):
        return np.zeros(shape, dtype)

    def empty(self, shape, dtype):
        out = np.empty(shape, dtype)
        out.view(np.uint8).fill(0xA5) if out.size else None  # whoever reads what nobody wrote is seen
        return out

    def buffer(self, shape, dtype):
        return self.empty(shape, dtype)

    def put(self, array, to=None):
        self.sent += array.nbytes
        if to is None:
            return np.array(array, order="C")
        to[...] = array
        return to

    def get(self, array):
        return array.copy()

    def address(self, array) -> int:
        return array.ctypes.data

    def holds(self, array) -> bool:
        return isinstance(array, There)

    def ranked(self, values):
        return ranked(self, np, values)

    def launch(self, kernel, blocks, *given, memory=0):
        assert memory <= self.block_memory
        self.launched.append(kernel)
        library = compiled()
        run = getattr(library, kernel)
        for block in range(max(blocks, 1)):
            library.set_block(ctypes.c_int64(block), ctypes.c_int64(max(blocks, 1)))
            run(*[_given(g) for g in given])

    def wait(self) -> None:
        pass

    @contextlib.contextmanager
    def use(self, lane=0):
        yield


def _given(value):
    if value is None:
        return ctypes.c_void_p(0)
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)


TWIN = 7  # the number of a device that is always a processor


def twin_engine(**given):
    """Return an engine whose device is a processor, for as long as the tests run."""
    import tallystick.engines.gpu as room

    room._devices.setdefault(TWIN, Kept(Twin()))
    return room.Gpu(TWIN, **given)


@contextlib.contextmanager
def twin(number: int = 0, **settings):
    """Let ts.Gpu() find a processor."""
    import tallystick.engines.gpu as room

    before, room._devices[number] = room._devices.get(number), Kept(Twin(**settings))
    try:
        yield room._devices[number].device
    finally:
        if before is None:
            del room._devices[number]
        else:
            room._devices[number] = before
