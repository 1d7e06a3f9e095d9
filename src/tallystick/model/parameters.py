"""What all estimators share in their constructors: names, groups of parameters, how work is done.

Knows signatures, `Columns` and engines. Knows nothing of rows, models or files.
Laws: a constructor only stores; what is said twice, misspelt or stands elsewhere is an error that says so.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, ClassVar, Self

from tallystick.contracts import Engine, Table
from tallystick.engine.choice import choose_engine, choose_local
from tallystick.engine.local import Local
from tallystick.errors import NoParameter, nearest, shown
from tallystick.schema import NO_WISHES, ColumnOptions, Columns

ROUTED = "_metadata_request"  # the name that scikit-learn gives to what is asked of its routing
EXECUTION = ("engine", "memory", "threads")  # how to work: never part of a model
SHARED = ("columns", "kinds", *EXECUTION)  # parameters of every estimator
GROUPED = {"columns": Columns, "engine": Local}  # parameters that hold further ones: what None stands for
PLACES = {  # what does not stand in a constructor by itself, and where it does
    "levels": "columns=ts.Columns(levels={'size': ['S', 'M', 'L']})",
    "missing": "columns=ts.Columns(missing=['-999'])",
    "keep": "columns=ts.Columns(keep=['id'])",
    "merge": "columns=ts.Columns(merge={'yes': ['Yes', 'YES']})",
    "progress": "engine=ts.Local(progress=function)",
    "verbose": "engine=ts.Local(progress=function)",
}


class Parameters:
    """The parameters of an estimator, as scikit-learn asks for them; see the module's laws."""

    _places: ClassVar[Mapping[str, str]] = PLACES
    columns: Columns | None
    kinds: Mapping[str, str] | None
    engine: Any
    threads: int | None
    memory: int | str | None

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse parameters that are not there, before Python does: with the nearest name, or the place."""
        cls._refuse_unknown(given)
        return super().__new__(cls)

    @classmethod
    @functools.cache  # read once per class: comparisons make estimators by the thousand
    def _names(cls) -> tuple[str, ...]:
        return tuple(p for p in inspect.signature(cls.__init__).parameters if p != "self")

    @classmethod
    def _refuse_unknown(cls, given: Iterable[str]) -> None:
        names = cls._names()
        for name in given:
            if name in names:
                continue
            elsewhere = name in cls._places
            cure = f" Pass {cls._places[name]}." if elsewhere else nearest(name, names)
            known = "" if elsewhere else f" Known: {', '.join(names)}."
            raise NoParameter(f"{cls.__name__} has no parameter {shown(name)}.{cure}{known}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters as they were given.

        Parameters
        ----------
        deep : bool, default True
            Whether those inside of others are there too, such as `columns__kinds`.

        Returns
        -------
        dict
            By name.
        """
        out = {name: getattr(self, name) for name in sorted(self._names())}
        if deep:
            for name, value in list(out.items()):
                if is_dataclass(value):
                    out |= {f"{name}__{f.name}": getattr(value, f.name) for f in fields(value)}
        return out

    def set_params(self, **params: Any) -> Self:
        """Set some parameters; an unknown name is an error.

        Parameters
        ----------
        **params
            By name; one inside of another is `columns__kinds`.

        Returns
        -------
        self
            The estimator.
        """
        self._refuse_unknown(name.partition("__")[0] for name in params)
        for name, value in params.items():
            if "__" not in name:
                setattr(self, name, value)
        for name, value in params.items():
            outer, inner, part = name.partition("__")
            if inner:
                setattr(self, outer, self._with_part(outer, part, value))
        return self

    def _with_part(self, name: str, part: str, value: Any) -> Any:
        """Return a parameter that holds others with one of these set anew."""
        given = getattr(self, name)
        if given is None and name in GROUPED:
            given = GROUPED[name]()
        if not is_dataclass(given) or isinstance(given, type):
            raise NoParameter(f"{name}={given!r} has no part {shown(part)}. Set {name} itself first.")
        parts = [f.name for f in fields(given)]
        if part not in parts:
            raise NoParameter(
                f"{name} has no part {shown(part)}.{nearest(part, parts)} Known: {', '.join(parts)}."
            )
        return replace(given, **{part: value})

    # -- scikit-learn's metadata routing: what a search or a pipeline hands on --

    def set_fit_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Say whether scikit-learn's searches and pipelines hand sample weights on to `fit`.

        Parameters
        ----------
        sample_weight : bool or str, default None
            True hands them on, False does not, a text is the name they go by; None is an error where some
            are given.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Say whether scikit-learn's searches and pipelines hand sample weights on to `score`.

        Parameters
        ----------
        sample_weight : bool or str, default None
            As for `set_fit_request`.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("score", sample_weight)

    def _request(self, method: str, sample_weight: bool | str | None) -> Self:
        asked = self.get_metadata_routing()
        getattr(asked, method).add_request(param="sample_weight", alias=sample_weight)
        self._metadata_request = asked  # the name by which scikit-learn's clone takes it along
        return self

    def get_metadata_routing(self) -> Any:
        """Return what is asked of scikit-learn's routing, which is loaded when this is called.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            For `fit` and `score`.
        """
        from copy import deepcopy

        from sklearn.utils.metadata_routing import MetadataRequest

        if ROUTED in vars(self):
            return deepcopy(self._metadata_request)
        asked = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "score"):
            getattr(asked, method).add_request(param="sample_weight", alias=None)
        return asked

    _metadata_request: Any  # there where it was asked for

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = [
            f"{n}={v!r}"
            for n, v in self.get_params(deep=False).items()
            if v is not defaults[n].default and v != defaults[n].default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _wishes(self) -> ColumnOptions:
        """Return what is asked of a reader."""
        if self.columns is None and self.kinds is None:
            return NO_WISHES
        known = Columns.of(self.columns, self.kinds)
        return ColumnOptions(known.kinds, known.levels, known.missing, known.keep, known.merge)

    def _set_stored(self, parameters: Mapping[str, Any]) -> None:
        """Set the parameters that a model file holds."""
        own = dict(parameters)
        known = Columns(**{f.name: own.pop(f.name) for f in fields(Columns) if f.name in own})
        self.columns, self.kinds = None if known == Columns() else known, None
        for name, value in own.items():
            setattr(self, name, value)

    def _local(self) -> Local:
        """Return how work is done on this machine: threads, memory, progress."""
        return choose_local(self.engine, self.threads, self.memory)

    def _engine(self, table: Table | None = None) -> Engine:
        """Return who sums: who is where the table's rows are, or as given."""
        own = None if table is None else table.engine
        return choose_engine(self.engine, self.threads, self.memory) if own is None else own
