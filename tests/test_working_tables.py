"""Every temporary table of the package is declared, and only its writers and readers use it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.working_tables import Declaration, declarations, uses
from urlset.builder.ledger import TABLES as LEDGER_TABLES
from urlset.checker.views import VIEWS as RULE_VIEWS
from urlset.live.submit.announcement_schema import TABLES as ANNOUNCEMENT_TABLES
from urlset.store import (
    HISTORY_TABLES,
    INSPECTION_TABLES,
    LIVE_TABLES,
    LIVE_VIEWS,
    SYNC_TABLES,
    TABLES,
    VIEWS,
)

DECLARED = declarations()
FOUND = uses()
NAMES = {name for each in DECLARED for name in each.table.names}
PERMANENT = {
    table.name
    for tables in (
        TABLES, VIEWS, LIVE_TABLES, LIVE_VIEWS, HISTORY_TABLES, SYNC_TABLES, INSPECTION_TABLES,
        ANNOUNCEMENT_TABLES, LEDGER_TABLES,
    )
    for table in tables
} | RULE_VIEWS.keys()  # fmt: skip
# Arrow objects that a statement reads, the version of a store, and a table of SQLite.
OTHERS = {"incoming", "urlset_store", "sqlite_master"}


def test_every_table_that_sql_creates_is_declared():
    assert FOUND.created.keys() - NAMES - PERMANENT - OTHERS == set()


def test_every_name_that_sql_reads_is_known():
    known = NAMES | PERMANENT | OTHERS
    unknown = {
        name: modules
        for name, modules in FOUND.read.items()
        if name not in known and modules - FOUND.common[name]
    }

    assert unknown == {}


def test_a_name_is_declared_once():
    counts = Counter(name for each in DECLARED for name in each.table.names)

    assert [name for name, count in counts.items() if count > 1] == []
    assert set() == NAMES & PERMANENT


def test_no_common_table_expression_has_the_name_of_a_working_table():
    assert {name: FOUND.common[name] for name in NAMES if FOUND.common[name]} == {}


@pytest.mark.parametrize("declared", DECLARED, ids=lambda each: each.table.name)
def test_only_the_declared_modules_write_and_read_a_table(declared: Declaration):
    table = declared.table

    for name in table.names:
        assert FOUND.written[name] == declared.modules(table.writers), name
        assert FOUND.read[name] - FOUND.common[name] <= declared.modules(table.readers), name
    readers = set().union(*(FOUND.read[name] for name in table.names))
    assert readers == declared.modules(table.readers)
