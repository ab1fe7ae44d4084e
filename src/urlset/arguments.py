"""Check the arguments of public functions: unknown names, wrong types, one text for several."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from urlset.argument_hints import (
    FIRST,
    SUBJECTS,
    explained_name,
    meant_name,
    reason_against,
)
from urlset.errors import similar, suggestion
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.option_schema import Option

P = ParamSpec("P")
R = TypeVar("R")

_CLOSE = 0.85
"""Similarity to a name that is known here, above which another function's is not named."""

_POLICY_FIELDS = frozenset(
    "concurrency per_host delay_s max_delay_s retries backoff_s max_backoff_s max_retry_after_s "
    "connect_timeout_s read_timeout_s total_timeout_s max_redirects max_wire_bytes max_bytes "
    "max_error_bytes max_held_bytes user_agent headers site_headers proxies allow_private "
    "only_public obey_robots".split()
)
"""Fields of :class:`urlset.http.Policy`, which this module cannot import."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "int": (int, Integral),
    "float": (float, Real),
    "bool": (bool, Integral),
    "str": (str,),
    "datetime": (datetime,),
    "None": (type(None),),
    "Pattern": (re.Pattern,),
    "os.PathLike": (os.PathLike,),
    "StrPath": (str, os.PathLike),
    "Mapping": (Mapping,),
    "Sequence": (Iterable,),
    "Iterable": (Iterable,),
}
_PATTERNS = "Pattern | Iterable[str | Pattern]"
_RULE_NAMES = frozenset(("select", "ignore", "extend_select", "always"))
_NOUNS = {"int": "a whole number", "float": "a number", "bool": "True or False", "str": "a text"}
_NOUNS |= {"datetime": "a datetime", "None": "None", "Pattern": "a regular expression"}
_NOUNS |= {"StrPath": "a path", "os.PathLike": "a path"}
_PLURALS = {"str": "texts", "Level": "levels", "Rule": "rules", "str | Pattern": "them"}
_PLURALS |= {"str | os.PathLike[str]": "them", "StrPath": "them"}
_SECRET = frozenset(
    "auth endpoints google_credentials headers indexnow_key keys proxies site_headers "
    "webhook".split()
)
"""Arguments whose values no message has."""


def checked_fields(kind: type[R]) -> type[R]:
    """Decorate a dataclass: names and types of the arguments of its constructor are checked."""
    kind.__init__ = checked_arguments(kind.__init__, kind.__name__)  # type: ignore[method-assign]  # no other way
    return kind


def checked_arguments(function: Callable[P, R], shown: str = "") -> Callable[P, R]:
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

    Args:
        function: The function.
        shown: Its name in messages, if it is another one.
    """
    title = shown or function.__name__
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]

    @functools.wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        annotations = _annotations(function)
        values: dict[str, Any] = kwargs
        for name in values:
            if name not in annotations:
                is_first = not args and not any(first in values for first in positional[:1])
                raise TypeError(_unknown(title, name, annotations, is_first=is_first))
        if len(args) > len(positional) and not code.co_flags & inspect.CO_VARARGS:
            raise TypeError(_too_many(title, args, positional, annotations))
        for name, value in zip(positional, args, strict=False):
            _expect_type(title, name, value, annotations[name])
        for name, value in values.items():
            if type(value) not in (_plain_types(annotations[name]) or ()):
                values[name] = _converted(title, name, value, annotations[name])
        return function(*args, **kwargs)

    return inner


def expect_arguments(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Raise the TypeError that a checked function would raise for these arguments.

    >>> @checked_arguments
    ... def wait(*, seconds: float = 1) -> float:
    ...     return seconds
    >>> expect_arguments(wait, {"seconds": "2"})
    Traceback (most recent call last):
    TypeError: wait(): seconds: expected a number, found '2'
    """
    inner = inspect.unwrap(function)
    annotations = _annotations(inner)
    for name, value in values.items():
        if name not in annotations:
            raise TypeError(_unknown(inner.__name__, name, annotations, is_first=False))
        _converted(inner.__name__, name, value, annotations[name])


def others_with(function: str, name: str) -> str:
    """Return the end of a message that names the other functions or commands with an option.

    Args:
        function: Name of the function or command that does not have it.
        name: The parameter, or the option with its hyphens.

    >>> others_with("check", "dry_run"), others_with("check", "--tree"), others_with("check", "x")
    ('; build, submit, sync and write have it', '; read has it', '')
    """
    from urlset.option_schema.glossary import VERBS  # only errors need it

    verbs = VERBS if name.startswith("-") else (*VERBS, "fix", "render", "write")
    found = [verb for verb in verbs if verb != function and _has(verb, name)]
    if not found:
        return ""
    *first, last = found
    return f"; {', '.join(first)} and {last} have it" if first else f"; {last} has it"


def _has(verb: str, name: str) -> bool:
    """Return whether a function has a parameter, or a command an option, which has hyphens."""
    from urlset.option_schema import options_of

    if name.startswith("-"):
        flags = [each.flags + each.opposites for each in options_of(verb) if _is_option(each)]
        return any(name in several for several in flags)
    function = getattr(sys.modules["urlset"], verb, None)  # an import would be a cycle
    return callable(function) and name in inspect.signature(function).parameters


def _is_option(option: Option) -> bool:
    return option.is_allowed("command") and not option.is_argument


@functools.cache
def _annotations(function: Callable[..., Any]) -> dict[str, str]:
    """Return the annotation of each argument as text."""
    parameters = inspect.signature(function).parameters.items()
    return {name: str(parameter.annotation) for name, parameter in parameters}


def _too_many(
    function: str, args: Sequence[Any], positional: Sequence[str], known: Mapping[str, str]
) -> str:
    """Return the message about values without a name; the name of the first one that needs one."""
    is_method = int(positional[:1] == ("self",))
    allowed = pluralize(len(positional) - is_method, "argument")
    value = args[len(positional)]
    is_store = isinstance(value, (str, os.PathLike)) and os.fspath(value)[-7:] == ".duckdb"
    if is_store and "store" in known:
        advice = f"; did you mean store={os.fspath(value)!r}?"
    elif is_store and (reason := reason_against(function, "store")):
        advice = reason
    else:
        named = [name for name in known if name not in positional]
        advice = f"; write the others as NAME=VALUE: {', '.join(named)}"
    count = len(args) - is_method
    return f"{function}(): expected {allowed} without a name, found {count}{advice}"


def _unknown(function: str, given: str, known: Mapping[str, str], *, is_first: bool) -> str:
    name = explained_name(function, given)
    meant = meant_name(function, name)
    if is_first and name in SUBJECTS and function in FIRST:
        meant = FIRST[function]
    reason = reason_against(function, name)
    if meant == "" and reason:
        advice = ""
    elif meant in known:
        advice = f"; did you mean {meant!r}?"
    else:
        close = similar(name, known, _CLOSE)
        advice = (
            _option_advice(function, meant or name, known)
            or _policy_advice(name, known)
            or (f"; did you mean {close!r}?" if close else "")
            or others_with(function, name)
            or suggestion(name, known.keys() - {"self"})
        )
    return f"{function}() has no argument {given!r}{reason}{advice}"


def _option_advice(function: str, name: str, known: Mapping[str, str]) -> str:
    """Return what does in Python what an option of the command does; empty if there is none."""
    from urlset.option_schema import options_of  # only errors need it
    from urlset.option_schema.glossary import VERBS

    if function not in VERBS:
        return ""
    flag = f"--{name.replace('_', '-')}"
    for each in options_of(function):
        is_json = name == "json" and each.name == "format"
        is_flag = each.is_allowed("command") and flag in each.flags
        if not (name == each.name or is_flag or is_json):
            continue
        if each.name in known:
            return f"; did you mean {each.name!r}?"
        kind, _, field = each.in_python.partition(".")
        if kind == "Policy":
            return _policy_advice(field, known)
        if not kind:
            only = f"only the command `urlset {function}` has it"
            return f"; {f'the result has {each.in_python}' if field else only}"
        return f"; {f'did you mean {kind!r}?' if kind in known else f'use {each.in_python}'}"
    return ""


def _policy_advice(name: str, known: Mapping[str, str]) -> str:
    """Return how a field of the policy is passed; empty if it is none."""
    field = meant_name("Policy", name) or name
    if "policy" not in known or field not in _POLICY_FIELDS:
        return ""
    if field == "concurrency":  # the option sets both
        return "; pass policy=urlset.Policy(concurrency=…, per_host=…), in all and to one host"
    if field != "obey_robots":
        return f"; pass policy=urlset.Policy({field}=…)"
    return (
        "; pass policy=urlset.Policy(obey_robots=False) to search sitemaps also at URLs that "
        "robots.txt disallows"
    )


@functools.cache
def _parts(annotation: str) -> tuple[tuple[str, str], ...]:
    """Return the alternatives of an annotation: the name of each, and what is in its brackets.

    >>> _parts("Mapping[str, str | None] | None")
    (('Mapping', 'str, str | None'), ('None', ''))
    """
    text = _PATTERNS if annotation == "Patterns" else annotation
    found, depth, start = [], 0, 0
    for position, character in enumerate(f"{text}|"):
        depth += (character == "[") - (character == "]")
        if character == "|" and not depth:
            name, _, inner = text[start:position].strip().partition("[")
            found.append((name, inner.removesuffix("]")))
            start = position + 1
    return tuple(found)


@functools.cache
def _plain_types(annotation: str) -> tuple[type, ...] | None:
    """Return the types of an annotation such as ``int | None``; None if others are in it."""
    names = [name for name, _ in _parts(annotation)]
    if not all(name in _TYPES for name in names):
        return None
    return tuple(kind for name in names for kind in _TYPES[name])


def _wrong(value: Any, annotation: str) -> tuple[Any, ...]:
    """Return the value, or the one inside of it, that is not of the type; empty if there is none.

    >>> _wrong({"a": 1}, "Mapping[str, str]"), _wrong(["a"], "str | Iterable[str]")
    ((1,), ())
    """
    types = _plain_types(annotation)
    if types is None:
        return ()
    if not isinstance(value, types):
        return (value,)
    inner = dict(_parts(annotation))
    if isinstance(value, (Mapping, bytes, bytearray)):
        if "Mapping" not in inner or not isinstance(value, Mapping):
            return (value,)
        of_key, _, of_value = inner["Mapping"].partition(", ")
        pairs = [(key, of_key) for key in value] + [(one, of_value) for one in value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        each = inner.get("Sequence") or inner["Iterable"]
        pairs = [(one, each) for one in value]
    else:
        return ()
    return next(filter(None, (_wrong(one, each) for one, each in pairs)), ())


def _noun(name: str, inner: str) -> str:
    """Return what a type is called in a message, such as ``a dict of texts``."""
    if name not in ("Mapping", "Sequence", "Iterable"):
        return _NOUNS[name]
    kind = "dict" if name == "Mapping" else "list"
    return f"a {kind} of {_several(inner.partition(', ')[2] if name == 'Mapping' else inner)}"


def _several(annotation: str) -> str:
    """Return what several values of a type are called: ``texts``, ``lists of texts``."""
    name, inner = _parts(annotation)[0]
    if name in ("Mapping", "Sequence", "Iterable"):
        return _noun(name, inner)[2:].replace(" ", "s ", 1)
    return _PLURALS.get(annotation, "values")


def _expect_type(function: str, name: str, value: Any, annotation: str) -> None:
    wrong = _wrong(value, annotation)
    if not wrong:
        return
    expected = " or ".join(dict.fromkeys(_noun(*part) for part in _parts(annotation)))
    is_share = "str" in annotation and isinstance(value, float) and 0 < value < 1
    hint = f'; did you mean "{100 * value:g}%"?' if is_share else ""
    is_secret = name in _SECRET
    found = f"a value of type {type(wrong[0]).__name__}" if is_secret else f"{value!r:.200}"
    raise TypeError(f"{function}(): {name}: expected {expected}, found {found}{hint}")


def _converted(function: str, name: str, value: Any, annotation: str) -> Any:
    """Check the type of a keyword argument; return it, a single text as a tuple if several fit."""
    if annotation.startswith("Sequence[str]") and isinstance(value, str):
        parts = value.split(",") if name in _RULE_NAMES else [value]
        return tuple(part.strip() for part in parts if part.strip())
    if value is not None and name in ("policy", "progress"):
        _expect_object(function, name, value)
    _expect_type(function, name, value, annotation)
    if annotation == "Sequence[Rule]":
        _expect_rules(function, name, value)
    return value


def _expect_object(function: str, name: str, value: Any) -> None:
    if name == "progress":
        expected, advice = "a function or None", "print prints each event, None nothing"
        is_meant = callable(value)
    else:
        expected, advice = "an urlset.Policy or None", "write urlset.Policy(delay_s=1)"
        is_meant = isinstance(value, sys.modules["urlset"].Policy)  # an import would be a cycle
    if not is_meant:
        found = f"expected {expected}, found {value!r:.200}"
        raise TypeError(f"{function}(): {name}: {found}; {advice}")


def _expect_rules(function: str, name: str, value: Any) -> None:
    texts = [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
    if texts:
        raise TypeError(
            f"{function}(): {name}: expected rules of your own, found {texts[0]!r}; "
            "did you mean 'select'?"
        )
    for one in value:
        if inspect.isroutine(one):
            raise TypeError(
                f"{function}(): {name}: expected rules, which urlset.custom_rule returns, found "
                f"the function {one.__name__!r}"
            )
        if not hasattr(one, "code"):
            found = f"expected rules, which urlset.custom_rule returns, found {one!r:.200}"
            raise TypeError(f"{function}(): {name}: {found}")
