"""One build, step by step: take in, decide, place, render, pass the gates, swap, remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from urlset import engine as engines
from urlset.builder import guards
from urlset.builder.allocation import Allocator
from urlset.builder.companion_files import (
    check_robots,
    named_urls,
    stage_companion_files,
    stale_notes,
    write_robots,
)
from urlset.builder.guards import warnings
from urlset.builder.import_existing import adopt
from urlset.builder.ingest import Ingest
from urlset.builder.ledger import LEDGER, Ledger, clamp_future
from urlset.builder.names import FileNames
from urlset.builder.options import BuildOptions
from urlset.builder.page_cache import PageCache
from urlset.builder.publish import (
    Published,
    commit,
    publish,
    record_intent,
    shape_of,
)
from urlset.builder.render import FileRenderer
from urlset.builder.reports import (
    Counts,
    changes_written,
    count_changes,
    count_excluded,
    count_undated,
    examples_of,
    why,
    write_excluded,
)
from urlset.builder.resolve import check_patterns, resolve
from urlset.builder.result import Build, BuiltFile
from urlset.builder.sections import section_labels
from urlset.builder.url_exclusions import exclude
from urlset.errors import SourceError, StoreError, TargetError
from urlset.publisher import Target, open_target
from urlset.sources import Source
from urlset.store import ScratchDatabase

__all__ = ["LEDGER", "Pipeline"]

"""Where the ledger lies, from the working directory: never in the folder that is served."""


class Pipeline:
    """One build; :meth:`run` does all of it."""

    def __init__(
        self,
        sources: Sequence[Source],
        target: str,
        settings: BuildOptions,
        progress: Callable[[str], None] | None = None,
    ):
        self._sources, self._settings = section_labels(sources, settings)
        self._place = target
        self._progress = progress or _say_nothing
        self._engine = engines.get(settings.engine)
        self._notes: list[str] = []
        self._pages: PageCache | None = None
        self._duplicates = self._undated = 0
        self._left_out: dict[str, int] = {}
        self._explained: tuple[str, ...] = ()

    def run(self) -> Build:
        """Build, publish, and tell what it came to."""
        settings = self._settings
        with ExitStack() as stack:
            bench = stack.enter_context(ScratchDatabase())
            check_patterns(bench, settings)
            if settings.robots is not None:
                check_robots(settings.robots, place=self._place)
            target = stack.enter_context(self._target())
            path, is_kept = settings.ledger or LEDGER, not settings.dry_run
            ledger = Ledger(bench, path, target.location, settings.name, is_kept=is_kept)
            intake = Ingest(bench, self._engine, settings)
            self._prepare(bench, ledger, intake, target)
            self._duplicates = resolve(bench, ledger, settings, is_familiar=intake.is_trusting)
            counts = count_changes(bench)
            self._undated = count_undated(bench, ledger, settings)
            self._left_out = count_excluded(bench, settings)
            if settings.excluded is not None:
                names = [source.name for source in self._sources]
                write_excluded(bench, settings, names, intake.rejected, settings.excluded)
            self._pass_gates(bench, ledger, intake, counts)
            placing = Allocator(bench, ledger, settings, self._engine, has_more=intake.has_extended)
            placing.place()
            rendering = FileRenderer(
                bench, settings, self._engine, target, has_more=intake.has_extended
            )
            published = publish(placing, rendering, ledger, settings, target, self._progress)
            self._note_names(published)
            stage_companion_files(published, settings, target)
            if settings.robots is not None:
                check_robots(settings.robots, named_urls(published, settings), place=self._place)
            self._explain(bench, placing, published)
            if not settings.dry_run:
                self._publish(bench, ledger, placing, published, counts, target)
            self._notes += stale_notes(published, settings, self._engine, target)
            return self._result(bench, intake, published, counts)

    def _target(self) -> Target:
        settings = self._settings
        return open_target(
            self._place,
            settings.name,
            cache_control=settings.cache_control,
            encoding=settings.encoding,
            is_dry_run=settings.dry_run,
        )

    def _prepare(
        self, bench: ScratchDatabase, ledger: Ledger, intake: Ingest, target: Target
    ) -> None:
        """Know what is published, then take in what the sources give."""
        if ledger.is_new:
            note = adopt(bench, ledger, intake, self._settings, self._engine, target)
            self._notes += [note] if note else []
        self._notes += clamp_future(bench, ledger, self._settings)
        if ledger.shape == shape_of(self._settings) and not self._settings.is_text:
            intake.trust(ledger.table("urls"))
        self._check_sources()
        if self._settings.trust_mtime:
            self._pages = PageCache(bench, ledger)
        for source in self._sources:
            if self._pages is not None and hasattr(source, "use_cache"):
                source.use_cache(self._pages)
            try:
                for count in intake.take(source):
                    self._progress(f"{count:,} URLs")
            except SourceError as error:
                if self._settings.on_error == "raise":
                    raise
                source.failures.append(str(error))
        for count in intake.settle():
            self._progress(f"{count:,} URLs")
        self._notes += intake.notes
        if self._settings.obey_robots is not None:
            exclude(bench, intake.staging, self._settings.obey_robots, self._settings)
        if intake.urls.encoded:
            urls = "1 URL" if intake.urls.encoded == 1 else f"{intake.urls.encoded:,} URLs"
            self._notes.append(
                f"{urls} written in canonical form (percent-encoded), e.g. {intake.urls.example}"
            )
        self._notes += [
            f"{count:,} {'URL' if count == 1 else 'URLs'} {what}"
            for count, what in (
                (intake.urls.secured, "of http written with https, as the base URL"),
                (intake.urls.untracked, "written without tracking parameters"),
            )
            if count
        ]
        if intake.fragments:
            urls = "1 URL" if intake.fragments == 1 else f"{intake.fragments:,} URLs"
            self._notes.append(f"{urls} with a fragment (#…), which is no part of a page's address")

    def _check_sources(self) -> None:
        """Find wrong columns of every source before the rows of the first one are read."""
        if len(self._sources) < 2 or self._settings.on_error != "raise":
            return
        for source in self._sources:
            check: Callable[[], None] | None = getattr(source, "check", None)
            if check is not None:
                check()

    def _pass_gates(
        self, bench: ScratchDatabase, ledger: Ledger, intake: Ingest, counts: Counts
    ) -> None:
        before = ledger.count()
        urls = before + counts["added"] - counts["removed"]
        self._notes += warnings(bench, self._settings)
        if not urls:
            given = intake.count + len(intake.rejected)
            names = [source.name for source in self._sources]
            guards.check_zero(given, names, self._left_out, self._settings)
        guards.check_share(urls, before, self._settings)
        guards.check_hosts(bench, self._settings)

    def _note_names(self, published: Published) -> None:
        names = FileNames(self._settings)
        names.of(published.files)
        self._notes += names.notes

    def _explain(self, bench: ScratchDatabase, placing: Allocator, published: Published) -> None:
        names = {file.number: file.name for file in published.files}
        sources = [source.name for source in self._sources]
        self._explained = tuple(
            line
            for url in self._settings.why
            for line in why(bench, url, self._settings, sources, names, placing.ranges)
        )

    def _publish(
        self,
        bench: ScratchDatabase,
        ledger: Ledger,
        placing: Allocator,
        published: Published,
        counts: Counts,
        target: Target,
    ) -> None:
        """Swap the files in, and remember it: both, or neither."""
        record_intent(bench, ledger, self._settings, published, target)
        is_swapped = False
        try:
            with bench.transaction(), changes_written(bench, self._settings.changes):
                commit(bench, ledger, self._settings, published, placing.ranges, counts)
                if self._pages is not None:
                    self._pages.commit()
                target.swap(published.new_names, published.retired)
                is_swapped = True
        except (StoreError, TargetError) as error:
            if not is_swapped:
                raise
            words = "the sitemaps are published, but not remembered: build again"
            raise type(error)(f"{error}; {words}") from error
        if self._settings.robots is not None:
            write_robots(published, self._settings)

    def _result(
        self, bench: ScratchDatabase, intake: Ingest, published: Published, counts: Counts
    ) -> Build:
        changed = published.changed
        return Build(
            target=self._place,
            base_url=self._settings.base,
            urls=sum(file.urls for file in published.files),
            files=tuple(BuiltFile.of(f, changed=f.name in changed) for f in published.files),
            indexes=tuple(BuiltFile.of(f, changed=f.name in changed) for f in published.indexes),
            **counts,
            rejected=tuple(intake.rejected),
            left_out=self._left_out,
            excluded=examples_of(
                bench, self._settings, [source.name for source in self._sources], self._left_out
            ),
            undated=self._undated,
            duplicates=self._duplicates,
            removed_files=tuple(published.retired),
            notes=(*self._notes, *(note for source in self._sources for note in source.notes)),
            failures=tuple(text for source in self._sources for text in source.failures),
            why=self._explained,
        )


def _say_nothing(words: str) -> None:
    """Progress that nobody asked for."""
