"""From a placing to what is published: files, indexes, and the ledger that remembers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from urlset.builder.ledger import File, Ledger
from urlset.builder.naming import Names
from urlset.builder.placing import Placing
from urlset.builder.rendering import Rendering, digest_of
from urlset.builder.settings import Settings
from urlset.publisher import Staging
from urlset.writer.indexing import render_indexes

__all__ = ["Published", "publish", "shape_of"]


@dataclass
class Published:
    """The set as it is staged: its files and indexes, which of them are new, and what is left."""

    files: list[File] = field(default_factory=list)
    indexes: list[File] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    retired: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of all, the indexes last."""
        return [file.name for file in (*self.files, *self.indexes)]


def publish(
    placing: Placing,
    rendering: Rendering,
    ledger: Ledger,
    settings: Settings,
    target: Staging,
    progress: Callable[[str], None],
) -> Published:
    """Stage every file that is not as it is to be, and the indexes of all."""
    names = Names(settings)
    files = sorted(placing.files.values(), key=lambda file: (file.section, file.position))
    named = names.of(files)
    stale = {file.number for file in files if _is_stale(file, named, ledger, settings, target)}
    made = {file.number: file for file in files}
    published = Published()
    wanted = placing.dirty & set(made) | stale
    for count, file in enumerate(rendering.render(placing, named, wanted), 1):
        _note(file, published, target)
        made[file.number] = file
        progress(f"{count:,} of {len(wanted):,} files")
    published.files = [made[file.number] for file in files]
    if names.is_indexed(files):
        published.indexes = list(_indexes(published, names, rendering, ledger, settings, target))
    published.retired = _retired(published, ledger, target)
    return published


def shape_of(settings: Settings) -> str:
    """What all files look like but for their entries: when it changes, all are written anew."""
    return f"{settings.format} {'styled' if settings.stylesheet else 'plain'} 1"


def _is_stale(
    file: File, named: Any, ledger: Ledger, settings: Settings, target: Staging
) -> bool:
    """Whether what lies in the target is not what the ledger says, or not what is wanted."""
    if file.digest is None or file.name != named[file.number]:
        return True
    if ledger.shape != shape_of(settings):
        return True
    there = target.read(file.name)
    return there is None or digest_of(there) != file.digest


def _note(file: File, published: Published, target: Staging) -> None:
    there = target.read(file.name)
    if there is None or digest_of(there) != file.digest:
        published.changed.add(file.name)


def _indexes(
    published: Published,
    names: Names,
    rendering: Rendering,
    ledger: Ledger,
    settings: Settings,
    target: Staging,
) -> Iterator[File]:
    before = ledger.indexes()
    for section, files in _index_groups(published.files, settings):
        for number, (data, count) in enumerate(render_indexes(files, settings.base), 1):
            name = names.index(section, number)
            old = before.get(name)
            made = File(0, section, number, count, name=name, lastmod=old.lastmod if old else None)
            index = rendering.stage(made, data)
            _note(index, published, target)
            yield index


def _index_groups(files: list[File], settings: Settings) -> Iterable[tuple[str, list[Any]]]:
    if settings.index != "section":
        return [("", files)]
    groups: dict[str, list[File]] = {}
    for file in files:
        groups.setdefault(file.section, []).append(file)
    return groups.items()


def _retired(published: Published, ledger: Ledger, target: Staging) -> list[str]:
    """What the ledger says was published, and is no part of the set any more."""
    kept = set(published.names)
    old = [*(file.name for file in ledger.files()), *ledger.indexes()]
    return [name for name in dict.fromkeys(old) if name not in kept and target.read(name)]

