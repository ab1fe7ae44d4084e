"""Evaluate live rules on the store of an audit; compare its findings with the previous ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from urlset.checker import FAILURE_CODES, Baseline, Finding, Rule, catalogue_with, selector
from urlset.checker.baseline import Comparison
from urlset.checker.evaluate import FindingKey, Tally, evaluate
from urlset.checker.finding import finding_of
from urlset.checker.load import Failures, TextCache
from urlset.checker.locate import locate
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.views import BROKEN, view_script
from urlset.live.audit.settings import AuditSettings
from urlset.live.schemas import stream_of
from urlset.store import Store, StoreSession, quoted

STORE_RULES = BROKEN | {"D007", "H501", "R010", "R011", "U023", "U024", "U028"}
"""Codes of rules of a check that an audit evaluates, too: about URLs that it may not visit, of
another host or listed twice, dates in the future, and documents that it could read only in part,
or that are no sitemaps."""

NEED_LINKS = frozenset({"P504"})
"""Codes of rules that find nothing if not all links of the site are known."""

NEED_CRAWL = frozenset({"N131", "P503"})
"""Codes of rules about pages that only links lead to: they find less without a crawl."""

NEED_ALL_PAGES = frozenset({"H501", "N111", "N119", "N120", "N124", "N127", "N128", "N129"})
"""Codes of rules that compare or count pages: they find less if not all listed ones were visited.
"""

NEED_LLMS_TXT = frozenset({"M007", "M008", "M009", "M010"})
"""Codes of rules that find nothing if the llms.txt of the site could not be read."""

NEED_CONTENT = frozenset({"N108", "N122", "N127", "N128"})
"""Codes of rules that find nothing if only the heads of pages were read."""

NEED_TARGETS = NEED_LLMS_TXT | {"H501", "N111", "N119", "N120", "N124", "N126"}
"""Codes of rules about the URLs that pages, the llms.txt and access logs name."""

NEED_PROBES = {
    "media": frozenset({"N113", "N114"}),
    "https": frozenset({"N115"}),
    "agent": frozenset({"N011"}),
    "indexnow": frozenset({"R014"}),
}
"""Codes of rules about the responses to probes, by the kind of the probe."""

NOT_COMPARED = frozenset({"N116"})
"""Codes of rules about visits that show nothing: what they find is neither new nor fixed."""

_FINDING_COLUMNS = "code rule level basis source line:uint32 loc message change"


class RunFacts(NamedTuple):
    """Facts about an audit that rules use: the row of the table ``audit_run``.

    Attributes:
        is_sampled: Whether only a sample of the listed URLs was visited.
        is_crawl_complete: Whether all links of the site are known.
        is_crawl_over: Whether a crawl visited all URLs that it may and can visit: robots.txt may
            disallow some, and some may fail.
        is_complete: Whether all URLs that were to be visited were visited.
    """

    is_sampled: bool
    is_crawl_complete: bool
    is_complete: bool
    is_crawl_over: bool = False

    @property
    def columns(self) -> str:
        """SQL of the columns of the row."""
        values = self._asdict().items()
        return ", ".join(f"{str(value).lower()} AS {name}" for name, value in values)


class Changes(NamedTuple):
    """Findings compared with those of the previous audit; None for the first audit of a store."""

    new: int
    fixed: int
    remaining: int


class AuditFindings(NamedTuple):
    """Findings of an audit, at most 10,000 of each rule, and the counts of all.

    ``changes`` compares with the audit before; ``known`` is the number of those in the baseline,
    which are not among the others.
    """

    findings: list[Finding]
    counts: Tally
    changes: Changes | None
    known: int = 0

    @property
    def unlisted(self) -> Tally:
        """Number of findings that are counted but not in ``findings``."""
        listed = Counter(FindingKey(f.code, f.level, f.source) for f in self.findings)
        return self.counts - listed

    def without(self, baseline: Baseline | None) -> AuditFindings:
        """Return the findings that are not in a baseline."""
        if baseline is None:
            return self
        comparison = Comparison(baseline.copy())
        findings = list(comparison.new(self.findings))
        counts = comparison.counts(self.unlisted)
        return AuditFindings(findings, counts, self.changes, comparison.known)


class RuleSet:
    """Live rules, rules about unread documents and custom rules that an audit evaluates, by code.

    Raises:
        ValueError: A name in the settings matches no rule.
    """

    def __init__(self, settings: AuditSettings):
        catalogue = catalogue_with(settings.rules, settings.levels)
        self.selected: Callable[[Rule, str | None], bool] = selector(
            settings.select,
            settings.ignore,
            settings.extend_select,
            profile=settings.profile,
            rules=catalogue,
            ignore_in=settings.ignore_in,
            always=FAILURE_CODES,
        )
        self.rules: dict[str, Rule] = {
            code: _with_answers_of_pages(rule)
            for code, rule in catalogue.items()
            if rule.is_live or rule.is_custom or code in STORE_RULES.union(FAILURE_CODES)
            if self.selected(rule, None)
        }
        if settings.url_patterns:
            selected = {
                code: _of_selected_urls(self.rules[code])
                for code in STORE_RULES & self.rules.keys()
            }
            self.rules |= selected


def _with_answers_of_pages(rule: Rule) -> Rule:
    """Return a rule; H501 (missing return links) is changed to count links of visited pages, too.

    A target that could not be read may have the link, so nothing is said about it.
    """
    if rule.code != "H501":
        return rule
    return replace(
        rule,
        sql=f"SELECT m.* FROM ({rule.sql}) m WHERE NOT EXISTS (SELECT 1 FROM live_alternates b "
        "WHERE b.key = normal_of(m.href) AND b.href_key = normal_of(m.loc)) "
        "AND EXISTS (SELECT 1 FROM live_pages t "
        "WHERE t.key = normal_of(m.href) AND t.verdict = 'ok')",
    )


_IS_SELECTED = "coalesce(normal_of(loc) NOT IN (SELECT key FROM excluded_urls), true)"
"""SQL condition: ``include`` and ``exclude`` select a URL; also true without a URL."""


def _of_selected_urls(rule: Rule) -> Rule:
    """Return a rule of a check, without findings about listed URLs that the options exclude.

    Rules about pages find nothing there, because such pages are not visited.
    """
    if rule.where is not None:
        return replace(rule, where=f"({rule.where}) AND {_IS_SELECTED}")
    if rule.sql is not None:
        return replace(rule, sql=f"SELECT m.* FROM ({rule.sql}) m WHERE {_IS_SELECTED}")
    return rule


def judge(
    store: Store,
    rules: RuleSet,
    settings: AuditSettings,
    failures: Failures,
    facts: RunFacts,
    source: str | None,
    unknown: Set[str] = frozenset(),
) -> AuditFindings:
    """Evaluate the rules on the store, and keep the findings in its table ``audit_findings``.

    The store is sealed first, so no rule has access to anything but its tables. ``unknown`` has the
    codes of rules that lack their input: their earlier findings are not checked.

    Raises:
        urlset.QueryError: The SQL of a custom rule fails or is not allowed.
    """
    store.seal()
    with store.session() as session, TextCache() as texts:
        session.load("markup_facts", MarkupFacts(set()).flow())
        session.load("failures", failures.flow())
        session.run(f"CREATE TABLE audit_run AS SELECT {facts.columns}")
        result = evaluate(
            session,
            rules.rules.values(),
            now=settings.now or datetime.now(UTC),
            profile=settings.profile,
            source=source,
            rule_timeout_s=settings.rule_timeout_s,
        )
        counts = Counter(
            {
                key: count
                for key, count in result.counts.items()
                if rules.selected(rules.rules[key.code], key.source)
            }
        )
        findings = [
            finding_of(row, rules.rules[row.code], place)
            for row, place, _ in locate(result.rows(), rules.rules, texts)
            if rules.selected(rules.rules[row.code], row.source)
        ]
        judged = rules.rules.keys() - (set() if facts.is_crawl_complete else NEED_LINKS) - unknown
        of_pages = {code for code, rule in rules.rules.items() if rule.is_live or rule.is_custom}
        changes = _store_findings(session, findings, judged, of_pages, facts)
    return AuditFindings(findings, counts, changes)


def _store_findings(
    session: StoreSession,
    findings: Sequence[Finding],
    judged: Set[str],
    of_pages: Set[str],
    facts: RunFacts,
) -> Changes | None:
    """Replace the stored findings of the previous audit; return how the new ones differ.

    A finding is the same if rule and URL are equal; without a URL, rule and document. It counts as
    fixed only if it was judged again: an unknown page fixes nothing, nor does a rule that was not
    evaluated, a sitemap that could not be read, or a page that this audit did not visit. Such a
    finding is kept as ``not checked``. The rules ``judged`` could find something in this audit;
    those ``of_pages`` need the page of the URL. Pages that are unknown are not compared.
    """
    rows = [
        (f.code, f.rule, f.level, f.basis, f.source, f.line, f.loc, f.message, None)
        for f in findings
    ]
    session.load("current_findings", stream_of(_FINDING_COLUMNS, rows))
    [(is_first,)] = session.rows("SELECT count(*) < 2 FROM store.crawls WHERE kind = 'audit'")
    key = "code, coalesce(loc, source, '')"
    # The selected rules may not have needed it.
    session.run(view_script(["normal_of"]))
    # A page that nothing lists or links to any more needs no visit.
    may_exist = "SELECT loc FROM entries UNION SELECT url FROM store.llms_txt_links"
    if not facts.is_crawl_complete:
        found = f"SELECT loc FROM store.audit_findings WHERE code IN ({_codes(NEED_CRAWL)})"
        may_exist = f"{may_exist} UNION {found}"
    session.run(
        f"""CREATE TABLE compared_findings AS
        SELECT * REPLACE (CASE WHEN {is_first} OR code IN ({_codes(NOT_COMPARED)}) THEN NULL
            WHEN ({key}) IN (SELECT ({key}) FROM store.audit_findings
                WHERE change IS DISTINCT FROM 'fixed') THEN 'still there'
            ELSE 'new' END AS change)
        FROM current_findings
        UNION ALL
        SELECT * REPLACE (CASE
            WHEN code NOT IN ({_codes(judged)}) THEN 'not checked'
            WHEN code IN ({_codes(STORE_RULES)})
                AND normal_of(loc) IN (SELECT key FROM store.excluded_urls) THEN 'not checked'
            WHEN code IN ({_codes(of_pages)}) AND loc IN ({may_exist})
                AND normal_of(loc) NOT IN (SELECT normal_of(url) FROM store.pages
                    WHERE crawl = (SELECT max(crawl) FROM store.crawls)
                    AND verdict NOT IN ('unknown', 'disallowed'))
                THEN 'not checked'
            WHEN loc IN (SELECT loc FROM current_findings WHERE basis = 'unknown')
                THEN 'not checked'
            WHEN code IN ({_codes(NEED_LLMS_TXT)}) AND normal_of(loc) IN (
                SELECT normal_of(url) FROM store.pages WHERE verdict = 'unknown')
                THEN 'not checked'
            WHEN EXISTS (FROM failures) AND NOT EXISTS (FROM entries e WHERE e.loc = f.loc)
                THEN 'not checked'
            ELSE 'fixed' END AS change)
        FROM store.audit_findings f
        WHERE change IS DISTINCT FROM 'fixed' AND code NOT IN ({_codes(NOT_COMPARED)})
            AND ({key}) NOT IN (SELECT ({key}) FROM current_findings)"""
    )
    with session.transaction():
        session.run("DELETE FROM store.audit_findings")
        session.run("INSERT INTO store.audit_findings SELECT * FROM compared_findings")
    if is_first:
        return None
    query = "SELECT change, count(*) FROM compared_findings GROUP BY change"
    counts: Mapping[str, int] = dict(session.rows(query))
    return Changes(counts.get("new", 0), counts.get("fixed", 0), counts.get("still there", 0))


def _codes(codes: Set[str]) -> str:
    """Return codes of rules as SQL texts."""
    return ", ".join(map(quoted, sorted(codes))) or "''"
