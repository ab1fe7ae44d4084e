"""Entries written as sitemaps that respect every limit, and the index of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from urlset import engine as engines
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.publisher import FolderTarget
from urlset.urls import parse_url
from urlset.writer import stylesheet as styles
from urlset.writer.file_names import FileNaming, Format
from urlset.writer.index import Previous, render_indexes
from urlset.writer.input_batches import batches
from urlset.writer.result import Publication, Rejection, WrittenFile
from urlset.writer.splitter import Limits, Packed, Packer
from urlset.writer.validation import Rules

__all__ = ["Publication", "Rejection", "WrittenFile", "render", "write"]

_Index = Literal["auto", "always"]
_OnError = Literal["raise", "skip"]
_Duplicates = Literal["drop", "keep"]


def write(
    entries: Any,
    target: str | os.PathLike[str],
    *,
    base_url: str | None = None,
    gzip: bool = False,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
    name: str = "sitemap",
    format: Format = "xml",
    stylesheet: str | None = None,
    index: _Index = "auto",
    on_error: _OnError = "raise",
    duplicates: _Duplicates = "drop",
    allow_empty: bool = False,
    dry_run: bool = False,
    now: datetime | None = None,
    progress: Callable[[int], None] | None = None,
    engine: str | None = None,
) -> Publication:
    """Write entries as sitemaps into a folder, split on the limits of the protocol, with an index.

    ``entries`` are :class:`urlset.Entry`, ``str`` or dicts in any iterable, or a table of
    anything that speaks Arrow (polars, pandas, pyarrow, DuckDB); they are never in memory as a
    whole. ``target`` is a folder, created where missing; ``base_url`` is its address: relative
    URLs are resolved against it, and an index needs it. One file is ``sitemap.xml``; several
    are ``sitemap-1.xml``, … and ``sitemap.xml`` is their index (``index="always"``: from the
    first file on). ``format="text"`` writes URLs alone.
    ``stylesheet="sitemap.css"`` has a file of that name written, with which browsers show XML as
    a table; an address with a path (``/assets/my.css``) names one of yours.

    A file whose content is the same as before is left alone and keeps its ``lastmod`` in the
    index; ``now`` is the moment that the others get there. Files are staged, then swapped in,
    the index last; until then, whatever fails, the folder stays as it was. Files that the last
    index listed and this one does not are removed. ``dry_run`` does all of it but the swap.

    What could not be read back as valid raises :class:`urlset.EntryError`, or with
    ``on_error="skip"`` is left out and told in ``rejected``. So is, always, a URL that was
    there before (``duplicates="keep"`` lets it pass, and remembers no URLs). A folder that
    cannot be written, an index without ``base_url`` and a set without any entry (but for
    ``allow_empty``) raise :class:`urlset.TargetError`; options out of range ``ValueError``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(["https://example.com/"], folder).files[0].name
    'sitemap.xml'
    """
    base = _base(base_url)
    scheme = FileNaming.of(name, format, gzip)
    limits = _limits(max_urls, max_bytes)
    styles.check_address(stylesheet)
    for option, value, words in (
        ("index", index, get_args(_Index)),
        ("on_error", on_error, get_args(_OnError)),
        ("duplicates", duplicates, get_args(_Duplicates)),
    ):
        if value not in words:
            raise ValueError(f"expected {option} to be one of {words}, found {value!r}")
    chosen = engines.get(engine)
    packer = Packer(
        chosen,
        Rules(base, format == "text", engine),
        limits,
        on_error=on_error,
        duplicates=duplicates,
        progress=progress,
        stylesheet=stylesheet,
    )
    documents = _or_empty(packer, packer.documents(batches(entries)), allow_empty)
    with FolderTarget(Path(target), name) as staging:
        desk = _Desk(staging, scheme, chosen, _moment(now), stylesheet)
        files = list(desk.files(documents, is_indexed=index == "always"))
        is_indexed = index == "always" or len(files) > 1
        if is_indexed and base is None:
            raise TargetError(
                f"expected base_url, for the index of {len(files)} files needs their full "
                "addresses, found none; give the address of the folder, "
                'e.g. base_url="https://example.com/"'
            )
        indexes = list(desk.indexes(files, base)) if is_indexed and base is not None else []
        names = [file.name for file in (*files, *indexes)]
        retired = desk.retired(names)
        style = desk.style(names)
        if not dry_run:
            changed = [file.name for file in (*files, *indexes) if file.changed]
            staging.swap([*style, *changed], retired)
    return Publication(
        staging.folder,
        packer.urls,
        tuple(files),
        tuple(indexes),
        tuple(retired),
        tuple(packer.rejected),
        base,
    )


def render(
    entries: Any,
    *,
    base_url: str | None = None,
    gzip: bool = False,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
    format: Format = "xml",
    stylesheet: str | None = None,
    duplicates: _Duplicates = "drop",
    allow_empty: bool = False,
    on_rejected: Callable[[Rejection], None] | None = None,
    engine: str | None = None,
) -> bytes:
    """Render entries as the bytes of one sitemap, for the view of a web application.

    ``entries`` and the options are those of :func:`write`; nothing is written to a disk. The media
    type is ``application/xml``, of ``format="text"`` it is ``text/plain; charset=utf-8``, and with
    ``gzip`` the body is a file of gzip (``application/gzip``, or ``Content-Encoding: gzip``).

    An entry that may not be written raises :class:`urlset.EntryError`; with ``on_rejected`` it is
    left out, and that function is called with each :class:`urlset.writer.Rejection`, also with
    those of duplicates. More entries than one sitemap holds, and none at all (but for
    ``allow_empty``), raise :class:`urlset.TargetError`; options out of range ``ValueError``.

    >>> render(["https://example.com/"]).splitlines()[-2]
    b'<url><loc>https://example.com/</loc></url>'
    """
    if format not in get_args(Format):
        raise ValueError(f"expected format to be one of {get_args(Format)}, found {format!r}")
    if duplicates not in get_args(_Duplicates):
        words = get_args(_Duplicates)
        raise ValueError(f"expected duplicates to be one of {words}, found {duplicates!r}")
    styles.check_address(stylesheet)
    chosen = engines.get(engine)
    packer = Packer(
        chosen,
        Rules(_base(base_url), format == "text", engine),
        _limits(max_urls, max_bytes),
        on_error="raise" if on_rejected is None else "skip",
        duplicates=duplicates,
        progress=None,
        stylesheet=stylesheet,
    )
    documents = _or_empty(packer, packer.documents(batches(entries)), allow_empty)
    data = next(documents).data
    if next(documents, None) is not None:
        raise TargetError(
            f"expected entries that fit into one sitemap of at most {max_urls:,} URLs and "
            f"{max_bytes:,} bytes, found more; write them into a folder (urlset.write), "
            "or render each part of them"
        )
    if on_rejected is not None:
        for rejection in packer.rejected:
            on_rejected(rejection)
    return chosen.gzip(data) if gzip else data


class _Desk:
    """Turns documents into staged files, leaving alone those that lie in the folder already."""

    def __init__(
        self,
        staging: FolderTarget,
        scheme: FileNaming,
        engine: Engine,
        now: datetime,
        stylesheet: str | None,
    ):
        self._staging = staging
        self._scheme = scheme
        self._engine = engine
        self._now = now
        self._stylesheet = stylesheet
        self._previous = Previous.of(scheme, staging.read, engine)

    def files(self, documents: Iterator[Packed], *, is_indexed: bool) -> Iterator[WrittenFile]:
        """Stage documents as they come; the first one's name waits for the second."""
        first = next(documents)
        second = next(documents, None)
        if second is None and not is_indexed:
            yield self._file(self._scheme.single(), first)
            return
        yield self._file(self._scheme.child(1), first)
        del first
        number = 2
        while second is not None:
            yield self._file(self._scheme.child(number), second)
            number, second = number + 1, next(documents, None)

    def indexes(self, files: list[WrittenFile], base: str) -> Iterator[WrittenFile]:
        """Stage the indexes of files."""
        pairs = ((file.name, file.lastmod) for file in files)
        for number, (data, count) in enumerate(render_indexes(pairs, base, self._stylesheet), 1):
            yield self._file(self._scheme.index(number), Packed(data, count))

    def style(self, names: list[str]) -> list[str]:
        """Stage the style sheet, if a file of these asks for it and it does not lie there yet."""
        name = styles.file_of(self._stylesheet)
        if name is None or all(file.endswith((".txt", ".txt.gz")) for file in names):
            return []
        data = styles.to_write(self._staging.read(name))
        if data is None:
            return []
        self._staging.stage(name, data)
        return [name]

    def retired(self, names: list[str]) -> list[str]:
        """The files of the last set that are no part of this one."""
        old = (*self._previous.indexes, *self._previous.files)
        kept = set(names)
        return [
            name for name in old if name not in kept and (self._staging.folder / name).is_file()
        ]

    def _file(self, name: str, document: Packed) -> WrittenFile:
        path = self._staging.folder / name
        urls, size = document.urls, len(document.data)
        there = self._staging.read(name)
        if there is not None and self._is_same(there, document.data):
            lastmod = self._previous.files.get(name) or _modified(path)
            return WrittenFile(name, path, urls, size, len(there), lastmod, changed=False)
        data = self._engine.gzip(document.data) if self._scheme.is_packed else document.data
        self._staging.stage(name, data)
        return WrittenFile(name, path, urls, size, len(data), self._now, changed=True)

    def _is_same(self, there: bytes, data: bytes) -> bool:
        """Whether a file on the disk says the same, however it was packed."""
        if self._scheme.is_packed:
            return self._engine.gunzip(there, len(data)) == data
        return there == data


def _or_empty(packer: Packer, documents: Iterator[Packed], allow_empty: bool) -> Iterator[Packed]:
    first = next(documents, None)
    if first is not None:
        yield first
        yield from documents
    elif allow_empty:
        yield packer.empty()
    else:
        count = len(packer.rejected)
        why = (
            f"all {count:,} were rejected, first: {packer.rejected[0].reason}" if count else "none"
        )
        raise TargetError(
            f"expected entries, found {why}; a set without URLs is published only with "
            "allow_empty=True, and what was published before is unchanged"
        )


def _base(base_url: str | None) -> str | None:
    """The address of the folder, with a slash at its end."""
    if base_url is None:
        return None
    read = parse_url(base_url)
    if read.url != base_url or read.issues or "?" in base_url or "#" in base_url:
        raise ValueError(
            f"expected base_url to be the http(s) address of a folder, found {base_url!r}; "
            'write it as "https://example.com/" or "https://example.com/maps/"'
        )
    return base_url if base_url.endswith("/") else f"{base_url}/"


def _limits(max_urls: int, max_bytes: int) -> Limits:
    for option, value, most in (
        ("max_urls", max_urls, MAX_URLS),
        ("max_bytes", max_bytes, MAX_BYTES),
    ):
        if not 1 <= value <= most:
            raise ValueError(
                f"expected {option} from 1 to {most:,} (sitemaps.org), found {value!r}"
            )
    return Limits(max_urls, max_bytes)


def _moment(now: datetime | None) -> datetime:
    if now is None:
        return datetime.now(UTC).replace(microsecond=0)
    if now.tzinfo is None:
        raise ValueError(f"expected now with a time zone, found {now!r}; use datetime.now(UTC)")
    return now.astimezone(UTC)


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
