"""Settings of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset.checker import Profile, Rule
from urlset.model import Level
from urlset.option_schema import check_options
from urlset.reader.filters import UrlPatterns

if TYPE_CHECKING:
    from urlset.http import Policy


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """Settings of an audit: the options of :func:`urlset.audit`, which describes them."""

    # These are generated from urlset.option_schema by `make docs`.
    sample: int | None = None
    seed: int = 1
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    crawl: bool = False
    logs: tuple[str, ...] = ()
    max_requests: int | None = None
    max_minutes: float | None = None
    head_only: bool = False
    segments: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    media: bool = True
    llms_txt: bool = True
    confirm_after_s: float = 60.0
    indexnow_key: str | None = field(default=None, repr=False)
    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    extend_select: Sequence[str] = ()
    profile: Profile | None = None
    rule_timeout_s: float | None = 60.0
    ignore_in: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    levels: Mapping[str, Level] = field(default_factory=lambda: MappingProxyType({}))
    rules: Sequence[Rule] = ()
    base_url: str | None = None
    engine: str | None = None
    now: datetime | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    targets: bool = True
    max_media: int = 10_000
    confirm_delay_s: float = 1.0
    max_confirmed: int = 200

    def __post_init__(self) -> None:
        check_options("audit", self)
        UrlPatterns(self.include, self.exclude)

    @property
    def url_patterns(self) -> UrlPatterns:
        """The patterns of ``include`` and ``exclude``."""
        return UrlPatterns(self.include, self.exclude)

    @property
    def is_partial(self) -> bool:
        """Whether only some of the listed URLs are visited: a sample, or those of a pattern."""
        return self.sample is not None or bool(self.include or self.exclude)
