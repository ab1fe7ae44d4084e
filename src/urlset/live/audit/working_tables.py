"""Declare the temporary tables of an audit."""

from __future__ import annotations

from urlset.live.schemas import LIVE_TABLES
from urlset.store import declare_table

_PAGE_COLUMNS = next(
    [column.name for column in table.columns] for table in LIVE_TABLES if table.name == "pages"
)

WORKING_TABLES = (
    declare_table(
        "incoming_log",
        "Pages that access logs show as served, in batches.",
        "url",
        writers="inputs",
        readers="inputs",
    ),
    declare_table(
        "crawled_redirects",
        "Pages that the crawl of this audit saw redirect.",
        " ".join(_PAGE_COLUMNS),
        writers="run",
        readers="run",
    ),
    declare_table(
        "incoming_excluded",
        "Rows that are added to `excluded_urls`.",
        "key loc",
        writers="inputs",
        readers="inputs",
    ),
    declare_table(
        "unselected_pages",
        "Pages in `coverage` that no sitemap lists and `include` and `exclude` do not select.",
        "url",
        writers="coverage",
        readers="coverage",
    ),
    declare_table(
        "visit_strata",
        "Listed URLs of the sample, with their turn in the section.",
        "key loc section document turn",
        writers="run",
        readers="run",
    ),
    declare_table(
        "sample_allocation",
        "Number of URLs that are sampled of each section and document.",
        "section document n",
        writers="run",
        readers="run",
    ),
    declare_table(
        "chosen_urls",
        "Listed URLs to visit, in this order.",
        "nr loc etag last_modified",
        writers="run",
        readers="run",
    ),
    declare_table(
        "restored_urls",
        "Pages whose redirect is restored, because its target is unknown.",
        "url",
        writers="run",
        readers="run",
    ),
    declare_table(
        "incoming_llms_txt",
        "Links of the llms.txt.",
        "source line url",
        writers="run",
        readers="run",
    ),
    declare_table(
        "incoming_probes",
        "Rows that are added to `probes`.",
        "kind url key detail status fault width height",
        writers="run",
        readers="run",
    ),
    declare_table(
        "same_content_pages",
        "Pages with the content of the error page of their folder.",
        "url same pages",
        writers="run",
        readers="run",
    ),
    declare_table(
        "audit_run",
        "One row: facts of the run that rules read.",
        "is_sampled is_crawl_complete is_complete is_crawl_over",
        writers="judgement result",
        readers="live.rules.coverage",
    ),
    declare_table(
        "current_findings",
        "Findings of this audit.",
        "code rule level basis source line loc message change",
        writers="judgement",
        readers="judgement",
    ),
    declare_table(
        "compared_findings",
        "Findings of this audit and the one before, with how they changed.",
        "code rule level basis source line loc message change",
        writers="judgement",
        readers="judgement",
    ),
)
"""All temporary tables of an audit, in the order of the data flow."""
