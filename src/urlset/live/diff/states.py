"""Open the two states that are compared: as a store, or as a Parquet file with entries."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, Any, Literal, NamedTuple, get_args

from urlset.arrow import is_arrow, lazy_advice
from urlset.errors import SourceError
from urlset.formats.detect import SourceKind, has_sitemap_ending, stored_form, table_form_of_file
from urlset.http import without_secrets
from urlset.live.history.reader import SnapshotName, snapshot_name, write_last_known, write_snapshot
from urlset.model import Entry, ProgressEvent
from urlset.protocol import READ_LIMIT
from urlset.reader import SITEMAP_KINDS, DocumentRecord, Entries, is_url, read
from urlset.sources.entry_table import TableFaults, table_as_parquet
from urlset.sources.git.repository import GitError, read_blobs, run_git
from urlset.store import Store, create_for_run, is_entry_parquet, write_parquet
from urlset.temp_files import LockedTempDir

_REVISION = re.compile(r"([^:\0-\x1f-][^:\0-\x1f]+):([^\0]*)")
_MODES = (b"100644", b"100755", b"100664")
"""Modes of files; links and submodules are not followed."""


class Revision(NamedTuple):
    """A revision of git and a path in it, as the user names them."""

    commit: str
    path: str

    def __str__(self) -> str:
        """Return the name as git writes it."""
        return f"{self.commit}:{self.path}"


def split_revision(name: str) -> Revision | None:
    """Return the parts of ``REVISION:PATH``; None for other names, such as URLs.

    >>> split_revision("HEAD~1:public/")
    Revision(commit='HEAD~1', path='public/')
    >>> split_revision("https://example.com/"), split_revision("C:/public")
    (None, None)
    """
    found = _REVISION.fullmatch(name)
    if found is None or found[2].startswith("//"):
        return None
    return Revision(found[1], found[2])


def extract_revision(revision: Revision, folder: str) -> str:
    """Write the sitemaps of a revision below a folder; return the path of the file or folder.

    The path is relative to the root of the repository, as in git; ``./`` makes it relative to the
    working directory. Nothing that the repository configures is run, and no object is fetched.

    Raises:
        SourceError: Git is missing, or does not find the revision or the path.
    """
    path = revision.path.rstrip("/")
    try:
        kind, name = _object(revision.commit, path)
        if kind == b"tree":
            _write_tree(name, folder)
            return folder
        if kind != b"blob" or revision.path.endswith("/"):
            raise SourceError(f"expected a file or a folder at {str(revision)!r}, found neither")
        # With the files next to it, because an index lists some of them.
        above, _, file = path.rpartition("/")
        _write_tree(_object(revision.commit, above)[1], folder, file)
        return os.path.join(folder, file)
    except GitError as error:
        reason = error.reason or "git finds no such revision or path"
        expected = "expected a file, a folder or REVISION:PATH of git"
        message = f"{expected}, found {without_secrets(str(revision))!r}: {reason}"
        # A source of a build may state its kind: crawl:site.duckdb.
        if revision.commit in get_args(SourceKind) and os.path.exists(revision.path):
            message += f"; name the file as {revision.path!r}"
        raise SourceError(message, failure="missing") from error


def _object(commit: str, path: str) -> tuple[bytes, str]:
    """Return the kind (tree, blob) and the hash of the git object at a path of a commit."""
    shown = "./" if path == "." else path
    name = run_git(".", "rev-parse", "--verify", "--quiet", f"{commit}:{shown}").strip().decode()
    return run_git(".", "cat-file", "-t", name).strip(), name


def _write_tree(name: str, folder: str, wanted: str = "") -> None:
    """Write the files of a git tree that may be sitemaps, and the file ``wanted``, to a folder."""
    listed = run_git(".", "ls-tree", "-r", "-z", "--full-tree", name)
    paths: list[bytes] = []
    names: list[bytes] = []
    for row in filter(None, listed.split(b"\0")):
        facts, _, path = row.partition(b"\t")
        mode, _, identifier = facts.split(b" ")
        shown = path.decode("utf-8", "replace")
        is_sitemap = has_sitemap_ending(shown.rpartition("/")[2]) or shown == wanted
        if mode in _MODES and is_sitemap and _is_safe(path):
            paths.append(path)
            names.append(identifier)
    for path, data in zip(paths, read_blobs(".", names, READ_LIMIT), strict=True):
        target = os.path.join(folder, os.fsdecode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(data)


def _is_safe(path: bytes) -> bool:
    """Return whether a path of a git tree cannot leave the folder it is written to."""
    text = os.fsdecode(path)
    parts = text.split("/")
    return not (
        {"", ".", ".."} & set(parts)
        or os.path.isabs(text)
        or (os.name == "nt" and re.search(r"[\\:]", text))
    )


StateSource = (
    str | os.PathLike[str] | bytes | bytearray | IO[bytes] | Mapping[str, bytes] | Iterable[Entry]
)
"""Anything that :func:`urlset.read` takes, a table of URLs, ``REVISION:PATH`` of a git repository,
``STORE@N`` (a snapshot of ``urlset watch``), or entries: an Arrow table or stream, or
:class:`urlset.Entry` objects."""


@dataclass(frozen=True)
class StateOptions:
    """Arguments with which :func:`urlset.read` reads both states.

    ``progress`` is called for each document. Temporary files exist until ``stack`` is closed.
    """

    base_url: str | None
    engine: str | None
    policy: Any
    progress: Callable[[ProgressEvent], None]
    stack: ExitStack

    def new_path(self, suffix: str) -> str:
        """Return the path of a new temporary file."""
        folder = self.stack.enter_context(LockedTempDir())
        return os.path.join(folder.path, f"state.{suffix}")


NO_FAULTS = TableFaults((), 0)


@dataclass(frozen=True)
class State:
    """One of the two states, in a file that DuckDB reads.

    Attributes:
        name: Name for people.
        form: Whether the file is a store or a Parquet file with the columns of entries.
        path: Path of that file.
        replaced: Start of the names of documents to replace, such as that of a temporary folder.
        faults: What of a table could not be read or used, such as rows without a URL.
        is_last_known: Whether it is the last known state at a snapshot, compared with another
            snapshot of the same history.
        is_own: Whether it is a store that this run created.
    """

    name: str
    form: Literal["store", "parquet"]
    path: str
    replaced: tuple[str, str] | None = None
    faults: TableFaults = NO_FAULTS
    is_last_known: bool = False
    is_own: bool = False


def open_states(before: StateSource, after: StateSource, options: StateOptions) -> dict[str, State]:
    """Open both sources as states.

    Two snapshots of one history are opened with the last known state of each sitemap, as
    :func:`urlset.watch` compares them.

    Raises:
        SourceError: A source cannot be read.
    """
    sources = {"before": before, "after": after}
    first, second = (snapshot_name(source) for source in sources.values())
    if first and second and os.path.realpath(first.path) == os.path.realpath(second.path):
        states = {}
        for side, snapshot, since in (("before", first, None), ("after", second, first)):
            path = options.new_path("duckdb")
            write_last_known(snapshot, path, since=since)
            name = os.fspath(sources[side])  # type: ignore[arg-type]
            states[side] = State(name, "store", path, is_last_known=True, is_own=True)
        return states
    return {
        "before": _open_state(before, first, options, "before"),
        "after": _open_state(after, second, options, "after"),
    }


def _open_state(
    source: StateSource, snapshot: SnapshotName | None, options: StateOptions, label: str
) -> State:
    if isinstance(source, str | os.PathLike):
        return _named_state(os.fspath(source), snapshot, options)
    name = getattr(source, "source", None) or getattr(source, "name", None)
    name = name if isinstance(name, str) else label
    if (rows := _rows_of(source)) is None:
        return _filled_store(source, name, options)
    path = options.new_path("parquet")
    write_parquet(rows, path)
    return _parquet_state(path, name, options)


def _parquet_state(path: str, name: str, options: StateOptions) -> State:
    """Return the state of a Parquet file, as urlset writes it, or with other columns."""
    if is_entry_parquet(path):
        return State(name, "parquet", path)
    target = options.new_path("parquet")
    faults = table_as_parquet(path, "parquet", target, base_url=options.base_url, name=name)
    return State(name, "parquet", target, faults=faults)


def _named_state(name: str, snapshot: SnapshotName | None, options: StateOptions) -> State:
    if is_url(name):
        return _filled_store(name, name, options)
    if snapshot is not None:
        path = options.new_path("duckdb")
        write_snapshot(snapshot, path)
        return State(name, "store", path, is_own=True)
    form = stored_form(name) or table_form_of_file(name)
    if form == "duckdb":
        _expect_content(name)
        return State(name, "store", name)
    if form == "parquet" and is_entry_parquet(name):
        return State(name, "parquet", name)
    if form is not None and form != "warc":
        path = options.new_path("parquet")
        faults = table_as_parquet(name, form, path, base_url=options.base_url)
        return State(name, "parquet", path, faults=faults)
    revision = None if os.path.lexists(name) else split_revision(name)
    if revision is None:
        return _filled_store(name, name, options)
    folder = options.stack.enter_context(LockedTempDir())
    path = extract_revision(revision, folder.path)
    return replace(_filled_store(path, name, options), replaced=(path, name))


def _filled_store(source: Any, name: str, options: StateOptions) -> State:
    """Read all documents of a source into a temporary store."""
    entries = source
    if not isinstance(source, Entries):
        entries = read(
            source,
            base_url=options.base_url,
            engine=options.engine,
            policy=options.policy,
            ordered=False,
            keep=False,
        )
    path = options.new_path("duckdb")
    documents = urls = 0
    rejected: list[DocumentRecord] = []
    with create_for_run(path) as store, store.writer(name) as writer:
        for record, document, rows in entries.batches(writer.on_response):
            writer.add(record, document, rows)
            documents, urls = documents + 1, urls + record.entries
            if record.error is not None and record.kind not in (*SITEMAP_KINDS, "empty"):
                rejected.append(record)
            options.progress(ProgressEvent(urls, documents, None, record.source, record.error))
    if documents == 1 and rejected and rejected[0].how == "given":
        raise SourceError(f"{name}: {rejected[0].error}")  # there is no state to compare
    return State(name, "store", path, is_own=True)


def _expect_content(path: str) -> None:
    """Raise :class:`urlset.SourceError` for a store without sitemaps and pages."""
    with Store.open(path, read_only=True) as store:
        tables = store.query("SELECT table_name FROM information_schema.tables")
        names = {name for (name,) in tables} & {"documents", "pages"}
        if not any(True for name in names for _ in store.query(f"SELECT 1 FROM {name} LIMIT 1")):
            raise SourceError(
                "expected a store with sitemaps or pages, found none in "
                f"{path!r}: nothing was read into it"
            )


def _rows_of(source: Any) -> Any:
    """Return the Arrow stream of a source of entries in memory; None for documents to read."""
    if isinstance(source, Entries | bytes | bytearray | memoryview | Mapping):
        return None
    if is_arrow(source):
        return source
    if advice := lazy_advice(source):
        raise SourceError(f"expected entries or a table, found {type(source).__name__}{advice}")
    if hasattr(source, "read") or not isinstance(source, Iterable):
        return None
    from urlset.arrow import ENTRY
    from urlset.arrow.streams import rows_to_stream

    found = list(source)
    for row in found:
        if not isinstance(row, Entry):
            raise SourceError(
                f"expected entries (urlset.Entry), found {type(row).__name__}{_advice(source, row)}"
            )
    return rows_to_stream(ENTRY.fields, found)


def _advice(source: Any, row: Any) -> str:
    """Return what makes entries, or a table, of a column of a data frame or of URLs."""
    if hasattr(source, "to_frame"):
        kind = type(source).__name__
        return f" in a {kind}; name its column, and pass the table: .to_frame(name='loc')"
    return "; urlset.Entry(url) makes an entry of a URL" if isinstance(row, str) else ""
