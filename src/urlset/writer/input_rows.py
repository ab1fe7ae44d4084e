"""Input rows: split into batches, validated, converted to entries or rejected with a reason.

The validation is the specification of what may be written: entries that read back without problems.
:meth:`urlset.engine.Engine.uncertain_rows` skips rows that certainly pass unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import is_, itemgetter
from typing import Any, NamedTuple

from urlset import arrow
from urlset.arrow import batches as arrow_batches
from urlset.arrow.streams import TableReader
from urlset.engine import Columns, Engine
from urlset.errors import EntryError, similar
from urlset.fields import CONTENT, EXTENSIONS
from urlset.model import Entry
from urlset.writer import values
from urlset.writer.extensions import extensions
from urlset.writer.values import ValueProblem

BATCH_ROWS = 8_192
TABLE_ROWS = 32_768

CONTENT_NAMES = tuple(name for name in Entry._fields[: len(CONTENT)] if name != "lastmod_text")
_LISTS = tuple(field.name for field in EXTENSIONS if field.is_list)
_NAMES = frozenset((*Entry._fields, "url"))
_LIKE = {name.replace("_", ""): name for name in _NAMES} | {name[:-1]: name for name in _LISTS}


class Batch(NamedTuple):
    """Batch of unchanged rows of the input; ``row`` is the number of the first one, from 1."""

    row: int
    items: list[Any]

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.items)

    def columns(self, engine: Engine) -> Columns | None:
        """Return the rows as columns; a row that needs a conversion has an empty URL."""
        return engine.user_columns(self.items)

    def at(self, numbers: Sequence[int]) -> Sequence[Any]:
        """Return the rows with given numbers, which count from 0 and ascend."""
        if len(numbers) < 2:
            return [self.items[number] for number in numbers]
        return self.items if len(numbers) == len(self.items) else itemgetter(*numbers)(self.items)


class TableBatch(NamedTuple):
    """Batch of table rows; ``sources`` maps fields to their columns."""

    row: int
    part: Any
    sources: Mapping[str, str]

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.part.num_rows)

    def columns(self, engine: Engine) -> Columns | None:
        """Return the rows as columns; None if a column needs a conversion of each value."""
        plain = arrow_batches.writable_columns(self.part, self.sources)
        if plain is None:
            return None
        try:
            return engine.columns(arrow_batches.as_table(plain))
        except ValueError:  # a row without a URL
            return None

    def at(self, numbers: Sequence[int]) -> Sequence[Any]:
        """Return the rows with given numbers, which count from 0 and ascend, as entries."""
        is_all = len(numbers) == self.size
        part = self.part if is_all else arrow_batches.take_rows(self.part, numbers)
        columns = [_values(part, field, self.sources.get(field)) for field in Entry._fields]
        return list(map(Entry._make, zip(*columns, strict=True)))


class ParsedBatch(NamedTuple):
    """Batch of all entries of a parsed document, which the engine has as columns."""

    row: int
    entries: Any
    parsed: Columns

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.parsed)

    def columns(self, engine: Engine) -> Columns:  # noqa: ARG002 - as in the other batches
        """Return the rows as columns."""
        return self.parsed

    def at(self, numbers: Sequence[int]) -> Sequence[Any]:
        """Return the rows with given numbers, which count from 0 and ascend."""
        return Batch(self.row, list(self.entries)).at(numbers) if numbers else []


InputBatch = Batch | TableBatch | ParsedBatch


def batches(entries: Any, engine: Engine) -> Iterator[InputBatch]:
    """Yield batches of entries from an iterable, or from an object with ``__arrow_c_stream__``.

    Raises:
        TypeError: The input is neither, or is a single entry, whose fields would be iterated.
        EntryError: A table has no column ``loc``.
        SourceError: A table cannot be read.
    """
    parsed = engine.parsed_columns(entries)
    if parsed is not None:
        yield ParsedBatch(1, entries, parsed)
        return
    if arrow.is_arrow(entries):
        yield from _table_batches(entries)
        return
    if isinstance(entries, (str, bytes, Mapping, Entry)) or not isinstance(entries, Iterable):
        advice = "; a single entry goes into a list, a file is read with urlset.read"
        raise TypeError(
            "expected an iterable of entries, URLs or dicts, or a table (polars, pandas, pyarrow, "
            f"DuckDB), found {type(entries).__name__}{arrow.lazy_advice(entries) or advice}"
        )
    iterator, row = iter(entries), 1
    while items := list(islice(iterator, BATCH_ROWS)):
        yield Batch(row, items)
        row += len(items)


def intended_field(name: str) -> str | None:
    """Return the field that an unknown name probably stands for, so that no value is lost.

    >>> intended_field("last_mod"), intended_field("id"), intended_field("loc")
    ('lastmod', None, None)
    """
    if name in _NAMES:
        return None
    return _LIKE.get(name.lower().replace("_", "").replace("-", "").replace(" ", ""))


# Names used by databases, shops and CMS, without _, - and spaces.
_USUAL = {
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
_MEANINGS = {name: field for field, names in _USUAL.items() for name in names.split()}
_LANGUAGE = re.compile(r"(?:url|loc|link|href|hreflang)[_-]([a-z]{2,3}(?:[_-][a-z]{2})?)", re.I)


def likely_field(column: str) -> str | None:
    """Return the entry field that a column probably holds, by its name, for a hint; or None.

    >>> likely_field("Updated_At"), likely_field("url_de"), likely_field("lastmdo")
    ('lastmod', 'alternates.de', 'lastmod')
    >>> likely_field("id")
    """
    language = _LANGUAGE.fullmatch(column.strip())
    if language is not None:
        return f"alternates.{language[1].replace('_', '-')}"
    word = re.sub(r"[_\s-]+", "", column.lower())
    return _MEANINGS.get(word) or (None if word in _NAMES else similar(word, CONTENT_NAMES, 0.8))


def closest_field(name: str) -> str | None:
    """Return the field that an unknown key of a dict probably stands for, or None.

    >>> closest_field("last_modified"), closest_field("prio"), closest_field("foo")
    ('lastmod', None, None)
    """
    return intended_field(name) or (likely_field(name) or "").partition(".")[0] or None


def _table_batches(stream: Any) -> Iterator[TableBatch]:
    reader = TableReader(stream)
    sources = _columns(reader.schema.names)
    row = 1
    for whole in reader:
        for start in range(0, whole.num_rows, TABLE_ROWS):
            part = whole.slice(start, min(TABLE_ROWS, whole.num_rows - start))
            yield TableBatch(row, part, sources)
            row += part.num_rows


def _columns(names: list[str]) -> dict[str, str]:
    """Map each entry field to the column of the table that has it."""
    for name in names:
        meant = intended_field(name)
        if meant is None and likely_field(name) == "lastmod" and "lastmod_text" not in names:
            meant = "lastmod"  # of all fields, dates are the ones that nobody misses
        if meant is not None and meant not in names:
            raise EntryError(
                f"expected column {meant!r}, found {name!r}; rename it, or leave it out",
                field=meant,
                value=name,
            )
    sources = {name: name for name in names if name in Entry._fields}
    if "loc" not in sources and "url" in names:
        sources["loc"] = "url"
    if "loc" not in sources:
        raise EntryError(
            f"expected a column 'loc' or 'url', found {', '.join(names) or 'none'}; rename the "
            "one that holds the URLs",
            field="loc",
        )
    return sources


def _values(batch: Any, field: str, source: str | None) -> list[Any]:
    if source is None:
        return [() if field in _LISTS else None] * batch.num_rows
    column = batch.column(source)
    if field == "lastmod":
        column = arrow_batches.in_microseconds(column)
    values: list[Any] = column.to_pylist()
    if field == "priority" and "Float32" in str(column.type):
        # 0.8 in four bytes is 0.800000011920929 in eight: four bytes hold seven digits.
        return [None if value is None else float(f"{value:.7g}") for value in values]
    return values


class Rules(NamedTuple):
    """Options of the validation: ``base`` resolves references; ``is_text`` keeps only the loc."""

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
    """Validate rows, given as pairs of the number in the input and the row."""
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
    if not isinstance(loc, str):
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
    unknown = next((name for name in item if name not in _NAMES), None)
    if unknown is not None:
        meant = closest_field(unknown) if isinstance(unknown, str) else None
        keys = f"the key {meant!r}" if meant else f"the keys {', '.join(CONTENT_NAMES)}"
        raise ValueProblem(meant or "loc", unknown, keys, "rename it, or leave it out")
    known = {name: item[name] for name in Entry._fields if name in item}
    return Entry(**{"loc": item.get("url"), **known})
