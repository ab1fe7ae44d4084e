"""Run git in an untrusted repository: nothing that it configures is run, fetched or written."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO

__all__ = ["GitError", "run_git", "stream_git"]

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
    """Git failed; the message is for a note. ``is_absent`` if git is not installed."""

    def __init__(self, message: str, *, is_absent: bool = False):
        super().__init__(message)
        self.is_absent = is_absent


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


@contextmanager
def _git_process(folder: str, arguments: tuple[str, ...]) -> Iterator[IO[bytes]]:
    git = shutil.which("git")
    if git is None:
        raise GitError("git is not installed: no dates from git", is_absent=True)
    settings = [argument for setting in _SETTINGS for argument in ("-c", setting)]
    # A file, because git would block on a pipe of errors that is not read.
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [git, "--no-pager", *settings, *arguments],
                cwd=folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
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
            raise GitError(_error_message(errors.read(10_000).decode("utf-8", "replace"), folder))


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
    first_line = next((line for line in message.splitlines() if line.strip()), "no reason stated")
    return f"git cannot read {folder!r}: {first_line.removeprefix('fatal: ')}"
