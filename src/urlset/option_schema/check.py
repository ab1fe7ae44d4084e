"""Options of ``urlset.check`` and ``urlset check``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from urlset.model import Level
from urlset.option_schema import common
from urlset.option_schema.option import (
    NOT_IN_PYTHON,
    NOT_ON_COMMAND_LINE,
    PYTHON,
    Option,
    Profile,
    call,
    command,
    file,
    number,
    python,
    texts,
)

RULE_OPTIONS: tuple[Option, ...] = (
    Option(
        "select",
        "Check only these rules: names, codes or starts of codes, separated by commas.",
        type=list[str],
        annotation="Sequence[str] | None",
        stored="Sequence[str] | None",
        doc="Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that "
        "covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by "
        "default.",
        metavar="RULES",
        is_split=True,
    ),
    texts(
        "ignore",
        "Do not check these rules. Of --select and --ignore, the longer code wins.",
        doc="Rules that are excluded.",
        metavar="RULES",
        is_split=True,
    ),
    texts(
        "extend_select",
        "Check these rules, too. Some rules are off by default.",
        metavar="RULES",
        is_split=True,
    ),
    Option(
        "profile",
        "Check the rules of this search engine, too.",
        type=Profile,
        annotation="Profile | None",
    ),
    common.REPORT_FORMAT,
    replace(common.OUTPUT, in_python=".to_dict()"),
    Option(
        "fail_level",
        "Exit with 1 for findings of this level or worse.",
        type=Level,
        default="error",
        allowed=NOT_IN_PYTHON,
        shows_default=True,
        in_python=".worst",
    ),
    number(
        "max_examples",
        "Findings of each rule in text and github reports; 0 for all.",
        default=20,
        allowed=NOT_IN_PYTHON,
        shows_default=True,
    ),
    file(
        "baseline",
        "Report only findings that are not in this file.",
        annotation="Baseline | StrPath | None",
        doc="Known findings, or the file of them: only other ones are found "
        "(:class:`urlset.Baseline`).",
        is_path=True,
    ),
    common.WRITE_BASELINE,
    common.REPORT,
    call.seconds(
        "rule_timeout_s",
        "Time limit of each custom rule; 0 for none.",
        doc="Time limit of each custom rule in seconds, None for no limit.",
        default=60.0,
        is_time_limit=True,
        shows_default=True,
    ),
    Option(
        "ignore_in",
        "Rules that are not checked in some documents, by a pattern of their paths.",
        type=dict[str, list[str]],
        annotation="Mapping[str, Sequence[str]]",
        default={},
        key="per-path-ignores",
        allowed=NOT_ON_COMMAND_LINE,
        is_split=True,
    ),
    Option(
        "levels",
        "Levels of rules that differ from the catalogue, by rule.",
        type=dict[str, Level],
        annotation="Mapping[str, Level]",
        default={},
        allowed=NOT_ON_COMMAND_LINE,
    ),
    Option(
        "rules",
        "Custom rules.",
        type=list[dict[str, Any]],
        annotation="Sequence[Rule]",
        default=(),
        allowed=NOT_ON_COMMAND_LINE,
    ),
)
"""Options of rules and reports, of check and audit."""

SOURCE_OPTIONS: tuple[Option, ...] = (
    common.CONFIG,
    *common.NETWORK,
    common.BASE_URL,
    common.ENGINE,
    common.NOW,
    *common.CLIENT,
    *common.CONSOLE,
)
"""Options of what is read, of check and audit."""

CHECK_OPTIONS: tuple[Option, ...] = (
    common.SOURCES,
    *RULE_OPTIONS,
    Option(
        "min_level",
        "Report only findings of this level or worse; --fix fixes others, too.",
        type=Level,
        annotation="Level",
        default="info",
        doc="Least severe level of findings that are found: ``error``, ``warning`` or ``info``. "
        "Others are not counted either.",
        shows_default=True,
    ),
    command.switch(
        "statistics",
        "Print only the number of findings of each rule, as text or json.",
        in_python=".by_rule",
    ),
    command.switch(
        "fix", "Apply the safe fixes to the files, then check them.", in_python="urlset.fix"
    ),
    command.switch(
        "unsafe_fixes",
        "With --fix or --diff: apply fixes that make an assumption, too.",
        in_python="urlset.fix",
    ),
    command.option(
        "backup",
        "With --fix: keep each replaced file as NAME.bak.  [default: unless git has it]",
        type=bool,
        default=None,
    ),
    command.switch(
        "diff",
        "Show what --fix would change, without changing files.",
        in_python="urlset.unified_diff",
    ),
    *SOURCE_OPTIONS,
    common.MAX_BYTES_READ,
    replace(common.FOLLOW, allowed=PYTHON),
    python.texts(
        "always",
        "Codes that are selected whatever select contains; ignore excludes them.",
        doc="Codes that are selected whatever ``select`` contains, such as those of documents that "
        "could not be read. ``ignore`` excludes them.",
    ),
    python.option(
        "max_excerpts", "Findings of each rule that carry their line.", type=int, default=20
    ),
)
"""Options of :func:`urlset.check` and ``urlset check``, in the order of the help."""

_FIX_NAMES = (
    "select", "ignore", "extend_select", "ignore_in", "levels", "rules", "profile", "base_url",
    "engine", "max_bytes", "now", "progress",
)  # fmt: skip
_CHECK = {option.name: option for option in CHECK_OPTIONS}

FIX_OPTIONS: tuple[Option, ...] = (
    python.switch("unsafe", "Also make fixes that rest on an assumption or drop content."),
    *(replace(_CHECK[name], allowed=PYTHON) for name in _FIX_NAMES),
)
"""Options of :func:`urlset.fix`: those of check that select rules, and which fixes are made."""
