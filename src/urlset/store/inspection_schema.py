"""Schema of the table of URL inspections, which ``urlset submit --inspect`` adds to a store."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from urlset.store.schema import TableSchema, quoted_text

__all__ = ["INSPECTION_TABLES", "inspection_statements"]

INSPECTION_TABLES = (
    TableSchema.of(
        "inspections",
        "One row per URL and property: what Search Console reports about the URL.",
        """
        url              | VARCHAR     | URL that was inspected
        property         | VARCHAR     | property of Search Console
        inspected_at     | TIMESTAMPTZ | time of the inspection
        verdict          | VARCHAR     | PASS (indexed), FAIL, NEUTRAL (excluded) or PARTIAL
        coverage_state   | VARCHAR     | state in words, such as Submitted and indexed
        robots_state     | VARCHAR     | ALLOWED or DISALLOWED by robots.txt
        indexing_state   | VARCHAR     | INDEXING_ALLOWED, BLOCKED_BY_META_TAG or BLOCKED_BY_HTTP_HEADER
        fetch_state      | VARCHAR     | result of the last visit, such as SUCCESSFUL, SOFT_404 or NOT_FOUND
        last_crawled     | TIMESTAMPTZ | last visit of Google
        google_canonical | VARCHAR     | canonical URL that Google chose
        user_canonical   | VARCHAR     | canonical URL that the page declares
        crawled_as       | VARCHAR     | MOBILE or DESKTOP
        sitemaps         | VARCHAR[]   | sitemaps from which Google knows the URL
        """,
    ),
)


def inspection_statements(existing: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield the SQL statements that add the table to a store that lacks it.

    Args:
        existing: Column names by name of the tables in the store.
    """
    for table in INSPECTION_TABLES:
        if table.name in existing:
            continue
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        yield f"CREATE TABLE {table.name} ({columns})"
        yield f"COMMENT ON TABLE {table.name} IS {quoted_text(table.doc)}"
        for column in table.columns:
            text = quoted_text(column.doc)
            yield f'COMMENT ON COLUMN {table.name}."{column.name}" IS {text}'
