"""Merge the options of ``urlset build`` over the ``[build]`` section of the configuration file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urlset.builder import LEDGER, Filter, Rewrite
from urlset.builder.inputs import InputOptions, open_inputs, parse_duration, parse_evidence
from urlset.cli.console import print_info
from urlset.cli.options import UsageError
from urlset.config import Configuration, read_configuration, suggestion
from urlset.errors import UrlsetError
from urlset.sources import Source
from urlset.sources.factory import split_kind
from urlset.store import end_process_when_stuck

__all__ = ["BuildConfig"]

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
_SOURCE_KEYS = {"path", "kind", "map", "query", "table", "delimiter"}
_PATHS = frozenset({"robots", "obey_robots", "ledger", "changes", "excluded"})
_DESTINATIONS = ("output", "git_root")
_BUILDER_OPTIONS = (
    "index name pattern format gzip max_urls max_bytes stylesheet robots obey_robots ledger "
    "trust_mtime changes excluded hosts min_share cache_control encoding on_error"
).split()


@dataclass(frozen=True)
class BuildConfig:
    """Options of a build; an option of the command line takes precedence over the file.

    Attributes:
        values: The options of the command line; None if an option is not used.
        configured: The ``[build]`` section.
        found: The configuration file.
    """

    values: Mapping[str, Any]
    configured: Mapping[str, Any]
    found: Configuration

    @classmethod
    def load(cls, path: Path | None, **values: Any) -> BuildConfig:
        """Read the configuration at ``path``, or search one, and combine it with options.

        Raises:
            urlset.ConfigurationError: The configuration is invalid.
        """
        found = read_configuration(None if path is None else str(path))
        for note in found.notes:
            print_info(note)
        table = found.section("build", _KEYS)
        for name, value in table.items():
            for item in value if isinstance(value, list) and name != "sources" else ():
                found.expect(item, str, f"each of {name} in [build]")
        return cls(values, table, found)

    def __getitem__(self, name: str) -> Any:
        value = self.values.get(name)
        if value is not None and value != []:
            return value
        return self._configured(name)

    def _configured(self, name: str) -> Any:
        """Return a value of the file; its paths are relative to the folder of the file."""
        key = "name-pattern" if name == "pattern" else name.replace("_", "-")
        value = self.configured.get(key)
        if value == "":  # like an absent key: as a path it would be the folder of the file
            return None
        if value is not None and name in (*_PATHS, *_DESTINATIONS) and "://" not in value:
            return self._relative_to_file(value)
        return Path(value) if value is not None and name in _PATHS else value

    def _relative_to_file(self, path: str) -> Path:
        """Return a path of the file, relative to the working directory."""
        if self.found.path is None or os.path.isabs(path):
            return Path(path)
        joined = self.found.path.parent / path
        try:
            return Path(os.path.relpath(joined))
        except ValueError:  # on another drive
            return joined

    @property
    def output(self) -> str:
        """The target; raises :class:`UsageError` if it is not set."""
        output = self["output"]
        if output is None or not os.fspath(output):
            raise UsageError("--output: expected a folder or a bucket to write into, found none")
        return str(output)

    @property
    def options(self) -> dict[str, Any]:
        """The options of :func:`urlset.build` except the base URL."""
        options = {name: self[name] for name in _BUILDER_OPTIONS if self[name] is not None}
        if "ledger" not in options and self.found.path is not None and "build" in self.found.table:
            options["ledger"] = (
                self.found.path.parent / LEDGER
            )  # the same from each working directory
        options["filters"] = tuple(Filter.of(text) for text in self["filters"] or ())
        options["rewrites"] = tuple(Rewrite.of(text) for text in self["rewrites"] or ())
        options["sections"] = tuple(self["sections"] or ())
        if self["lastmod"] is not None:
            options["lastmod"] = parse_evidence(self["lastmod"])
        if self["grace"] is not None:
            options["grace"] = parse_duration(self["grace"])
        return options

    def sources(self, engine: str | None) -> Iterator[Source]:
        """Open the sources.

        Raises:
            UsageError: No source is named, or an option has an invalid value.
            urlset.SourceError: A source cannot be open_inputs.
        """
        listed = self.values.get("sources") or [*self._configured_sources()]
        if not listed:
            raise UsageError(
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
                with_=tuple(_split_names(self["with"])),
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
            raise UsageError(str(error)) from error

    def _configured_sources(self) -> Iterator[str | dict[str, Any]]:
        for source in self.configured.get("sources", ()):
            if isinstance(source, str):
                yield self._source_path(source)
                continue
            self.found.expect(source, dict, "each of sources in [build]")
            unknown = sorted(set(source) - _SOURCE_KEYS)
            if unknown:
                key = unknown[0]
                raise self.found.error(
                    f"sources in [build] have no key {key!r}{suggestion(key, _SOURCE_KEYS)}"
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
        """Return a source of the file; a path is relative to the folder of the file."""
        kind, path = split_kind(text)
        if path is None or os.path.isabs(path):
            return text
        return kind + os.fspath(self._relative_to_file(path))


def _split_names(values: Sequence[str] | None) -> list[str]:
    return [name.strip() for value in values or () for name in value.split(",")]
