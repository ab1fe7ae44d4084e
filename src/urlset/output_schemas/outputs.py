"""What urlset writes as JSON: its name, where it is written, and the type that it is written as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from urlset.builder.json_forms import BuildJson, FailureJson, GateJson, SetChange
from urlset.builder.result import Excluded
from urlset.checker.baseline import BaselineJson
from urlset.checker.finding import CheckJson, CountsJson
from urlset.fields import RECORDS
from urlset.fixer.fix_set import FixedJson
from urlset.live.audit.result import Audit, AuditCountsJson, AuditJson
from urlset.live.crawl.result import Crawl, CrawlJson, EvidenceJson, ReferrerJson, TrapJson
from urlset.live.diff.rows import ChangeJson, DiffJson, PageChange, PageState, StateJson
from urlset.live.report.result import ReportJson, SiteRuleJson, SiteStateJson
from urlset.live.report.site_state import SiteRule, SiteState
from urlset.live.schemas import LIVE_TABLES
from urlset.live.submit.result import Submission, SubmissionJson
from urlset.live.sync.pipeline import Sync
from urlset.live.sync.update import PageUpdate, SyncJson, UpdateJson
from urlset.live.watch.result import Watch, WatchJson
from urlset.live.watch.rows import Alert
from urlset.live.watch.webhook import AlertJson, AlertsJson
from urlset.model import (
    Alternate,
    ContentSegment,
    Entry,
    Image,
    News,
    Price,
    TvShow,
    Video,
    VideoId,
)
from urlset.output_schemas.type_schema import DIALECT, TypeSchemas
from urlset.reader.row_formats import EntryBaseJson, EntryJson
from urlset.reporter.rule_page import RuleJson
from urlset.reporter.text import StatisticsJson
from urlset.result import ResultJson
from urlset.robots.ai_preferences import AiPreferences
from urlset.writer.result import PublicationJson, PublishedFileJson

SITE_URL = "https://example.com/urlset/"
"""Address of the documentation, unless its build names another; the schemas are in ``schemas/``."""


class Output(NamedTuple):
    """One kind of JSON that urlset writes.

    Attributes:
        name: Name of its schema.
        kind: Type of the value, of each line or of each item.
        source: Command or call in Python that has it as its result.
        is_list: Whether it is an array of such values.
    """

    name: str
    kind: Any
    source: str
    is_list: bool = False


_SPARSE = (Image, Video, News, Alternate, Price, ContentSegment, VideoId, TvShow)
_COLUMNS = {table.name: {name: doc for name, _, doc in table.columns} for table in LIVE_TABLES}
_DOCUMENTS: dict[type, tuple[type | Mapping[str, str], ...]] = {
    EntryJson: (Entry,),
    EvidenceJson: (_COLUMNS["pages"], _COLUMNS["frontier"]),
    ReferrerJson: (_COLUMNS["links"],),
    TrapJson: (_COLUMNS["traps"],),
    CrawlJson: (Crawl,),
    AuditJson: (Audit,),
    ChangeJson: (PageChange,),
    StateJson: (PageState,),
    WatchJson: (Watch,),
    AlertsJson: (Watch,),
    AlertJson: (Alert,),
    SubmissionJson: (Submission,),
    SyncJson: (Sync,),
    SiteStateJson: (SiteState,),
    SiteRuleJson: (SiteRule,),
    UpdateJson: (AiPreferences, PageUpdate),
    **{kind: ({f.name: f.meaning for f in RECORDS[kind.__name__].fields},) for kind in _SPARSE},
}
_BASES = (
    ResultJson, CountsJson, CheckJson, AuditCountsJson, FailureJson, PublishedFileJson,
    EntryBaseJson,
)  # fmt: skip

OUTPUTS = (
    Output("read", EntryJson, "urlset read --format jsonl"),
    Output("build", BuildJson | GateJson | FailureJson, "urlset build --json"),
    Output("build-changes", SetChange, "urlset build --changes FILE"),
    Output("build-excluded", Excluded, "urlset build --excluded FILE"),
    Output("check", CheckJson, "urlset check --format json"),
    Output("check-statistics", StatisticsJson, "urlset check --statistics --format json"),
    Output("check-baseline", BaselineJson, "urlset check --write-baseline FILE"),
    Output("rules", RuleJson, "urlset rules --format json", is_list=True),
    Output("crawl", CrawlJson, "urlset crawl --format json"),
    Output("crawl-why", EvidenceJson, "urlset crawl --why URL"),
    Output("audit", AuditJson, "urlset audit --format json"),
    Output("diff", ChangeJson, "urlset diff --format jsonl"),
    Output("watch", WatchJson, "urlset watch --format json"),
    Output("watch-alerts", AlertsJson, "urlset watch --webhook URL"),
    Output("submit", SubmissionJson, "urlset submit --format json"),
    Output("sync", UpdateJson, "urlset sync"),
    Output("report", ReportJson, "urlset report --format json"),
    Output("fix-result", FixedJson, "urlset.fix(…).to_dict()"),
    Output("diff-result", DiffJson, "urlset diff --format json"),
    Output("sync-result", SyncJson, "urlset.sync(…).to_dict()"),
    Output("write-result", PublicationJson, "urlset.write(…).to_dict()"),
)
"""What urlset writes as JSON. A command that writes JSON lines writes a value on each line."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas (draft 2020-12) of what urlset writes as JSON, by name.

    They are those of ``urlset schema``. A later version may add fields, so the schemas allow
    unknown ones.

    >>> schemas()["check"]["$ref"]
    '#/$defs/CheckJson'
    """
    return {output.name: _schema(output) for output in OUTPUTS}


def _schema(output: Output) -> dict[str, Any]:
    types = TypeSchemas(_DOCUMENTS, _BASES, _SPARSE)
    schema = types.of(output.kind)
    if output.is_list:
        schema = {"type": "array", "items": schema}
    return {
        "$schema": DIALECT,
        "$id": f"{SITE_URL}schemas/{output.name}.json",
        "title": f"Output of `{output.source}`",
        **schema,
        "$defs": types.definitions,
    }
