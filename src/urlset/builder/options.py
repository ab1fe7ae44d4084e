"""Options of a build: target, filters, evidence for dates, file format, publication."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from urlset.errors import GateError
from urlset.http.request_url import escaped
from urlset.option_schema import Encoding, FileFormat, IndexMode, OnError
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.publisher import CACHE_CONTROL
from urlset.urls import parse_url
from urlset.writer.file_set import FileNaming
from urlset.writer.stylesheet import check_address

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

_FILTER = re.compile(r"(keep|drop):(.+)", re.DOTALL)


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


@dataclass(frozen=True)
class BuildOptions:
    """All options of a build except its sources; see :func:`urlset.build`.

    - ``base_url``: the address of the folder that is published; relative URLs refer to it.
    - ``gzip``: compress the files.
    - ``format``: ``"xml"``, or ``"text"`` for lists of URLs.
    - ``max_urls``: the maximum number of URLs in a file.
    - ``max_bytes``: the maximum uncompressed bytes of a file.
    - ``name``: the name of the files, without extension.
    - ``pattern``: the names of several files: ``{name}-{section}-{number:03}``.
    - ``index``: an index if one is needed, ``"always"``, or one for each ``"section"``.
    - ``sections``: ``NAME=PATTERN``, ``column:NAME`` or ``source``; the first match counts.
    - ``include``: regular expressions (RE2); only URLs that contain a match of one are listed.
    - ``exclude``: regular expressions (RE2); URLs that contain a match of one are excluded.
    - ``filters``: which URLs are kept and dropped; the first match counts.
    - ``rewrites``: replacements in URLs, applied in order, before everything else.
    - ``lastmod``: the evidence for dates, best first; empty for no dates.
    - ``on_error``: ``"raise"`` at an invalid row, or ``"skip"`` it.
    - ``ledger``: its file; None for :data:`urlset.builder.LEDGER` in the working directory.
    - ``stylesheet``: the name of a style sheet, or its address; see :func:`urlset.write`.
    - ``robots``: the robots.txt whose Sitemap lines are updated.
    - ``exclude_by_robots``: the robots.txt whose rules exclude URLs.
    - ``changes``: the file for changes, as JSON lines.
    - ``excluded``: the file for excluded URLs, as JSON lines: URL, source, reason.
    - ``why``: URLs to explain in :attr:`urlset.builder.Build.why`.
    - ``cache_control``: the Cache-Control header of files uploaded to a bucket.
    - ``encoding``: ``"gzip"`` serves .xml and .txt of a bucket compressed.
    - ``grace``: how long a file remains after the last index dropped it.
    - ``min_share``: the share of the published URLs that must remain, for the gate ``shrunk``.
    - ``allowed_hosts``: further hosts whose URLs may be listed.
    - ``force``: the gates to ignore.
    - ``compact``: distribute all URLs over the files again.
    - ``trust_mtime``: do not read HTML files again whose size, times and inode are unchanged.
    - ``adopt``: adopt the sitemaps of another tool.
    - ``dry_run``: write nothing.
    - ``engine``: the engine, by name.
    - ``now``: the time of the build.

    Raises:
        ValueError: An option has an invalid value.
    """

    base_url: str
    gzip: bool = False
    format: FileFormat = "xml"
    max_urls: int = MAX_URLS
    max_bytes: int = MAX_BYTES
    name: str = "sitemap"
    pattern: str | None = None
    index: IndexMode = "auto"
    sections: Sequence[str] = ()
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    filters: Sequence[Filter] = ()
    rewrites: Sequence[Rewrite] = ()
    lastmod: Sequence[Evidence] = EVIDENCE
    on_error: OnError = "raise"
    ledger: Path | None = None
    stylesheet: str | None = None
    robots: Path | None = None
    exclude_by_robots: Path | None = None
    changes: Path | None = None
    excluded: Path | None = None
    why: Sequence[str] = ()
    cache_control: str | None = CACHE_CONTROL
    encoding: Encoding | None = None
    grace: timedelta = timedelta(0)
    min_share: float = 0.5
    allowed_hosts: Sequence[str] = ()
    force: frozenset[Gate] = frozenset()
    compact: bool = False
    trust_mtime: bool = True
    adopt: bool = False
    dry_run: bool = False
    engine: str | None = None
    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))

    def __post_init__(self) -> None:
        read = parse_url(self.base_url)
        if read.url != self.base_url or read.issues or "?" in self.base_url or "#" in self.base_url:
            raise ValueError(
                "expected base_url to be the http(s) address of a folder, found "
                f'{self.base_url!r}; write it as "https://example.com/"'
            )
        for option, value, most in (
            ("max_urls", self.max_urls, MAX_URLS),
            ("max_bytes", self.max_bytes, MAX_BYTES),
        ):
            if not 1 <= value <= most:
                raise ValueError(
                    f"expected {option} from 1 to {most:,} (sitemaps.org), found {value!r}"
                )
        check_address(self.stylesheet)
        FileNaming.of(self.name, self.format, self.gzip)
        if self.pattern is not None and not _PATTERN.fullmatch(self.pattern):
            raise ValueError(
                "expected a pattern of {name}, {section}, {number} (or {number:03}) and letters, "
                f"digits and ._~-, with {{number}} in it, found {self.pattern!r}"
            )
        for name in self.kept_columns:
            if not re.fullmatch(r"[^\W\d]\w*", name) or name.lower() in _RESERVED_COLUMNS:
                raise ValueError(
                    f"expected a column name other than {', '.join(sorted(_RESERVED_COLUMNS))}, "
                    f"found {name!r}; a query (--query) can rename it"
                )
        self._expect_choices("format", [self.format], get_args(FileFormat))
        self._expect_choices("index", [self.index], get_args(IndexMode))
        self._expect_choices("on_error", [self.on_error], get_args(OnError))
        self._expect_choices("lastmod", self.lastmod, get_args(Evidence))
        self._expect_choices("force", self.force, tuple(GATES))
        if not 0 <= self.min_share <= 1:
            raise ValueError(f"expected min_share from 0 to 1, found {self.min_share!r}")
        if self.now.tzinfo is None:
            raise ValueError(f"expected now with a time zone, found {self.now!r}")

    @property
    def base(self) -> str:
        """Base URL of the set in ASCII, with a trailing slash."""
        base = self.base_url if self.base_url.endswith("/") else f"{self.base_url}/"
        return base if base.isascii() else escaped(base) or base

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
    def _expect_choices(
        option: str, found: Sequence[str] | frozenset[str], known: tuple[str, ...]
    ) -> None:
        wrong = [word for word in found if word not in known]
        if wrong:
            raise ValueError(
                f"expected {option} of {', '.join(known)}, found {', '.join(sorted(wrong))}"
            )


def fail(gate: Gate, settings: BuildOptions, message: str) -> None:
    """Raise :class:`urlset.GateError`, unless the option ``force`` names this gate."""
    if gate in settings.force:
        return
    raise GateError(
        f"{message}; nothing was published. If this is intended: --force {gate}",
        gate=gate,
        exit_code=GATES[gate],
    )
