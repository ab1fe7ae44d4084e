"""Options of ``urlset.check`` and ``urlset check``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from urlset.model import Level
from urlset.option_schema.common import (
    BASE_URL,
    CLIENT,
    COLOR,
    CONFIG,
    ENGINE,
    FOLLOW,
    MAX_BYTES_READ,
    NETWORK,
    NOW,
    OUTPUT,
    QUIET,
    REPORT,
    REPORT_FORMAT,
    SOURCES,
    VERBOSE,
    WRITE_BASELINE,
)
from urlset.option_schema.option import (
    COMMAND,
    NOT_IN_FILE,
    NOT_IN_PYTHON,
    NOT_ON_COMMAND_LINE,
    PYTHON,
    Option,
    Profile,
)

RULE_OPTIONS: tuple[Option, ...] = (
    Option(
        name="select",
        type=list[str],
        annotation="Sequence[str] | None",
        stored="Sequence[str] | None",
        help="Check only these rules: names, codes or starts of codes, separated by commas.",
        doc="Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that "
        "covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by "
        "default.",
        metavar="RULES",
        is_split=True,
    ),
    Option(
        name="ignore",
        type=list[str],
        help="Do not check these rules. Of --select and --ignore, the longer code wins.",
        doc="Rules that are excluded.",
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
        name="profile",
        type=Profile,
        annotation="Profile | None",
        help="Check the rules of this search engine, too.",
    ),
    REPORT_FORMAT,
    replace(OUTPUT, in_python=".report(path)"),
    Option(
        name="fail_level",
        type=Level,
        help="Exit with 1 for findings of this level or worse.",
        default="error",
        allowed=NOT_IN_PYTHON,
        shows_default=True,
        in_python=".worst",
    ),
    Option(
        name="max_examples",
        type=int,
        help="Findings of each rule in text and github reports; 0 for all.",
        default=20,
        metavar="N",
        minimum=0,
        allowed=NOT_IN_PYTHON,
        shows_default=True,
    ),
    Option(
        name="baseline",
        type=Path,
        annotation="Baseline | StrPath | None",
        help="Report only findings that are not in this file.",
        doc="Known findings, or the file of them: only other ones are found "
        "(:class:`urlset.Baseline`).",
        metavar="FILE",
        is_path=True,
    ),
    WRITE_BASELINE,
    REPORT,
    Option(
        name="rule_timeout_s",
        type=float,
        help="Time limit of each custom rule; 0 for none.",
        doc="Time limit of each custom rule in seconds, None for no limit.",
        default=60.0,
        metavar="SECONDS",
        unit="seconds",
        minimum=0,
        allowed=NOT_IN_FILE,
        is_time_limit=True,
        shows_default=True,
    ),
    Option(
        name="ignore_in",
        type=dict[str, list[str]],
        annotation="Mapping[str, Sequence[str]]",
        help="Rules that are not checked in some documents, by a pattern of their paths.",
        default={},
        key="per-path-ignores",
        allowed=NOT_ON_COMMAND_LINE,
        is_split=True,
    ),
    Option(
        name="levels",
        type=dict[str, Level],
        annotation="Mapping[str, Level]",
        help="Levels of rules that differ from the catalogue, by rule.",
        default={},
        allowed=NOT_ON_COMMAND_LINE,
    ),
    Option(
        name="rules",
        type=list[dict[str, Any]],
        annotation="Sequence[Rule]",
        help="Custom rules.",
        default=(),
        allowed=NOT_ON_COMMAND_LINE,
    ),
)
"""Options of rules and reports, of check and audit."""

SOURCE_OPTIONS: tuple[Option, ...] = (
    CONFIG,
    *NETWORK,
    BASE_URL,
    ENGINE,
    NOW,
    *CLIENT,
    QUIET,
    VERBOSE,
    COLOR,
)
"""Options of what is read, of check and audit."""

CHECK_OPTIONS: tuple[Option, ...] = (
    SOURCES,
    *RULE_OPTIONS,
    Option(
        name="statistics",
        type=bool,
        help="Print only the number of findings of each rule, as text or json.",
        default=False,
        allowed=COMMAND,
    ),
    Option(
        name="fix",
        type=bool,
        help="Apply the safe fixes to the files, then check them.",
        default=False,
        allowed=COMMAND,
        in_python="urlset.fix",
    ),
    Option(
        name="unsafe_fixes",
        type=bool,
        help="With --fix or --diff: apply fixes that make an assumption, too.",
        default=False,
        allowed=COMMAND,
    ),
    Option(
        name="backup",
        type=bool,
        help="With --fix: keep each replaced file as NAME.bak.  [default: unless git has it]",
        default=None,
        allowed=COMMAND,
    ),
    Option(
        name="diff",
        type=bool,
        help="Show what --fix would change, without changing files.",
        default=False,
        allowed=COMMAND,
        in_python="urlset.unified_diff",
    ),
    *SOURCE_OPTIONS,
    MAX_BYTES_READ,
    replace(FOLLOW, allowed=PYTHON),
    Option(
        name="always",
        type=list[str],
        help="Codes that are selected whatever select contains; ignore excludes them.",
        doc="Codes that are selected whatever ``select`` contains, such as those of documents that "
        "could not be read. ``ignore`` excludes them.",
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
)
"""Options of :func:`urlset.check` and ``urlset check``, in the order of the help."""

_FIX_NAMES = (
    "select", "ignore", "extend_select", "ignore_in", "levels", "rules", "profile", "base_url",
    "engine", "max_bytes", "now", "progress",
)  # fmt: skip
_CHECK = {option.name: option for option in CHECK_OPTIONS}

FIX_OPTIONS: tuple[Option, ...] = (
    Option(
        name="unsafe",
        type=bool,
        help="Also make fixes that rest on an assumption or drop content.",
        default=False,
        allowed=PYTHON,
    ),
    *(replace(_CHECK[name], allowed=PYTHON) for name in _FIX_NAMES),
)
"""Options of :func:`urlset.fix`: those of check that select rules, and which fixes are made."""
