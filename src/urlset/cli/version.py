"""Report the installed version and the name of the engine without importing the engine."""

from __future__ import annotations

import importlib
import os
from importlib.metadata import PackageNotFoundError, version

RELEASE_LEVEL = "3"
"""Optimization level of a released engine, in rust/Cargo.toml."""


def version_line() -> str:
    """Return the version, the engine in use, and why.

    >>> version_line().startswith("urlset ")
    True
    """
    return f"urlset {version_of_urlset()} ({_engine()})"


def version_of_urlset() -> str:
    """Return the installed version; ``0`` if urlset runs from a checkout that is not installed."""
    try:
        return version("urlset")
    except PackageNotFoundError:
        return "0"


def _engine() -> str:
    requested = os.environ.get("URLSET_ENGINE")
    if requested == "reference":
        return "reference engine: selected by URLSET_ENGINE"
    if requested not in (None, "", "native"):
        return f"no engine: URLSET_ENGINE is {requested!r}; expected native or reference"
    # Note: engine.available() would import both engines and Arrow.
    try:
        native = importlib.import_module("urlset.engine._native")
    except ImportError:
        return "reference engine: the native engine is not built; building it needs cargo"
    if native.OPT_LEVEL != RELEASE_LEVEL:
        return (
            f"native engine, compiled with optimization level {native.OPT_LEVEL} of "
            f"{RELEASE_LEVEL}, so it is slower: a checkout compiles it in full by `make setup`"
        )
    return "native engine"
