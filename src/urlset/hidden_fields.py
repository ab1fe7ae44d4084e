"""Representations of named tuples without fields that may hold secrets.

Dataclasses have ``field(repr=False)`` for this.
"""

from __future__ import annotations

from typing import Any


def repr_without(values: Any, *hidden: str) -> str:
    """Return the representation of a named tuple without its hidden fields and default values.

    >>> from typing import NamedTuple
    >>> class Login(NamedTuple):
    ...     user: str
    ...     password: str
    ...     realm: str = ""
    >>> repr_without(Login("ann", "s3cret"), "password")
    "Login(user='ann')"
    """
    defaults = values._field_defaults
    shown = (
        f"{name}={value!r}"
        for name, value in values._asdict().items()
        if name not in hidden and (name not in defaults or value != defaults[name])
    )
    return f"{type(values).__name__}({', '.join(shown)})"
