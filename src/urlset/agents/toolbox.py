"""Tools of an agent: read, check and audit sitemaps, query the results, explain."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from urlset.agents.answer import MAX_EXAMPLES, ToolAnswer
from urlset.agents.fences import BudgetError, Fences, expect_offset
from urlset.agents.queries import parquet_rows, store_rows, why
from urlset.agents.results import AgentResult, Results, error_text, finished, rows_of_rules
from urlset.checker import CATALOGUE, check, rules_named
from urlset.errors import SourceError, UrlsetError
from urlset.live.audit import audit
from urlset.model import ProgressEvent
from urlset.reader import Entries, faults_of, read
from urlset.reporter.rule_page import rule_page
from urlset.store import Store

MAX_AUDITS = 2
"""Audits that run at the same time."""

MAX_WAIT_S = 50.0
"""Longest wait for an audit; clients give up after a minute."""

MAX_PAGE = 6_000
"""Characters of the page of a rule."""

_NOT_INDEXABLE = (
    "SELECT url, verdict, final_url, canonical, is_noindex, robots FROM pages "
    "WHERE is_listed AND NOT coalesce(is_indexable, false) ORDER BY url"
)
_SECTIONS = (
    "SELECT url_section(loc) AS section, count(*) AS urls, max(lastmod) AS latest "
    "FROM entries GROUP BY ALL ORDER BY urls DESC"
)


class Toolbox:
    """Tools of one session. Each returns a :class:`urlset.agents.ToolAnswer`; none writes anything.

    Args:
        fences: What may be reached.
    """

    def __init__(self, fences: Fences):
        self._fences = fences
        self._results = Results()
        self._is_closed = False

    def sites(self) -> ToolAnswer:
        """List the stores and sitemaps in the root folder, and the results of this session.

        Each store has the tables of a reading, a crawl, an audit or a watch: name its file as the
        `result` of `query` and `why`. Requests nothing.
        """
        files = [
            {"file": path.name, "bytes": path.stat().st_size}
            for path in sorted(self._fences.root.iterdir())
            if path.is_file() and path.name.endswith(_SUFFIXES)
        ]
        results = [
            {"result": each.handle, "source": each.source, "is_done": each.done.is_set()}
            for each in self._results
        ]
        return ToolAnswer(
            counts={
                "files": len(files),
                "results": len(results),
                "requests_left": self._fences.left,
                "may_request_private_addresses": self._fences.allow_private,
            },
            data=[*results, *files],
            next=["read_sitemap(source=URL or file)", "audit(source=URL)"],
        )

    def read_sitemap(self, source: str) -> ToolAnswer:
        """Read the sitemaps of a site, a sitemap, a file or a folder, and count their URLs.

        Args: source is a URL (https://example.com finds all sitemaps of the site) or a path below
        the root folder. `data` has the documents. `query` then selects from the tables documents
        and entries of the result.
        """
        result = self._start("read", source)
        with self._recorded(result):
            entries = read(
                self._fences.source(source), policy=self._fences.policy, ordered=False, keep=False
            )
            result.store = Store.open()
            result.close_ = result.store.close
            result.incomplete = self._fill(result.store, entries, source)
            documents = entries.documents
        rows = [
            {
                "document": record.source,
                "kind": record.kind,
                "entries": record.entries,
                "sitemaps": record.sitemaps,
                "problems": record.problem_count,
                "error": record.error,
            }
            for record in documents
        ]
        return self._answer(
            result,
            rows,
            {
                "documents": len(documents),
                "urls": sum(record.entries for record in documents),
                "failed_documents": sum(record.error is not None for record in documents),
                "problems": sum(record.problem_count for record in documents),
            },
            [
                f'query(result="{result.handle}", sql="{_SECTIONS}")',
                f'query(result="{result.handle}", sql="SELECT loc, lastmod FROM entries")',
                f'check(source="{result.handle}")',
            ],
        )

    def check(self, source: str, rule: str = "", offset: int = 0) -> ToolAnswer:
        """Check sitemaps: find the rules of the protocol and of search engines that they break.

        Args: source is a URL, a path below the root folder, or the handle of an earlier result.
        Without `rule`, `data` has a row for each rule with its number of findings. With `rule`
        (a code or a name), `data` has its findings from number `offset`. `explain_rule` says what
        a rule means. Pages are not visited: `audit` does that.
        """
        expect_offset(offset)
        known = self._results.get(source)
        result = known if known is not None and known.kind == "check" else None
        if result is None:
            result = self._start("check", source if known is None else known.source)
            with self._recorded(result):
                findings = check(
                    self._fences.source(result.source),
                    policy=self._fences.policy,
                    progress=self._fences.counter(),
                )
                result.keep([*findings])
                documents = findings.documents
                result.by_rule, result.incomplete = findings.by_rule, findings.incomplete
                result.counts = {f"{k}s": n for k, n in findings.by_level.items()}
                result.counts |= {
                    "documents": len(documents),
                    "urls": sum(record.entries for record in documents),
                }
        return self._findings(result, rule, offset)

    def audit(
        self,
        source: str,
        sample: int = 0,
        crawl: bool = False,
        max_requests: int = 1_000,
        base_url: str = "",
    ) -> ToolAnswer:
        """Visit the listed pages in the background: find broken, redirected and noindex ones.

        Args: source is a URL, or a path below the root folder with `base_url`, the URL at which
        the files are published. `sample` visits only so many listed URLs. `crawl` follows links,
        too, and finds pages that are not listed. Returns a handle at once; call `audit_result`.
        """
        given = self._fences.source(source)
        if self._results.running() >= MAX_AUDITS:
            raise SourceError(f"{MAX_AUDITS} audits are running; wait for one with audit_result")
        if sample < 0:
            raise ValueError(f"sample: expected 0 or more, found {sample}")
        if sample and crawl:
            raise ValueError("sample: expected no crawl, which visits all pages")
        result = self._start("audit", source)
        settings: dict[str, Any] = {
            "sample": sample or None,
            "crawl": crawl,
            "base_url": base_url or None,
            "max_requests": self._fences.take(max(1, max_requests)),
            "max_minutes": 30,
            "confirm_after_s": 10.0,
            "policy": self._fences.policy,
        }
        threading.Thread(
            target=self._audit, args=(result, given, settings), name=result.handle, daemon=True
        ).start()
        return ToolAnswer(
            state="running",
            result=result.handle,
            counts={"max_requests": settings["max_requests"]},
            next=[f'audit_result(result="{result.handle}")'],
        )

    def audit_result(
        self, result: str, rule: str = "", offset: int = 0, wait_s: float = 20.0
    ) -> ToolAnswer:
        """Return the state of an audit, or its result once it is done.

        Waits up to `wait_s` seconds (at most 50) for the end. The counts `verdict …` are numbers of
        listed URLs. Without `rule`, `data` has a row for each rule with findings; with `rule`, its
        findings from number `offset`. `basis` is unknown where a page could not be seen.
        """
        expect_offset(offset)
        found = self._results.get(result)
        if found is None:
            raise SourceError(f"expected a handle that `sites` lists, found {result!r}")
        if not found.done.wait(max(0.0, min(wait_s, MAX_WAIT_S))):
            progress = found.progress or ProgressEvent()
            return ToolAnswer(
                state="running",
                result=result,
                counts={"responses": progress.urls, "documents": progress.documents},
                next=[f'audit_result(result="{result}", wait_s=50)'],
            )
        with finished(found):
            return self._findings(found, rule, offset)

    def query(self, result: str, sql: str, offset: int = 0) -> ToolAnswer:
        """Run one SELECT of DuckDB over a result of this session, a store, or a Parquet file.

        Args: result is a handle (read-1, audit-1), or the path of a file below the root folder. A
        store has the tables documents, entries, problems, robots; after an audit also pages,
        links, frontier, coverage, audit_findings. A Parquet file is the table `input`. Lists of
        columns: SELECT table_name, column_name, data_type FROM duckdb_columns(). The query reads
        tables only: no files, no network, no changes. `data` has 20 rows from number `offset`.
        """
        with self._opened(result) as opened:
            if isinstance(opened, Store):
                columns, rows = store_rows(opened, sql, offset, MAX_EXAMPLES + 1)
            else:
                columns, rows = parquet_rows(opened, sql, offset, MAX_EXAMPLES + 1)
        shown = [dict(zip(columns, row, strict=True)) for row in rows[:MAX_EXAMPLES]]
        answer = ToolAnswer(
            result=result,
            counts={"rows": len(shown), "offset": offset, "has_more": len(rows) > MAX_EXAMPLES},
            data=shown,
            omitted=-1 if len(rows) > MAX_EXAMPLES else 0,
        ).limited()
        left_out = len(shown) - len(answer.data)
        following = offset + len(answer.data)
        if left_out or len(rows) > MAX_EXAMPLES:
            answer.counts.update(rows=len(answer.data), has_more=True)
            answer.next.append(f"query(…, offset={following}), or aggregate with count(*)")
        return answer

    def explain_rule(self, rule: str) -> ToolAnswer:
        """Explain a rule: why it matters, a wrong and a right example, how to fix it.

        Args: rule is a code (U012) or a name (loc-fragment).
        """
        codes = rules_named(rule)
        if len(codes) != 1:
            rows = [f"{code} {CATALOGUE[code].name}" for code in codes]
            return ToolAnswer(
                counts={"rules": len(codes)}, data=rows, next=["explain_rule(rule=one of them)"]
            )
        found = CATALOGUE[codes[0]]
        text = "\n".join(rule_page(found))
        return ToolAnswer(
            counts={"code": found.code, "rule": found.name, "level": found.level},
            text=text if len(text) <= MAX_PAGE else f"{text[:MAX_PAGE]}…",
        )

    def why(self, result: str, url: str) -> ToolAnswer:
        """Explain the state of one URL: which sitemaps list it, what its page answers, findings.

        Args: result is the handle of an audit or a reading, or the path of a store below the root
        folder.
        """
        with self._opened(result) as opened:
            if not isinstance(opened, Store):
                raise SourceError("expected the result of an audit or a store, found another file")
            reasons, facts = why(opened, url)
        counts: dict[str, Any] = {name: len(facts[name]) for name in ("listed_in", "findings")}
        return ToolAnswer(
            result=result,
            counts={**counts, "is_visited": facts["page"] is not None},
            text="; ".join(reasons),
            data=[facts],
            next=[f'explain_rule(rule="{row["code"]}")' for row in facts["findings"][:3]],
        )

    def close(self) -> None:
        """Stop the audits, and delete the temporary stores."""
        self._is_closed = True
        for each in self._results:
            each.done.wait(5)
            if each.done.is_set():
                each.close()

    def _start(self, kind: Any, source: str) -> AgentResult:
        self._fences.source(source)
        self._fences.expect_requests()
        return self._results.add(kind, source)

    def _fill(self, store: Store, entries: Entries, source: str) -> tuple[str, ...]:
        """Store the documents until no request is left; return what is not read."""
        lacking: list[str] = []
        with (
            store.writer(source) as writer,
            closing(entries.batches(writer.on_response)) as batches,
        ):
            for record, document, rows in batches:
                if not self._fences.take(1):
                    writer.is_complete = False
                    lacking.append("no request of this session is left")
                    break
                writer.add(record, document, rows)
        return (*lacking, *faults_of(entries.documents))

    @contextmanager
    def _recorded(self, result: AgentResult) -> Iterator[None]:
        """Record the end of a call, and its failure."""
        try:
            yield
        except BaseException as error:
            result.error = str(error)
            raise
        finally:
            result.done.set()

    @contextmanager
    def _opened(self, result: str) -> Iterator[Store | Path]:
        """Open the tables of a handle, a store or a Parquet file, for one call."""
        found = self._results.get(result)
        if found is not None:
            with finished(found):
                if found.store is None:
                    raise SourceError(f"{result} has no tables; name a reading or an audit")
                yield found.store
            return
        path = self._fences.path(result)
        if path.suffix.lower() == ".parquet":
            yield path
            return
        with Store.open(path, read_only=True) as store:
            yield store

    def _audit(self, result: AgentResult, source: str, settings: Mapping[str, Any]) -> None:
        """Run an audit in a thread of its own."""
        taken: int = settings["max_requests"]

        def on_progress(event: ProgressEvent) -> None:
            result.progress = event
            if self._is_closed:
                raise KeyboardInterrupt
            if event.documents > taken:
                raise BudgetError(f"more than the {taken:,} requests of this audit are needed")

        try:
            with result.lock, suppress(KeyboardInterrupt):
                found = audit(source, progress=on_progress, **settings)
                result.store, result.close_ = found.store, found.close
                result.keep(found.findings)
                result.by_rule, result.incomplete = found.by_rule, found.incomplete
                result.counts = {
                    "listed": found.listed,
                    "visited": found.visited,
                    "requests": found.request_count,
                    **{f"{level}s": count for level, count in found.by_level.items()},
                    **{f"verdict {each.verdict}": each.visited for each in found.verdicts},
                    **{
                        f"estimated {each.verdict}": each.estimated_urls
                        for each in found.verdicts
                        if found.is_sampled
                    },
                }
                self._fences.give_back(taken - found.request_count - len(found.documents))
        except (UrlsetError, ValueError, OSError) as error:
            result.error = error_text(error)
        except Exception as error:  # noqa: BLE001 - the top of a thread
            result.error = f"internal error in urlset, please report it: {type(error).__name__}"
        finally:
            result.done.set()

    def _findings(self, result: AgentResult, rule: str, offset: int) -> ToolAnswer:
        """Return the rules with findings, or the findings of one rule."""
        handle, name = result.handle, "audit_result" if result.kind == "audit" else "check"
        key = "result" if result.kind == "audit" else "source"
        if not rule:
            rows = rows_of_rules(result)
            following = [f'{name}({key}="{handle}", rule="{row["code"]}")' for row in rows[:3]]
            if result.kind == "audit":
                following.insert(0, f'query(result="{handle}", sql="{_NOT_INDEXABLE}")')
                following.insert(1, f'why(result="{handle}", url=URL)')
            return self._answer(result, rows, result.counts, following)
        codes = rules_named(rule)
        rows = [
            {
                "message": finding.message,
                "document": finding.source,
                "line": finding.line,
                "loc": finding.loc,
                "basis": finding.basis,
            }
            for code in codes
            for finding in islice(result.findings.get(code, ()), offset, None)
        ]
        total = sum(result.by_rule.get(code, 0) for code in codes)
        following = [f'explain_rule(rule="{codes[0]}")'] if len(codes) == 1 else []
        shown = self._answer(result, rows, {"findings": total, "offset": offset}, following)
        if offset + len(shown.data) < min(total, offset + len(rows)):
            more = f'rule="{codes[0]}", offset={offset + len(shown.data)}'
            shown.next.append(f'{name}({key}="{handle}", {more})')
        return shown

    def _answer(
        self,
        result: AgentResult,
        rows: list[Any],
        counts: Mapping[str, str | int | float | bool | None],
        following: list[str],
    ) -> ToolAnswer:
        """Return an answer with what could not be read, before the rows."""
        lacking = [{"not_read": text} for text in result.incomplete[:3]]
        state = {"is_complete": not result.incomplete, "requests_left": self._fences.left}
        return ToolAnswer(
            result=result.handle, counts={**counts, **state}, data=[*lacking, *rows], next=following
        ).limited()


_SUFFIXES = (".duckdb", ".parquet", ".xml", ".xml.gz", ".txt")
