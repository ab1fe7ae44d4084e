"""Settings of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict

from urlset.checker import Profile, Rule
from urlset.model import Level
from urlset.option_schema import check_ranges, options_of
from urlset.store import RULE_S

if TYPE_CHECKING:
    from urlset.http import Policy

_NO_NAMES: Mapping[str, Sequence[str]] = MappingProxyType({})
_NO_LEVELS: Mapping[str, Level] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """Settings of an audit; the arguments of :func:`urlset.audit` by name.

    Attributes:
        base_url: URL at which a file or a folder with sitemaps is published.
        sample: Number of listed URLs to visit; None for all.
        seed: Number that selects the sample: equal seeds select equal URLs.
        crawl: Whether the links of the site are followed, too.
        logs: Access logs, as :class:`urlset.sources.AccessLog` reads them.
        indexnow_key: Key of IndexNow whose file is checked, or the URL of that file.
        head_only: Whether transfers end after the head of a page. Content is not compared then.
        media: Whether images and videos of entries are requested.
        targets: Whether canonical URLs, alternates and links of the llms.txt that are not listed
            are visited.
        llms_txt: Whether the links of the llms.txt of the site are checked.
        max_requests: Maximum number of requests for pages, media and probes; robots.txt and
            sitemaps do not count. None for no limit.
        max_minutes: Maximum duration; None for no limit.
        max_media: Maximum number of media files that are requested.
        confirm_after_s: Pause before the second visit of pages without a usable response.
        confirm_delay_s: Time between two requests of the second visit.
        max_confirmed: Maximum number of pages that are visited a second time.
        select: Rules, as in :func:`urlset.check`.
        ignore: Rules that are excluded.
        extend_select: Rules that are added.
        ignore_in: Rules that are excluded in some documents, by pattern.
        levels: Levels of rules that differ from the catalogue.
        rules: Custom rules.
        profile: Search engine whose special rules are added.
        now: Current time for rules about dates; None for the time of the audit.
        policy: How requests are sent.
        auth: Credentials for the site.
        engine: Engine that parses sitemaps.
        rule_timeout_s: Time limit of each custom rule in seconds, None for no limit.
    """

    base_url: str | None = None
    sample: int | None = None
    seed: int = 1
    crawl: bool = False
    logs: Sequence[str] = ()
    indexnow_key: str | None = field(default=None, repr=False)
    head_only: bool = False
    media: bool = True
    targets: bool = True
    llms_txt: bool = True
    max_requests: int | None = None
    max_minutes: float | None = None
    max_media: int = 10_000
    confirm_after_s: float = 60.0
    confirm_delay_s: float = 1.0
    max_confirmed: int = 200
    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()
    ignore_in: Mapping[str, Sequence[str]] = field(default_factory=lambda: _NO_NAMES)
    levels: Mapping[str, Level] = field(default_factory=lambda: _NO_LEVELS)
    rules: Sequence[Rule] = ()
    profile: Profile | None = None
    now: datetime | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    engine: str | None = None
    rule_timeout_s: float | None = RULE_S

    def __post_init__(self) -> None:
        check_ranges(options_of("audit"), self)


class AuditKeywords(TypedDict, total=False):
    """Keyword arguments of :func:`urlset.audit`: the fields of :class:`AuditSettings`."""

    base_url: str | None
    sample: int | None
    seed: int
    crawl: bool
    logs: Sequence[str]
    indexnow_key: str | None
    head_only: bool
    media: bool
    targets: bool
    llms_txt: bool
    max_requests: int | None
    max_minutes: float | None
    max_media: int
    confirm_after_s: float
    confirm_delay_s: float
    max_confirmed: int
    select: Sequence[str] | None
    ignore: Sequence[str]
    extend_select: Sequence[str]
    ignore_in: Mapping[str, Sequence[str]]
    levels: Mapping[str, Level]
    rules: Sequence[Rule]
    profile: Profile | None
    now: datetime | None
    policy: Policy | None
    auth: str | tuple[str, str] | None
    engine: str | None
    rule_timeout_s: float | None
