"""Build one section of a set in any process: its files and its ledger are staged.

The rows of a section go through the same stages as those of :func:`urlset.build`. What is staged is
in a folder that all processes share; :mod:`urlset.partitioned.publication` publishes it.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from uuid import uuid4

from urlset.arrow.batches import (
    column_values,
    record_batch,
    text_array,
    with_columns,
    without_column,
)
from urlset.arrow.streams import LazyStream
from urlset.builder import Build, BuildOptions, build, build_settings
from urlset.builder.file_mark import digest_of
from urlset.builder.inputs import open_inputs
from urlset.builder.ledger import Ledger
from urlset.builder.pipeline import Pipeline
from urlset.builder.sections import word_of
from urlset.engine import DocumentBytes
from urlset.errors import SourceError, TargetError, suggestion
from urlset.option_schema import expect_local
from urlset.publisher import Target, open_target, sync_files
from urlset.publisher.target import has_content
from urlset.result import Closing
from urlset.store import ScratchDatabase, quoted

LEDGER_FILE, URLS_FILE = "ledger.duckdb", "urls.parquet"
"""The ledger of a section, and its table ``urls`` for other programs."""

CURRENT, RUN = "current", "run-"
"""Folders in that of the ledgers: the ledgers of the sections, and what a build has staged."""
SECTION_FOLDER = "section="

SECTION_WORD = "section_word"
"""Column that :func:`label_sections` adds."""

_WORD = re.compile(r"[a-z0-9_-]*")

_OWN = ("changes", "compact", "dry_run", "excluded", "ledger", "sections", "why")
"""Options of ``build`` for one process only, or which the functions of this module set."""


@dataclass(frozen=True)
class BuildPlan:
    """Options of one build in sections; it can be pickled.

    Attributes:
        target: Folder or bucket to publish to.
        ledger: Folder for the ledgers of the sections and for staged files.
        run: Name of this build in that folder.
        section: Column with the section of a row.
        settings: Options of the build.
    """

    target: str
    ledger: str
    run: str
    section: str
    settings: BuildOptions

    def open_target(self) -> Target:
        """Return the target."""
        settings = self.settings
        return open_target(
            self.target,
            settings.name,
            cache_control=settings.cache_control,
            encoding=settings.encoding,
        )


@dataclass(frozen=True)
class SectionBuild:
    """Section whose files are staged; it can be pickled.

    Attributes:
        section: Its name.
        folder: Folder in that of the build, with its ledger and its files.
        digests: Digest of each staged file, by name, in the order of publication.
        build: Its files and counts.
    """

    section: str
    folder: str
    digests: dict[str, str]
    build: Build


def plan_build(
    target: str | os.PathLike[str],
    *,
    ledger: str | os.PathLike[str],
    section: str,
    base_url: str,
    **options: Any,
) -> BuildPlan:
    """Return the plan of a build in sections, the first step of it; it requests nothing.

    Args:
        target: The folder or bucket (``s3://…``) to publish to, which all processes can read.
        ledger: Folder that all processes can read and write, outside of what is published: the
            ledgers of the sections, and the files that are not published yet.
        section: Column of the rows with the name of the section, as ``column:NAME`` of
            :func:`urlset.build`. All rows of a section are built in one process.
        base_url: The address of the target.
        **options: Further options of :func:`urlset.build`, except ``changes``, ``compact``,
            ``dry_run``, ``excluded``, ``sections`` and ``why``.

    Raises:
        ValueError: An option is unknown or has an invalid value.
    """
    expect_local("ledger", ledger)
    parameters = inspect.signature(build).parameters.values()
    defaults = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    known = defaults.keys() - set(_OWN)
    for name in options:
        if name not in known:
            raise ValueError(f"unknown option {name!r}{suggestion(name, sorted(known))}")
    given = {**defaults, **options, "base_url": base_url, "sections": f"column:{section}"}
    settings = build_settings(given)
    if settings.index == "auto":
        settings = replace(settings, index="always")
    if settings.index == "section" and settings.include_sitemaps:
        raise ValueError(
            "include_sitemaps: expected an index of all sections, which lists them, found "
            "index='section'"
        )
    place = os.fspath(target)
    if "://" not in place:
        place = os.path.abspath(place)
    return BuildPlan(place, os.path.abspath(ledger), RUN + uuid4().hex, section, settings)


def build_section(plan: BuildPlan, section: str, rows: Any) -> SectionBuild:
    """Build one section and stage its files; nothing is published.

    It may run several times, at the same time, for the same section: pass one of the results to
    :func:`urlset.partitioned.publish_build`.

    Args:
        plan: The plan, of :func:`urlset.partitioned.plan_build`.
        section: The section of all rows, as :func:`section_word` writes it.
        rows: All rows of the section: an Arrow stream, or another source of :func:`urlset.build`.

    Raises:
        urlset.UrlsetError: As :func:`urlset.build`; or a row belongs to another section.
        ValueError: The section is not a word for file names.
    """
    if not _WORD.fullmatch(section):  # it becomes the name of a folder
        expected = f"expected the result of section_word, {section_word(section)!r}"
        raise ValueError(f"section: {expected}, found {section!r}")
    ledgers = Path(plan.ledger)
    name = f"{SECTION_FOLDER}{section}"
    folder = f"{name}~{uuid4().hex[:12]}"
    place = ledgers / plan.run / folder
    with staging_errors(place):
        place.mkdir(parents=True)
        known = ledgers / CURRENT / name / LEDGER_FILE
        if known.exists():
            shutil.copyfile(known, place / LEDGER_FILE)
    force = {*plan.settings.force, "zero", "shrunk", "source"}  # they hold for all sections
    settings = replace(
        plan.settings,
        ledger=place / LEDGER_FILE,
        robots=None,
        include_sitemaps=(),  # the publication reads and lists them
        force=tuple(sorted(force)),
    )
    target = _SectionTarget(plan, place)
    built = Pipeline(list(open_inputs(rows, settings)), plan.target, settings, part=target).run()
    others = {file.section for file in built.files} - {section}
    if others:
        raise SourceError(
            f"expected rows of the section {section!r}, found rows of {', '.join(sorted(others))}"
        )
    with ScratchDatabase() as db:
        file = place / LEDGER_FILE
        ledger = Ledger(db, file, target.location, settings.name, is_persistent=False)
        urls = quoted(str(place / URLS_FILE))
        db.run_long(f"COPY {ledger.table('urls')} TO {urls} (FORMAT parquet, COMPRESSION zstd)")
    digests = target.digests
    if settings.index != "section":  # the whole set has one index, of all sections
        own = {file.name for file in built.indexes}
        digests = {name: digest for name, digest in digests.items() if name not in own}
        built = replace(built, indexes=())
    return SectionBuild(section, folder, digests, built)


def label_sections(plan: BuildPlan, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches with the column ``section_word``: the section of each row in file names.

    Rows with the same word must be built together.

    Args:
        plan: The plan.
        batches: Arrow batches of rows.

    Raises:
        ValueError: A batch has no column with the section.
    """
    words: dict[object, str] = {}
    for given in batches:
        batch = record_batch(given)
        columns = batch.schema.names
        if plan.section not in columns:
            raise ValueError(f"section: found {plan.section!r}{suggestion(plan.section, columns)}")
        names = column_values(batch, plan.section)
        if new := list(set(names) - words.keys()):
            words.update(zip(new, _section_words(new), strict=True))
        yield with_columns(batch, {SECTION_WORD: text_array([words[name] for name in names])})


def build_sections(plan: BuildPlan, batches: Iterable[Any]) -> Iterator[SectionBuild]:
    """Build several sections, one after the other; see :func:`build_section`.

    Args:
        plan: The plan.
        batches: Arrow batches of :func:`label_sections`, with the rows of a section together.
    """
    for word, some in groupby(_slices(batches), key=itemgetter(0)):
        rows = (batch for _, batch in some)
        first = next(rows)
        stream = LazyStream(first.schema, partial(chain, [first], rows))
        yield build_section(plan, word, stream)


def _slices(batches: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the word of each section in each batch, with its rows."""
    for given in batches:
        batch = record_batch(given)
        rows = without_column(batch, SECTION_WORD)
        start = 0
        for word, run in groupby(column_values(batch, SECTION_WORD)):
            count = sum(1 for _ in run)
            yield word, rows.slice(start, count)
            start += count


def section_word(name: object) -> str:
    """Return a name of a section as files have it; an empty text for None.

    >>> section_word("Rye & Tea"), section_word(None)
    ('rye-tea', '')
    """
    return _section_words([name])[0]


def _section_words(names: Sequence[object]) -> list[str]:
    texts = ["" if name is None else str(name) for name in names]
    with ScratchDatabase() as db:
        query = f"SELECT {word_of('name')} FROM (SELECT unnest(?) AS name)"
        return [word for (word,) in db.rows(query, (texts,))]


class _SectionTarget(Closing):
    """Target of a section: reads what is published, and stages files for a later publication.

    What is staged stays: :func:`urlset.partitioned.publish_build` removes it.
    """

    def __init__(self, plan: BuildPlan, place: Path):
        self.digests: dict[str, str] = {}
        self._target = plan.open_target()
        self._place = place
        self.location: str = self._target.location
        self.is_remote: bool = self._target.is_remote

    def names(self) -> list[str]:
        """Return the names of the published files, of all sections; none without the folder."""
        is_there = self.is_remote or os.path.isdir(self.location)
        return self._target.names() if is_there else []

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a published file; None if there is none."""
        return self._target.read(name)

    def modified(self, name: str) -> datetime | None:
        """Return when a published file was written; None if there is none."""
        return self._target.modified(name)

    def stage(self, name: str, data: DocumentBytes) -> None:
        """Write a file to the folder of the section."""
        with staging_errors(self._place), open(self._place / name, "xb") as file:
            file.write(data)
        self.digests[name] = digest_of(data)

    def read_staged(self, name: str) -> bytes:
        """Return the bytes of a staged file."""
        with staging_errors(self._place):
            return (self._place / name).read_bytes()

    def has_staged(self, name: str, data: DocumentBytes) -> bool:
        """Return whether a staged file has these bytes."""
        with staging_errors(self._place):
            return has_content(self._place / name, data)

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Sync the staged files to disk; :func:`urlset.partitioned.publish_build` does the rest."""
        del retired
        with staging_errors(self._place):
            sync_files([str(self._place / name) for name in names])
        self.digests = {name: self.digests[name] for name in names}


@contextmanager
def staging_errors(place: Path) -> Iterator[None]:
    """Raise errors of the operating system in a ``with`` block as :class:`urlset.TargetError`."""
    try:
        yield
    except OSError as error:
        raise TargetError(
            f"cannot stage files in {place}: {error.strerror or error}; nothing was published"
        ) from error
