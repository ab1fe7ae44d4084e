"""Run ``urlset build``: read the sources, publish the sitemaps and print a summary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from urlset.builder import EVIDENCE, Build, BuildOptions, build
from urlset.builder.inputs import infer_base_url, parse_evidence
from urlset.cli.build_config import BuildConfig
from urlset.cli.console import Progress, pluralize, print_errors, print_info
from urlset.cli.options import UsageError
from urlset.cli.sink import Sink
from urlset.errors import GateError, TargetError, UrlsetError
from urlset.sources import Source
from urlset.sources.candidates import source_type_of

__all__ = ["report_gate", "run_build"]

MAX_SHOWN = 2
"""Excluded URLs that the summary names for each reason."""

_FLAGS = ("dry_run", "adopt", "compact")
_RENAMED = {"map": "mapping", "with": "with_", "format": "form"}


def run_build(
    file: Path | None, options: Mapping[str, Any], *, as_json: bool, is_quiet: bool = False
) -> int:
    """Run a build and return the exit code.

    Args:
        file: The configuration; by default it is searched.
        options: The values of the options, by parameter name.
        as_json: Whether the result is printed as JSON.
        is_quiet: Whether only errors and the result are printed.
    """
    values = {name: _plain(value) for name, value in options.items()}
    values |= {name: values.pop(parameter) for name, parameter in _RENAMED.items()}
    engine, explained_urls = values.pop("engine"), values["why"] or []
    config = BuildConfig.load(file, **values)
    builder_options = config.options
    is_dry_run = values["dry_run"] or bool(explained_urls)
    with BuildOutput(config.output, builder_options, as_json=as_json) as output:
        BuildOptions("https://example.com/", **builder_options)  # report errors before reading
        with Progress(is_shown=not is_quiet) as progress:
            sources = list(config.sources(engine))
            base_url, sources = _with_base_url(config, sources)
            result = build(
                sources,
                output.target,
                base_url=base_url,
                engine=engine,
                progress=lambda event: progress.update(str(event)),
                force=frozenset(values["force"] or ()),
                why=tuple(explained_urls),
                **{name: values[name] for name in _FLAGS} | {"dry_run": is_dry_run},
                **builder_options,
            )
        with Sink(None) as sink:
            if explained_urls and not as_json:
                lines: Iterable[str] = result.why
            elif output.is_stdout or (is_quiet and not as_json):
                lines = []
            else:
                lines = _result_lines(result, as_json=as_json)
            for line in lines:
                sink.write(f"{line}\n")
            if not is_dry_run:
                output.copy(result, sink)
    if not explained_urls:
        print_errors(result.failures)
        print_errors(rejection.reason for rejection in result.rejected)
        if not is_quiet:
            _report_summary(result, config, sources, is_dry_run=is_dry_run)
    return int(bool(result.failures or result.rejected))


def report_gate(error: GateError) -> None:
    """Print the safety gate that failed, as a JSON object."""
    fields = {"gate": error.gate, "error": str(error), "exit_code": error.exit_code}
    with Sink(None) as sink:
        sink.write(f"{json.dumps(fields, ensure_ascii=False)}\n")


class BuildOutput:
    """Target of a build: a folder, a bucket, or stdout; a context manager.

    A build for stdout uses a temporary folder with its own ledger, so nothing is recorded.

    Args:
        output: The value of ``--output``; ``-`` is stdout.
        options: The options of :func:`urlset.build`; for stdout, the ledger is set in them.
        as_json: Whether the result is printed as JSON, which excludes stdout.

    Raises:
        UsageError: An option has no effect for stdout.
    """

    def __init__(self, output: str, options: dict[str, Any], *, as_json: bool):
        self.is_stdout = output == "-"
        self.target = output
        self._options = options
        self._folder: TemporaryDirectory[str] | None = None
        if not self.is_stdout:
            return
        refused = [name for name in ("robots", "cache_control", "encoding") if options.get(name)]
        refused += ["json"] if as_json else []
        if refused:
            option = refused[0].replace("_", "-")
            raise UsageError(
                f"--{option}: cannot be combined with --output - (stdout); "
                "name a folder, or remove the option"
            )

    def __enter__(self) -> BuildOutput:
        if self.is_stdout:
            self._folder = TemporaryDirectory(prefix="urlset-")
            self.target = str(Path(self._folder.name) / "public")
            self._options["ledger"] = Path(self._folder.name) / "ledger.duckdb"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def copy(self, result: Build, sink: Sink) -> None:
        """Copy the only file of the build to stdout."""
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


def _with_base_url(config: BuildConfig, sources: Sequence[Source]) -> tuple[str, list[Source]]:
    """Return the base URL, by default the root of the site of the first URL, and the sources."""
    if config["base_url"] is not None:
        return config["base_url"], list(sources)
    try:
        return infer_base_url(list(sources), config.output)
    except UrlsetError:
        raise
    except ValueError as error:
        raise UsageError(f"--base-url: {error}") from error


def _result_lines(result: Build, *, as_json: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps(result.to_dict(), ensure_ascii=False)
        return
    for file in (*result.files, *result.indexes):
        yield f"{result.target.rstrip('/')}/{file.name}"


def _report_summary(
    result: Build, config: BuildConfig, sources: Sequence[Source], *, is_dry_run: bool
) -> None:
    """Print notes, exclusions and totals on stderr."""
    for text in result.notes:
        print_info(text)
    for reason, count in (result.excluded_counts or {}).items():
        print_info(
            f"{pluralize(count, 'URL')} excluded: {reason} ({_first_urls(result, reason, count)})"
        )
    options = _date_options(sources, _evidence(config))
    if result.undated and result.undated == result.urls and options:
        urls = (
            "The only URL has no" if result.urls == 1 else f"None of the {result.urls:,} URLs has a"
        )
        print_info(f"{urls} lastmod; {', '.join(options)}")
    text = f"{pluralize(result.urls, 'URL')} in {pluralize(len(result.files), 'file')}"
    if result.indexes:
        text += f" and {pluralize(len(result.indexes), 'index', 'indexes')}"
    text += f", {len(result.changed_files):,} of them new or changed"
    is_first = result.added == result.urls and not result.removed
    counts = [(len(result.rejected), "rejected"), (result.duplicates, "listed before")]
    if not is_first:
        counts += [
            (result.added, "added"),
            (result.changed, "changed"),
            (result.removed, "removed"),
        ]
    text += "".join(f"; {number:,} {word}" for number, word in counts if number)
    print_info(text)
    if is_dry_run:
        print_info(f"Nothing was written: this was a dry run for {config.output}")
    elif config["robots"] is None and config.output != "-":
        for address in result.addresses:
            print_info(f"For robots.txt: Sitemap: {address}")


def _first_urls(result: Build, reason: str, count: int) -> str:
    """Return the first URLs that were excluded for a reason."""
    prefixes = (f"{reason}: http://", f"{reason}: https://")
    urls = [
        one.url
        for one in result.excluded
        if one.reason == reason or one.reason.startswith(prefixes)
    ]
    return ", ".join(urls[:MAX_SHOWN]) + (", …" if count > MAX_SHOWN else "")


def _evidence(config: BuildConfig) -> Sequence[str]:
    """Return the kinds of evidence for dates, best first."""
    return EVIDENCE if config["lastmod"] is None else parse_evidence(config["lastmod"])


def _date_options(sources: Sequence[Source], evidence: Sequence[str]) -> list[str]:
    """Return advice about the options that could find dates in sources of these kinds."""
    kinds = {source_type_of(source) for source in sources}
    options = []
    if "html" in kinds and evidence:
        options.append("--git-root DIR reads the dates of the sources of pages from git")
    if "git" in kinds:
        options.append("--git-path PATTERN maps pages to their sources in git")
    if kinds & {"html", "git"} and evidence and "mtime" not in evidence:
        options.append("--lastmod mtime uses the modification times of files")
    is_table = kinds & {"table", "query", "rows"} or any(map(_is_table_of_text, sources))
    if is_table and "given" in evidence:
        options.append("--map lastmod=COLUMN names a column with dates")
    return options


def _is_table_of_text(source: Source) -> bool:
    is_list = source_type_of(source) == "text"
    return is_list and source.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".jsonl"))


def _plain(value: Any) -> Any:
    """Return the value of an option; an enumeration as a plain string."""
    return str(value) if isinstance(value, str) else value
