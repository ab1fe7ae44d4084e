"""Run a build in stages: ingest, resolve, allocate, render, check gates, publish, commit."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from urlset import engine as engines
from urlset.builder import guards
from urlset.builder.allocation import Allocator
from urlset.builder.guards import warnings
from urlset.builder.included_sitemaps import read_included
from urlset.builder.incremental import memory_limit
from urlset.builder.ingest import Ingest
from urlset.builder.known_rows import KnownLedgerRows
from urlset.builder.ledger import Ledger, PageCache, clamp_future
from urlset.builder.options import BuildOptions
from urlset.builder.provenance import Provenance
from urlset.builder.publish import (
    Published,
    check_robots,
    commit,
    other_tool_notes,
    publish,
    record_intent,
    shape_of,
    sitemap_urls,
    stage_companion_files,
    stage_copies,
    write_robots,
)
from urlset.builder.published_sitemaps import import_published
from urlset.builder.render import FileRenderer
from urlset.builder.resolve import check_patterns, resolve, rules_of, sources_with_future_dates
from urlset.builder.result import (
    Build,
    BuiltFile,
    Counts,
    changes_written,
    count_changes,
    count_excluded,
    examples_of,
    explain,
    write_excluded,
)
from urlset.builder.sections import FileNames, section_labels
from urlset.builder.unchanged import UnchangedSet, unchanged_set
from urlset.builder.url_exclusions import exclude_disallowed
from urlset.errors import SourceError, StoreError, TargetError
from urlset.model import ProgressEvent
from urlset.option_schema import LEDGER
from urlset.publisher import Target, open_target
from urlset.sources import Source
from urlset.sources.candidates import source_type_of
from urlset.store import ScratchDatabase
from urlset.terminal_text import pluralize

logger: logging.Logger = logging.getLogger("urlset.build")


class Pipeline:
    """One build; :meth:`run` runs all of its stages.

    With a ``part``, a target for some sections of a larger set, nothing is imported from the files
    that are published: those of other sections are among them.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        target: str,
        settings: BuildOptions,
        progress: Callable[[ProgressEvent], None] | None = None,
        *,
        part: Target | None = None,
    ):
        self._sources, self._settings = section_labels(sources, settings)
        self._target_name = target
        self._part = part
        self._progress = progress or (lambda _: None)
        self._engine = engines.get(settings.engine)
        self._notes: list[str] = []
        self._warnings: list[str] = []
        self._pages: PageCache | None = None
        self._duplicates = self._undated = 0
        self._excluded_counts: dict[str, int] = {}
        self._explained: tuple[str, ...] = ()
        self._failures: list[str] = []
        self._stage_start = time.monotonic()

    def run(self) -> Build:
        """Build and publish the set; return the result."""
        settings = self._settings
        with ExitStack() as stack:
            db = self._db = stack.enter_context(ScratchDatabase())
            check_patterns(db, settings)
            if settings.robots is not None:
                check_robots(settings.robots, target_name=self._target_name)
            target = self._target = stack.enter_context(self._open_target())
            path, is_persistent = settings.ledger or LEDGER, not settings.dry_run
            ledger = self._ledger = Ledger(
                db, path, target.location, settings.name, is_persistent=is_persistent
            )
            ingest = self._ingest = Ingest(db, self._engine, settings)
            if ledger.is_new and self._part is None:
                note = import_published(db, ledger, ingest, settings, self._engine, target)
                self._notes += [note] if note else []
            self._notes += clamp_future(db, ledger, settings)
            self._provenance = Provenance(db, ledger, self._sources)
            unchanged = unchanged_set(ledger, self._provenance.reuse, settings, target)
            if unchanged is not None:
                return self._repeat(unchanged)
            included = read_included(settings, self._engine, target)
            self._failures = included.failures
            self._ingest_sources()
            self._log_stage("sources read")
            self._duplicates = resolve(
                db,
                ledger,
                settings,
                self._provenance,
                is_matched=ingest.is_matched,
                has_known=ingest.has_known,
            )
            counts, self._undated = count_changes(db, ledger, settings)
            self._excluded_counts = count_excluded(db, settings)
            if settings.excluded is not None:
                write_excluded(db, settings, ingest.names, ingest.rejected, settings.excluded)
            self._check_guards(counts)
            self._log_stage("rows resolved and checked")
            # Rendering uses one core most of the time.
            pending_warnings = stack.enter_context(
                db.in_background(
                    partial(
                        warnings,
                        settings=settings,
                        extensions=ingest.extensions,
                        is_first=ledger.is_new,
                    )
                )
            )
            allocator = Allocator(db, ledger, settings, self._engine, extensions=ingest.extensions)
            allocator.allocate()
            self._log_stage("rows assigned to files")
            renderer = FileRenderer(
                db,
                settings,
                self._engine,
                target,
                files=[*ledger.files(), *ledger.indexes().values()],
                own_names=ledger.orphans(),
                extensions=ingest.extensions,
            )
            published = publish(
                allocator,
                renderer,
                ledger,
                settings,
                target,
                self._progress,
                included=included.listed,
            )
            self._log_stage("files written")
            self._warnings = pending_warnings.result()
            self._notes += self._warnings
            self._add_name_notes(published)
            stage_companion_files(published, settings, target)
            self._notes += stage_copies(published, renderer.replaced_names, target)
            self._check_robots(published)
            names = {file.number: file.name for file in published.files}
            self._explained = tuple(
                line
                for url in settings.why
                for line in explain(db, url, settings, ingest.names, names, allocator.ranges)
            )
            if not settings.dry_run:
                self._publish(allocator, published, counts)
                self._log_stage("published")
            self._notes += other_tool_notes(published, settings, self._engine, target)
            return self._result(published, counts)

    def _log_stage(self, stage: str) -> None:
        now = time.monotonic()
        logger.info("%s: %.2f s", stage, now - self._stage_start)
        self._stage_start = now

    def _open_target(self) -> Target:
        if self._part is not None:
            return self._part
        settings = self._settings
        return open_target(
            self._target_name,
            settings.name,
            cache_control=settings.cache_control,
            encoding=settings.encoding,
            is_dry_run=settings.dry_run,
        )

    def _repeat(self, unchanged: UnchangedSet) -> Build:
        """Record a build that publishes nothing, because every row is that of the last build."""
        settings, published = self._settings, unchanged.published
        self._provenance.reuse.take_over_all()
        self._notes += [*self._provenance.reuse.notes, *unchanged.warnings]
        self._add_name_notes(published)
        counts: Counts = {"added": 0, "changed": 0, "removed": 0}
        self._undated = 0 if settings.is_text else self._ledger.count_undated()
        self._check_robots(published)
        if not settings.dry_run:
            with self._db.transaction():
                self._ledger.add_build(settings.now, published.files, counts, unchanged.warnings)
            if settings.robots is not None:
                write_robots(published, settings)
        self._notes += other_tool_notes(published, settings, self._engine, self._target)
        self._log_stage("nothing changed")
        return self._result(published, counts)

    def _ingest_sources(self) -> None:
        """Ingest the sources, or the published rows of those that are unchanged."""
        db, ledger, ingest, target = self._db, self._ledger, self._ingest, self._target
        if ledger.shape == shape_of(self._settings) and not self._settings.is_text:
            ingest.assume_known(ledger.table("urls"), self._known_rows())
        self._check_sources()
        if self._settings.trust_mtime:
            self._pages = PageCache(db, ledger)
        for position, source in enumerate(self._sources):
            if self._pages is not None and hasattr(source, "use_cache"):
                source.use_cache(self._pages)
            published = self._provenance.reuse.find(position, target, self._settings)
            rows = source if published is None else published
            try:
                for count in ingest.add(rows, is_published=published is not None):
                    self._progress(ProgressEvent(count))
            except SourceError as error:
                if self._settings.on_error == "raise":
                    raise
                self._provenance.add_failure(position, str(error))
        db.limit_memory(memory_limit(ingest.count))
        self._provenance.keep_unread(ingest, target, self._settings)
        compared = self._provenance.sql("g.source") if self._provenance.is_compared else None
        for count in ingest.verify_rest(compared):
            self._progress(ProgressEvent(count))
        self._notes += ingest.notes
        self._notes += [*self._provenance.notes(), *self._provenance.reuse.notes]
        if self._settings.exclude_by_robots is not None:
            exclude_disallowed(db, ingest.staging, self._settings.exclude_by_robots, self._settings)
        if ingest.urls.encoded:
            self._notes.append(
                f"{pluralize(ingest.urls.encoded, 'URL')} written in canonical form "
                f"(percent-encoded), e.g. {ingest.urls.example}"
            )
        self._notes += [
            f"{pluralize(count, 'URL')} {what}"
            for count, what in (
                (ingest.urls.secured, "changed from http to https, the scheme of the base URL"),
                (ingest.urls.without_port, "written without the default port of their scheme"),
                (ingest.urls.untracked, "written without tracking parameters"),
                (ingest.fragments, "with a fragment (#…), which was removed"),
            )
            if count
        ]

    def _known_rows(self) -> KnownLedgerRows | None:
        """Return the rows of the ledger that stay as they are if a source lists them again."""
        settings = self._settings
        if (
            self._ledger.rules != rules_of(settings)
            or settings.compact
            or settings.kept_columns
            or settings.why  # the explanation names the row of the source
            or settings.exclude_by_robots is not None
        ):
            return None
        urls, sources = self._ledger.table("urls"), self._provenance.staged_sources
        return KnownLedgerRows.of(self._db, urls, self._engine, sources)

    def _check_sources(self) -> None:
        """Raise an error if a source has wrong columns, before rows of any source are read."""
        if len(self._sources) < 2 or self._settings.on_error != "raise":
            return
        for source in self._sources:
            check: Callable[[], None] | None = getattr(source, "check", None)
            if check is not None:
                check()

    def _check_guards(self, counts: Counts) -> None:
        before = self._ledger.count()
        urls = before + counts["added"] - counts["removed"]
        if not urls:
            failures = [text for source in self._sources for text in source.failures]
            if failures and "zero" not in self._settings.force:
                raise SourceError(f"{failures[0]}; nothing was published")
            rows = self._ingest.count + len(self._ingest.rejected)
            names = [source.name for source in self._sources]
            guards.check_zero(rows, names, self._excluded_counts, self._settings)
        guards.check_share(urls, before, self._settings)
        guards.check_removed(counts["removed"], before, self._settings)
        self._provenance.check_shares(self._settings)
        guards.check_hosts(self._db, self._settings)

    def _check_robots(self, published: Published) -> None:
        if (path := self._settings.robots) is not None:
            urls = sitemap_urls(published, self._settings)
            check_robots(path, urls, target_name=self._target_name)

    def _add_name_notes(self, published: Published) -> None:
        names = FileNames(self._settings)
        names.assign(published.files)
        self._notes += names.notes

    def _publish(self, allocator: Allocator, published: Published, counts: Counts) -> None:
        """Publish the staged files and commit the ledger: both, or neither."""
        db, ledger, target = self._db, self._ledger, self._target
        record_intent(db, ledger, self._settings, published, target)
        unsettled = sources_with_future_dates(db, self._settings)
        is_swapped = False
        try:
            with db.large_transaction(), changes_written(db, self._settings.changes):
                commit(
                    db,
                    ledger,
                    self._settings,
                    published,
                    allocator.ranges,
                    counts,
                    self._warnings,
                    has_kept=self._provenance.kept > 0,
                )
                self._provenance.commit(self._ingest.row_counts, unsettled)
                if self._pages is not None:
                    self._pages.commit()
                target.swap(published.new_names, published.retired)
                is_swapped = True
        except (StoreError, TargetError) as error:
            if not is_swapped:
                raise
            message = "the sitemaps are published, but the ledger was not updated: build again"
            raise type(error)(f"{error}; {message}") from error
        if self._settings.robots is not None:
            write_robots(published, self._settings)

    def _result(self, published: Published, counts: Counts) -> Build:
        ingest, changed = self._ingest, published.changed
        return Build(
            target=self._target_name,
            base_url=self._settings.base,
            urls=sum(file.urls for file in published.files),
            files=tuple(BuiltFile.of(f, changed=f.name in changed) for f in published.files),
            indexes=tuple(BuiltFile.of(f, changed=f.name in changed) for f in published.indexes),
            **counts,
            rejected=tuple(ingest.rejected),
            excluded_counts=self._excluded_counts,
            excluded=examples_of(self._db, self._settings, ingest.names, self._excluded_counts),
            undated=self._undated,
            duplicates=self._duplicates,
            removed_files=tuple(published.retired),
            notes=(*self._notes, *(note for source in self._sources for note in source.notes)),
            incomplete=(
                *(text for source in self._sources for text in source.failures),
                *self._failures,
            ),
            why=self._explained,
            sources=tuple((source.name, source_type_of(source)) for source in self._sources),
            reused=tuple(self._provenance.reuse.reused),
        )
