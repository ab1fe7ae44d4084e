"""Options of a build: target, filters, evidence for dates, file format, publication."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from urlset.change_limit import ChangeLimit
from urlset.errors import GateError
from urlset.http.request_url import escaped, expect_no_login
from urlset.http.url_secrets import without_secrets
from urlset.option_names import option
from urlset.option_schema import Encoding, FileFormat, IndexMode, OnError, as_tuple, check_options
from urlset.urls import parse_url, split_origin, without_default_port
from urlset.writer.file_set import FileNaming
from urlset.writer.stylesheet import check_address

if TYPE_CHECKING:
    from urlset.http import Policy

Evidence = Literal["given", "page", "git", "content", "header", "mtime", "created"]
EVIDENCE: tuple[Evidence, ...] = ("given", "page", "git", "content", "header")
"""Evidence for ``lastmod``, best first; ``mtime`` and ``created`` only on request."""

Gate = Literal["zero", "shrunk", "limits", "hosts", "unreadable", "source"]
GATES: Mapping[Gate, int] = {
    "zero": 10,
    "shrunk": 11,
    "limits": 12,
    "hosts": 13,
    "unreadable": 14,
    "source": 15,
}
"""The gates before a publication, with the exit code of the command for each."""

_PATTERN = re.compile(
    r"(?=[A-Za-z0-9_{])(?=.*\{number)(?:[A-Za-z0-9._~-]|\{name\}|\{section\}|\{number(?::0?\d)?\})+"
)
_RESERVED_COLUMNS = frozenset(
    "loc lastmod lastmod_text changefreq priority source id size more source_document line".split()
)
"""Names that a column for sections cannot have."""

EXTENSIONS = ("images", "videos", "news", "alternates")
"""What ``with_`` adds of the facts of pages."""

_ANY_BASE = "https://example.com/"
"""Stands for the base URL until the first URL is known, so that options are checked first."""

_DURATION = re.compile(r"(\d+)\s*(s|m|h|d|w)", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FILTER = re.compile(r"(keep|drop):(.+)", re.DOTALL)


def current_second() -> datetime:
    """Return the current time, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class Filter:
    """Rule for URLs: ``keep`` or ``drop`` those in which the pattern is found (RE2)."""

    action: Literal["keep", "drop"]
    pattern: str

    @classmethod
    def of(cls, text: str) -> Filter:
        r"""Parse ``keep:PATTERN`` or ``drop:PATTERN``.

        >>> Filter.of(r"drop:\.pdf$")
        Filter(action='drop', pattern='\\.pdf$')
        """
        found = _FILTER.fullmatch(text)
        if found is None:
            raise ValueError(
                f"expected a filter as keep:PATTERN or drop:PATTERN, found {text!r}; "
                "drop:/private/ excludes every URL with /private/ in it"
            )
        return cls("keep" if found[1] == "keep" else "drop", found[2])


@dataclass(frozen=True)
class Rewrite:
    """Replacement in URLs: matches of the pattern become the text, which may refer to groups."""

    pattern: re.Pattern[str]
    text: str

    @classmethod
    def of(cls, text: str) -> Rewrite:
        r"""Parse ``PATTERN=>TEXT``.

        >>> Rewrite.of(r"^http:=>https:").apply("http://example.com/")
        'https://example.com/'
        """
        pattern, arrow, replacement = text.partition("=>")
        if not arrow or not pattern:
            raise ValueError(f"expected a rewrite as PATTERN=>TEXT, found {text!r}")
        try:
            rewrite = cls(re.compile(pattern), replacement)
            rewrite.apply("https://example.com/")
        except (re.error, IndexError) as error:
            raise ValueError(
                f"expected a regular expression, found {pattern!r}: {error}"
            ) from error
        return rewrite

    def apply(self, url: str) -> str:
        """Apply the replacement to a URL and return it."""
        return self.pattern.sub(self.text, url)


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options of :func:`urlset.build`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    engine: str | None = None
    map: Mapping[str, str] | str | None = None
    query: str | None = None
    query_timeout_s: float | None = 600.0
    table: str | None = None
    delimiter: str | None = None
    strip_html: bool = False
    trailing_slash: bool | None = None
    with_: tuple[str, ...] = ()
    keep_parameters: tuple[str, ...] = ()
    min_hits: int | None = None
    trust_mtime: bool = True
    base_url: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    exclude_by_robots: Path | None = None
    allowed_hosts: tuple[str, ...] = ()
    git_root: Path | None = None
    git_paths: tuple[str, ...] = ()
    lastmod: tuple[Evidence, ...] | None = None
    sections: tuple[str, ...] = ()
    gzip: bool = False
    max_urls: int = 50_000
    max_bytes: int = 52_428_800
    name: str = "sitemap"
    name_pattern: str | None = None
    format: FileFormat = "xml"
    index: IndexMode = "auto"
    include_sitemaps: tuple[str, ...] = ()
    stylesheet: str | None = None
    ledger: Path | None = None
    adopt: bool = False
    compact: bool = False
    robots: Path | None = None
    changes: Path | None = None
    grace: timedelta = timedelta(0)
    cache_control: str | None = "max-age=3600"
    encoding: Encoding | None = None
    dry_run: bool = False
    why: tuple[str, ...] = ()
    on_error: OnError = "raise"
    excluded: Path | None = None
    min_share: float = 0.5
    max_removed: str | None = None
    force: tuple[Gate, ...] = ()
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    cache: Path | None = None
    now: datetime = field(default_factory=current_second)

    def __post_init__(self) -> None:
        check_options("build", self)
        expect_query_or_table(self.query, self.table)
        if self.base_url is not None:
            _expect_folder(self.base_url)
        check_address(self.stylesheet)
        FileNaming.of(self.name, self.format, self.gzip)
        if self.name_pattern is not None and not _PATTERN.fullmatch(self.name_pattern):
            raise ValueError(
                "expected a pattern of {name}, {section}, {number} (or {number:03}) and letters, "
                f"digits and ._~-, with {{number}} in it, found {self.name_pattern!r}"
            )
        for name in self.kept_columns:
            if not re.fullmatch(r"[^\W\d]\w*", name) or name.lower() in _RESERVED_COLUMNS:
                raise ValueError(
                    f"expected a column name other than {', '.join(sorted(_RESERVED_COLUMNS))}, "
                    f"found {name!r}; a query ({option('query')}) can rename it"
                )
        for url in self.include_sitemaps:
            _expect_sitemap(url)
            if fault := self.host_fault(url):
                raise ValueError(fault)
        if self.max_removed is not None:
            try:
                ChangeLimit.parse(self.max_removed)
            except ValueError as error:
                raise ValueError(f"{option('max_removed')}: {error}") from error
        self._expect_choices(option("lastmod"), self.evidence, get_args(Evidence))
        for host in self.allowed_hosts:
            address = f"https://{host}/"
            if split_origin(address)[1] != host or parse_url(address).url is None:
                raise ValueError(
                    f"expected hosts like shop.example.com in {option('allowed_hosts')}, "
                    f"found {host!r}"
                )
        self._expect_choices(option("with_"), self.with_, EXTENSIONS)
        self._expect_choices(option("force"), self.force, tuple(GATES))
        if self.now.tzinfo is None:
            raise ValueError(f"expected now with a time zone, found {self.now!r}")

    @property
    def base(self) -> str:
        """Base URL of the set in ASCII, with a trailing slash."""
        given = self.base_url or _ANY_BASE
        base = without_default_port(given if given.endswith("/") else f"{given}/")
        return base if base.isascii() else escaped(base) or base

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts whose URLs may be listed, in ASCII and lower case; the first is that of the set."""
        listed = (f"https://{host}/" for host in self.allowed_hosts)
        urls = (self.base, *(without_default_port(escaped(url) or url) for url in listed))
        return tuple(dict.fromkeys(split_origin(url)[1].lower() for url in urls))

    def host_fault(self, sitemap: str) -> str | None:
        """Return why the index must not list a sitemap, because of its host; None if it may."""
        if self.base_url is None:
            return None
        if split_origin(without_default_port(escaped(sitemap) or sitemap))[1].lower() in self.hosts:
            return None
        return (
            f"expected sitemaps of {' or '.join(sorted(self.hosts))} in "
            f"{option('include_sitemaps')}, found {without_secrets(sitemap)!r}; "
            "an index may list it if that host permits it: "
            f"{option('allowed_hosts')}"
        )

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence for dates, best first; empty for no dates."""
        return EVIDENCE if self.lastmod is None else self.lastmod

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns of sources that define sections."""
        return tuple(
            spec.removeprefix("column:") for spec in self.sections if spec.startswith("column:")
        )

    @property
    def is_text(self) -> bool:
        """Whether the files are lists of URLs."""
        return self.format == "text"

    @staticmethod
    def _expect_choices(name: str, found: Sequence[str], known: tuple[str, ...]) -> None:
        wrong = [word for word in found if word not in known]
        if wrong:
            raise ValueError(
                f"expected {name} of {', '.join(known)}, found {', '.join(map(str, wrong))}"
            )


def parse_evidence(value: str | Iterable[str]) -> tuple[Any, ...]:
    """Parse the evidence for dates, best first, from a comma-separated text or a list of texts.

    >>> parse_evidence("git, page"), parse_evidence(["given", "mtime"]), parse_evidence("none")
    (('git', 'page'), ('given', 'mtime'), ())
    """
    names = [part.strip() for text in as_tuple(value, "lastmod") for part in text.split(",")]
    return tuple(name for name in names if name and name != "none")


def parse_duration(value: object) -> timedelta:
    """Parse a duration such as ``36h``; return a timedelta unchanged.

    >>> parse_duration("36h")
    datetime.timedelta(days=1, seconds=43200)
    """
    if isinstance(value, timedelta):
        return value
    found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"expected {option('grace')} as 30m, 36h or 7d, found {value!r}")
    try:
        return timedelta(**{_UNITS[found[2].lower()]: int(found[1])})
    except OverflowError as error:
        raise ValueError(f"expected {option('grace')} of a few days, found {value!r}") from error


def _expect_folder(base_url: str) -> None:
    expect_no_login(base_url, option("base_url"))
    read = parse_url(base_url)
    if read.url != base_url or read.issues or "?" in base_url or "#" in base_url:
        raise ValueError(
            f"expected {option('base_url')} to be the http(s) address of a folder, found "
            f'{base_url!r}; write it as "https://example.com/"'
        )


def _expect_sitemap(url: str) -> None:
    """Raise ``ValueError`` unless a text is the URL of a sitemap, as an index may list it."""
    read = parse_url(url)
    if read.url != url or read.issues or "#" in url or "@" in url.split("/")[2]:
        raise ValueError(
            f"expected {option('include_sitemaps')} to be http(s) addresses of sitemaps, found "
            f'{without_secrets(url)!r}; write one as "https://example.com/docs/sitemap.xml"'
        )


def fail(gate: Gate, settings: BuildOptions, message: str) -> None:
    """Raise :class:`urlset.GateError`, unless the option ``force`` names this gate."""
    if gate in settings.force:
        return
    raise GateError(
        f"{message}; nothing was published. If this is intended: {option('force', gate)}",
        gate=gate,
        exit_code=GATES[gate],
    )


def expect_query_or_table(query: str | None, table: str | None) -> None:
    """Raise ``ValueError`` for a query with the name of a table, which would have no effect."""
    if query is not None and table is not None:
        raise ValueError(
            f"{option('table')} cannot be combined with {option('query')}: the query names its "
            f"tables (found the table {table!r}); remove one of them"
        )
