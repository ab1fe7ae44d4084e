"""Run git safely in an untrusted repository, and parse its history.

Nothing that the repository configures is run, fetched or written.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import BufferedReader
from threading import Event, Lock, Thread
from typing import IO, NamedTuple, cast

# Overrides settings of the repository that run commands or hide files. Note: a command that writes
# the index or uses patches, signatures, filters or a remote needs more of them.
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "safe.bareRepository=explicit",  # ignores a bare repository hidden among the files
    "log.showSignature=false",  # runs gpg.program
    "log.showRoot=true",
    "log.follow=false",
    "log.mailmap=false",
    "diff.relative=false",
    f"diff.orderFile={os.devnull}",  # read to its end: it may be a device
    "diff.ignoreSubmodules=none",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    # No transport has this name: a partial clone fetches nothing.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
# Settings of the user. A GIT_DIR that a hook has set would select another repository.
_KEPT_VARIABLES = ("GIT_CONFIG_", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH")
_CHUNK_SIZE = 1 << 18
MAX_SILENCE_S = 300.0
"""Seconds without output after which git is ended: a file of the repository may be a pipe, which
git opens and waits for."""

_MAX_DATA_BYTES = 8 << 30
"""Memory of git on Linux: a file of the repository may be a device that is read without an end."""


class GitStop:
    """Ends the git processes of a thread from another thread: a history may take minutes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_set = False

    def set(self) -> None:
        """End the process that runs, and each later one when it starts."""
        with self._lock:
            self._is_set = True
            if self._process is not None:
                self._process.kill()

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply to the processes that this thread starts in a ``with`` block."""
        before = _stop.set(self)
        try:
            yield
        finally:
            _stop.reset(before)

    def watch(self, process: subprocess.Popen[bytes]) -> None:
        """Take a process that has started as the one that runs."""
        with self._lock:
            self._process = process
            if self._is_set:
                process.kill()


_stop: ContextVar[GitStop | None] = ContextVar("git stop", default=None)


class GitError(Exception):
    """Error for a failed git command; its message appears in a note about missing dates.

    ``reason`` is what is wrong, for messages about something else; empty if git states none.
    """

    def __init__(self, message: str, *, reason: str = ""):
        super().__init__(message)
        self.reason = reason


def run_git(folder: str, *arguments: str) -> bytes:
    """Run git in a folder and return its output; raise :class:`GitError` if it fails."""
    with _git_process(folder, arguments) as output:
        return b"".join(iter(output.read_some, b""))


def stream_git(folder: str, *arguments: str) -> Generator[bytes, None, None]:
    """Run git, and yield its output, split at zero bytes; raise :class:`GitError` if it fails.

    Closing the generator early ends git.
    """
    with _git_process(folder, arguments) as output:
        parts: list[bytes] = []  # of the token that is not complete
        while piece := output.read_some():
            first, *others = piece.split(b"\0")
            parts.append(first)
            if others:
                yield b"".join(parts)
                *complete, rest = others
                yield from complete
                parts = [rest]
        if rest := b"".join(parts):
            yield rest


def read_blobs(folder: str, names: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the first ``max_bytes`` bytes of files, named by their object names; without filters.

    Raises GitError if git fails, or an object is missing, as in a partial clone.
    """
    with tempfile.TemporaryFile() as request:
        request.writelines(name + b"\n" for name in names)
        request.seek(0)
        with _git_process(folder, ("cat-file", "--batch"), request) as output:
            while header := output.readline():
                name, _, rest = header.strip().partition(b" ")
                kind, _, size = rest.partition(b" ")
                if kind != b"blob" or not size.isdigit():
                    reason = f"object {name.decode('ascii', 'replace')} is missing"
                    raise GitError(f"git cannot read {folder!r}: {reason}", reason=reason)
                count = min(int(size), max_bytes)
                yield output.read(count)
                remaining = int(size) - count + 1  # and a line feed
                while remaining and (piece := output.read(min(remaining, _CHUNK_SIZE))):
                    remaining -= len(piece)


def _limit_memory(process: subprocess.Popen[bytes]) -> None:
    """Limit the memory of a git process on Linux; packs are mapped and do not count."""
    try:
        import resource

        resource.prlimit(process.pid, resource.RLIMIT_DATA, (_MAX_DATA_BYTES, _MAX_DATA_BYTES))
    except (ImportError, AttributeError, OSError, ValueError):
        pass  # another system, or git has ended


class _Output:
    """Output of git, which ends git if a reader waits longer than :data:`MAX_SILENCE_S` for it."""

    def __init__(self, process: subprocess.Popen[bytes]):
        self.is_silent = False
        self._process = process
        self._stream = cast(BufferedReader, process.stdout)
        self._since: float | None = None
        self._ended = Event()
        Thread(target=self._watch, name="urlset-git-output", daemon=True).start()

    def read_some(self) -> bytes:
        """Wait for output and return the bytes that have arrived; none at the end."""
        return self._wait_for(lambda: self._stream.read1(_CHUNK_SIZE))

    def read(self, size: int) -> bytes:
        return self._wait_for(lambda: self._stream.read(size))

    def readline(self) -> bytes:
        return self._wait_for(self._stream.readline)

    def close(self) -> None:
        self._ended.set()
        self._stream.close()

    def _wait_for(self, read: Callable[[], bytes]) -> bytes:
        self._since = time.monotonic()
        try:
            return read()
        finally:
            self._since = None

    def _watch(self) -> None:
        while not self._ended.wait(min(1.0, MAX_SILENCE_S)):
            since = self._since
            if since is not None and time.monotonic() - since > MAX_SILENCE_S:
                self.is_silent = True
                self._process.kill()
                return


@contextmanager
def _git_process(
    folder: str, arguments: tuple[str, ...], request: IO[bytes] | None = None
) -> Iterator[_Output]:
    git = _program()
    if git is None:
        reason = "git is not installed"
        raise GitError(f"{reason}: no dates from git", reason=reason)
    settings = [argument for setting in _SETTINGS for argument in ("-c", setting)]
    # A file, because git would block on a pipe of errors that is not read.
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [git, "--no-pager", *settings, *arguments],
                cwd=folder,
                env=_environment(),
                stdin=subprocess.DEVNULL if request is None else request,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        except OSError as error:
            raise GitError(f"git cannot be run in {folder!r}: {error.strerror}") from error
        _limit_memory(process)
        output = _Output(process)
        if (stop := _stop.get()) is not None:
            stop.watch(process)
        is_complete = False
        try:
            yield output
            is_complete = True
        finally:
            if not is_complete:
                process.kill()
            output.close()
            process.wait()
        if output.is_silent:
            reason = f"git wrote nothing for {MAX_SILENCE_S:g} seconds"
            raise GitError(f"git cannot read {folder!r}: {reason}", reason=reason)
        if process.returncode:
            errors.seek(0)
            text = errors.read(10_000).decode("utf-8", "replace")
            raise GitError(_error_message(text, folder), reason=_reason(text))


def _program() -> str | None:
    """Return the path of git, which is searched in absolute folders of PATH only.

    An empty or relative folder of PATH is the working directory; on Windows, `shutil.which` also
    searches that first. It may be the checkout of a stranger.
    """
    name = "git.exe" if os.name == "nt" else "git"
    folders = (part.strip('"') for part in os.get_exec_path())
    for folder in filter(os.path.isabs, folders):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _environment() -> dict[str, str]:
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
    }
    return variables | _ENVIRONMENT


def _error_message(message: str, folder: str) -> str:
    if "dubious ownership" in message:
        return (
            f"git refuses to read {folder!r}, because it belongs to another user: "
            "no dates from git; "
            "if you trust it, run git config --global --add safe.directory "
            f"{os.path.abspath(folder)!r}"
        )
    if "not a git repository" in message:
        return f"{folder!r} is not in a git repository: no dates from git"
    return f"git cannot read {folder!r}: {_reason(message) or 'no reason stated'}"


def _reason(message: str) -> str:
    first_line = next((line for line in message.splitlines() if line.strip()), "")
    return first_line.removeprefix("fatal: ")


LOG = (
    "log", "-z", "--format=%x02%h %H %cI", "--name-status", "-c", "--root",
    "--find-renames=100%",  # by the hash of the content only: no file is compared
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate", "--no-notes", "HEAD", "--",
)  # fmt: skip
"""Arguments of git for one pass over the history. Of a merge it lists what differs from both
parents, which is what was changed in it.

The date is the committer's. The author's may be months older than the publication of the change,
and merging, cloning or filtering keeps both dates.
"""

_STATUS = re.compile(rb"[ACDMRTUX]+|[RC]\d+")
_DATE = re.compile(rb"(?:19[7-9]|20\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")


class FileChange(NamedTuple):
    """A change of a path, with git's letter for it; ``previous_path`` only if it was moved."""

    status: str
    path: bytes
    previous_path: bytes | None = None


class Commit(NamedTuple):
    """A commit: short and full hash, date in W3C form (None if invalid), and changes."""

    short: str
    name: str
    date: str | None
    changes: list[FileChange]


def commits(tokens: Iterable[bytes]) -> Iterator[Commit]:
    """Parse the output of :data:`LOG`, split at zero bytes, into commits.

    A path may contain any byte but zero, so only its position distinguishes it from a status.
    """
    commit: Commit | None = None
    remaining = iter(tokens)
    for token in remaining:
        text = token.lstrip(b"\n")
        if text.startswith(b"\x02"):
            if commit is not None:
                yield commit
            commit = _commit(text)
        elif commit is not None and _STATUS.fullmatch(text):
            path = next(remaining, b"")
            is_rename = text[1:].isdigit()
            change = (
                FileChange(text[:1].decode(), next(remaining, b""), path) if is_rename else None
            )
            commit.changes.append(change or FileChange(text[:1].decode(), path))
    if commit is not None:
        yield commit


def _commit(text: bytes) -> Commit:
    short, name, date = (*text[1:].split(b" ", 2), b"", b"")[:3]
    found = _DATE.fullmatch(date)
    w3c = date.decode().replace("+00:00", "Z") if found else None
    return Commit(short.decode("ascii", "replace"), name.decode("ascii", "replace"), w3c, [])


@dataclass
class History:
    """Reader of commits, newest first, that finds for each file the date of its last change.

    Attributes:
        wanted: The current paths of the files.
        pages: The paths of pages, of which a bulk commit changes a large share.
        boundary: The first commits of a shallow clone, which seem to add every file.
        bulk_share: A commit that changes more than this share of ``pages``
        bulk_least: and at least this number of them is ignored.
        dates: The dates found, by current path.
        cut_off: Number of files last changed before the history of a shallow clone.
        bulk: Descriptions of the bulk commits.
        only_bulk: Number of files that only bulk commits changed.
    """

    wanted: set[bytes]
    pages: set[bytes]
    boundary: frozenset[str]
    bulk_share: float
    bulk_least: int
    dates: dict[bytes, str] = field(default_factory=dict)
    cut_off: int = 0
    bulk: list[str] = field(default_factory=list)
    only_bulk: int = 0

    def __post_init__(self) -> None:
        self._current = {path: path for path in self.wanted}
        """Path at the time of a commit → current path, for the files without a date so far."""

    def read(self, history: Iterable[Commit]) -> None:
        """Process commits, newest first; stop when every file has a date or cannot have one."""
        for commit in history:
            if commit.name in self.boundary:
                self._stop_at(commit)
            else:
                self._apply(commit)
            if not self._current:
                return

    def _apply(self, commit: Commit) -> None:
        is_bulk = self._is_bulk(commit)
        moved: dict[bytes, bytes] = {}
        for status, path, previous_path in commit.changes:
            current_path = self._current.get(path)
            if current_path is None:
                continue
            if status == "R" and previous_path is not None:
                moved[previous_path] = self._current.pop(path)
            elif not is_bulk:
                del self._current[path]
                if commit.date is not None:
                    self.dates[current_path] = commit.date
            elif status == "A":
                del self._current[path]
                self.only_bulk += 1
        self._current.update(moved)

    def _stop_at(self, commit: Commit) -> None:
        for change in commit.changes:
            if self._current.pop(change.path, None) is not None:
                self.cut_off += 1

    def _is_bulk(self, commit: Commit) -> bool:
        if len(commit.changes) < self.bulk_least:
            return False
        touched = sum(
            status != "R" and self._current.get(path, path) in self.pages
            for status, path, _ in commit.changes
        )
        if touched < self.bulk_least or touched <= self.bulk_share * len(self.pages):
            return False
        day = (commit.date or "")[:10]
        self.bulk.append(f"{commit.short} of {day} touches {touched:,} of {len(self.pages):,}")
        return True
