"""Runs a build, and tells what it came to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from urlset.builder import Build, Settings, build
from urlset.builder.inputs import with_base_url
from urlset.cli.building import Wishes, wishes_of
from urlset.cli.options import MisuseError
from urlset.cli.sink import Sink
from urlset.cli.talk import Progress, complain_each, count_of, note
from urlset.errors import UrlsetError
from urlset.sources import Source

__all__ = ["run_build"]

_FLAGS = ("dry_run", "adopt", "compact")


def run_build(config: Path | None, options: Mapping[str, Any], *, as_json: bool) -> int:
    """Run a build as it is wanted; gives the exit code."""
    given = {name: _plain(value) for name, value in options.items()}
    given |= {"map": given.pop("mapping"), "with": given.pop("with_"), "format": given.pop("form")}
    engine, explained = given.pop("engine"), given["why"] or []
    wishes = wishes_of(config, **given)
    output, wanted = wishes.output, wishes.options
    Settings("https://example.com/", **wanted)  # misuse is told before anything is read
    with Progress() as progress:
        sources = list(wishes.sources(engine))
        base_url, sources = _based(wishes, sources)
        made = build(
            sources,
            output,
            base_url=base_url,
            engine=engine,
            progress=progress.update,
            force=frozenset(given["force"] or ()),
            why=tuple(explained),
            **{name: given[name] for name in _FLAGS} | ({"dry_run": True} if explained else {}),
            **wanted,
        )
    is_dry = given["dry_run"] or bool(explained)
    with Sink(None) as sink:
        for line in made.why if explained and not as_json else _report(made, as_json=as_json):
            sink.write(f"{line}\n")
    if not explained:
        _tell(made, wishes, is_dry=is_dry)
    return int(bool(made.failures or made.rejected))


def _based(wishes: Wishes, sources: Sequence[Source]) -> tuple[str, list[Source]]:
    """The base URL: as it was given, or else the root of the site of the first URL."""
    if wishes["base_url"] is not None:
        return wishes["base_url"], list(sources)
    try:
        return with_base_url(list(sources), wishes.output)
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


def _tell(made: Build, wishes: Wishes, *, is_dry: bool) -> None:
    """Say how it went, on stderr."""
    complain_each(made.failures)
    complain_each(rejection.reason for rejection in made.rejected)
    for text in made.notes:
        note(text)
    for reason, count in (made.left_out or {}).items():
        note(f"{count_of(count, 'URL')} left out: {reason}")
    text = f"{count_of(made.urls, 'URL')} in {count_of(len(made.files), 'file')}"
    if made.indexes:
        text += f" and {count_of(len(made.indexes), 'index', 'indexes')}"
    text += f", {len(made.changed_files):,} of them new or changed"
    is_first = made.added == made.urls and not made.removed
    counts = [(len(made.rejected), "refused"), (made.duplicates, "listed before")]
    if not is_first:
        counts += [(made.added, "added"), (made.changed, "changed"), (made.removed, "removed")]
    text += "".join(f"; {number:,} {word}" for number, word in counts if number)
    note(text)
    if is_dry:
        note(f"Nothing was written: this was a dry run for {wishes.output}")
    elif wishes["robots"] is None:
        for address in made.addresses:
            note(f"For robots.txt: Sitemap: {address}")


def _plain(value: Any) -> Any:
    """A word of an option as text."""
    return str(value) if isinstance(value, str) else value
