"""One build, step by step: take in, decide, place, render, pass the gates, swap, remember."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from urlset import engine as engines
from urlset.builder import gates
from urlset.builder.committing import Counts, commit, count_changes
from urlset.builder.deciding import decide, refusal
from urlset.builder.intake import Intake
from urlset.builder.ledger import Ledger
from urlset.builder.placing import Placing
from urlset.builder.publishing import Published, publish
from urlset.builder.rendering import Rendering
from urlset.builder.result import Build, BuiltFile
from urlset.builder.settings import Settings
from urlset.publisher import Staging
from urlset.sources import Source
from urlset.store import Workbench

__all__ = ["Job"]

LEDGER = Path(".urlset") / "ledger.duckdb"
"""Where the ledger lies, from the working directory: never in the folder that is served."""

FRAME = 110  # header and footer without anything optional


class Job:
    """One build; :meth:`run` does all of it."""

    def __init__(
        self,
        sources: Sequence[Source],
        target: str,
        settings: Settings,
        progress: Callable[[str], None] | None = None,
    ):
        self._sources = sources
        self._target = target
        self._settings = settings
        self._progress = progress or (lambda text: None)
        self._engine = engines.get(settings.engine)

    def run(self) -> Build:
        """Build, publish, and tell what it came to."""
        settings = self._settings
        with ExitStack() as stack:
            bench = stack.enter_context(Workbench())
            target = stack.enter_context(Staging(Path(self._target), settings.name))
            path = settings.ledger or LEDGER
            ledger = Ledger(bench, path, str(Path(self._target).resolve()))
            intake = Intake(bench, self._engine, settings)
            for source in self._sources:
                for count in intake.take(source):
                    self._progress(f"{count:,} URLs")
            doubles = decide(bench, ledger, settings)
            counts = count_changes(bench)
            before = sum(file.urls for file in ledger.files())
            self._pass_gates(bench, counts, before)
            placing = Placing(bench, ledger, settings, frame=FRAME, has_more=intake.has_extended)
            placing.place()
            rendering = Rendering(
                bench, settings, self._engine, target, has_more=intake.has_extended
            )
            published = publish(placing, rendering, ledger, settings, target, self._progress)
            if not settings.dry_run:
                with bench.transaction():
                    commit(bench, ledger, settings, published, placing.ranges, counts)
                    names = [name for name in published.names if name in published.changed]
                    target.swap(names, published.retired)
            return self._result(bench, intake, published, counts, doubles)

    def _pass_gates(self, bench: Workbench, counts: Counts, before: int) -> None:
        urls = before + counts["added"] - counts["removed"]
        gates.check_zero(urls, self._settings, "")
        gates.check_share(urls, before, self._settings)
        gates.check_hosts(bench, self._settings)

    def _result(
        self,
        bench: Workbench,
        intake: Intake,
        published: Published,
        counts: Counts,
        doubles: int,
    ) -> Build:
        def told(files: list) -> tuple[BuiltFile, ...]:
            return tuple(BuiltFile.of(f, changed=f.name in published.changed) for f in files)

        why = refusal(self._settings)
        left_out = Counter(
            dict(
                bench.rows(f"""
                    SELECT {why} AS why, count(*) FROM given g WHERE why IS NOT NULL
                    GROUP BY why ORDER BY 2 DESC, 1""")
            )
        )
        return Build(
            target=self._target,
            base_url=self._settings.base,
            urls=sum(file.urls for file in published.files),
            files=told(published.files),
            indexes=told(published.indexes),
            **counts,
            rejected=tuple(intake.rejected),
            left_out=dict(left_out),
            duplicates=doubles,
            removed_files=tuple(published.retired),
            notes=tuple(note for source in self._sources for note in source.notes),
            failures=tuple(text for source in self._sources for text in source.failures),
        )
