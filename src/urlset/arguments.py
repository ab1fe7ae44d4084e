"""Check the arguments of public functions: unknown names, wrong types, one text for several."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from datetime import datetime
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from urlset.errors import suggestion

P = ParamSpec("P")
R = TypeVar("R")

# What callers write for an argument of another name, by function; empty if no name is meant that
# only looks like it.
_MEANT = {
    "audit": {
        "max_pages": "max_requests", "output": "store", "limit": "max_requests",
        "recheck_s": "confirm_after_s", "recheck_delay_s": "confirm_delay_s",
        "max_rechecked": "max_confirmed",
    },
    "build": {
        "output": "target", "out": "target", "path": "target", "folder": "target",
        "section": "sections", "filter": "filters", "rewrite": "rewrites",
        "host": "allowed_hosts", "hosts": "allowed_hosts", "store": "ledger",
        "obey_robots": "exclude_by_robots", "match": "include",
        "git_path": "git_paths", "keep_parameter": "keep_parameters",
    },
    "check": {"url": "base_url"},
    "crawl": {
        "output": "store", "path": "store", "limit": "max_pages", "depth": "max_depth",
        "recheck_s": "confirm_after_s",
    },
    "diff": {"max_removed": ""},
    "submit": {
        "key": "keys", "urls": "updates", "changes": "updates", "site": "updates",
        "announcements": "store", "sample": "preflight_pages",
    },
    "sync": {
        "max_pages": "max_requests", "limit": "max_requests", "output": "store", "state": "store",
        "recheck": "recheck_pages", "max_removed": "max_removed_share",
    },
    "read": {
        "match": "include", "filter": "include", "pattern": "include", "in_scope": "scope",
        "robots": "read_robots",
    },
    "watch": {"output": "store", "state": "store", "recheck": "recheck_sitemaps"},
    "write": {"output": "target", "out": "target", "folder": "target", "path": "target"},
}  # fmt: skip

_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int, Integral),
    "float": (float, Real),
    "bool": (bool, Integral),
    "str": (str,),
    "datetime": (datetime,),
    "None": (type(None),),
}
_RULE_NAMES = frozenset(("select", "ignore", "extend_select", "always"))
_NOUNS = {"int": "a whole number", "float": "a number", "bool": "True or False", "str": "a text"}
_NOUNS |= {"datetime": "a datetime", "None": "None"}


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public function: names and types of its arguments are checked before it runs.

    An unknown name is refused with the name that was probably meant. Arguments whose annotation
    consists of plain types must be of these types. A text is accepted where several are expected;
    names of rules may be separated by commas.

    >>> @checked_arguments
    ... def wait(*, seconds: float = 1) -> float:
    ...     return seconds
    >>> wait(second=2)
    Traceback (most recent call last):
    TypeError: wait() has no argument 'second'; did you mean 'seconds'?
    >>> wait(seconds="2")
    Traceback (most recent call last):
    TypeError: wait(): seconds: expected a number, found '2'
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]

    @functools.wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        annotations = _annotations(function)
        values: dict[str, Any] = kwargs
        for name in values:
            if name not in annotations:
                raise TypeError(_unknown(function.__name__, name, annotations))
        for name, value in zip(positional, args, strict=False):
            _expect_type(function.__name__, name, value, annotations[name])
        for name, value in values.items():
            if type(value) not in (_plain_types(annotations[name]) or ()):
                values[name] = _converted(function.__name__, name, value, annotations[name])
        return function(*args, **kwargs)

    return inner


@functools.cache
def _annotations(function: Callable[..., Any]) -> dict[str, str]:
    """Return the annotation of each argument as text."""
    parameters = inspect.signature(function).parameters.items()
    return {name: str(parameter.annotation) for name, parameter in parameters}


def _unknown(function: str, name: str, annotations: Mapping[str, str]) -> str:
    meant = _MEANT.get(function, {}).get(name)
    if meant is None:
        advice = suggestion(name, annotations)
    else:
        advice = meant and f"; did you mean {meant!r}?"
    return f"{function}() has no argument {name!r}{advice}"


@functools.cache
def _plain_types(annotation: str) -> tuple[type, ...] | None:
    """Return the types of an annotation such as ``int | None``; None for any other."""
    names = [part.strip() for part in annotation.split("|")]
    if not all(name in _TYPES for name in names):
        return None
    return tuple(kind for name in names for kind in _TYPES[name])


def _expect_type(function: str, name: str, value: Any, annotation: str) -> None:
    types = _plain_types(annotation)
    if types is None or isinstance(value, types):
        return
    expected = " or ".join(_NOUNS[part.strip()] for part in annotation.split("|"))
    raise TypeError(f"{function}(): {name}: expected {expected}, found {value!r:.200}")


def _converted(function: str, name: str, value: Any, annotation: str) -> Any:
    """Check the type of a keyword argument; return it, a single text as a tuple if several fit."""
    if annotation.startswith("Sequence[str]") and isinstance(value, str):
        parts = value.split(",") if name in _RULE_NAMES else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if annotation == "Sequence[Rule]":
        _expect_rules(function, name, value)
    _expect_type(function, name, value, annotation)
    return value


def _expect_rules(function: str, name: str, value: Any) -> None:
    texts = [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
    if texts:
        raise TypeError(
            f"{function}(): {name}: expected rules of your own, found {texts[0]!r}; "
            "did you mean 'select'?"
        )
