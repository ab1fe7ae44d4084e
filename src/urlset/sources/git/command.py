"""Run git in an untrusted repository: nothing that it configures is run, fetched or written."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import IO

__all__ = ["GitError", "read_blobs", "run_git", "stream_git"]

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


class GitError(Exception):
    """Git failed; the message is for a note about dates.

    Attributes:
        is_absent: Whether git is not installed.
        reason: What is wrong, for messages about something else; empty if git states none.
    """

    def __init__(self, message: str, *, is_absent: bool = False, reason: str = ""):
        super().__init__(message)
        self.is_absent = is_absent
        self.reason = reason


def run_git(folder: str, *arguments: str) -> bytes:
    """Return the output of git; raise :class:`GitError` if it fails."""
    with _git_process(folder, arguments) as output:
        return output.read()


def stream_git(folder: str, *arguments: str) -> Generator[bytes, None, None]:
    """Yield the output of git between zero bytes while it runs; raise :class:`GitError`.

    Closing the generator early ends git.
    """
    with _git_process(folder, arguments) as output:
        rest = b""
        while piece := output.read(_CHUNK_SIZE):
            *complete, rest = (rest + piece).split(b"\0")
            yield from complete
        if rest:
            yield rest


def read_blobs(folder: str, names: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the first ``max_bytes`` bytes of files, named by their object names; without filters.

    Raises:
        GitError: Git fails, or an object is missing, as in a partial clone.
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


@contextmanager
def _git_process(
    folder: str, arguments: tuple[str, ...], request: IO[bytes] | None = None
) -> Iterator[IO[bytes]]:
    git = shutil.which("git")
    if git is None:
        reason = "git is not installed"
        raise GitError(f"{reason}: no dates from git", is_absent=True, reason=reason)
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
        assert process.stdout is not None
        is_complete = False
        try:
            yield process.stdout
            is_complete = True
        finally:
            if not is_complete:
                process.kill()
            process.stdout.close()
            process.wait()
        if process.returncode:
            errors.seek(0)
            text = errors.read(10_000).decode("utf-8", "replace")
            raise GitError(_error_message(text, folder), reason=_reason(text))


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
