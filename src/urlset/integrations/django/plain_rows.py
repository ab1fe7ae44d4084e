"""Rows of plain querysets as model instances, without the steps of Django that take the longest.

For a page of 50,000 rows Django sends two signals and sets each field of each instance in Python,
and its converters of dates are in Python. Here the database returns dates as text, and the fields
are set together. A queryset or model for which that may make a difference is left to Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from inspect import getattr_static
from typing import Any

from django.db import connections
from django.db.models import DateTimeField, F, Model, QuerySet, TextField
from django.db.models.base import ModelState
from django.db.models.functions import Cast
from django.db.models.query import ModelIterable
from django.db.models.signals import post_init, pre_init

_METHODS = ("__getitem__", "__iter__", "_chain", "_clone", "_fetch_all", "annotate", "values_list")
_MODEL_METHODS = ("__init__", "__new__", "from_db")
_OFFSETS = {"postgresql": "", "sqlite": "+00:00"}
"""Databases that return times in UTC as ISO text, and the offset that is missing in the text."""


def fetch_rows(queryset: Any, count: int) -> list[Any]:
    """Return the first rows of a queryset, equal to those of ``list(queryset[:count])``."""
    if not (_is_plain_queryset(queryset) and _is_plain_model(queryset.model)):
        return list(queryset[:count])
    fields = queryset.model._meta.concrete_fields
    offset = _offset(queryset.db)
    times = [field.attname for field in fields if type(field) is DateTimeField]
    if offset is None or not times:
        return _instances(queryset, fields, {}, count)
    try:
        return _instances(queryset, fields, dict.fromkeys(times, _parser(offset)), count)
    except ValueError:  # a date that only Django understands
        return _instances(queryset, fields, {}, count)


def _instances(
    queryset: Any, fields: Any, parsers: dict[str, Callable[[str], datetime]], count: int
) -> list[Any]:
    names = [field.attname for field in fields]
    texts = {f"urlset_{name}": Cast(F(name), TextField()) for name in parsers}
    columns = [f"urlset_{name}" if name in parsers else name for name in names]
    rows = queryset.annotate(**texts).values_list(*columns)[:count]
    database = queryset.db
    found = [queryset.model.__new__(queryset.model) for _ in rows]
    for instance in found:
        instance._state = state = ModelState()
        state.adding = False
        state.db = database
    # Note: not by `__dict__`: an instance that never had to make one is faster and smaller.
    for name, column in zip(names, zip(*rows, strict=True), strict=bool(found)):
        values: Iterable[Any] = column
        if parse := parsers.get(name):
            values = [None if text is None else parse(text) for text in column]
        for instance, value in zip(found, values, strict=True):
            setattr(instance, name, value)
    return found


def _parser(offset: str) -> Callable[[str], datetime]:
    def parse(text: str) -> datetime:
        value = datetime.fromisoformat(text + offset)
        if value.tzinfo is not UTC:
            raise ValueError(f"expected a time in UTC, found {text!r}")
        return value

    return parse


def _offset(database: str) -> str | None:
    """Return the offset to add to times as text; None if Django has to convert them."""
    connection = connections[database]
    return _OFFSETS.get(connection.vendor) if connection.timezone is UTC else None


def _is_plain_queryset(queryset: Any) -> bool:
    """Return whether the rows are the fields of the model and nothing else."""
    query = queryset.query
    return (
        queryset._iterable_class is ModelIterable
        and not queryset._known_related_objects
        and not queryset._prefetch_related_lookups
        # Django 6.1 has modes of fetching related rows; the default is that of a new instance.
        and getattr(queryset, "_fetch_mode", None) is getattr(ModelState(), "fetch_mode", None)
        and all(getattr(type(queryset), name) is getattr(QuerySet, name) for name in _METHODS)
        and query.default_cols
        and query.deferred_loading == (frozenset(), True)
        and not (query.annotations or query.extra or query.select_for_update)
        and not query.select_related
    )


def _is_plain_model(model: Any) -> bool:
    """Return whether an instance is its fields and the state that Django adds."""
    own = [n for n in _MODEL_METHODS if getattr_static(model, n) is not getattr_static(Model, n)]
    return not (own or pre_init.has_listeners(model) or post_init.has_listeners(model))
