"""Tables of a set for a divided check: what a part exports of its documents, and how it is loaded.

Documents are numbered in each part. The numbers of the set begin after those of the parts before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from urlset.arrow.batches import column_values, combine_batches
from urlset.arrow.streams import table_of
from urlset.checker.site_views import roles_sql
from urlset.checker.views import BROKEN, view_script
from urlset.store import Store, StoreSession, quoted

_BROKEN = ", ".join(quoted(code) for code in sorted(BROKEN | {"X029"}))
_ALL_DOCUMENTS = "SELECT document FROM documents"

SET_TABLES = {
    "documents": "FROM documents",
    "sitemaps": "FROM sitemaps",
    # Of problems, rules about the set need only those after which a document is not compared.
    "problems": f"FROM problems WHERE document IS NULL OR code IN ({_BROKEN})",
    "robots": "FROM robots",
    "failures": "FROM failures",
    "document_roles": roles_sql(_ALL_DOCUMENTS),
    "newest_dates": "FROM newest_dates",
    "listed_hosts": "FROM listed_hosts",
}
"""SQL of the tables that all rules about the set share: rows about documents, not entries."""

DERIVED = frozenset({"document_roles", "newest_dates", "listed_hosts"})
"""Tables that are views over entries in a check that is not divided."""

_LOC_KEY = "text_hash(without_slash(canonical_guess(lower(normal_of(e.loc)))))"

SHUFFLED_ROWS = {
    # Equal for all URLs that `duplicate_key` or `normal_of` make equal.
    "loc": f"SELECT e.*, {_LOC_KEY} % $buckets AS bucket FROM entries e SEMI JOIN readable "
    "USING (document)",
    # Each entry for its own page, and for each page that it links to.
    "link": """
        SELECT e.document, e.entry, e."offset", e.line, e.loc, e.alternates,
            unnest(list_distinct(list_transform(
                list_append(coalesce(s.targets, []), text_hash(normal_of(e.loc))),
                lambda key: key % $buckets))) AS bucket
        FROM entries e SEMI JOIN readable USING (document)
        LEFT JOIN hreflang_sets s ON s.document = e.document AND s.entry = e.entry""",
    # Entries outside of the folder of their sitemap, and all of documents that mix http and https.
    "scope": """
        SELECT e.*, hash($part, e.document) % $buckets AS bucket
        FROM entries e SEMI JOIN (
            SELECT document, entry FROM outside_candidates
            UNION ALL SELECT document, entry FROM entries WHERE document IN (
                SELECT document FROM site_mixes GROUP BY document
                HAVING count(DISTINCT scheme) > 1)) USING (document, entry)""",
}
"""SQL of the entries that the rules of each partition need, with the number of their bucket."""


class Piece(NamedTuple):
    """Result of a task of a divided check.

    Attributes:
        kind: A name of :data:`SET_TABLES` or :data:`SHUFFLED_ROWS`, ``rows`` (findings whose place
            is not known yet) or ``findings``.
        part: Number of the part that it comes from, or that has the documents of the findings.
        bucket: Number of the bucket of shuffled rows; 0 for others.
        batch: Arrow record batch.
    """

    kind: str
    part: int
    bucket: int
    batch: Any


def exported(
    session: StoreSession, part: int, kinds: Collection[str], buckets: int, first: int
) -> Iterator[Piece]:
    """Yield the rows of a part for the rules about the set, after an evaluation of rules.

    ``first`` is added to the numbers of documents.
    """
    shuffled = {
        kind: SHUFFLED_ROWS[kind].replace("$buckets", str(buckets)).replace("$part", str(part))
        for kind in sorted(kinds)
    }
    texts = [*SET_TABLES.values(), *shuffled.values()]
    [(is_ascii,)] = session.rows("SELECT getvariable('ascii_hosts') IS NULL")
    session.run(view_script(texts, is_ascii=is_ascii))
    for kind, query in SET_TABLES.items():
        schema, batches = session.batches(_numbered(session, f"({query})", first))
        if batches:
            yield Piece(kind, part, 0, combine_batches(table_of(schema, *batches)))
    for kind, query in shuffled.items():
        session.run(f"CREATE OR REPLACE TEMP TABLE shuffled AS {query}")
        counts = "SELECT bucket, count(*) FROM shuffled GROUP BY bucket ORDER BY bucket"
        ends = [(bucket, size) for bucket, size in session.rows(counts)]
        ordered = "(SELECT * EXCLUDE (bucket) FROM shuffled ORDER BY bucket)"
        schema, batches = session.batches(_numbered(session, ordered, first))
        session.run("DROP TABLE shuffled")
        start = 0
        whole = combine_batches(table_of(schema, *batches)) if batches else None
        for bucket, size in ends:
            yield Piece(kind, part, bucket, whole.slice(start, size))  # type: ignore[union-attr]
            start += size


def _numbered(session: StoreSession, rows: str, first: int) -> str:
    """Return SQL of rows with ``first`` added to the numbers of documents."""
    if not first or "document" not in session.columns(f"FROM {rows}"):
        return f"SELECT * FROM {rows}"
    return f"SELECT * REPLACE ((document + {first})::UINTEGER AS document) FROM {rows}"


class SetContext(NamedTuple):
    """The tables that all rules about a set share, with numbers of documents of the set.

    Attributes:
        tables: Batches by name of :data:`SET_TABLES`; without those that have no rows.
        starts: For each part, the number of documents in the parts before.
    """

    tables: Mapping[str, Any]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, pieces: Iterable[Piece], parts: int) -> SetContext:
        """Merge the tables of all parts."""
        counts = [0] * parts
        found: dict[str, list[Piece]] = {}
        for piece in sorted(pieces, key=lambda piece: piece.part):
            found.setdefault(piece.kind, []).append(piece)
            if piece.kind == "documents":
                numbers = column_values(piece.batch, "document")
                counts[piece.part] = max(counts[piece.part], *numbers)
        starts = tuple(accumulate(counts, initial=0))[:-1]
        tables = {}
        with Store.with_details() as store, store.session() as session:
            for name, its in found.items():
                session.insert(f"CREATE TABLE {name} AS FROM incoming LIMIT 0", its[0].batch)
                load_rows(session, name, its, starts)
                # A robots.txt of two sites in one part is requested twice.
                once = " QUALIFY row_number() OVER (PARTITION BY url) = 1"
                query = f"SELECT DISTINCT * FROM {name}{once if name == 'robots' else ''}"
                schema, batches = session.batches(query)
                if batches:
                    tables[name] = combine_batches(table_of(schema, *batches))
        return cls(tables, starts)

    def load(self, session: StoreSession) -> frozenset[str]:
        """Load the tables; return the names of those that are views otherwise."""
        for name, batch in self.tables.items():
            session.insert(f"CREATE OR REPLACE TABLE {name} AS FROM incoming", batch)
        return DERIVED & self.tables.keys()

    def part_of(self, document: int | None) -> int:
        """Return the number of the part with a document; -1 without a document."""
        return -1 if document is None else bisect_right(self.starts, document - 1) - 1


def load_rows(
    session: StoreSession, name: str, pieces: Iterable[Piece], starts: tuple[int, ...]
) -> None:
    """Insert the rows of several parts into a table, with numbers of documents of the set."""
    for piece in pieces:
        start = starts[piece.part]
        columns = "*"
        if "document" in piece.batch.schema.names:
            columns = f"* REPLACE ((document + {start})::UINTEGER AS document)"
        session.insert(f"INSERT INTO {name} BY NAME SELECT {columns} FROM incoming", piece.batch)
