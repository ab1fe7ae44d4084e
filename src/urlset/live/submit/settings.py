"""Settings of a submission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from urlset.http import Policy, origin_of
from urlset.live.submit.indexnow import DEFAULT_ENDPOINT
from urlset.live.submit.keys import IndexNowKeys, keys_from
from urlset.live.submit.search_console import expect_property
from urlset.option_names import option
from urlset.option_schema import check_options

CHANNELS = ("indexnow", "google")

KeysGiven = str | Mapping[str, str | tuple[str, str]] | IndexNowKeys | None


@dataclass(frozen=True, kw_only=True)
class SubmitSettings:
    """Settings of a submission: the options of :func:`urlset.submit`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    dry_run: bool = False
    keys: KeysGiven = field(default=None, repr=False)
    endpoints: Sequence[str] = field(default=("https://api.indexnow.org/indexnow",), repr=False)
    google_credentials: str | None = field(default=None, repr=False)
    to: Iterable[str] = ("indexnow",)
    store: Path = Path(".urlset/announcements.duckdb")
    announce_all: bool = False
    preflight_pages: int = 20
    preflight: bool = True
    max_wait_s: float = 900.0
    retry_refused: bool = False
    sitemaps: Iterable[str] = ()
    resubmit: bool = False
    property: str | None = None
    status: bool = False
    inspect: int = 0
    inspect_store: Path | None = None
    policy: Policy | None = None
    google_base: str = "https://searchconsole.googleapis.com"

    def __post_init__(self) -> None:
        check_options("submit", self)
        to, sitemaps, endpoints = (
            (value,) if isinstance(value, str) else tuple(value)
            for value in (self.to, self.sitemaps, self.endpoints)
        )
        unknown = [name for name in to if name not in CHANNELS]
        if unknown or not to:
            found = repr(unknown[0]) if unknown else "none"
            raise ValueError(f"{option('to')}: expected {' or '.join(CHANNELS)}, found {found}")
        for name, urls, expected in (
            (option("sitemaps"), sitemaps, "a URL"),
            (option("endpoints"), endpoints, f"a URL as {DEFAULT_ENDPOINT}"),
        ):
            for url in urls:
                if origin_of(url) is None:
                    raise ValueError(f"{name}: expected {expected}, found {url!r}")
        if not endpoints:
            raise ValueError(f"{option('endpoints')}: expected a URL, found none")
        if "google" in to:
            expect_property(self.property or "")
            if self.inspect and self.inspect_store is None:
                raise ValueError(
                    f"{option('inspect')}: expected {option('inspect_store')}, a store with the "
                    "URLs of the site, found none"
                )
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "sitemaps", sitemaps)
        object.__setattr__(self, "endpoints", tuple(dict.fromkeys(endpoints)))
        object.__setattr__(self, "keys", keys_from(self.keys))
