"""``manage.py urlset``: build the sitemaps of a project, and submit what changed."""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from django import conf
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from urlset.arguments import expect_arguments
from urlset.builder import GATES, LEDGER, build
from urlset.errors import GateError, UrlsetError
from urlset.integrations.django.row_version import row_version
from urlset.integrations.django.sections import all_entries, open_section
from urlset.model import Entry, ProgressEvent
from urlset.option_names import names_in_messages
from urlset.sources.memory import InMemorySource
from urlset.terminal_text import pluralize

PROGRESS_S = 1.0
"""Seconds between two reports of the progress."""

_BUILD = {"sections": "source", "lastmod": "given", "on_error": "skip"}
"""Options of a build, unless the settings have others."""

_FLAGS = {"build": ("output", "base_url", "dry_run", "force"), "submit": ("dry_run",)}
"""Options of the subcommands; all others are keys of the settings."""

_ELSEWHERE = {
    "sources": "URLSET['SITEMAPS']",
    "target": "URLSET['OUTPUT']",
    "base_url": "URLSET['BASE_URL']",
    "ledger": "URLSET['LEDGER']",
    "updates": "URLSET['LEDGER']",
    "dry_run": "--dry-run",
    "force": "--force",
    "progress": "-v 2",
}
"""Where those options are stated that are no keys of ``BUILD`` and ``SUBMIT``."""

_KEYS = ("SITEMAPS", "BASE_URL", "OUTPUT", "LEDGER", "BUILD", "SUBMIT")


class Command(BaseCommand):  # type: ignore[misc] # Django has no types
    """Builds the sitemaps of the setting ``URLSET``, and submits what changed.

    ``URLSET`` is a dict: ``SITEMAPS`` (the dict of sitemaps, or its dotted name), ``BASE_URL``,
    ``OUTPUT`` (a folder or a bucket), ``LEDGER``, ``BUILD`` (options of ``urlset.build``) and
    ``SUBMIT`` (options of ``urlset.submit``).
    """

    help = "Build the sitemaps of the setting URLSET, or submit what changed to search engines."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the subcommands."""
        commands = parser.add_subparsers(dest="action", required=True, metavar="build|submit")
        builder = commands.add_parser("build", help="write the sitemaps, and record them")
        builder.add_argument("--output", help="folder or bucket, instead of URLSET['OUTPUT']")
        builder.add_argument("--base-url", help="its URL, instead of URLSET['BASE_URL']")
        builder.add_argument("--dry-run", action="store_true", help="write nothing")
        builder.add_argument(
            "--force", action="append", default=[], choices=sorted(GATES), help="pass a gate"
        )
        submitter = commands.add_parser("submit", help="announce what changed since the last time")
        submitter.add_argument("--dry-run", action="store_true", help="send nothing")

    def handle(self, *_: Any, action: str, **options: Any) -> None:
        """Run a subcommand."""
        with names_in_messages(partial(_option_name, action)):
            self._run(action, options)

    def _run(self, action: str, options: dict[str, Any]) -> None:
        settings = getattr(conf.settings, "URLSET", {})
        unknown = sorted(set(settings) - set(_KEYS))
        if unknown:
            raise CommandError(f"URLSET: expected keys of {', '.join(_KEYS)}, found {unknown}")
        _expect_options(action, settings.get(action.upper(), {}))
        try:
            if action == "build":
                with _frozen_objects():
                    self._build(settings, options)
            else:
                self._submit(settings, options)
        except GateError as error:
            raise CommandError(str(error), returncode=error.exit_code) from error
        except (UrlsetError, ValueError) as error:
            if getattr(error, "__notes__", None):  # of the project: its traceback says where
                raise
            raise CommandError(str(error), returncode=2) from error

    def _build(self, settings: dict[str, Any], options: dict[str, Any]) -> None:
        sitemaps = _required(settings, "SITEMAPS", None, "the dict of the sitemaps, or its name")
        if isinstance(sitemaps, str):
            sitemaps = import_string(sitemaps)
        target = _required(settings, "OUTPUT", options["output"], "a folder or a bucket")
        base_url = _required(settings, "BASE_URL", options["base_url"], "the URL of the output")
        address = urlsplit(base_url)
        current = SimpleNamespace(domain=address.netloc, name=address.netloc)
        sections = {}
        for name, site in sitemaps.items():
            with _noting_section(name):
                sections[name] = open_section(site, address.scheme, current)
        sources = [
            InMemorySource(
                _entries(name, section),
                name=name,
                base_url=base_url,
                row_version=partial(row_version, section),
            )
            for name, section in sections.items()
        ]
        result = build(
            sources,
            os.fspath(target),
            base_url=base_url,
            ledger=_ledger(settings),
            dry_run=options["dry_run"],
            force=options["force"],
            progress=self._progress(options.get("verbosity", 1)),
            **(_BUILD | settings.get("BUILD", {})),
        )
        for rejection in result.rejected:
            self.stderr.write(rejection.reason)
        for note in result.notes:
            self.stdout.write(note)
        for file in (*result.files, *result.indexes):
            self.stdout.write(f"{str(target).rstrip('/')}/{file.name}")
        count = len(result.indexes)
        indexes = f" and {pluralize(count, 'index', 'indexes')}" if count else ""
        self.stdout.write(
            f"{pluralize(result.urls, 'URL')} in {pluralize(len(result.files), 'file')}{indexes}, "
            f"{pluralize(len(result.changed_files), 'file')} new or changed"
        )

    def _progress(self, verbosity: int) -> Callable[[ProgressEvent], None] | None:
        """Return a callback that shows the progress: on a terminal, or as lines with ``-v 2``."""
        is_terminal = self.stderr.isatty()
        if not verbosity or not (is_terminal or verbosity > 1):
            return None
        shown = time.monotonic()

        def show(event: ProgressEvent) -> None:
            nonlocal shown
            if time.monotonic() - shown >= PROGRESS_S:
                shown = time.monotonic()
                self.stderr.write(
                    f"{event}{' ' * 20 if is_terminal else ''}",
                    ending="\r" if is_terminal else "\n",
                )

        return show

    def _submit(self, settings: dict[str, Any], options: dict[str, Any]) -> None:
        from urlset.live.submit import submit

        given = dict(settings.get("SUBMIT", {}))
        given.setdefault("store", _ledger(settings).parent / "announcements.duckdb")
        result = submit(_ledger(settings), dry_run=options["dry_run"], **given)
        for request in result.requests:
            self.stdout.write(request)
        for note in result.notes:
            self.stdout.write(note)
        self.stdout.write(
            f"{result.new:,} new, {result.known:,} known, {result.baseline:,} recorded without "
            f"being announced; {result.sent:,} sent, {result.waiting:,} waiting"
        )
        if result.has_failures:
            reasons = [one.error for one in result.results if one.error and not one.is_delayed]
            reasons += [f"{one.url}: {one.reason}" for one in result.excluded[:10]]
            raise CommandError("\n".join([*reasons, *result.faults]), returncode=1)


def _expect_options(action: str, given: dict[str, Any]) -> None:
    """Check the names and types of the options of a subcommand in the settings."""
    for key in given:
        if place := _ELSEWHERE.get(key):
            raise CommandError(
                f"URLSET[{action.upper()!r}]: found the key {key!r}; use {place} instead",
                returncode=2,
            )
    if action == "build":
        function: Callable[..., Any] = build
    else:
        from urlset.live.submit import submit as function
    try:
        expect_arguments(function, given)
    except TypeError as error:
        raise CommandError(f"URLSET[{action.upper()!r}]: {error}", returncode=2) from error


def _option_name(action: str, name: str, value: str | bool | None, python: str) -> str:
    """Return an option of urlset as the user writes it: an option of manage.py, or a setting.

    >>> _option_name("build", "force", "zero", ""), _option_name("build", "max_removed", None, "")
    ('--force zero', "URLSET['BUILD']['max_removed']")
    """
    if name == "base_url":
        return _ELSEWHERE[name]
    if name in _FLAGS[action]:
        flag = f"--{name.replace('_', '-')}"
        return f"{flag} {value}" if isinstance(value, str) else flag
    if python and not python.isidentifier():  # an expression, such as that of a policy
        return python
    key = python or name
    setting = f"URLSET[{action.upper()!r}][{key!r}]"
    if name == "ledger":
        setting = "URLSET['LEDGER']"
    return setting if value is None else f"{setting} = {value!r}"


def _required(settings: dict[str, Any], key: str, given: Any, what: str) -> Any:
    value = given or settings.get(key)
    if not value:
        raise CommandError(
            f"expected {what}, found none; set URLSET = {{{key!r}: …}} in the settings",
            returncode=2,
        )
    return value


def _entries(name: str, section: Any) -> Iterator[Entry]:
    with _noting_section(name):
        yield from all_entries(section)


@contextmanager
def _noting_section(name: str) -> Iterator[None]:
    """Add the name of the section to an exception of the project's code."""
    try:
        yield
    except UrlsetError:
        raise
    except Exception as error:
        error.add_note(f"The section {name!r} of the sitemaps was being read.")
        raise


@contextmanager
def _frozen_objects() -> Iterator[None]:
    """Let the garbage collector skip what Django and urlset loaded while rows are created.

    Objects that the caller froze stay frozen.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _ledger(settings: dict[str, Any]) -> Path:
    """Return the ledger of the settings, or one in the folder of the project."""
    if "LEDGER" in settings:
        return Path(settings["LEDGER"])
    return Path(getattr(conf.settings, "BASE_DIR", "")) / LEDGER
