"""Pages of a sitemap by ranges of primary keys, so that no page walks the rows before it.

A page is all rows with ``after < key <= last``; its number and its rows stay the same while rows
are added behind it. The boundaries are stored in Django's cache, extended when rows are added, and
computed again after ``PLAN_S`` seconds, or when a page holds too many rows.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from django import conf
from django.core.cache import caches
from django.core.exceptions import EmptyResultSet
from django.db import models
from django.utils import timezone

from urlset.dates import LOCAL_TIME
from urlset.integrations.django.plain_rows import fetch_rows

PLAN_S = 3_600
"""Seconds after which the boundaries of pages are computed again."""
OVERLAP = timedelta(minutes=10)
"""Transactions may commit a row this long after the time stored in it."""
MAX_CHANGES = 10_000
"""Changed rows that are read to update the dates of pages; with more, SQL computes all of them."""
BATCH_ROWS = 2_000
_FIRST_BATCH = 500  # few rows, so that the response begins early
_INTEGERS = (models.AutoField, models.BigAutoField, models.SmallAutoField, models.IntegerField)


class KeyRange(NamedTuple):
    """Rows of a page: keys above ``after`` up to ``last``; None for no bound."""

    after: Any
    last: Any

    def of(self, queryset: Any) -> Any:
        """Return the rows of the page, ordered by key."""
        rows = queryset.order_by("pk")
        if self.after is not None:
            rows = rows.filter(pk__gt=self.after)
        return rows if self.last is None else rows.filter(pk__lte=self.last)


class RangeFacts(NamedTuple):
    """Number of rows of a page, of those with a date, and the latest date."""

    rows: int
    dated: int
    latest: datetime | date | None


class Plan:
    """Boundaries of the pages of a queryset, with the latest date of each page.

    ``bounds`` has the last key of each page but the last one, which is open.
    """

    def __init__(self, size: int):
        self.size = size
        self.bounds: list[Any] = []
        self.latest: list[Any] | None = None

    @property
    def pages(self) -> int:
        """Number of pages; at least one."""
        return len(self.bounds) + 1

    def key_range(self, number: int) -> KeyRange:
        """Return the range of a page by its number, from 1."""
        after = self.bounds[number - 2] if number > 1 else None
        return KeyRange(after, self.bounds[number - 1] if number < self.pages else None)

    def extend(self, queryset: Any) -> bool:
        """Add the pages of new rows behind the last boundary; return whether there are any."""
        keys = queryset.order_by("pk").values_list("pk", flat=True)
        count = len(self.bounds)
        while True:
            part = keys.filter(pk__gt=self.bounds[-1]) if self.bounds else keys
            # The last key of the page, and the first key of the next one.
            found = list(part[self.size - 1 : self.size + 1])
            if len(found) < 2:
                break
            self.bounds.append(found[0])
        if self.latest is not None:
            self.latest += [None] * (self.pages - len(self.latest))
        return len(self.bounds) > count

    def update_latest(self, queryset: Any, field: str) -> bool:
        """Bring the latest date of each page up to date; return whether anything changed."""
        if self.latest is None or not isinstance(queryset.model._meta.pk, _INTEGERS):
            before = self.latest
            self.latest = [
                range_facts(queryset, self.key_range(number), field).latest
                for number in range(1, self.pages + 1)
            ]
            return before != self.latest
        known = [value for value in self.latest if value is not None]
        changes = queryset.order_by().filter(**{f"{field}__isnull": False})
        if known:
            since = max(known)
            if isinstance(since, datetime):
                now = timezone.now() if timezone.is_aware(since) else datetime.now()  # noqa: DTZ005
                since = min(since, now) - OVERLAP
            changes = changes.filter(**{f"{field}__gte": since})
        rows = list(changes.values_list("pk", field)[: MAX_CHANGES + 1])
        if len(rows) > MAX_CHANGES:
            self.latest = None
            return self.update_latest(queryset, field)
        before = list(self.latest)
        for key, value in rows:
            page = bisect_left(self.bounds, key)
            held = self.latest[page]
            self.latest[page] = value if held is None else max(held, value)
        return before != self.latest


def plan_of(
    queryset: Any, size: int, *, number: int | None = None, field: str | None = None
) -> Plan:
    """Return the plan of a queryset from the cache, or compute it.

    Args:
        queryset: The rows.
        size: Maximum number of rows in a page.
        number: The page that is requested; None for all pages.
        field: The field with the dates, to update ``Plan.latest``; None if they are not needed.
    """
    cache = shared_cache()
    key = _cache_key(queryset, size)
    plan: Plan | None = cache.get(key)
    is_new = plan is None
    if plan is None:
        plan = Plan(size)
    is_changed = is_new
    if is_new or number is None or number >= plan.pages:
        is_changed |= plan.extend(queryset)
    if field is not None:
        is_changed |= plan.update_latest(queryset, field)
    if is_new:
        cache.set(key, plan, PLAN_S)
        cache.set(f"{key}:until", timezone.now() + timedelta(seconds=PLAN_S), PLAN_S)
    elif is_changed:
        # The plan expires at the same time as before, however often it is extended.
        until = cache.get(f"{key}:until") or timezone.now()
        cache.set(key, plan, max(1, int((until - timezone.now()).total_seconds())))
    return plan


def forget_plan(queryset: Any, size: int) -> None:
    """Remove the plan of a queryset from the cache."""
    shared_cache().delete(_cache_key(queryset, size))


def shared_cache() -> Any:
    """Return the cache of the boundaries and sizes of pages."""
    return caches[getattr(conf.settings, "URLSET_CACHE", "default")]


def range_facts(queryset: Any, keys: KeyRange, field: str | None) -> RangeFacts:
    """Return the facts of a page by one query, without its rows."""
    wanted: dict[str, Any] = {"rows": models.Count("pk")}
    if field is not None:
        wanted |= {"dated": models.Count(field), "latest": models.Max(field)}
    found = keys.of(queryset).order_by().aggregate(**wanted)
    return RangeFacts(found["rows"], found.get("dated", 0), found.get("latest"))


def is_keyset(items: Any) -> bool:
    """Return whether rows can be paged by key: a queryset that is not sliced or grouped."""
    if not isinstance(items, models.QuerySet) or items._result_cache is not None:
        return False
    query = items.query
    return not (
        query.is_sliced
        or query.combinator
        or query.distinct_fields
        or query.is_empty()
        or query.extra_tables
        or query.group_by is not None
        or items._fields is not None
        or items.model._meta.pk.many_to_many
        or len(getattr(items.model._meta, "pk_fields", [None])) != 1
    )


def batches(queryset: Any, keys: KeyRange) -> Iterator[list[Any]]:
    """Yield the rows of a page in batches, each by a query of its own.

    No cursor stays open between batches, so connection poolers and autocommit are no problem, and
    ``prefetch_related`` works.
    """
    size = _FIRST_BATCH
    after, last = keys
    while True:
        found = fetch_rows(KeyRange(after, last).of(queryset), size)
        if found:
            yield found
        if len(found) < size:
            return
        after, size = found[-1].pk, BATCH_ROWS


def as_instant(value: datetime | date) -> datetime:
    """Return a date as an aware datetime; naive ones are in the time zone of the settings."""
    if not isinstance(value, datetime):
        return datetime.combine(value, time.min, UTC)
    if value.tzinfo is UTC:
        return value
    if timezone.is_naive(value):
        value = value.replace(tzinfo=timezone.get_default_timezone())
    return value.astimezone(UTC)


def _cache_key(queryset: Any, size: int) -> str:
    # Note: in `filter(published__lte=now())` the time differs with each request, so only the day
    # of a time counts.
    try:
        sql, parameters = queryset.order_by("pk").query.sql_with_params()
    except EmptyResultSet:
        sql, parameters = str(queryset.model), ()
    shown = [found[1] if (found := LOCAL_TIME.match(str(one))) else str(one) for one in parameters]
    text = repr((queryset.db, sql, shown, size))
    return f"urlset:pages:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
