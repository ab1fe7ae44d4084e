"""Publish all sections of a build at once, with their ledgers, in one process."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from urlset import engine as engines
from urlset.builder import Build, BuildOptions, guards
from urlset.builder.file_mark import digest_of
from urlset.builder.included_sitemaps import read_included
from urlset.builder.ledger import File
from urlset.builder.publish import (
    Published,
    check_robots,
    sitemap_urls,
    stage_copies,
    stage_indexes,
    write_robots,
)
from urlset.builder.render import FileRenderer
from urlset.builder.result import BuiltFile
from urlset.builder.sections import FileNames
from urlset.errors import SourceError, StoreError, TargetError
from urlset.partitioned.section_build import (
    CURRENT,
    LEDGER_FILE,
    RUN,
    SECTION_FOLDER,
    URLS_FILE,
    BuildPlan,
    SectionBuild,
    build_section,
    staging_errors,
)
from urlset.publisher import FolderLock, Target, sync_files
from urlset.store import ScratchDatabase, quoted

_FOLDER = re.compile(rf"{SECTION_FOLDER}[a-z0-9_-]*~[0-9a-f]+")
_SWAPPED = "published"
"""File in the folder of a run, once its files are published: the folders of its ledgers."""


def publish_build(plan: BuildPlan, sections: Iterable[SectionBuild]) -> Build:
    """Publish the sections of a build together, and record them: all of them, or none.

    The published sections that are not among them lose all of their URLs. The target is locked
    from before the first of ``sections`` is requested. What an earlier build staged and did not
    publish is removed.

    Args:
        plan: The plan, of :func:`urlset.partitioned.plan_build`.
        sections: The sections, in any order; they may be built when they are requested.

    Returns:
        The result, as of :func:`urlset.build` with all rows; rows of ``rejected`` are counted in
        their section.

    Raises:
        urlset.SourceError: A URL is in two sections, or two sections have files of one name.
        urlset.GateError: The set looks like an accident.
        urlset.TargetError: A file cannot be written.
        urlset.StoreError: The ledger cannot be written.
    """
    settings = plan.settings
    ledgers = Path(plan.ledger)
    with ExitStack() as stack:
        stack.enter_context(_locked(ledgers))
        target = stack.enter_context(plan.open_target())
        with _ledger_errors(ledgers, "nothing was published"):
            _recover(ledgers, plan.run)
        stack.callback(_discard, ledgers / plan.run)
        if settings.robots is not None:
            check_robots(settings.robots, target_name=plan.target)
        found = sorted(sections, key=lambda each: each.section)
        built = {each.section for each in found}
        for section in _published_sections(ledgers):
            if section not in built:
                empty = build_section(plan, section, [])
                found.append(replace(empty, build=replace(empty.build, notes=(), sources=())))
        _expect_staged(plan, found)
        _expect_distinct(plan, found)
        _check_gates(found, settings)
        db = stack.enter_context(ScratchDatabase())
        published, notes = _stage(plan, found, target, db)
        target.swap(published.new_names, published.retired)
        with _ledger_errors(
            ledgers, "the sitemaps are published, but the ledger was not updated: build again"
        ):
            _commit(ledgers, plan.run, found)
        if settings.robots is not None:
            write_robots(published, settings)
    return _result(plan, found, published, notes)


@contextmanager
def _locked(ledgers: Path) -> Iterator[None]:
    """Lock the folder of the ledgers; create it if it is missing."""
    lock = FolderLock(ledgers)
    with _ledger_errors(ledgers, "nothing was published"):
        ledgers.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _ledger_errors(ledgers: Path, state: str) -> Iterator[None]:
    """Raise errors of the operating system as :class:`urlset.StoreError`, with the state."""
    try:
        yield
    except (StoreError, TargetError):
        raise
    except OSError as error:
        raise StoreError(
            f"cannot write the ledger {str(ledgers)!r}: {error.strerror or error}; {state}"
        ) from error


def _recover(ledgers: Path, own: str) -> None:
    """Complete the commit of an interrupted publication; remove what other builds left."""
    for run in sorted(ledgers.glob(f"{RUN}*")):
        if run.name == own:
            continue
        if (run / _SWAPPED).exists():
            _move_ledgers(ledgers, run)
        _discard(run)


def _discard(run: Path) -> None:
    """Remove what a build staged, unless it is published and its ledgers are not yet in place."""
    if not (run / _SWAPPED).exists():
        shutil.rmtree(run, ignore_errors=True)


def _published_sections(ledgers: Path) -> list[str]:
    folders = sorted((ledgers / CURRENT).glob(f"{SECTION_FOLDER}*/{LEDGER_FILE}"))
    return [path.parent.name.removeprefix(SECTION_FOLDER) for path in folders]


def _expect_staged(plan: BuildPlan, found: Sequence[SectionBuild]) -> None:
    """Raise :class:`urlset.StoreError` if a section is not in the folder of the ledgers."""
    for each in found:
        place = Path(plan.ledger, plan.run, each.folder)
        if not (place / LEDGER_FILE).exists():
            raise StoreError(
                f"expected the section {each.section!r} in {str(place)!r}, found nothing; the "
                "ledger must be a folder that all processes share; nothing was published"
            )


def _expect_distinct(plan: BuildPlan, found: Sequence[SectionBuild]) -> None:
    """Raise :class:`urlset.SourceError` for a section, a name or a URL that is there twice."""
    counts = Counter(each.section for each in found)
    if twice := [section for section, count in counts.items() if count > 1]:
        raise ValueError(f"expected each section once, found {', '.join(sorted(twice))} again")
    owners: dict[str, str] = {}
    for each in found:
        for file in (*each.build.files, *each.build.indexes):
            owner = owners.setdefault(file.name.casefold(), each.section)
            if owner != each.section:
                raise SourceError(
                    f"expected different names of files, found {file.name} for the sections "
                    f"{owner!r} and {each.section!r}; rename one; nothing was published"
                )
    if len([each for each in found if each.build.urls]) < 2:
        return
    parts = " UNION ALL ".join(
        f"SELECT loc, {quoted(each.section)} AS section "
        f"FROM read_parquet({quoted(str(Path(plan.ledger, plan.run, each.folder, URLS_FILE)))})"
        for each in found
        if each.build.urls
    )
    with ScratchDatabase() as db:
        rows = db.rows(f"""
            WITH urls AS ({parts})
            SELECT loc, min(section), max(section) FROM urls WHERE hash(loc) IN
                (SELECT hash(loc) FROM urls GROUP BY ALL HAVING count(*) > 1)
            GROUP BY loc HAVING count(*) > 1 ORDER BY loc LIMIT 1""")
    for loc, first, last in rows:
        raise SourceError(
            f"expected each URL in one section, found {loc} in {first!r} and {last!r}; remove the "
            "repeated rows; nothing was published"
        )


def _check_gates(found: Sequence[SectionBuild], settings: BuildOptions) -> None:
    """Check the gates that compare the whole set with the one before."""
    urls = sum(each.build.urls for each in found)
    removed = sum(each.build.removed for each in found)
    before = urls - sum(each.build.added for each in found) + removed
    if not urls:
        excluded = _excluded(found)
        rejected = sum(len(each.build.rejected) for each in found)
        guards.check_zero(rejected + excluded.total(), ["the rows"], excluded, settings)
    guards.check_share(urls, before, settings)
    guards.check_removed(removed, before, settings)


def _excluded(found: Sequence[SectionBuild]) -> Counter[str]:
    counts = Counter[str]()
    for each in found:
        counts.update(each.build.excluded_counts or {})
    return counts


def _stage(
    plan: BuildPlan, found: Sequence[SectionBuild], target: Target, db: ScratchDatabase
) -> tuple[Published, list[str]]:
    """Stage the files of all sections, and the index; return them with notes."""
    settings = plan.settings
    published = Published()
    for each in found:
        published.files += map(_file, each.build.files)
        published.indexes += map(_file, each.build.indexes)
        published.retired += each.build.removed_files
    taken = {file.name for file in published.files} | {file.name for file in published.indexes}
    for each in found:
        for name, digest in each.digests.items():
            place = Path(plan.ledger, plan.run, each.folder)
            with staging_errors(place):
                data = (place / name).read_bytes()
            if digest_of(data) != digest:
                raise TargetError(
                    f"expected {name} as the section {each.section!r} staged it, found other "
                    "bytes; nothing was published"
                )
            if name in published.companions:
                continue  # the style sheet: each section has it
            target.stage(name, data)
            if name in taken:
                published.changed.add(name)
            else:
                published.companions.append(name)
    notes: list[str] = []
    if settings.index != "section":
        engine, names = engines.get(settings.engine), FileNames(settings)
        renderer = FileRenderer(db, settings, engine, target, files=(), own_names=(), extensions=())
        included = read_included(settings, engine, target)
        published.included = included.listed
        notes += included.failures
        published.indexes = list(stage_indexes(published, names, renderer, settings))
        published.changed |= renderer.staged_names
        notes += stage_copies(published, renderer.replaced_names, target)
    kept = {*published.names, *published.companions}
    published.retired = [name for name in dict.fromkeys(published.retired) if name not in kept]
    if settings.robots is not None:
        check_robots(settings.robots, sitemap_urls(published, settings), target_name=plan.target)
    return published, notes


def _file(file: BuiltFile) -> File:
    return File(
        0,
        file.section,
        0,
        file.urls,
        name=file.name,
        bytes=file.bytes,
        packed_bytes=file.packed_bytes,
        lastmod=datetime.fromisoformat(file.lastmod),
    )


def _commit(ledgers: Path, run: str, found: Sequence[SectionBuild]) -> None:
    """Move the new ledgers into place; a later build completes it if this process is killed."""
    place = ledgers / run
    chosen = "\n".join(each.folder for each in found)
    (place / f"{_SWAPPED}~").write_text(chosen, encoding="utf-8")
    sync_files([str(place / f"{_SWAPPED}~")])
    os.replace(place / f"{_SWAPPED}~", place / _SWAPPED)
    _move_ledgers(ledgers, place)


def _move_ledgers(ledgers: Path, run: Path) -> None:
    """Move the ledgers of a published run into place; then the run is no longer published."""
    chosen = (run / _SWAPPED).read_text("utf-8", "replace").splitlines()
    for folder in chosen:
        if not _FOLDER.fullmatch(folder):
            raise StoreError(
                f"expected names of folders in {str(run / _SWAPPED)!r}, found {folder!r}; remove "
                "that file: the next build records all URLs again"
            )
        kept = ledgers / CURRENT / folder.partition("~")[0]
        kept.mkdir(parents=True, exist_ok=True)
        for name in (URLS_FILE, LEDGER_FILE):
            if (run / folder / name).exists():
                os.replace(run / folder / name, kept / name)
    (run / _SWAPPED).unlink()


def _result(
    plan: BuildPlan, found: Sequence[SectionBuild], published: Published, notes: list[str]
) -> Build:
    builds = [each.build for each in found]

    def joined(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(value for each in builds for value in getattr(each, name)))

    def total(name: str) -> int:
        return sum(getattr(each, name) for each in builds)

    changed = published.changed
    return Build(
        target=plan.target,
        base_url=plan.settings.base,
        urls=total("urls"),
        files=tuple(file for each in builds for file in each.files),
        indexes=tuple(BuiltFile.of(f, changed=f.name in changed) for f in published.indexes),
        added=total("added"),
        changed=total("changed"),
        removed=total("removed"),
        rejected=joined("rejected"),
        excluded_counts=dict(_excluded(found)),
        excluded=joined("excluded"),
        undated=total("undated"),
        duplicates=total("duplicates"),
        removed_files=tuple(published.retired),
        notes=(*joined("notes"), *notes),
        incomplete=joined("incomplete"),
        sources=joined("sources"),
    )
