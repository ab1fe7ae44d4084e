"""Text that identifies the rows of a section, so that a build need not load them.

A sitemap with ``cache_version`` and ``lastmod_field`` states that every change of a URL also
changes its date. The text then depends on the key and the date of every row, which one query
returns, and on the entries of the first and the last rows, which show a changed route, domain or
attribute.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any

from django.db.models import CharField, Count, F, Max
from django.db.models.functions import Cast
from django.utils import timezone

from urlset.integrations.django.pages import as_instant
from urlset.integrations.django.sections import VERSION, KeysetSection, Section, UrlsSection
from urlset.sources import RowVersion

SAMPLE_ROWS = 50
"""Rows at the beginning and at the end whose entries are part of the text."""

LEAST_AGE = timedelta(seconds=2)
"""A date may be stored in whole seconds: a second change within them leaves it as it is."""
LEAST_AGE_OF_DAY = timedelta(days=2)
"""As above, for dates without a time, in any time zone."""

_CHUNK_ROWS = 10_000


def row_version(section: Section | UrlsSection) -> RowVersion | None:
    """Return what identifies the rows of a section; None if it has no ``cache_version``."""
    cache_version = getattr(section.site, "cache_version", None)
    if cache_version is None:
        return None
    field = section.site.date_source() if isinstance(section, KeysetSection) else None
    if not isinstance(section, KeysetSection) or field is None:
        return RowVersion(
            None,
            "cache_version needs lastmod_field, and a queryset that pages can divide by its "
            "primary key",
        )
    rows = section.rows
    found = rows.order_by().aggregate(rows=Count("pk"), dated=Count(field), latest=Max(field))
    if not found["rows"]:
        return RowVersion(None, "there are none")
    if found["dated"] < found["rows"]:
        count = found["rows"] - found["dated"]
        return RowVersion(None, f"{count:,} of them have no date in {field}")
    if _is_recent(found["latest"]):
        return RowVersion(
            None,
            f"the latest date in {field} is so recent, or in the future, that another change may "
            "have the same date",
        )
    text = blake2b(digest_size=16)
    text.update(repr((VERSION, cache_version, found["rows"], section.sample(SAMPLE_ROWS))).encode())
    # Note: dates as text, because conversion to datetime takes longer than the rest.
    text_date = Cast(F(field), CharField(max_length=64))
    dates = rows.prefetch_related(None).order_by("pk").annotate(urlset_date=text_date)
    pairs = dates.values_list("pk", "urlset_date").iterator(chunk_size=_CHUNK_ROWS)
    for chunk in _chunks(pairs):
        text.update(chunk)
    return RowVersion(
        text.hexdigest(), f"cache_version is set, and all keys and dates in {field} are the same"
    )


def _chunks(pairs: Iterator[tuple[Any, str]]) -> Iterator[bytes]:
    while chunk := list(islice(pairs, _CHUNK_ROWS)):
        try:
            yield marshal.dumps(chunk, 2)  # version 2 has no references
        except ValueError:  # keys of other types, such as UUID
            yield repr(chunk).encode()


def _is_recent(latest: datetime | date) -> bool:
    """Return whether a row may change again without another date than this one."""
    least = LEAST_AGE if isinstance(latest, datetime) else LEAST_AGE_OF_DAY
    limit: datetime = timezone.now() - least
    return as_instant(latest) > limit
