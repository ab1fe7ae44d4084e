"""What a build is asked for: options, and the configuration behind them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from urlset.builder import EVIDENCE, LEDGER, Filter, Rewrite
from urlset.cli.gathering import Unread, expanded, split_kind, with_logs_together
from urlset.cli.options import MisuseError
from urlset.configuration import Configuration, read_configuration
from urlset.errors import SourceError
from urlset.sources import Source, SourceOptions, open_source

__all__ = ["Wishes", "wishes_of"]

_KEYS: dict[str, type | tuple[type, ...]] = {
    "sources": list,
    "base-url": str,
    "output": str,
    "map": (str, dict),
    "query": str,
    "table": str,
    "delimiter": str,
    "strip-html": bool,
    "trailing-slash": bool,
    "with": list,
    "git-root": str,
    "git-paths": list,
    "keep-parameters": list,
    "min-hits": int,
    "filters": list,
    "rewrites": list,
    "lastmod": list,
    "sections": list,
    "index": str,
    "name": str,
    "name-pattern": str,
    "format": str,
    "gzip": bool,
    "max-urls": int,
    "max-bytes": int,
    "stylesheet": str,
    "robots": str,
    "obey-robots": str,
    "ledger": str,
    "changes": str,
    "hosts": list,
    "min-share": (int, float),
    "grace": str,
    "cache-control": str,
    "encoding": str,
    "on-error": str,
}
_OF_SOURCE = {"path", "kind", "map", "query", "table", "delimiter"}
_PATHS = frozenset({"robots", "obey_robots", "ledger", "changes"})
_PLACES = ("output", "git_root")
_TO_BUILDER = (
    "index name pattern format gzip max_urls max_bytes stylesheet robots obey_robots ledger "
    "changes hosts min_share cache_control encoding on_error"
).split()
_WITH = ("images", "videos", "news", "alternates")
_SPAN = re.compile(r"(\d+)\s*(s|m|h|d|w)", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class Wishes:
    """What is wanted, of options and configuration; options first."""

    given: Mapping[str, Any]
    configured: Mapping[str, Any]
    found: Configuration

    def __getitem__(self, name: str) -> Any:
        value = self.given.get(name)
        if value is not None and value != []:
            return value
        return self._of_file(name)

    def _of_file(self, name: str) -> Any:
        """A value of the configuration; a path begins where that lies."""
        key = "name-pattern" if name == "pattern" else name.replace("_", "-")
        value = self.configured.get(key)
        if value == "":  # as absent: as a path it would be the folder of the configuration
            return None
        if value is not None and name in (*_PATHS, *_PLACES) and "://" not in value:
            return self._beside(value)
        return Path(value) if value is not None and name in _PATHS else value

    def _beside(self, path: str) -> Path:
        """A path of the configuration, as it is found from the working directory."""
        if self.found.path is None or os.path.isabs(path):
            return Path(path)
        place = self.found.path.parent / path
        try:
            return Path(os.path.relpath(place))
        except ValueError:  # on another drive
            return place

    @property
    def output(self) -> str:
        """Where it is published; raises :class:`MisuseError` where nobody says it."""
        found = self["output"]
        if found is None or not os.fspath(found):
            raise MisuseError("--output: expected a folder or a bucket to write into, found none")
        return str(found)

    @property
    def options(self) -> dict[str, Any]:
        """The options of :func:`urlset.build`, but for the base URL."""
        made = {name: self[name] for name in _TO_BUILDER if self[name] is not None}
        if "ledger" not in made and self.found.path is not None and "build" in self.found.table:
            made["ledger"] = self.found.path.parent / LEDGER  # whichever folder it is run from
        made["filters"] = tuple(Filter.of(text) for text in self["filters"] or ())
        made["rewrites"] = tuple(Rewrite.of(text) for text in self["rewrites"] or ())
        made["sections"] = tuple(self["sections"] or ())
        if self["lastmod"] is not None:
            made["lastmod"] = self.lastmod
        if self["grace"] is not None:
            made["grace"] = _span(self["grace"])
        return made

    @property
    def lastmod(self) -> tuple[str, ...]:
        """Where dates may come from, the best first."""
        words = self["lastmod"]
        if words is None:
            return EVIDENCE
        names = [part.strip() for word in words for part in word.split(",")]
        return tuple(name for name in names if name and name != "none")

    def sources(self, engine: str | None) -> Iterator[Source]:
        """Open the sources; raises :class:`urlset.SourceError` for one that is none."""
        listed = self.given.get("sources") or [*self._configured_sources()]
        if not listed:
            raise MisuseError(
                "expected a source, found none; name a folder, a file, a site or - "
                "(or `sources` in urlset.toml)"
            )
        yield from with_logs_together(self._opened(listed, engine))

    def _opened(
        self, listed: Sequence[str | dict[str, Any]], engine: str | None
    ) -> Iterator[Source]:
        for source in listed:
            name = source["path"] if isinstance(source, dict) else source
            try:
                for table in expanded(source):
                    name = table["path"]
                    yield self._source(table, engine)
            except SourceError as error:
                if self["on_error"] != "skip":
                    raise
                yield Unread(name, str(error))

    def _configured_sources(self) -> Iterator[str | dict[str, Any]]:
        for source in self.configured.get("sources", ()):
            if isinstance(source, str):
                yield self._source_path(source)
                continue
            self.found.expect(source, dict, "each of sources in [build]")
            unknown = sorted(set(source) - _OF_SOURCE)
            if unknown or "path" not in source:
                raise self.found.wrong(
                    f"sources in [build]: expected path and {', '.join(sorted(_OF_SOURCE))}, "
                    f"found {', '.join(unknown) or 'no path'}"
                )
            self._expect_types(source)
            yield {**source, "path": self._source_path(source["path"])}

    def _expect_types(self, source: Mapping[str, Any]) -> None:
        for key, value in source.items():
            self.found.expect(value, _KEYS.get(key, str), f"{key} of sources in [build]")
        table = source.get("map", {})
        for name, column in table.items() if isinstance(table, dict) else ():
            self.found.expect(column, str, f"map.{name} of sources in [build]")

    def _source_path(self, text: str) -> str:
        """A source of the configuration begins where that lies, unless it is no path."""
        kind, path = split_kind(text)
        if path is None or os.path.isabs(path):
            return text
        return kind + os.fspath(self._beside(path))

    def _source(self, table: Mapping[str, Any], engine: str | None) -> Source:
        options = SourceOptions(
            mapping=table.get("map", self["map"]),
            keep=tuple(
                spec.removeprefix("column:")
                for spec in self["sections"] or ()
                if spec.startswith("column:")
            ),
            query=table.get("query", self["query"]),
            table=table.get("table", self["table"]),
            delimiter=_delimiter(table.get("delimiter", self["delimiter"])),
            kind=table.get("kind"),
            base_url=self["base_url"],
            engine=engine,
            fail_fast=(self["on_error"] or "raise") == "raise",
            folder=self._folder(engine),
            log=self._log(),
        )
        source = open_source(table["path"], options)
        if type(source).__name__ == "HtmlFolder" and self._asks_git(source.name):
            return self._with_git(source)
        return source

    def _asks_git(self, folder: str) -> bool:
        """Whether git is to be asked: it is not missed where nobody spoke of it."""
        is_named = self["lastmod"] is not None or self["git_root"] is not None
        return "git" in self.lastmod and (is_named or _is_in_git(folder))

    def _with_git(self, source: Source) -> Source:
        from urlset.sources.git.dated import WithGit
        from urlset.sources.git.dates import PATTERNS

        root = self["git_root"]
        patterns = tuple(self["git_paths"] or PATTERNS)
        return WithGit(source, source.name, root=root and os.fspath(root), patterns=patterns)

    def _folder(self, engine: str | None) -> dict[str, Any]:
        wanted = [part.strip() for word in self["with"] or () for part in word.split(",")]
        unknown = sorted(set(wanted) - set(_WITH))
        if unknown:
            raise MisuseError(f"--with: expected {', '.join(_WITH)}, found {', '.join(unknown)}")
        return {
            "strip_html": bool(self["strip_html"]),
            "trailing_slash": self["trailing_slash"],
            "evidence": self.lastmod,
            "engine": engine,
            **{name: name in wanted for name in _WITH},
        }

    def _log(self) -> dict[str, Any]:
        made: dict[str, Any] = {"keep_parameters": tuple(self["keep_parameters"] or ())}
        return made | ({"min_hits": self["min_hits"]} if self["min_hits"] is not None else {})


def _is_in_git(folder: str) -> bool:
    place = Path(folder).resolve()
    return any((above / ".git").exists() for above in (place, *place.parents))


def wishes_of(config: Path | None, **given: Any) -> Wishes:
    """Put the options that were given over what the configuration has.

    Raises :class:`urlset.ConfigurationError`.
    """
    found = read_configuration(None if config is None else str(config))
    table = found.section("build", _KEYS)
    for name, value in table.items():
        for item in value if isinstance(value, list) and name != "sources" else ():
            found.expect(item, str, f"each of {name} in [build]")
    return Wishes(given, table, found)


def _delimiter(text: str | None) -> str | None:
    r"""What stands between cells; a shell gives a tab as ``\t``, too."""
    mark = "\t" if text == r"\t" else text
    if mark is not None and (len(mark) != 1 or mark in '"\r\n'):
        raise MisuseError(f"--delimiter: expected one character such as ;, found {text!r}")
    return mark


def _span(text: str) -> timedelta:
    """A span of time as people write it.

    >>> _span("36h")
    datetime.timedelta(days=1, seconds=43200)
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected grace as 30m, 36h or 7d, found {text!r}")
    try:
        return timedelta(**{_UNITS[found[2].lower()]: int(found[1])})
    except OverflowError as error:
        raise ValueError(f"expected grace of a few days, found {text!r}") from error
