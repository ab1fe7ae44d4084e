"""What runs on an executor of Spark: objects that say what to install if urlset is missing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from pyspark import cloudpickle


def reduced(make: Callable[..., Any], *values: Any) -> tuple[Callable[..., Any], tuple[bytes]]:
    """Return what ``__reduce__`` returns for an object that a function makes of values."""
    return _portable(_load), (cloudpickle.dumps((make, values)),)


def restored(kind: type[Any], values: dict[str, Any]) -> Any:
    """Return an object of a class with these attributes, for :func:`reduced`."""
    found = object.__new__(kind)
    found.__dict__.update(values)
    return found


def task(function: Callable[..., Any], *values: Any) -> Callable[[Any], Any]:
    """Return a function of one argument, which an executor calls, after these values."""
    load, (state,) = reduced(functools.partial, function, *values)

    def run(argument: Any) -> Any:
        return load(state)(argument)

    return run


def _load(state: bytes) -> Any:
    """Load an object; it runs where urlset may be missing, so it uses nothing of this module."""
    import importlib
    import pickle

    try:
        for name in ("pyarrow", "urlset.integrations.spark"):
            importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"an executor of Spark cannot read sitemaps: {error}; run pip install 'urlset[spark]' "
            "on every executor, or ship an environment with it (--archives)"
        ) from error
    make, values = pickle.loads(state)
    return make(*values)


@functools.cache
def _portable(function: FunctionType) -> FunctionType:
    """Return a copy of a function that is pickled with its code, as functions of scripts are."""
    copy = FunctionType(function.__code__, {"__builtins__": __builtins__}, function.__name__)
    copy.__module__ = "__main__"
    return copy
