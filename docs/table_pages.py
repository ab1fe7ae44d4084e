"""The pages of the tables of a store and of the ledger, from their schemas."""

from __future__ import annotations

import re

from urlset.builder.ledger import TABLES as LEDGER_TABLES
from urlset.fields import RECORDS, RecordSchema
from urlset.live.schemas import (
    HISTORY_TABLES,
    INSPECTION_TABLES,
    LIVE_TABLES,
    LIVE_VIEWS,
    SYNC_TABLES,
)
from urlset.live.submit.announcement_tables import TABLES as ANNOUNCEMENT_TABLES
from urlset.store import MACROS, TABLES, VIEWS, TableSchema

RECORDS_INTRO = """\
The structs in `images`, `videos`, `news` and `alternates` have these fields, all text as written.
`@name` is an attribute of the element, `.` its text.
"""
TABLES_INTRO = """\
A store is a DuckDB file with these tables. `urlset read SOURCE --output site.duckdb`,
`urlset.read(source).to_duckdb(path)` and `urlset.Store.fill` write one. `urlset.Store.query`,
`urlset read site.duckdb --sql QUERY` and DuckDB itself query it. In Python, `fetchall()` of DuckDB
needs `pip install pytz` for columns with times; `urlset.Store.query` does not.

`documents.document` identifies a document, `document` and `entry` together an entry. `"offset"`,
`"end"` and `"column"` are SQL keywords: write them in quotes.
"""
LEDGER_INTRO = """\
The ledger is the DuckDB file `.urlset/ledger.duckdb`, or the file of `--ledger`, in which
`urlset build` records a set. Each set has these tables in its own schema, whose name begins with
`set_`. Read it, but do not write to it: the next build relies on it. [Building
sitemaps](building.md#the-ledger) explains how it is used.
"""
LIVE_INTRO = """
# Tables of crawls and audits

`urlset crawl SITE --store site.duckdb` and `urlset audit SITE --store site.duckdb` add these tables
to a store, next to the tables of its sitemaps; those from `probes` on are of an audit. A store is a
file of DuckDB: `duckdb.connect("site.duckdb", read_only=True)` opens it. `links` is a table there,
not a view: the hreflang links of sitemaps are `entries.alternates`. URLs are normalized:
`pages.url`, `links.target` and `frontier.url` of one page are the same text.
"""
HISTORY_INTRO = """
# Tables of the history

`urlset watch SITE --store site.duckdb` adds these tables to a store. Snapshots are stored as
changes: `history` has a row for each interval in which a URL did not change.
"""
SUBMIT_INTRO = """
# Tables of submissions

`urlset submit` records in `.urlset/announcements.duckdb` what it announced, in the tables
`announcements` and `settings`. `urlset submit --to google --inspect N --inspect-store site.duckdb`
adds the table `inspections` to a store.
"""
SYNC_INTRO = """
# Table of a synchronization

`urlset sync SITE --store index.duckdb` adds this table to a store, and those of the history.
"""


def tables() -> str:
    """Return the page of the tables of a store."""
    parts = [f"# The tables\n\n{TABLES_INTRO}", *map(table_of, TABLES)]
    parts.append("\n## Records in `entries`\n\n" + RECORDS_INTRO)
    parts += map(record_table, RECORDS.values())
    parts.append("\n## Views\n\n| view | rows |\n|---|---|\n")
    parts += [f"| `{view.name}` | {view.doc} `{view.query}` |\n" for view in VIEWS]
    parts.append("\n## Functions\n\n| function | returns |\n|---|---|\n")
    parts += [f"| `{macro.head}` | {macro.doc} |\n" for macro in MACROS]
    parts += [LIVE_INTRO, *map(table_of, LIVE_TABLES)]
    parts.append("\n## Views of these tables\n\n| view | rows |\n|---|---|\n")
    parts += [f"| `{view.name}` | {view.doc} `{view.query}` |\n" for view in LIVE_VIEWS]
    parts += [HISTORY_INTRO, *map(table_of, HISTORY_TABLES)]
    parts += [SUBMIT_INTRO, *map(table_of, (*ANNOUNCEMENT_TABLES, *INSPECTION_TABLES))]
    parts += [SYNC_INTRO, *map(table_of, SYNC_TABLES)]
    return "".join(parts)


def ledger() -> str:
    """Return the page of the tables of a ledger."""
    return "".join([f"# The ledger\n\n{LEDGER_INTRO}", *map(table_of, LEDGER_TABLES)])


def table_of(table: TableSchema) -> str:
    head = f"\n## `{table.name}`\n\n{table.doc}\n\n| column | type | meaning |\n|---|---|---|\n"
    rows = (f"| `{name}` | {brief(kind)} | {doc} |\n" for name, kind, doc in table.columns)
    return head + "".join(rows)


def record_table(record: RecordSchema) -> str:
    """Return a table of the fields of a record with their elements."""
    head = f"\n### `{record.name}`\n\n| field | element | meaning |\n|---|---|---|\n"
    rows = (
        f"| `{field.name}` | `{field.element}` | {field.meaning}"
        f"{f', in {field.unit}' if field.unit else ''} |\n"
        for field in record.fields
    )
    return head + "".join(rows)


def brief(kind: str) -> str:
    """Return a SQL type, or for a struct with many fields the names of the fields."""
    if not kind.startswith("STRUCT"):
        return kind
    inner = re.sub(r"STRUCT\((?:[^()]|\([^()]*\))*\)(?=\[\]|[,)])", "VARCHAR", kind[7:])
    names = [field.split()[0] for field in inner.rpartition(")")[0].split(", ")]
    return f"{'list of ' if kind.endswith('[]') else ''}struct: {', '.join(names)}"
