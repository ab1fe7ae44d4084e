"""Options of ``urlset.check`` and ``urlset check``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urlset.model import Level
from urlset.option_schema.option import (
    AUTH,
    ENGINE,
    NOT_IN_FILE,
    NOT_IN_PYTHON,
    NOT_ON_COMMAND_LINE,
    NOW,
    POLICY,
    PROGRESS,
    PYTHON,
    Option,
    Profile,
)
from urlset.protocol import READ_LIMIT

CHECK_OPTIONS: tuple[Option, ...] = (
    Option(
        name="select",
        type=list[str],
        help="Check only these rules: names, codes or starts of codes, separated by commas.",
        metavar="RULES",
        is_split=True,
    ),
    Option(
        name="ignore",
        type=list[str],
        help="Do not check these rules. Of --select and --ignore, the longer code wins.",
        default=(),
        metavar="RULES",
        is_split=True,
    ),
    Option(
        name="extend_select",
        type=list[str],
        help="Check these rules, too. Some rules are off by default.",
        default=(),
        metavar="RULES",
        is_split=True,
    ),
    Option(
        name="ignore_in",
        type=dict[str, list[str]],
        help="Rules that are not checked in some documents, by a pattern of their paths.",
        default={},
        key="per-path-ignores",
        allowed=NOT_ON_COMMAND_LINE,
        is_split=True,
    ),
    Option(
        name="levels",
        type=dict[str, Level],
        help="Levels of rules that differ from the catalogue, by rule.",
        default={},
        allowed=NOT_ON_COMMAND_LINE,
    ),
    Option(
        name="rules",
        type=list[dict[str, Any]],
        help="Custom rules.",
        default=(),
        allowed=NOT_ON_COMMAND_LINE,
    ),
    Option(
        name="profile",
        type=Profile,
        help="Check the rules of this search engine, too.",
    ),
    Option(
        name="fail_level",
        type=Level,
        help="Exit with 1 for findings of this level or worse.  [default: error]",
        default="error",
        allowed=NOT_IN_PYTHON,
    ),
    Option(
        name="max_examples",
        type=int,
        help="Findings of each rule in text and github reports; 0 for all.  [default: 20]",
        default=20,
        metavar="N",
        minimum=0,
        allowed=NOT_IN_PYTHON,
    ),
    Option(
        name="baseline",
        type=Path,
        help="Report only findings that are not in this file.",
        metavar="FILE",
        allowed=NOT_IN_PYTHON,
        is_path=True,
    ),
    Option(
        name="rule_timeout_s",
        type=float,
        help="Time limit of each custom rule; 0 for none.  [default: 60]",
        default=60.0,
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
        allowed=NOT_IN_FILE,
        is_time_limit=True,
    ),
    Option(
        name="base_url",
        help="URL at which SOURCE is published: of the folder, or of the file. One that ends with "
        "/ is the folder that contains the file.",
        metavar="URL",
    ),
    ENGINE,
    Option(
        name="max_bytes",
        type=int,
        help="Maximum size of a decompressed document; the rest is not read.",
        default=READ_LIMIT,
        unit="bytes",
        allowed=PYTHON,
    ),
    Option(
        name="follow",
        type=bool,
        help="Read the children of indexes.",
        default=True,
        allowed=PYTHON,
    ),
    Option(
        name="always",
        type=list[str],
        help="Codes that are selected whatever select contains; ignore excludes them.",
        default=(),
        allowed=PYTHON,
    ),
    Option(
        name="max_excerpts",
        type=int,
        help="Findings of each rule that carry their line.",
        default=20,
        allowed=PYTHON,
    ),
    POLICY,
    AUTH,
    NOW,
    PROGRESS,
)
"""Options of :func:`urlset.check` and ``urlset check``, in the order of the help."""
