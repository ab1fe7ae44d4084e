"""Which column of a table is what of an entry: found by name, or as it was told.

What comes of it are expressions in SQL, one for each column of a candidate.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from urlset.errors import SourceError
from urlset.sources.candidates import EVIDENCE
from urlset.sources.tables.casts import (
    Complain,
    date_of,
    list_of_images,
    nested,
    number_of,
    text_of,
    url_of,
)
from urlset.sources.tables.nested_values import AS_GIVEN
from urlset.store import identifier, quoted
from urlset.writer.input_batches import misspelt

__all__ = ["NoUrlColumnError", "Pick", "Plan", "field_of", "is_ours", "parse_mapping"]

Pick = tuple[str, str]
"""The name of a column, and the expression in SQL that it holds."""

_BY_NAME = ("loc", "lastmod", "changefreq", "priority")
_NESTED = ("images", "videos", "news", "alternates")
_OURS = ("lastmod_text", "extra", "source", "offset", "line")
_OURS_TYPES = {"offset": "UBIGINT", "line": "UINTEGER"}
_DATES = ("lastmod", "page_lastmod", "git_lastmod", "header_lastmod", "mtime_lastmod")
_TARGETS = (*_BY_NAME, *_NESTED, *EVIDENCE, "extra")
_HOW = re.compile(r"(epoch|epoch_ms|utc|date|split\(.{1,3}\)):(.+)", re.DOTALL)


class NoUrlColumnError(SourceError):
    """A table has no column with URLs.

    ``found`` is the message without the advice to name one in a mapping, for commands that have
    no mapping.
    """

    def __init__(self, message: str, *, found: str = ""):
        super().__init__(message)
        self.found = found


class _Told(NamedTuple):
    """What a mapping says of one target: the column, and how it is to be read."""

    column: str
    how: str | None


class Plan(NamedTuple):
    """The expressions that make candidates of the rows of a table."""

    picks: list[Pick]
    notes: list[str]

    @classmethod
    def of(
        cls,
        columns: Mapping[str, str],
        *,
        name: str,
        mapping: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        as_source: bool = True,
    ) -> Plan:
        """Plan for columns with their types (as DuckDB calls them).

        A column is taken by its name (``loc`` or ``url``, ``lastmod``, ``changefreq``,
        ``priority``, in any case, with ``_``, ``-`` or blanks in between), unless the mapping
        names another for it, or an empty name for none. ``images``, ``videos``, ``news`` and
        ``alternates`` hold lists and structs, or JSON; what is still to be converted goes into a
        column of its own (see :mod:`urlset.sources.tables.nested_values`). What urlset wrote has
        ``source``, ``line`` and the like, too; of other tables ``source`` is the name given.
        ``keep`` passes on as text what is no such column already; one that is not there is absent.
        ``notes`` name columns that are not used, though they look like a field.

        Raises :class:`urlset.SourceError` for a column that is not there, or of a wrong type.

        >>> Plan.of({"URL": "VARCHAR", "id": "BIGINT"}, name="a.csv", as_source=False).picks
        [('loc', '"URL"')]
        """
        planner = _Planner(columns, name)
        told = planner.told(mapping or {})
        picks = planner.picks(told)
        if as_source and not any(pick[0] == "source" for pick in picks):
            picks.append(("source", f"{quoted(name)}::VARCHAR"))
        taken = {pick[0] for pick in picks}
        for kept in dict.fromkeys(keep):
            column = planner.found(kept)
            if kept not in taken and column is not None:
                picks.append((kept, text_of(identifier(column), columns[column])))
        used = {meant.column: target for target, meant in told.items()}
        without = {target for target, column in (mapping or {}).items() if not column}
        unused = unused_columns(columns, used, keep=keep, without=without)
        return cls(picks, [f"{name}: {words}" for words in unused])


def parse_mapping(text: str) -> dict[str, str]:
    """Read ``loc=url,lastmod=updated_at`` as a mapping; raises ``ValueError``.

    A name without a column (``news=``) takes no column for that field.

    >>> parse_mapping("loc=url,alternates.de=url_de")
    {'loc': 'url', 'alternates.de': 'url_de'}
    """
    mapping: dict[str, str] = {}
    # Beware: a separator may stand in split(,).
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
    """Return the field that a column holds, told by its name, or None.

    >>> field_of("Last-Mod"), field_of("id")
    ('lastmod', None)
    """
    name = column.strip().lower()
    return name if name in (*_BY_NAME, *_NESTED) else misspelt(name)


def is_ours(columns: Mapping[str, str]) -> bool:
    """Tell whether a table has the columns that urlset itself writes."""
    return {"loc", "lastmod_text", "alternates", "offset"} <= set(columns)


class _Planner:
    def __init__(self, columns: Mapping[str, str], name: str):
        self._columns = columns
        self._name = name

    def told(self, mapping: Mapping[str, str]) -> dict[str, _Told]:
        """The mapping, with what there is by name besides."""
        told = {
            target: meant
            for target, value in mapping.items()
            if (meant := self._meant(target, value)) is not None
        }
        for target in (*_BY_NAME, *_NESTED):
            spelt = [column for column in self._columns if field_of(column) == target]
            found = target if target in spelt else self._only(spelt, target, mapping)
            has_parts = any(other.startswith(f"{target}.") for other in mapping)
            if found is not None and target not in mapping and not has_parts:
                told[target] = _Told(found, None)
        if "loc" not in told:
            told["loc"] = _Told(self._url_column(), None)
        if is_ours(self._columns):
            for target in _OURS:
                if target in self._columns:
                    told.setdefault(target, _Told(target, None))
        return told

    def picks(self, told: Mapping[str, _Told]) -> list[Pick]:
        """The expressions, each under the name of a column of candidates."""
        picks = [
            pick
            for target, meant in told.items()
            if not target.startswith("alternates.")
            for pick in self._pick(target, meant)
        ]
        locales = {t.partition(".")[2]: v for t, v in told.items() if t.startswith("alternates.")}
        if locales:
            picks.append(("alternates", self._alternates(locales)))
        return picks

    def _pick(self, target: str, meant: _Told) -> Iterator[Pick]:
        where, kind = identifier(meant.column), self._columns[meant.column]
        say = self._complain(target, meant.column, kind)
        if target == "lastmod":
            instant, text = date_of(where, kind, meant.how, say)
            if is_ours(self._columns) and meant == _Told("lastmod", None):
                text = _either(text)
            pair = (("lastmod", instant), ("lastmod_text", text))
            yield from ((name, expression) for name, expression in pair if expression)
        elif target in _DATES:
            yield target, _as_text(*date_of(where, kind, meant.how, say))
        elif target == "lastmod_text":
            return  # it goes with lastmod
        elif target in _NESTED:
            ready, given = (
                list_of_images(where, kind, meant.how, say)
                if target == "images"
                else nested(target, where, kind, say)
            )
            pair = ((target, ready), (target + AS_GIVEN, given))
            yield from ((name, expression) for name, expression in pair if expression)
        else:
            yield target, self._expression(target, where, kind, say)

    def _expression(self, target: str, where: str, kind: str, say: Complain) -> str:
        if target == "loc":
            return url_of(where, kind, say)
        if target == "priority":
            return number_of(where, kind, say)
        if target in _OURS_TYPES:
            return f"{where}::{_OURS_TYPES[target]}"
        return text_of(where, kind)

    def find(self, column: str, target: str) -> str:
        """A column as the table spells it; raises for one that is not there."""
        if found := self.found(column):
            return found
        near = difflib.get_close_matches(column, self._columns, n=1, cutoff=0.6)
        hint = f"; is {near[0]!r} meant?" if near else ""
        raise SourceError(
            f"{self._name}: expected a column {column!r} for {target}, "
            f"found {_shown(self._columns)}{hint}"
        )

    def found(self, column: str) -> str | None:
        """A column as the table spells it, or None."""
        if column in self._columns:
            return column
        alike = [name for name in self._columns if name.lower() == column.lower()]
        return alike[0] if len(alike) == 1 else None

    def _meant(self, target: str, value: str) -> _Told | None:
        if target not in _TARGETS and not re.fullmatch(r"alternates\.[A-Za-z0-9-]+", target):
            near = difflib.get_close_matches(target, _TARGETS, n=1)
            hint = f"; is {near[0]!r} meant?" if near else ""
            raise SourceError(
                f"{self._name}: expected a mapping of {', '.join(_TARGETS)} or "
                f"alternates.LANGUAGE, found {target!r}{hint}"
            )
        if not value:
            if target == "loc":
                raise SourceError(f"{self._name}: expected a column for loc, found none")
            return None
        found = None if value in self._columns else _HOW.fullmatch(value)
        if found is None:
            return _Told(self.find(value, target), None)
        how, column = found.groups()
        is_right = target == "images" if how.startswith("split") else target in _DATES
        if not is_right:
            wanted = "images" if how.startswith("split") else "a date"
            raise SourceError(
                f"{self._name}: expected {how}: before a column of {wanted}, found it for {target}"
            )
        return _Told(self.find(column, target), how)

    def _only(self, spelt: list[str], target: str, mapping: Mapping[str, str]) -> str | None:
        if len(spelt) > 1 and target not in mapping:
            raise SourceError(
                f"{self._name}: expected one column for {target}, found {' and '.join(spelt)}; "
                f"say which: {target}={spelt[0]}"
            )
        return spelt[0] if spelt else None

    def _url_column(self) -> str:
        urls = [column for column in self._columns if column.strip().lower() == "url"]
        if urls:
            return urls[0]
        column = next((name for name in self._columns if likely_field(name) == "loc"), "COLUMN")
        found = f"{self._name}: expected a column 'loc' or 'url', found {_shown(self._columns)}"
        raise NoUrlColumnError(
            f"{found}; map the one that holds the URLs: loc={column}", found=found
        )

    def _complain(self, target: str, column: str, kind: str) -> Complain:
        def complain(expected: str, advice: str) -> SourceError:
            return SourceError(
                f"{self._name}: expected {expected} for {target}, "
                f"found column {column!r} of type {kind}; {advice}"
            )

        return complain

    def _alternates(self, locales: Mapping[str, _Told]) -> str:
        """A list of those that there are."""
        parts = []
        for locale, (column, _) in locales.items():
            kind = self._columns[column]
            href = url_of(identifier(column), kind, self._complain("alternates", column, kind))
            href = f"trim({href})"
            one = f"{{'hreflang': {quoted(locale)}, 'href': {href}, 'media': NULL::VARCHAR}}"
            parts.append(f"CASE WHEN {href} <> '' THEN [{one}] ELSE [] END")
        return " || ".join(parts)


def _either(text: str | None) -> str:
    """What stood there, where that is W3C; else the instant alone."""
    given = (
        "CASE WHEN regexp_full_match(lastmod_text, '[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:"
        "[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?') THEN lastmod_text END"
    )
    return given if text is None else f"coalesce({given}, {text})"


def _as_text(instant: str | None, text: str | None) -> str:
    if instant is None:
        return text or "NULL::VARCHAR"
    written = f"replace(({instant})::TIMESTAMP::VARCHAR, ' ', 'T') || 'Z'"
    return written if text is None else f"coalesce({text}, {written})"


def _shown(columns: Mapping[str, str]) -> str:
    names = list(columns)
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (", ".join(names[:20]) or "none") + more


# Names as databases, shops and CMS have them, without _, - and blanks.
_NAMES = {
    "lastmod": "updatedat updated updatedon updatedate updatetime lastupdated lastupdate "
    "dateupdated modifiedat modified modifiedon modifieddate modifiedtime datemodified "
    "modificationdate lastmodified lastmodifiedat lastmodifieddate changedat changed changedon "
    "changedate lastchanged lastchange mtime postmodified postmodifiedgmt",
    "images": "image imageurl imagelink imageloc photo photourl photos picture pictureurl pictures "
    "thumbnail thumbnailurl mainimage ogimage",
    "alternates": "hreflang hreflangs translations",
    "videos": "video videourl",
    "loc": "link href permalink canonical canonicalurl pageurl fullurl address",
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split()}
_LANGUAGE = re.compile(r"(?:url|loc|link|href|hreflang)[_-]([a-z]{2,3}(?:[_-][a-z]{2})?)", re.I)
_NUMBER = re.compile(r"U?(?:INTEGER|BIGINT|HUGEINT)|DOUBLE|DECIMAL\(.*")


def likely_field(column: str) -> str | None:
    """Return the field that a column probably holds, or None.

    >>> likely_field("Updated_At"), likely_field("url_de"), likely_field("id")
    ('lastmod', 'alternates.de', None)
    """
    language = _LANGUAGE.fullmatch(column.strip())
    if language is not None:
        return f"alternates.{language[1].replace('_', '-')}"
    return _FIELDS.get(re.sub(r"[_\s-]+", "", column.lower()))


def unused_columns(
    columns: Mapping[str, str],
    used: Mapping[str, str],
    *,
    keep: Sequence[str] = (),
    without: Collection[str] = (),
) -> Iterator[str]:
    """Yield a sentence for each unused column that a mapping could use.

    ``columns`` are names and types, ``used`` the field of each column that is used. Columns of
    ``keep``, and those of fields that are mapped to nothing (``without``), are passed over.

    >>> list(unused_columns({"loc": "VARCHAR", "updated_at": "DATE"}, {"loc": "loc"}))
    ["column 'updated_at' is not used; --map lastmod=updated_at would use it"]
    """
    taken = {field: column for column, field in used.items()}
    for column, kind in columns.items():
        field = likely_field(column)
        if field in (None, "loc") or column in used or column in keep or field in without:
            continue
        assert field is not None
        if field in ("videos", "alternates") and not re.search(r"VARCHAR|JSON|\]|STRUCT", kind):
            continue
        how = _how(kind) if field == "lastmod" else ""
        other = taken.get(field)
        instead = f", as {field} is column {other!r}" if other is not None else ""
        yield (f"column {column!r} is not used{instead}; --map {field}={how}{column} would use it")


def _how(kind: str) -> str:
    """The prefix with which a date of that type can be read."""
    if kind.startswith("TIMESTAMP") and not kind.endswith("ZONE"):
        return "utc:"
    return "epoch:" if _NUMBER.fullmatch(kind) else ""
