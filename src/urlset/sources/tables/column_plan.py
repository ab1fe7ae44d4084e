"""Map table columns to entry fields, by name or by an explicit mapping.

The result is a list of SQL expressions, one for each column of a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from urlset.dates import W3C, W3C_DAY
from urlset.errors import SourceError, similar
from urlset.fields import ENTRY, EXTENSIONS, is_leaf
from urlset.option_names import option
from urlset.sources.candidates import EVIDENCE
from urlset.sources.tables.casts import (
    UNCONVERTED,
    ZONED,
    ErrorFactory,
    date_sql,
    images_sql,
    is_date,
    map_advice,
    nested_sql,
    number_sql,
    text_sql,
    url_sql,
)
from urlset.store import identifier, quoted
from urlset.terminal_text import printable
from urlset.writer.input_rows import intended_field, likely_field

NamedExpression = tuple[str, str]
"""The name of a column, and the SQL expression of its values."""

_BY_NAME = ("loc", "lastmod", "changefreq", "priority")
_NESTED = tuple(field.name for field in ENTRY.fields if not is_leaf(field.type))
_TEXT_EXTENSIONS = tuple(field.name for field in EXTENSIONS if field.name not in _NESTED)
_URLSET_COLUMNS = ("lastmod_text", *_TEXT_EXTENSIONS, "source", "offset", "line")
_URLSET_TYPES = {"offset": "UBIGINT", "line": "UINTEGER"}
_DATES = ("lastmod", "page_lastmod", "git_lastmod", "header_lastmod", "mtime_lastmod")
_TARGETS = (*_BY_NAME, *_NESTED, *EVIDENCE, *_TEXT_EXTENSIONS)
_CONVERSION = re.compile(r"(epoch|epoch_ms|utc|date|split\(.{1,3}\)):(.+)", re.DOTALL)


class NoUrlColumnError(SourceError):
    """Error for a table without a column of URLs.

    ``found`` is the message without the advice to add a mapping, for commands that have no
    mapping.
    """

    def __init__(self, message: str, *, found: str = ""):
        super().__init__(message)
        self.found = found


class _Target(NamedTuple):
    """Column to read for a field of candidates, and its conversion."""

    column: str
    conversion: str | None


class ColumnPlan(NamedTuple):
    """Plan to convert a table to candidates.

    Attributes:
        expressions: SQL expressions by field.
        notes: Messages about columns that a mapping could use.
        unused: Columns that no field uses.
    """

    expressions: list[NamedExpression]
    notes: list[str]
    unused: list[str]

    @classmethod
    def of(
        cls,
        columns: Mapping[str, str],
        *,
        name: str,
        mapping: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        as_source: bool = True,
    ) -> ColumnPlan:
        """Plan the conversion of columns with these DuckDB types.

        A column is used by its name (``loc`` or ``url``, ``lastmod``, ``changefreq``,
        ``priority``, in any case, also with ``_``, ``-`` or spaces), unless the mapping names
        another column for the field, or an empty name for none. A column ``lastmod_text``, as in
        tables of urlset, has the date as it is to be written, if ``lastmod`` is the same time or is
        missing. ``images``, ``videos``, ``news`` and ``alternates`` have lists and structs, or
        JSON; values to convert later are in a separate column (see
        :mod:`urlset.sources.tables.casts`). Tables that urlset wrote also have ``source``, ``line``
        and the like; for other tables ``source`` is ``name``.

        Args:
            columns: Names and types.
            name: Name of the table in messages.
            mapping: A column for each field, see :class:`urlset.sources.Table`.
            keep: Columns that are passed on as text; missing ones are ignored.
            as_source: Add ``source`` if the table has none.

        Raises:
            urlset.SourceError: A column is missing, or has a wrong type.

        >>> columns = {"URL": "VARCHAR", "id": "BIGINT"}
        >>> ColumnPlan.of(columns, name="a.csv", as_source=False).expressions
        [('loc', '"URL"')]
        """
        builder = _MappingBuilder(columns, name)
        targets = builder.targets(mapping or {})
        expressions = builder.expressions(targets)
        if as_source and not any(expression[0] == "source" for expression in expressions):
            expressions.append(("source", f"{quoted(printable(name))}::VARCHAR"))
        names_used = {expression[0] for expression in expressions}
        for kept in dict.fromkeys(keep):
            column = builder.found(kept)
            if kept not in names_used and column is not None:
                expressions.append((kept, text_sql(identifier(column), columns[column])))
        used = {target_column.column: target for target, target_column in targets.items()}
        without = {target for target, column in (mapping or {}).items() if not column}
        notes = unused_columns(columns, used, keep=keep, without=without)
        unused = [column for column in columns if column not in used and column not in keep]
        return cls(expressions, [f"{name}: {note}" for note in notes], unused)


def parse_mapping(text: str) -> dict[str, str]:
    """Parse a mapping such as ``loc=url,lastmod=updated_at``; raise ``ValueError`` if invalid.

    A name without a column (``news=``) uses no column for that field.

    >>> parse_mapping("loc=url,alternates.de=url_de")
    {'loc': 'url', 'alternates.de': 'url_de'}
    """
    mapping: dict[str, str] = {}
    # Note: split(,) contains a separator.
    for part in re.split(r",(?!\):)(?=[^,]*=)", text):
        target, sign, column = part.partition("=")
        target = target.strip()
        if not sign or not target:
            raise ValueError(f"expected name=column,…, found {part.strip()!r} in {text!r}")
        if target in mapping:
            raise ValueError(f"expected one column for {target!r}, found two in {text!r}")
        mapping[target] = column.strip()
    return mapping


def field_of(column: str) -> str | None:
    """Return the entry field that a column name is a spelling of, or None.

    >>> field_of("Last-Mod"), field_of("id")
    ('lastmod', None)
    """
    name = column.strip().lower()
    return name if name in (*_BY_NAME, *_NESTED) else intended_field(name)


def is_urlset_table(columns: Mapping[str, str]) -> bool:
    """Return whether a table has the columns that urlset itself writes."""
    return {"loc", "lastmod_text", "alternates", "offset"} <= set(columns)


class _MappingBuilder:
    def __init__(self, columns: Mapping[str, str], name: str):
        self._columns = columns
        self._name = name

    def targets(self, mapping: Mapping[str, str]) -> dict[str, _Target]:
        """Return the column for each field: those of the mapping, then those found by name."""
        targets = {
            target: target_column
            for target, value in mapping.items()
            if (target_column := self._parse_target(target, value)) is not None
        }
        for target in (*_BY_NAME, *_NESTED):
            candidates = [column for column in self._columns if field_of(column) == target]
            found = (
                target if target in candidates else self._single_column(candidates, target, mapping)
            )
            has_parts = any(other.startswith(f"{target}.") for other in mapping)
            if found is not None and target not in mapping and not has_parts:
                targets[target] = _Target(found, None)
        if "loc" not in targets:
            targets["loc"] = _Target(self._url_column(), None)
        written = _Target("lastmod_text", None)
        if "lastmod_text" in self._columns and written not in targets.values():
            if "lastmod" not in {*targets, *mapping}:
                if is_date(self._columns["lastmod_text"]):
                    targets["lastmod"] = written
            elif targets.get("lastmod") == _Target("lastmod", None):
                targets["lastmod_text"] = written
        if is_urlset_table(self._columns):
            for target in _URLSET_COLUMNS:
                if target in self._columns:
                    targets.setdefault(target, _Target(target, None))
        return targets

    def expressions(self, targets: Mapping[str, _Target]) -> list[NamedExpression]:
        """Return the SQL expression of each field, with the name of the column of candidates."""
        expressions = [
            expression
            for target, target_column in targets.items()
            if not target.startswith("alternates.")
            for expression in self._expressions_for(
                target, target_column, has_written="lastmod_text" in targets
            )
        ]
        locales = {
            t.partition(".")[2]: v for t, v in targets.items() if t.startswith("alternates.")
        }
        if locales:
            expressions.append(("alternates", self._alternates(locales)))
        return expressions

    def _expressions_for(
        self, target: str, target_column: _Target, *, has_written: bool
    ) -> Iterator[NamedExpression]:
        where, kind = identifier(target_column.column), self._columns[target_column.column]
        error = self._error_factory(target, target_column.column, kind)
        if target == "lastmod":
            instant, text = date_sql(where, kind, target_column.conversion, error)
            is_own = target_column == _Target("lastmod", None)
            if is_own and has_written and self._columns["lastmod_text"] == "VARCHAR":
                text = _written_text_or(text, instant)
            pair = (("lastmod", instant), ("lastmod_text", text))
            yield from ((name, expression) for name, expression in pair if expression)
        elif target in _DATES:
            yield target, _as_text(*date_sql(where, kind, target_column.conversion, error))
        elif target == "lastmod_text":
            return  # handled with lastmod
        elif target in _NESTED:
            ready, unconverted = (
                images_sql(where, kind, target_column.conversion, error)
                if target == "images"
                else nested_sql(target, where, kind, error)
            )
            pair = ((target, ready), (target + UNCONVERTED, unconverted))
            yield from ((name, expression) for name, expression in pair if expression)
        else:
            yield target, self._expression(target, where, kind, error)

    def _expression(self, target: str, where: str, kind: str, error: ErrorFactory) -> str:
        if target == "loc":
            return url_sql(where, kind, error)
        if target == "priority":
            return number_sql(where, kind, error)
        if target in _URLSET_TYPES:
            return f"{where}::{_URLSET_TYPES[target]}"
        return text_sql(where, kind)

    def find(self, column: str, target: str) -> str:
        """Return the name of a column as the table spells it; raise ``SourceError`` if missing."""
        if found := self.found(column):
            return found
        close = similar(column, self._columns)
        hint = f"; is {close!r} meant?" if close else ""
        raise SourceError(
            f"{self._name}: expected a column {column!r} for {target}, "
            f"found {_column_list(self._columns)}{hint}"
        )

    def found(self, column: str) -> str | None:
        """Return the name of a column as the table spells it, in any case of letters, or None."""
        if column in self._columns:
            return column
        matching = [name for name in self._columns if name.lower() == column.lower()]
        return matching[0] if len(matching) == 1 else None

    def _parse_target(self, target: str, value: str) -> _Target | None:
        if target not in _TARGETS and not re.fullmatch(r"alternates\.[A-Za-z0-9-]+", target):
            close = similar(target, _TARGETS)
            hint = f"; is {close!r} meant?" if close else ""
            raise SourceError(
                f"{self._name}: expected a mapping of {', '.join(_TARGETS)} or "
                f"alternates.LANGUAGE, found {target!r}{hint}"
            )
        if not value:
            if target == "loc":
                raise SourceError(f"{self._name}: expected a column for loc, found none")
            return None
        found = None if value in self._columns else _CONVERSION.fullmatch(value)
        if found is None:
            return _Target(self.find(value, target), None)
        conversion, column = found.groups()
        is_right = target == "images" if conversion.startswith("split") else target in _DATES
        if not is_right:
            expected = "images" if conversion.startswith("split") else "a date"
            raise SourceError(
                f"{self._name}: expected {conversion}: before a column of {expected}, "
                f"found it for {target}"
            )
        return _Target(self.find(column, target), conversion)

    def _single_column(
        self, candidates: list[str], target: str, mapping: Mapping[str, str]
    ) -> str | None:
        if len(candidates) > 1 and target not in mapping:
            raise SourceError(
                f"{self._name}: expected one column for {target}, "
                f"found {' and '.join(candidates)}; "
                + map_advice("one of them", f"{target}={candidates[0]}")
            )
        return candidates[0] if candidates else None

    def _url_column(self) -> str:
        urls = [column for column in self._columns if column.strip().lower() == "url"]
        if urls:
            return urls[0]
        column = next((name for name in self._columns if likely_field(name) == "loc"), "COLUMN")
        found = (
            f"{self._name}: expected a column 'loc' or 'url', found {_column_list(self._columns)}"
        )
        advice = map_advice("the column with the URLs", f"loc={column}")
        raise NoUrlColumnError(f"{found}; {advice}", found=found)

    def _error_factory(self, target: str, column: str, kind: str) -> ErrorFactory:
        def error(expected: str, advice: str) -> SourceError:
            return SourceError(
                f"{self._name}: expected {expected} for {target}, "
                f"found column {column!r} of type {kind}; {advice}"
            )

        return error

    def _alternates(self, locales: Mapping[str, _Target]) -> str:
        """Return SQL for the list of alternates, from one column for each language."""
        parts = []
        for locale, (column, _) in locales.items():
            kind = self._columns[column]
            href = url_sql(
                identifier(column), kind, self._error_factory("alternates", column, kind)
            )
            href = f"trim({href})"
            one = f"{{'hreflang': {quoted(locale)}, 'href': {href}, 'media': NULL::VARCHAR}}"
            parts.append(f"CASE WHEN {href} <> '' THEN [{one}] ELSE [] END")
        return " || ".join(parts)


def _written_text_or(text: str | None, instant: str | None) -> str:
    """Return SQL for the column ``lastmod_text``, else for ``text``.

    The column is used if it is a W3C date, and ``lastmod`` states the same time or is missing. So
    a ``lastmod`` that was changed later is published, and not the former text.
    """
    own_text = text or "NULL::VARCHAR"
    own = instant or _instant_of(own_text)
    written = (
        # Beside an instant, a year or a month is kept: a time would be more than is known.
        f"CASE WHEN regexp_full_match(lastmod_text, '{W3C if instant else W3C_DAY}') "
        f"AND coalesce({_instant_of('lastmod_text')} = {own}, "
        f"({own}) IS NULL AND ({own_text}) IS NULL) THEN lastmod_text END"
    )
    return written if text is None else f"coalesce({written}, {text})"


def _instant_of(text: str) -> str:
    """Return SQL for the instant of a W3C date, or NULL."""
    day = f"{text} || CASE strlen({text}) WHEN 4 THEN '-01-01' WHEN 7 THEN '-01' ELSE '' END"
    return f"TRY_CAST(if(strlen({text}) <= 10, {day} || 'T00:00:00Z', {text}) AS TIMESTAMPTZ)"


def _as_text(instant: str | None, text: str | None) -> str:
    if instant is None:
        return text or "NULL::VARCHAR"
    written = f"replace(({instant})::TIMESTAMP::VARCHAR, ' ', 'T') || 'Z'"
    return written if text is None else f"coalesce({text}, {written})"


def _column_list(columns: Mapping[str, str]) -> str:
    names = list(columns)
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (", ".join(names[:20]) or "none") + more


_NUMBER = re.compile(r"U?(?:INTEGER|BIGINT|HUGEINT)|DOUBLE|DECIMAL\(.*")


def unused_columns(
    columns: Mapping[str, str],
    used: Mapping[str, str],
    *,
    keep: Sequence[str] = (),
    without: Collection[str] = (),
) -> Iterator[str]:
    r"""Yield a sentence for each unused column that a mapping could use.

    ``columns`` are names and types, ``used`` the field of each column that is used. Columns of
    ``keep``, and those of fields that are mapped to no column (``without``), are skipped.

    >>> list(unused_columns({"loc": "VARCHAR", "updated_at": "DATE"}, {"loc": "loc"}))
    ['column \'updated_at\' is not used; map="lastmod=updated_at" would use it']
    """
    names_used = {field: column for column, field in used.items()}
    for column, kind in columns.items():
        field = likely_field(column)
        if field in (None, "loc") or column in used or column in keep or field in without:
            continue
        assert field is not None
        if field in ("videos", "alternates") and not re.search(r"VARCHAR|JSON|\]|STRUCT", kind):
            continue
        conversion = _conversion_for(kind) if field == "lastmod" else ""
        other = names_used.get(field)
        instead = f", as {field} is column {other!r}" if other is not None else ""
        yield (
            f"column {column!r} is not used{instead}; "
            f"{option('map', f'{field}={conversion}{column}')} would use it"
        )


def _conversion_for(kind: str) -> str:
    """Return the prefix of a mapping that a date column of a type needs, such as ``epoch:``."""
    if kind.startswith("TIMESTAMP") and kind not in ZONED:
        return "utc:"
    return "epoch:" if _NUMBER.fullmatch(kind) else ""
