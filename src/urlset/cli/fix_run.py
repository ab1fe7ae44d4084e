"""``urlset check --fix``: mended files in place of the old ones, or what would be changed."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import typer

from urlset.atomic import is_outside_link
from urlset.checker import Rule, catalogue_with, check
from urlset.cli.check_config import CheckConfig
from urlset.cli.console import complain_each, count_of, print_error, print_info
from urlset.cli.options import MisuseError, misuse
from urlset.cli.sink import Sink
from urlset.errors import SourceError
from urlset.fixer import Fixed, fix, unified_diff
from urlset.fixer.replace_files import Written, replace_files
from urlset.reader import is_url
from urlset.terminal_text import sanitize

__all__ = ["mend"]

MAX_LISTED = 20
"""Copies of replaced files that are named; the rest is counted."""


def mend(
    sources: Sequence[str],
    settings: CheckConfig,
    engine: str | None,
    *,
    is_fixed: bool,
    is_unsafe: bool,
    is_diff: bool,
    backup: bool | None = None,
    is_quiet: bool = False,
) -> None:
    """Mend the sources as far as wanted; what remains is checked by whoever called.

    Ends the command after a diff, which changes nothing, and for stdin, which goes mended to
    stdout.
    """
    if is_unsafe and not (is_fixed or is_diff):
        raise MisuseError("--unsafe-fixes: expected --fix or --diff with it")
    _refuse(sources)
    failures: list[str] = []
    # Beware: each is written before the next is read; an index has files that are named, too.
    done = _each(sources, settings, engine, is_unsafe, failures)
    if is_diff:
        code = _show(done)
        complain_each(failures)
        raise typer.Exit(code or int(bool(failures)))
    for source, fixed in done:
        if source == "-":
            raise typer.Exit(_pass_on(fixed, settings, engine, is_quiet=is_quiet))
        robots = Path(source if os.path.isdir(source) else os.path.dirname(source)) / "robots.txt"
        written = replace_files(fixed.documents, robots, backup)
        _tell(fixed, settings, written, is_quiet=is_quiet)


def _refuse(sources: Sequence[str]) -> None:
    """Raise for what cannot be written to."""
    if "-" in sources and len(sources) > 1:
        raise MisuseError("--fix: stdin cannot be mended together with other sources")
    for source in sources:
        if is_url(source):
            raise MisuseError(
                f"--fix: {source} cannot be written to; save it as a file (curl -O), "
                "fix that, and publish it"
            )
        if is_outside_link(source):
            raise MisuseError(
                f"--fix: {source} is a link that leads out of its folder; name the file itself: "
                f"{os.path.realpath(source)}"
            )


def _each(
    sources: Sequence[str],
    settings: CheckConfig,
    engine: str | None,
    is_unsafe: bool,
    failures: list[str],
) -> Iterator[tuple[str, Fixed]]:
    """What the fixes of each source come to; nothing is written yet."""
    for source in sources:
        try:
            with misuse("--select, --ignore or [check]"):
                yield (source, _fixed(source, settings, engine, is_unsafe))
        except SourceError as error:
            failures.append(str(error))


def _fixed(source: str, settings: CheckConfig, engine: str | None, is_unsafe: bool) -> Fixed:
    return fix(
        source,
        unsafe=is_unsafe,
        base=settings.base,
        engine=engine,
        select=settings.select,
        ignore=settings.ignore,
        extend_select=settings.extend_select,
        ignore_in=settings.ignore_in,
        levels=settings.levels,
        rules=settings.rules,
        profile=settings.profile,
    )


def _show(done: Iterable[tuple[str, Fixed]]) -> int:
    """Write the differences to stdout; 1 where there are any."""
    is_changed = False
    with Sink(None) as sink:
        for _, fixed in done:
            for document in fixed.documents:
                is_changed = True
                for line in unified_diff(document):
                    sink.write(line)
    return int(is_changed)


def _pass_on(fixed: Fixed, settings: CheckConfig, engine: str | None, *, is_quiet: bool) -> int:
    """Write the mended document to stdout, and tell what remains in one line."""
    data = fixed.passed
    with Sink(None):
        sys.stdout.buffer.write(data)
    _tell(fixed, settings, is_quiet=is_quiet)
    left = check(data, base=settings.base, engine=engine, select=settings.select)
    counts = left.by_level
    errors = counts["error"]
    if errors and not is_quiet:
        remain = "remains" if errors == 1 else "remain"
        words = f"{count_of(errors, 'error')} {remain}"
        print_info(f"{words}; `urlset check` of what was written tells more")
    return int(bool(errors))


def _tell(
    fixed: Fixed, settings: CheckConfig, written: Sequence[Written] = (), *, is_quiet: bool
) -> None:
    """Report what was fixed, what was dropped, and what could not be fixed; the last always."""
    say = (lambda _: None) if is_quiet else print_info
    names = {code: rule.name for code, rule in _rules(settings).items()}
    for code, count in sorted(fixed.counts.items()):
        say(f"fixed {count:,} × {code}[{names.get(code, '')}]")
    most = settings.max_examples
    told: Counter[str] = Counter()
    for drop in fixed.dropped:
        told[drop.code] += 1
        if most is None or told[drop.code] <= most:
            place = sanitize(f"{drop.source}:{drop.line}: {drop.what}")
            say(f"dropped by {drop.code}[{names.get(drop.code, '')}] {place}")
    for code, count in told.items():
        if most is not None and count > most:
            say(f"… and {count - most:,} more dropped by {code}; --max-examples 0 lists all")
    for code, name, why in dict.fromkeys(fixed.left):
        what = f"{code}[{names.get(code, '')}] in {name}" if code else name
        print_error(sanitize(f"not fixed: {what}: {why}"))
    changed = count_of(len(fixed.documents), "file")
    kept = [file.backup for file in written if file.backup is not None]
    for backup in kept[:MAX_LISTED]:
        say(sanitize(f"the old file is kept: {backup}"))
    if len(kept) > MAX_LISTED:
        say(f"… and {len(kept) - MAX_LISTED:,} more")
    say(f"{changed} changed" if fixed.documents else "nothing to fix")


def _rules(settings: CheckConfig) -> dict[str, Rule]:
    return catalogue_with(settings.rules, {})
