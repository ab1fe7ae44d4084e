"""What is installed here, in one line, without loading any of it."""

from __future__ import annotations

import importlib
import os
from importlib.metadata import PackageNotFoundError, version

__all__ = ["version_line", "version_of_urlset"]


def version_line() -> str:
    """The version, and which engine serves and why.

    >>> version_line().startswith("urlset ")
    True
    """
    return f"urlset {version_of_urlset()} ({_engine()})"


def version_of_urlset() -> str:
    """The version that is installed; ``0`` where urlset runs from a bare checkout."""
    try:
        return version("urlset")
    except PackageNotFoundError:
        return "0"


def _engine() -> str:
    wanted = os.environ.get("URLSET_ENGINE")
    if wanted == "reference":
        return "reference engine: URLSET_ENGINE asks for it"
    # Not engine.available(), which loads both, and Arrow with them.
    try:
        importlib.import_module("urlset.engine._native")
    except ImportError:
        return "reference engine: the native one is not built, which needs cargo"
    return "native engine"
