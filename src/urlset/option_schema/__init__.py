"""Options of build and check, each declared once for Python, urlset.toml and the command line.

The command line is built from these declarations, ``urlset.toml`` is decoded by them, the page
docs/options.md is generated from them, and a test compares them with the signatures of
:func:`urlset.build` and :func:`urlset.check`.
"""

from __future__ import annotations

from urlset.option_schema.build import BUILD_OPTIONS
from urlset.option_schema.check import CHECK_OPTIONS
from urlset.option_schema.option import (
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    Profile,
)

__all__ = [
    "BUILD_OPTIONS",
    "CHECK_OPTIONS",
    "Encoding",
    "FileFormat",
    "IndexMode",
    "OnError",
    "Option",
    "Profile",
]
