"""Declare the temporary tables of an audit."""

from __future__ import annotations

from urlset.live.schemas import LIVE_TABLES
from urlset.store import declare_tables

_PAGE_COLUMNS = next(
    " ".join(column.name for column in table.columns)
    for table in LIVE_TABLES
    if table.name == "pages"
)

WORKING_TABLES = tuple(
    declare_tables(
        f"""
        incoming_log       | inputs           | inputs              | Pages that access logs show as served, in batches. | url
        crawled_redirects  | run              | run                 | Pages that the crawl of this audit saw redirect. | {_PAGE_COLUMNS}
        incoming_excluded  | inputs           | inputs              | Rows that are added to `excluded_urls`. | key loc
        unselected_pages   | coverage         | coverage            | Pages in `coverage` that no sitemap lists and `include` and `exclude` do not select. | url
        visit_strata       | run              | run                 | Listed URLs of the sample, with their turn in the section. | key loc section document turn
        sample_allocation  | run              | run                 | Number of URLs that are sampled of each section and document. | section document n
        chosen_urls        | run              | run                 | Listed URLs to visit, in this order. | nr loc etag last_modified
        restored_urls      | run              | run                 | Pages whose redirect is restored, because its target is unknown. | url
        incoming_llms_txt  | run              | run                 | Links of the llms.txt. | source line url
        incoming_probes    | run              | run                 | Rows that are added to `probes`. | kind url key detail status fault width height
        same_content_pages | run              | run                 | Pages with the content of the error page of their folder. | url same pages
        audit_run          | judgement result | live.rules.coverage | One row: facts of the run that rules read. | is_sampled is_crawl_complete is_complete is_crawl_over
        current_findings   | judgement        | judgement           | Findings of this audit. | code rule level basis source line loc message change
        compared_findings  | judgement        | judgement           | Findings of this audit and the one before, with how they changed. | code rule level basis source line loc message change
        """
    ).values()
)
"""All temporary tables of an audit, in the order of the data flow."""
