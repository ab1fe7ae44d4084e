"""Runs a build, and tells what it came to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from urlset.builder import EVIDENCE, Build, BuildOptions, build
from urlset.builder.inputs import infer_base_url, parse_evidence
from urlset.cli.build_config import BuildConfig, wishes_of
from urlset.cli.console import Progress, complain_each, count_of, print_info
from urlset.cli.options import MisuseError
from urlset.cli.sink import Sink
from urlset.cli.stdout_target import BuildOutput
from urlset.errors import GateError, UrlsetError
from urlset.sources import Source
from urlset.sources.candidates import source_type_of

__all__ = ["report_gate", "run_build"]

SHOWN = 2
"""URLs of each reason that are named in the summary."""

_FLAGS = ("dry_run", "adopt", "compact")


def run_build(
    config: Path | None, options: Mapping[str, Any], *, as_json: bool, is_quiet: bool = False
) -> int:
    """Run a build as it is wanted; gives the exit code."""
    given = {name: _plain(value) for name, value in options.items()}
    given |= {"map": given.pop("mapping"), "with": given.pop("with_"), "format": given.pop("form")}
    engine, explained = given.pop("engine"), given["why"] or []
    wishes = wishes_of(config, **given)
    wanted = wishes.options
    is_dry = given["dry_run"] or bool(explained)
    with BuildOutput(wishes.output, wanted, as_json=as_json) as place:
        BuildOptions("https://example.com/", **wanted)  # misuse is told before anything is read
        with Progress(is_shown=not is_quiet) as progress:
            sources = list(wishes.sources(engine))
            base_url, based = _based(wishes, sources)
            made = build(
                based,
                place.target,
                base_url=base_url,
                engine=engine,
                progress=progress.update,
                force=frozenset(given["force"] or ()),
                why=tuple(explained),
                **{name: given[name] for name in _FLAGS} | ({"dry_run": True} if explained else {}),
                **wanted,
            )
        with Sink(None) as sink:
            if explained and not as_json:
                lines: Iterable[str] = made.why
            elif place.is_stdout or (is_quiet and not as_json):
                lines = []
            else:
                lines = _report(made, as_json=as_json)
            for line in lines:
                sink.write(f"{line}\n")
            if not is_dry:
                place.copy(made, sink)
    if not explained:
        complain_each(made.failures)
        complain_each(rejection.reason for rejection in made.rejected)
        if not is_quiet:
            _tell(made, wishes, sources, is_dry=is_dry)
    return int(bool(made.failures or made.rejected))


def report_gate(error: GateError) -> None:
    """Write the gate that failed as an object of JSON."""
    found = {"gate": error.gate, "error": str(error), "exit_code": error.exit_code}
    with Sink(None) as sink:
        sink.write(f"{json.dumps(found, ensure_ascii=False)}\n")


def _based(wishes: BuildConfig, sources: Sequence[Source]) -> tuple[str, list[Source]]:
    """The base URL: as it was given, or else the root of the site of the first URL."""
    if wishes["base_url"] is not None:
        return wishes["base_url"], list(sources)
    try:
        return infer_base_url(list(sources), wishes.output)
    except UrlsetError:
        raise
    except ValueError as error:
        raise MisuseError(f"--base-url: {error}") from error


def _report(made: Build, *, as_json: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps(made.to_dict(), ensure_ascii=False)
        return
    for file in (*made.files, *made.indexes):
        yield f"{made.target.rstrip('/')}/{file.name}"


def _tell(made: Build, wishes: BuildConfig, sources: Sequence[Source], *, is_dry: bool) -> None:
    """Say how it went, on stderr."""
    for text in made.notes:
        print_info(text)
    for reason, count in (made.left_out or {}).items():
        print_info(f"{count_of(count, 'URL')} left out: {reason} ({_first(made, reason, count)})")
    options = _date_options(sources, _chain(wishes))
    if made.undated and made.undated == made.urls and options:
        urls = "The only URL has no" if made.urls == 1 else f"None of the {made.urls:,} URLs has a"
        print_info(f"{urls} lastmod; {', '.join(options)}")
    text = f"{count_of(made.urls, 'URL')} in {count_of(len(made.files), 'file')}"
    if made.indexes:
        text += f" and {count_of(len(made.indexes), 'index', 'indexes')}"
    text += f", {len(made.changed_files):,} of them new or changed"
    is_first = made.added == made.urls and not made.removed
    counts = [(len(made.rejected), "refused"), (made.duplicates, "listed before")]
    if not is_first:
        counts += [(made.added, "added"), (made.changed, "changed"), (made.removed, "removed")]
    text += "".join(f"; {number:,} {word}" for number, word in counts if number)
    print_info(text)
    if is_dry:
        print_info(f"Nothing was written: this was a dry run for {wishes.output}")
    elif wishes["robots"] is None and wishes.output != "-":
        for address in made.addresses:
            print_info(f"For robots.txt: Sitemap: {address}")


def _first(made: Build, reason: str, count: int) -> str:
    """The first URLs that were left out for a reason."""
    kinds = (reason, f"{reason}: http://", f"{reason}: https://")
    urls = [
        one.url for one in made.excluded if one.reason == reason or one.reason.startswith(kinds[1:])
    ]
    return ", ".join(urls[:SHOWN]) + (", …" if count > SHOWN else "")


def _chain(wishes: BuildConfig) -> Sequence[str]:
    """Where dates may come from."""
    return EVIDENCE if wishes["lastmod"] is None else parse_evidence(wishes["lastmod"])


def _date_options(sources: Sequence[Source], chain: Sequence[str]) -> list[str]:
    """The options that could find dates, by the kinds of the sources."""
    kinds = {source_type_of(source) for source in sources}
    options = []
    if "html" in kinds and chain:
        options.append("--git-root DIR asks git for the sources of pages")
    if "git" in kinds:
        options.append("--git-path PATTERN says where git has the sources of pages")
    if kinds & {"html", "git"} and chain and "mtime" not in chain:
        options.append("--lastmod mtime takes the times of files")
    is_table = kinds & {"table", "query", "rows"} or any(map(_is_table_of_text, sources))
    if is_table and "given" in chain:
        options.append("--map lastmod=COLUMN names a column with dates")
    return options


def _is_table_of_text(source: Source) -> bool:
    is_list = source_type_of(source) == "text"
    return is_list and source.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".jsonl"))


def _plain(value: Any) -> Any:
    """A word of an option as text."""
    return str(value) if isinstance(value, str) else value
