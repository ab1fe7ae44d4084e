"""The command ``urlset submit``: announce changes to search engines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.cli import options
from urlset.cli.console import Progress, Sink, json_or, print_errors, print_info
from urlset.config import Configuration
from urlset.option_schema.submit import KEY_VARIABLE, SUBMIT_OPTIONS, TOKEN_VARIABLE
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.live.submit import Submission

MAX_SHOWN = 10


def submit(
    *,
    updates: str | None,
    new_key: Path | None,
    keys_file: Path | None,
    google_credentials: Path | None,
    fail_delayed: bool,
    format: str,
    config: Path | None,
    network: options.NetworkOptions,
    quiet: bool,
    **given: Any,
) -> None:
    """Announce to search engines what changed: added, changed and removed URLs, each change once.

    Before anything is sent, the key file and a sample of the pages are requested. What an engine
    does not accept waits for the next run. Secrets come from the environment or from files.

    Exit codes: 0 success, also if an engine has not verified a new key yet; 1 something was left
    out or refused, and is listed; 2 failure.

    \b
    Examples:
      urlset submit --new-key public/           create a key, once
      urlset build public/ -o public/ --changes changes.jsonl
      urlset submit changes.jsonl               announce what the build changed
      urlset submit changes.jsonl --dry-run     print the requests
      urlset diff old.xml new.xml --format jsonl | urlset submit -
      urlset submit                             what changed in the ledger
      urlset submit --retry-refused             what was refused before
      urlset submit --to google --property https://www.example.com/ --status
    """  # noqa: D301 - the \b keeps the lines of the examples
    if new_key is not None:
        raise options.Exit(_create_key(new_key, is_quiet=quiet))
    configuration = options.configuration(config)
    options.expect_paths({"store": given["store"]})
    secrets = {"keys_file": keys_file, "google_credentials": google_credentials}
    from_line = options.given_options({**given, **secrets}, SUBMIT_OPTIONS)
    values = configuration.submit | {k: v for k, v in from_line.items() if k not in secrets}
    options.expect_effect("submit", from_line, values)
    values["policy"] = network.policy
    channels = values.get("to") or ["indexnow"]
    if "indexnow" in channels:
        values["keys"] = _keys(keys_file, is_needed=_may_have_changes(updates))
    if "google" in channels:
        values["google_credentials"] = _secret(
            google_credentials, TOKEN_VARIABLE, "GOOGLE_APPLICATION_CREDENTIALS"
        )
    source: str | Path | None = updates
    if source is None and "indexnow" in channels:
        source = _ledger(configuration)
    from urlset.live.submit import submit as run

    with Sink(None) as sink:
        with Progress(is_shown=not quiet) as progress, options.as_usage_error("submit"):
            values["progress"] = lambda event: progress.update(event.source or "")
            found = run(source, **values)
        for line in json_or(found, format, _lines(found, is_quiet=quiet)):
            sink.write(f"{line}\n")
    faults = (*found.faults, *(result.error for result in found.results if result.error))
    print_errors(fault for fault in faults if fault not in found.reported_before)
    if not quiet:
        _report(found)
    raise options.Exit(int(found.has_failures or (fail_delayed and found.is_delayed)))


def _create_key(folder: Path, *, is_quiet: bool) -> int:
    from urlset.live.submit import create_key

    path = create_key(folder)
    with Sink(None) as sink:
        sink.write(f"{path}\n")
    if not is_quiet:
        print_info(
            f"Publish {path.name} at the root of the site, then run `urlset submit` with "
            f"{KEY_VARIABLE}={path.stem}. The key is public; each site needs one of its own."
        )
    return 0


def _may_have_changes(path: str | None) -> bool:
    """Return whether a file of changes has a line; without one, no key is needed."""
    if path in (None, "-"):
        return True
    try:
        return Path(str(path)).stat().st_size > 0
    except OSError:
        return False  # reading it reports the error


def _keys(file: Path | None, *, is_needed: bool) -> Any:
    """Read the keys of IndexNow from a file, or from the environment."""
    from urlset.live.submit.keys import parse_keys

    text = _secret(file, KEY_VARIABLE)
    if text is None and not is_needed:
        return None
    if text is None:
        raise options.UsageError(
            "expected a key of IndexNow, found none: create one with `urlset submit --new-key "
            f"FOLDER`, publish its file, and set ${KEY_VARIABLE} or --keys FILE"
        )
    with options.as_usage_error("keys"):
        return parse_keys(text, f"${KEY_VARIABLE}" if file is None else str(file))


def _secret(file: Path | None, variable: str, path_variable: str = "") -> str | None:
    """Return the content of a file, or the value of an environment variable.

    ``path_variable`` is the name of a variable with the path of a file, used last.
    """
    if file is None:
        if text := os.environ.get(variable, "").strip():
            return text
        path = os.environ.get(path_variable, "") if path_variable else ""
        if not path:
            return None
        file = Path(path)
    return options.read_secret(file, f"cannot read {str(file)!r}") or None


def _ledger(configuration: Configuration) -> Path | None:
    """Return the path of the ledger: as configured, or in the working directory, or None."""
    from urlset.builder import LEDGER

    ledger = Path(configuration.build.get("ledger", LEDGER))
    if not ledger.is_file():
        raise options.UsageError(
            f"expected changes, found no argument and no ledger at {str(ledger)!r}; name the file "
            "of `urlset build --changes FILE`, or - for stdin"
        )
    return ledger


def _lines(found: Submission, *, is_quiet: bool = False) -> Iterator[str]:
    """Yield the lines of a result; with ``is_quiet``, none of what only waits as it did before."""
    if found.is_dry_run:
        yield from (request.replace("\r\n", "\n") for request in found.requests)
        return
    for result in found.results:
        waiting_before = found.waiting_earlier.get((result.channel, result.host), 0)
        is_waiting_new = result.waiting > waiting_before
        has_news = result.accepted or result.pending or result.refused or is_waiting_new
        is_known = result.error is None or result.error in found.reported_before
        if is_quiet and not has_news and is_known:
            continue
        counts = (
            (result.accepted, "accepted"),
            (result.pending, "received, key not verified yet"),
            (result.waiting, "waiting for the next run"),
            (result.refused, "excluded"),
        )
        words = ", ".join(f"{number:,} {word}" for number, word in counts if number)
        yield f"{sanitize(result.host)} → {sanitize(result.channel)}: {words or 'nothing to send'}"
    shown = found.excluded[:MAX_SHOWN]
    for one in shown:
        yield f"  excluded: {sanitize(one.url)}: {sanitize(one.reason)}"
    if shown and (left := found.excluded_counts.total() - len(shown)) > 0:
        yield f"  … and {left:,} more excluded"
    for sitemap in found.sitemaps:
        state = "pending" if sitemap["is_pending"] else f"read {sitemap['last_downloaded'] or '?'}"
        yield (
            f"{sanitize(sitemap['path'])}: {sanitize(state)}, {sitemap['submitted'] or 0:,} URLs, "
            f"{sitemap['errors'] or 0:,} errors, {sitemap['warnings'] or 0:,} warnings"
        )
    if not found.refused_before:
        return  # of other runs: those that found them have listed them
    excluded = {one.url for one in found.excluded}
    by_url = {one.url: one for one in reversed(found.refused) if one.url not in excluded}
    number = min(MAX_SHOWN, found.refused_earlier)
    earlier = list(by_url.values())[::-1][:number]
    for refused in earlier:
        answer = refused.code or f"HTTP {refused.status}"
        yield f"  refused before: {sanitize(refused.url)}: {sanitize(answer)}"
    if (left := found.refused_earlier - len(earlier)) > 0:
        yield f"  … and {left:,} more refused before"


def _report(found: Submission) -> None:
    """Print notes and totals on stderr."""
    for note in found.notes:
        print_info(note)
    if found.inspected:
        print_info(f"{pluralize(found.inspected, 'URL')} inspected, in the table inspections")
    if found.repeated:
        urls = pluralize(found.repeated, "URL")
        verb = "would be sent" if found.is_dry_run else "sent"
        print_info(f"{verb} once more, because a run was killed while it sent them: {urls}")
    if found.baseline:
        verb, later = "recorded", "next run"
        if found.is_dry_run:
            verb, later = "would be recorded", "run after a run without --dry-run"
        print_info(
            f"{pluralize(found.baseline, 'URL')} {verb} as known: engines ask not to send what "
            f"changed before announcing began. The {later} announces changes; --all announces "
            "everything now."
        )
    if found.reported_before:
        reasons = pluralize(len(set(found.reported_before)), "reason", "reasons")
        print_info(f"what waits has {reasons} that an earlier run reported; --format json has them")
    if found.refused_earlier:
        urls = pluralize(found.refused_earlier, "URL was", "URLs were")
        listed = len({one.url for one in found.refused})
        them = "them" if found.refused_earlier <= listed else f"the first {listed:,}"
        print_info(
            f"{urls} excluded or refused before; --format json lists {them}, and --retry-refused "
            "sends them again"
        )
    print_info(found.summary)
