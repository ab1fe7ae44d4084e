"""Every query that the report of an audit shows can be run on the store of the audit."""

from __future__ import annotations

import html
import re
from pathlib import Path

import duckdb
import pytest
from examples.box.server import Box

import urlset
from tests.http_walks import quick

BLOCK = re.compile(r"<pre[^>]*><code>(.*?)</code></pre>", re.DOTALL)
NOT_STORED = re.compile(r"\b(?:failed|failures|markup|disallowed)\b")


@pytest.fixture(scope="module")
def audited(tmp_path_factory) -> tuple[str, Path]:
    """Text of the report of a site with faults, and the store."""
    folder = tmp_path_factory.mktemp("audited")
    store = folder / "site.duckdb"
    with (
        Box() as box,
        urlset.audit(
            box.origin("shop"), store=store, crawl=True, confirm_after_s=0.0, policy=quick()
        ) as result,
    ):
        result.report(folder / "report.html")
    return (folder / "report.html").read_text(), store


def queries(text: str, *, section: str) -> list[str]:
    found = re.search(rf'<(section|footer) id="{section}".*?</\1>', text, re.DOTALL)
    assert found is not None
    return [html.unescape(block) for block in BLOCK.findall(found[0])]


def test_queries_of_charts_run_on_the_store(audited):
    text, store = audited
    with duckdb.connect(str(store), read_only=True) as connection:
        shown = queries(text, section="charts")
        rows = [connection.execute(query).fetchall() for query in shown]

    assert len(shown) > 6
    assert all(rows)


def test_queries_of_rules_run_after_the_views(audited):
    text, store = audited
    [views] = queries(text, section="about")
    rules = [q for q in queries(text, section="findings") if not NOT_STORED.search(q)]
    with duckdb.connect(str(store), read_only=True) as connection:
        connection.execute(views)
        counts = [
            connection.execute(f"SELECT count(*) FROM ({query})").fetchone() for query in rules
        ]

    assert len(rules) > 15
    assert all(count != (0,) for count in counts)


def test_queries_about_the_current_time_use_that_of_the_audit(tmp_path):
    store = tmp_path / "site.duckdb"
    with Box() as box:
        path = tmp_path / "sitemap.xml"
        entry = f"<url><loc>{box.origin('shop')}/</loc><lastmod>2091-01-01</lastmod></url>"
        core = "http://www.sitemaps.org/schemas/sitemap/0.9"
        path.write_text(f'<urlset xmlns="{core}">{entry}</urlset>')
        with urlset.audit(path, store=store, confirm_after_s=0.0, policy=quick()) as result:
            assert "D007" in result.by_rule
            result.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()

    [views] = queries(text, section="about")
    [query] = [q for q in queries(text, section="findings") if "check_time() + INTERVAL" in q]

    with duckdb.connect(str(store), read_only=True) as connection:
        connection.execute(views)
        assert connection.execute(f"SELECT count(*) FROM ({query})").fetchone() == (1,)
