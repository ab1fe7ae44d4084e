"""Rows as they were given, made into entries that read back as valid, or refused with a reason.

This is the specification of what may be written. :meth:`urlset.engine.Engine.uncertain_rows` spares
those rows that are certain to pass unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import is_
from typing import Any, NamedTuple

from urlset.errors import EntryError
from urlset.model import Entry
from urlset.writer import values
from urlset.writer.extensions import extensions
from urlset.writer.input_batches import Batch, intended_field
from urlset.writer.value_problem import ValueProblem

__all__ = [
    "Checked",
    "Rules",
    "as_entry",
    "input_loc",
    "validate",
    "validate_except_loc",
    "validate_rows",
]


class Rules(NamedTuple):
    """What entries are judged by: ``base`` resolves references; ``is_text`` keeps the loc alone."""

    base: str | None
    is_text: bool
    engine: str | None


class Checked(NamedTuple):
    """The good entries of a batch with the row of each, and an error for every other row."""

    entries: list[Entry]
    rows: list[int]
    errors: list[EntryError]


def validate(batch: Batch, rules: Rules) -> Checked:
    """Check a batch; what passes, the reader reads back as it was, without a problem."""
    return validate_rows(enumerate(batch.items, batch.row), rules)


def validate_rows(rows: Iterable[tuple[int, Any]], rules: Rules) -> Checked:
    """Check rows, each behind its number in the input."""
    checked = Checked([], [], [])
    for row, item in rows:
        try:
            entry = _entry(item, rules)
        except ValueProblem as fault:
            checked.errors.append(fault.in_row(row))
        else:
            checked.entries.append(entry)
            checked.rows.append(row)
    return checked


def input_loc(item: Any) -> str | None:
    """The loc of a row as it was given, for telling a person which one is meant."""
    if isinstance(item, Mapping):
        item = item.get("loc", item.get("url"))
    elif isinstance(item, Entry):
        item = item.loc
    return item if isinstance(item, str) else None


def as_entry(item: Any) -> Entry:
    """An entry, a URL or a dict as an entry whose values are as they were given.

    Raises :class:`ValueProblem` for anything else, and for a key that is a misspelt field.
    """
    if isinstance(item, str):
        return Entry(item)
    return item if isinstance(item, Entry) else _from_mapping(item)


def validate_except_loc(given: Entry, rules: Rules) -> Entry:
    """The entry with all its values checked but ``loc``, which may still be rewritten."""
    loc: Any = given.loc
    if loc is not None and not isinstance(loc, str):
        raise ValueProblem("loc", loc, "a URL", "give one, or leave the entry out")
    try:
        return _with_rest(loc, given, rules)
    except ValueProblem:
        values.url(loc, "loc", rules.base)  # of several faults that of the URL is told
        raise


def _entry(item: Any, rules: Rules) -> Entry:
    given = as_entry(item)
    loc = values.url(given.loc, "loc", rules.base)
    if rules.is_text:
        return Entry(values.line(loc))
    return _with_rest(loc, given, rules)


def _with_rest(loc: Any, given: Entry, rules: Rules) -> Entry:
    entry = Entry(
        loc,
        *values.lastmod(given.lastmod, given.lastmod_text),
        values.changefreq(given.changefreq),
        values.priority(given.priority),
    )
    if _is_plain(given):
        return entry
    return entry._replace(**extensions(given, loc, rules.base, rules.engine))


def _is_plain(given: Entry) -> bool:
    """Whether no extension is given, which identity tells at once for most entries."""
    rest = given[5:10]
    return all(map(is_, rest, _NOTHING)) or not any(map(_is_given, rest))


_NOTHING = Entry("")[5:10]


def _is_given(value: Any) -> bool:
    # Not its truth: an array of numpy has none.
    return value is not None and (not hasattr(value, "__len__") or len(value) > 0)


def _from_mapping(item: Any) -> Entry:
    if not isinstance(item, Mapping):
        raise ValueProblem("loc", item, "an Entry, a URL as str, or a dict", "convert the row")
    for name in item:
        meant = intended_field(name) if isinstance(name, str) else None
        if meant is not None and meant not in item:
            raise ValueProblem(meant, name, f"the key {meant!r}", "rename it, or leave it out")
    known = {name: item[name] for name in Entry._fields if name in item}
    return Entry(**{"loc": item.get("url"), **known})
