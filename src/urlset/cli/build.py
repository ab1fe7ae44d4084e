"""The command ``urlset build``: build sitemaps from sources, and print a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from urlset.cli import console, options
from urlset.errors import GateError, TargetError, UrlsetError
from urlset.option_schema.build import BUILD_OPTIONS
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.builder import Build
    from urlset.builder.json_forms import FailureJson, GateJson

MAX_SHOWN = 2
"""Excluded URLs that the summary names for each reason."""


def build(*, config: Path | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Build sitemaps from pages, lists or tables; rewrite changed files.

    The kind of a source is detected from its content: a folder of HTML, a list of URLs, CSV, JSON
    lines, Parquet, Arrow, SQLite, DuckDB, an access log, a sitemap; or a site or a database by its
    URL. If several sources have the same URL, the first one decides. A lastmod is written only if
    there is evidence for it. Sitemaps are published after they were read back and have passed the
    safety gates.

    Prints the files, indexes last; with --json an object with urls, files, indexes, added, changed,
    removed and rejected, or with error and exit_code, and gate if it is one. Exit codes: 0 success,
    1 success, but some input was rejected, 2 failure, 10 to 15 a safety gate failed (zero, shrunk,
    limits, hosts, unreadable, source).

    \b
    Examples:
      urlset build public/ --base-url https://example.com/ --output public/
      urlset build pages.parquet --map loc=url,lastmod=updated_at -o maps/ --gzip
      urlset build env:DATABASE_URL --query "SELECT url AS loc FROM page" -o maps/
      urlset build access.log* --base-url https://example.com/ -o maps/
      urlset build --dry-run                     with the options of urlset.toml
      urlset build --why https://example.com/a   explain why it is listed, or not
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.store import end_process_when_stuck

    end_process_when_stuck()
    try:
        with options.as_usage_error("build"):
            code = _run(config, given, as_json=as_json, is_quiet=quiet)
    except GateError as error:
        if as_json:
            _report_gate(error)
        console.print_error(str(error))
        code = error.exit_code
    raise options.Exit(code)


def _run(file: Path | None, given: dict[str, Any], *, as_json: bool, is_quiet: bool) -> int:
    """Run a build with the options of configuration and command line; return the exit code."""
    from urlset.builder import EVIDENCE
    from urlset.builder import build as build_sitemaps
    from urlset.builder.options import parse_evidence

    config = options.configuration(file)
    options.expect_paths(
        {name: given.get(name) for name in ("ledger", "robots", "changes", "excluded")}
    )
    from_line = options.given_options(given, BUILD_OPTIONS)
    values = config.build | from_line
    sources, target = values.pop("sources", None), values.pop("target", None)
    if not target:
        raise options.UsageError(
            "--output: expected a folder or a bucket to write into, found none"
        )
    if Path(target).suffix in (".xml", ".gz", ".txt") and not Path(target).is_dir():
        raise options.UsageError(
            f"--output: expected a folder or a bucket, found {target!r}; --name names the files, "
            "and - prints a single sitemap"
        )
    options.expect_effect("build", from_line, {**values, "target": target})
    if not sources:
        raise options.UsageError(
            "expected a source, found none; name a folder, a file, a site or - "
            "(or `sources` in urlset.toml)"
        )
    if any(_is_site(source) for source in sources):
        values["auth"] = options.read_login()
    has_robots, explained_urls = "robots" in values, values.get("why")
    is_dry_run = values["dry_run"] = bool(values.get("dry_run") or explained_urls)
    with BuildOutput(target, values, as_json=as_json) as output:
        with _failure_as_json(is_json=as_json), console.Progress(is_shown=not is_quiet) as progress:
            result = build_sitemaps(
                sources, output.target, progress=lambda event: progress.update(str(event)), **values
            )
        if explained_urls and not as_json:
            lines: Iterable[str] = map(sanitize, result.why)
        elif output.is_stdout or (is_quiet and not as_json):
            lines = []
        else:
            folder, files = result.target.rstrip("/"), (*result.files, *result.indexes)
            names = (f"{folder}/{file.name}" for file in files)
            lines = console.json_or(result, "json" if as_json else "text", names)
        with _unprinted_is_published(is_published=not (is_dry_run or output.is_stdout)):
            _print(lines, output, None if is_dry_run else result)
    if not explained_urls:
        console.print_errors(result.incomplete)
        console.print_errors(rejection.reason for rejection in result.rejected)
        if not is_quiet:
            evidence = parse_evidence(values["lastmod"]) if "lastmod" in values else EVIDENCE
            _report_summary(result, evidence)
            if is_dry_run:
                console.print_info(_about_dry_run(target, values))
            elif not has_robots and target != "-":
                for address in result.addresses:
                    console.print_info(f"For robots.txt: Sitemap: {address}")
    return int(bool(result.incomplete or result.rejected))


def _about_dry_run(target: str, values: Mapping[str, Any]) -> str:
    written = "Nothing but --excluded was" if values.get("excluded") else "Nothing was"
    later = "; a build that publishes writes --changes" if values.get("changes") else ""
    return f"{written} written: this was a dry run for {target}{later}"


def _is_site(source: str | Mapping[str, Any]) -> bool:
    """Return whether a source is a URL, with or without its kind: ``sitemap:https://…``."""
    text = source if isinstance(source, str) else str(source.get("path", ""))
    return "http://" in text or "https://" in text


@contextmanager
def _failure_as_json(*, is_json: bool) -> Iterator[None]:
    """Print a failure in a ``with`` block as a JSON object, too, unless a gate reports it."""
    try:
        yield
    except GateError:
        raise
    except (UrlsetError, OSError) as error:
        if is_json:
            _print_json(_failure(str(error), 2))
        raise


@contextmanager
def _unprinted_is_published(*, is_published: bool) -> Iterator[None]:
    """Add to the error of stdout in a ``with`` block that the sitemaps are published."""
    try:
        yield
    except TargetError as error:
        if not is_published:
            raise
        raise TargetError(f"{error}; the sitemaps are published") from error


def _print(lines: Iterable[str], output: BuildOutput, result: Build | None) -> None:
    """Write lines to stdout, and for ``--output -`` the only file of a result."""
    with console.Sink(None) as sink:
        for line in lines:
            sink.write(f"{line}\n")
        if result is not None:
            output.copy(result, sink)


def _report_gate(error: GateError) -> None:
    """Print the safety gate that failed, as a JSON object."""
    fields: GateJson = {**_failure(str(error), error.exit_code), "gate": error.gate}
    _print_json(fields)


def _failure(error: str, exit_code: int) -> FailureJson:
    """Return a failure in the form of a result that is not complete."""
    return {
        "summary": error,
        "is_complete": False,
        "incomplete": [error],
        "error": error,
        "exit_code": exit_code,
    }


def _print_json(fields: GateJson | FailureJson) -> None:
    with console.Sink(None) as sink:
        sink.write(f"{console.json_text(fields)}\n")


class BuildOutput:
    """Target of a build: a folder, a bucket, or stdout (``-``); a context manager.

    A build for stdout uses a temporary folder with its own ledger, which is set in ``options``, so
    nothing is recorded.

    Raises:
        UsageError: An option has no effect for stdout.
    """

    def __init__(self, output: str, given: dict[str, Any], *, as_json: bool):
        self.is_stdout: bool = output == "-"
        self.target: str = output
        self._options = given
        self._folder: TemporaryDirectory[str] | None = None
        if not self.is_stdout:
            return
        refused = [name for name in ("robots", "cache_control", "encoding") if given.get(name)]
        refused += ["json"] if as_json else []
        if refused:
            option = refused[0].replace("_", "-")
            raise options.UsageError(
                f"--{option}: cannot be combined with --output - (stdout); "
                "name a folder, or remove the option"
            )

    def __enter__(self) -> BuildOutput:
        if self.is_stdout:
            self._folder = TemporaryDirectory(prefix="urlset-")
            self.target = str(Path(self._folder.name) / "public")
            self._options["ledger"] = Path(self._folder.name) / "ledger.duckdb"
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def copy(self, result: Build, sink: console.Sink) -> None:
        """Copy the only file of a build to stdout."""
        if not self.is_stdout:
            return
        names = [file.name for file in (*result.files, *result.indexes)]
        if len(names) != 1:
            raise TargetError(
                f"expected one file for stdout, found {len(names):,} ({', '.join(names[:3])} …); "
                "name a folder with --output"
            )
        with open(Path(self.target) / names[0], "rb") as file:
            sink.copy(file)


def _report_summary(result: Build, evidence: Sequence[str]) -> None:
    """Print notes, exclusions and totals on stderr."""
    for text in result.notes:
        console.print_info(text)
    for reason, count in (result.excluded_counts or {}).items():
        console.print_info(
            f"{pluralize(count, 'URL')} excluded: {reason} ({_first_urls(result, reason, count)})"
        )
    advice = _date_options(result, evidence)
    if result.undated and result.undated == result.urls and advice:
        urls = f"None of the {result.urls:,} URLs has a"
        if result.urls == 1:
            urls = "The only URL has no"
        console.print_info(f"{urls} lastmod; {', '.join(advice)}")
    text = f"{pluralize(result.urls, 'URL')} in {pluralize(len(result.files), 'file')}"
    if result.indexes:
        text += f" and {pluralize(len(result.indexes), 'index', 'indexes')}"
    text += f", {pluralize(len(result.changed_files), 'file')} new or changed"
    is_first = result.added == result.urls and not result.removed
    duplicates = "duplicate" if result.duplicates == 1 else "duplicates"
    counts = [(len(result.rejected), "rejected"), (result.duplicates, duplicates)]
    if not is_first:
        counts += [(getattr(result, word), word) for word in ("added", "changed", "removed")]
    text += "".join(f"; {number:,} {word}" for number, word in counts if number)
    text += "; not complete" if result.incomplete else ""
    console.print_info(text)


def _first_urls(result: Build, reason: str, count: int) -> str:
    """Return the first URLs that were excluded for a reason."""
    prefixes = (f"{reason}: http://", f"{reason}: https://")
    excluded = result.excluded
    urls = [x.url for x in excluded if x.reason == reason or x.reason.startswith(prefixes)]
    return ", ".join(urls[:MAX_SHOWN]) + (", …" if count > MAX_SHOWN else "")


def _date_options(result: Build, evidence: Sequence[str]) -> list[str]:
    """Return advice about options that could find dates in sources of these kinds."""
    kinds = {kind for _, kind in result.sources}
    advice = []
    if "html" in kinds and evidence:
        advice.append("--git-root DIR reads the dates of the sources of pages from git")
    if "git" in kinds:
        advice.append("--git-path PATTERN maps pages to their sources in git")
    if kinds & {"html", "git"} and evidence and "mtime" not in evidence:
        advice.append("--lastmod mtime uses the modification times of files")
    is_table = kinds & {"table", "query", "rows"} or any(
        kind == "text" and name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".jsonl"))
        for name, kind in result.sources
    )
    if is_table and "given" in evidence:
        advice.append("--map lastmod=COLUMN names a column with dates")
    return advice
