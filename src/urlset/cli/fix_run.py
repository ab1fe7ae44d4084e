"""Fix the sources of urlset check --fix, or show the differences."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from urlset.checker import check
from urlset.cli.check_run import CheckConfig
from urlset.cli.console import Sink, print_error, print_errors, print_info
from urlset.cli.options import Exit, UsageError, as_usage_error
from urlset.errors import SourceError
from urlset.fixer import Fixed, fix, unified_diff
from urlset.fixer.output import Written, replace_files
from urlset.reader import is_url
from urlset.temp_files import is_outside_link
from urlset.terminal_text import pluralize, printable, sanitize

MAX_LISTED = 20
"""Backups that are listed by name; the rest is counted."""


def run_fix(
    sources: Sequence[str],
    config: CheckConfig,
    *,
    is_fixed: bool,
    is_unsafe: bool,
    is_diff: bool,
    backup: bool | None = None,
    is_quiet: bool = False,
) -> None:
    """Fix the sources; the caller then checks what remains.

    Raises:
        Exit: The command is complete: after a diff, and after stdin, whose fixed document is
            written to stdout if it is a sitemap.
        UsageError: The options contradict each other, or a source cannot be written.
    """
    if is_unsafe and not (is_fixed or is_diff):
        raise UsageError("--unsafe-fixes: expected --fix or --diff, too")
    _expect_writable(sources)
    failures: list[str] = []
    # Note: each source is written before the next one is read. An index may list another source.
    results = _fix_each(sources, config, is_unsafe, failures)
    if is_diff:
        code = _print_diff(results)
        print_errors(failures)
        raise Exit(2 if len(failures) == len(sources) else code or int(bool(failures)))
    for source, fixed in results:
        if source == "-":
            raise Exit(_write_to_stdout(fixed, config, is_quiet=is_quiet))
        robots = Path(source if os.path.isdir(source) else os.path.dirname(source)) / "robots.txt"
        written = replace_files(fixed.documents, robots, backup)
        _report(fixed, config, written, is_quiet=is_quiet)
    if failures and "-" in sources:  # a check cannot read it again
        print_errors(failures)
        raise Exit(2)


def _expect_writable(sources: Sequence[str]) -> None:
    if "-" in sources and len(sources) > 1:
        raise UsageError("--fix: stdin cannot be combined with other sources")
    for source in sources:
        if is_url(source):
            raise UsageError(
                f"--fix, --diff: expected a file or a folder, found the URL {source}; save it as a "
                "file (curl -O), fix that, and publish it"
            )
        if is_outside_link(source):
            raise UsageError(
                f"--fix: {source} is a link that leads out of its folder; name the file itself: "
                f"{os.path.realpath(source)}"
            )


def _fix_each(
    sources: Sequence[str], config: CheckConfig, is_unsafe: bool, failures: list[str]
) -> Iterator[tuple[str, Fixed]]:
    """Yield each source with its fixed documents; nothing is written."""
    not_shared = ("min_level", "rule_timeout_s")
    shared = {name: value for name, value in config.options.items() if name not in not_shared}
    for source in sources:
        try:
            with as_usage_error("--select, --ignore or [check]"):
                yield source, fix(source, unsafe=is_unsafe, **shared)
        except SourceError as error:
            failures.append(str(error))


def _print_diff(results: Iterable[tuple[str, Fixed]]) -> int:
    """Write the differences to stdout; return 1 if there are any."""
    is_changed = False
    with Sink(None) as sink:
        for _, fixed in results:
            for document in fixed.documents:
                is_changed = True
                for line in unified_diff(document):
                    sink.write(line)
    return int(is_changed)


def _write_to_stdout(fixed: Fixed, config: CheckConfig, *, is_quiet: bool) -> int:
    """Write the fixed document to stdout, and report in one line what remains."""
    data = fixed.passed
    with Sink(None) as sink:
        sink.copy(io.BytesIO(data))
    _report(fixed, config, is_quiet=is_quiet)
    remaining = check(data, baseline=config.baseline, **config.options)
    count = sum(remaining.by_level[level] for level in config.failing_levels)
    if count and not is_quiet:
        noun = "error" if config.fail_level == "error" else "finding"
        verb = "remains" if count == 1 else "remain"
        print_info(f"{pluralize(count, noun)} {verb}; run `urlset check` on the output")
    return int(bool(count))


def _report(
    fixed: Fixed, config: CheckConfig, written: Sequence[Written] = (), *, is_quiet: bool
) -> None:
    """Print what was fixed and removed, and, even if quiet, what could not be fixed."""
    info = (lambda _: None) if is_quiet else print_info
    names = {code: rule.name for code, rule in config.rules.items()}
    for code, count in sorted(fixed.counts.items()):
        info(f"fixed {count:,} × {code}[{names.get(code, '')}]")
    limit = config.max_examples
    reported: Counter[str] = Counter()
    for drop in fixed.dropped:
        reported[drop.code] += 1
        if limit is None or reported[drop.code] <= limit:
            location = sanitize(f"{drop.source}:{drop.line}: {drop.what}")
            info(f"dropped by {drop.code}[{names.get(drop.code, '')}] {location}")
    for code, count in reported.items():
        if limit is not None and count > limit:
            info(f"… and {count - limit:,} more dropped by {code}; --max-examples 0 lists all")
    for code, name, reason in dict.fromkeys(fixed.remaining):
        target = f"{code}[{names.get(code, '')}] in {name}" if code else name
        print_error(sanitize(f"not fixed: {target}: {reason}"))
    changed = pluralize(len(fixed.documents), "file")
    backups = [file.backup for file in written if file.backup is not None]
    for backup in backups[:MAX_LISTED]:
        info(sanitize(f"backup: {printable(os.fspath(backup))}"))
    if len(backups) > MAX_LISTED:
        info(f"… and {len(backups) - MAX_LISTED:,} more")
    info(f"{changed} changed" if fixed.documents else "nothing to fix")
