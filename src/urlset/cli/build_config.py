"""What a build is asked for: options, and the configuration behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urlset.builder import LEDGER, Filter, Rewrite
from urlset.builder.inputs import InputOptions, open_inputs, parse_duration, parse_evidence
from urlset.cli.console import print_info
from urlset.cli.options import MisuseError
from urlset.config import Configuration, read_configuration, suggestion
from urlset.errors import UrlsetError
from urlset.sources import Source
from urlset.sources.factory import split_kind
from urlset.store import end_process_when_stuck

__all__ = ["BuildConfig", "wishes_of"]

_KEYS: dict[str, type | tuple[type, ...]] = {
    "sources": list,
    "base-url": str,
    "output": str,
    "map": (str, dict),
    "query": str,
    "query-timeout": (int, float),
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
    "trust-mtime": bool,
    "changes": str,
    "excluded": str,
    "hosts": list,
    "min-share": (int, float),
    "grace": str,
    "cache-control": str,
    "encoding": str,
    "on-error": str,
}
_OF_SOURCE = {"path", "kind", "map", "query", "table", "delimiter"}
_PATHS = frozenset({"robots", "obey_robots", "ledger", "changes", "excluded"})
_PLACES = ("output", "git_root")
_TO_BUILDER = (
    "index name pattern format gzip max_urls max_bytes stylesheet robots obey_robots ledger "
    "trust_mtime changes excluded hosts min_share cache_control encoding on_error"
).split()


@dataclass(frozen=True)
class BuildConfig:
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
            made["lastmod"] = parse_evidence(self["lastmod"])
        if self["grace"] is not None:
            made["grace"] = parse_duration(self["grace"])
        return made

    def sources(self, engine: str | None) -> Iterator[Source]:
        """Open the sources; raises :class:`urlset.SourceError` for one that is none."""
        listed = self.given.get("sources") or [*self._configured_sources()]
        if not listed:
            raise MisuseError(
                "expected a source, found none; name a folder, a file, a site or - "
                "(or `sources` in urlset.toml)"
            )
        root, limit = self["git_root"], self["query_timeout"]
        end_process_when_stuck()
        try:
            options = InputOptions(
                base_url=self["base_url"],
                map=self["map"],
                query=self["query"],
                **({} if limit is None else {"query_timeout_s": limit or None}),
                table=self["table"],
                delimiter=self["delimiter"],
                strip_html=bool(self["strip_html"]),
                trailing_slash=self["trailing_slash"],
                with_=tuple(_words(self["with"])),
                git_root=root and os.fspath(root),
                git_paths=tuple(self["git_paths"] or ()),
                keep_parameters=tuple(self["keep_parameters"] or ()),
                min_hits=self["min_hits"],
                lastmod=None if self["lastmod"] is None else parse_evidence(self["lastmod"]),
                sections=tuple(self["sections"] or ()),
                on_error=self["on_error"] or "raise",
                engine=engine,
            )
            yield from open_inputs(listed, options)
        except UrlsetError:
            raise
        except ValueError as error:
            raise MisuseError(str(error)) from error

    def _configured_sources(self) -> Iterator[str | dict[str, Any]]:
        for source in self.configured.get("sources", ()):
            if isinstance(source, str):
                yield self._source_path(source)
                continue
            self.found.expect(source, dict, "each of sources in [build]")
            unknown = sorted(set(source) - _OF_SOURCE)
            if unknown:
                key = unknown[0]
                raise self.found.error(
                    f"sources in [build] have no key {key!r}{suggestion(key, _OF_SOURCE)}"
                )
            if "path" not in source:
                raise self.found.error("sources in [build]: expected a path in each, found none")
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


def _words(given: Sequence[str] | None) -> list[str]:
    return [part.strip() for word in given or () for part in word.split(",")]


def wishes_of(config: Path | None, **given: Any) -> BuildConfig:
    """Put the options that were given over what the configuration has.

    Raises :class:`urlset.ConfigurationError`.
    """
    found = read_configuration(None if config is None else str(config))
    for words in found.notes:
        print_info(words)
    table = found.section("build", _KEYS)
    for name, value in table.items():
        for item in value if isinstance(value, list) and name != "sources" else ():
            found.expect(item, str, f"each of {name} in [build]")
    return BuildConfig(given, table, found)
