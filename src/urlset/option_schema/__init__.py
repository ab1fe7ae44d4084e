"""Schema of the options of build, check, diff and submit: for Python, file and command line.

The command line is built from these declarations, ``urlset.toml`` is decoded by them, the page
docs/options.md is generated from them, and a test compares them with the signatures of
:func:`urlset.build`, :func:`urlset.check` and :func:`urlset.diff`, and with the settings of
:func:`urlset.submit`.
"""

from __future__ import annotations

from urlset.option_schema.build import BUILD_OPTIONS, LEDGER
from urlset.option_schema.check import CHECK_OPTIONS
from urlset.option_schema.diff import DIFF_OPTIONS
from urlset.option_schema.option import (
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    Option,
    Profile,
)
from urlset.option_schema.submit import SUBMIT_OPTIONS

__all__ = [
    "BUILD_OPTIONS",
    "CHECK_OPTIONS",
    "DIFF_OPTIONS",
    "LEDGER",
    "SUBMIT_OPTIONS",
    "Encoding",
    "FileFormat",
    "IndexMode",
    "OnError",
    "Option",
    "Profile",
]
