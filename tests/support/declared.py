"""What a contract declares, and what a thing lacks of it."""

from __future__ import annotations

from tallystick import contracts
from tallystick.errors import OptionError

__all__ = ["Recorder", "lacking", "members"]


def members(protocol) -> set[str]:
    """The names that a Protocol declares, those it builds on included."""
    own = [base for base in protocol.__mro__ if base.__module__ == contracts.__name__]
    return {name for base in own for name in vars(base) if not name.startswith("_")}


def lacking(protocol, thing) -> set[str]:
    """What a Protocol declares and a thing does not have. What is refused where it lies is there."""
    out = set()
    for name in members(protocol):
        try:
            getattr(thing, name)
        except AttributeError:
            out.add(name)
        except OptionError:
            pass
    return out


class Recorder:
    """A thing, and the names that it is asked for."""

    def __init__(self, thing, names: set[str]):
        self._thing, self._names = thing, names

    def __getattr__(self, name):
        self._names.add(name)
        return getattr(self._thing, name)
