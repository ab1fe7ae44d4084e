"""Schema of the options of build and check, for urlset.toml, command line and documentation.

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
