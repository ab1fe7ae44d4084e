"""Runs a build, and tells what it came to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from urlset.arrow.batches import column
from urlset.builder import Build, Settings, build
from urlset.cli.building import Wishes, wishes_of
from urlset.cli.options import MisuseError
from urlset.cli.sink import Sink
from urlset.cli.talk import Progress, complain_each, count_of, note
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
    first = _Peeked(sources[0])
    loc = first.loc
    split = urlsplit(loc or "")
    if not split.scheme.startswith("http") or not split.netloc:
        raise MisuseError(
            f"--base-url: expected the URL that {wishes.output} is served at, found none, and "
            f"{sources[0].name} begins with {loc!r}; give it, e.g. https://example.com/"
        )
    base = f"{split.scheme}://{split.netloc}/"
    return base, [first, *sources[1:]]


class _Peeked:
    """A source of which the first batch was looked at."""

    def __init__(self, source: Source):
        self.name, self.failures, self.notes = source.name, source.failures, source.notes
        self.table = getattr(source, "table", None)
        self._batches = iter(source.batches())
        self._first = next(self._batches, None)

    @property
    def loc(self) -> str | None:
        """The first URL."""
        if self._first is None or not self._first.num_rows:
            return None
        name = "loc" if "loc" in self._first.schema.names else "url"
        found: str | None = column(self._first.slice(0, 1), name)[0]
        return found

    def batches(self) -> Iterator[Any]:
        """All of them."""
        return chain([] if self._first is None else [self._first], self._batches)


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
