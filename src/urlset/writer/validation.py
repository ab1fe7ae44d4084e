"""Validate input rows and convert them to entries, or reject them with a reason.

This is the specification of what may be written: entries that read back without problems.
:meth:`urlset.engine.Engine.uncertain_rows` skips rows that certainly pass unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import is_
from typing import Any, NamedTuple

from urlset.errors import EntryError
from urlset.fields import CONTENT, EXTENSIONS
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
    """Validation options: ``base`` resolves references; ``is_text`` keeps only the loc."""

    base: str | None
    is_text: bool
    engine: str | None


class Checked(NamedTuple):
    """Valid entries of a batch with their rows, and an error for each other row."""

    entries: list[Entry]
    rows: list[int]
    errors: list[EntryError]


def validate(batch: Batch, rules: Rules) -> Checked:
    """Validate a batch; valid entries are read back unchanged and without problems."""
    return validate_rows(enumerate(batch.items, batch.row), rules)


def validate_rows(rows: Iterable[tuple[int, Any]], rules: Rules) -> Checked:
    """Validate rows, each preceded by its number in the input."""
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
    """Return the unchanged loc of an input row, for messages."""
    if isinstance(item, Mapping):
        item = item.get("loc", item.get("url"))
    elif isinstance(item, Entry):
        item = item.loc
    return item if isinstance(item, str) else None


def as_entry(item: Any) -> Entry:
    """Convert an entry, a URL or a dict to an entry with unchanged values.

    Raises:
        ValueProblem: The item is anything else, or a key is a misspelt field.
    """
    if isinstance(item, str):
        return Entry(item)
    return item if isinstance(item, Entry) else _from_mapping(item)


def validate_except_loc(given: Entry, rules: Rules) -> Entry:
    """Validate all values of an entry except ``loc``, which may still be rewritten."""
    loc: Any = given.loc
    if loc is not None and not isinstance(loc, str):
        raise ValueProblem("loc", loc, "a URL", "give one, or leave the entry out")
    try:
        return _with_rest(loc, given, rules)
    except ValueProblem:
        values.url(loc, "loc", rules.base)  # an invalid URL is reported first
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
    """Return whether an entry has no extensions; for most entries identity decides."""
    rest: Any = given[_EXTENSIONS]
    return all(map(is_, rest, _NOTHING)) or not any(map(_is_given, rest))


_EXTENSIONS = slice(len(CONTENT) - len(EXTENSIONS), len(CONTENT))
_NOTHING: Any = Entry("")[_EXTENSIONS]


def _is_given(value: Any) -> bool:
    # Not bool(value): numpy arrays do not support it.
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
