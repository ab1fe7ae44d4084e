"""Find columns that are not used, though their names say that they hold a field."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

__all__ = ["likely_field", "unused_columns"]

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
