"""Output of a fix: a unified diff, or fixed documents written over the original files."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from urlset.arguments import checked_arguments
from urlset.document import parse
from urlset.errors import TargetError
from urlset.fixer.fix_document import open_container
from urlset.fixer.fix_set import Fixed, FixedDocument
from urlset.fixer.overlay import is_file
from urlset.option_names import option
from urlset.protocol import READ_LIMIT
from urlset.publisher import FolderTarget
from urlset.sources.git.repository import GitError, run_git
from urlset.temp_files import is_outside_link
from urlset.terminal_text import sanitize

CONTEXT = 3
"""Context lines around a change."""

LOOK_AHEAD = 200
"""Lines within which the two documents are searched for the next common line."""


class _Hunk(NamedTuple):
    """Lines ``a`` to ``b`` of the old document, replaced by lines ``c`` to ``d`` of the new one."""

    a: int
    b: int
    c: int
    d: int


@checked_arguments
def unified_diff(document: Fixed | FixedDocument) -> Iterator[str]:
    r"""Yield the lines of a unified diff of a fixed document, each with its line end.

    The decompressed texts are compared, in one pass because documents can be large.

    Args:
        document: Document of :attr:`urlset.Fixed.documents`, or the result of
            :func:`urlset.fix` with all of them.

    Yields:
        Lines; none if nothing changed.

    >>> document = FixedDocument("a.txt", "a.txt", b"", b"", b"1\n 2\n", b"1\n2\n")
    >>> print("".join(unified_diff(document)), end="")
    --- a.txt
    +++ a.txt
    @@ -1,2 +1,2 @@
     1
    - 2
    +2
    """
    if isinstance(document, Fixed):
        for each in document.documents:
            yield from unified_diff(each)
        return
    old, new = (_lines(text) for text in (document.text_before, document.text_after))
    hunks = list(_hunks(old, new))
    is_new = document.before is None
    name = _quoted(document.name)
    if not hunks:
        if document.before != document.after:
            yield f"--- {name}\n+++ {name}\n# compressed again\n"
        return
    yield f"--- {'/dev/null' if is_new else name}\n"
    yield f"+++ {name}\n"
    for group in _grouped(hunks):
        yield from _shown(group, old, new)


def _quoted(name: str) -> str:
    """Return a name on one line; in quotes if it needs escapes, as git and patch read them."""
    if sanitize(name) == name and not name.startswith('"'):
        return name
    shown = (
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'#"\\' else f"\\{byte:03o}"
        for byte in os.fsencode(name)
    )
    return f'"{"".join(shown)}"'


def _lines(text: bytes) -> list[str]:
    return text.decode(errors="backslashreplace").splitlines(keepends=True) if text else []


def _hunks(old: list[str], new: list[str]) -> Iterator[_Hunk]:
    a = c = 0
    while a < len(old) or c < len(new):
        while a < len(old) and c < len(new) and old[a] == new[c]:
            a, c = a + 1, c + 1
        if a == len(old) and c == len(new):
            return
        b, d = _next_match(old, new, a, c)
        yield _Hunk(a, b, c, d)
        a, c = b, d


def _next_match(old: list[str], new: list[str], a: int, c: int) -> tuple[int, int]:
    """Return the positions of the next common line of two texts with the fewest lines before."""
    ahead: dict[str, int] = {}
    for number in range(min(LOOK_AHEAD, len(new) - c)):
        ahead.setdefault(new[c + number], number)
    best: tuple[int, int] | None = None
    for number in range(min(LOOK_AHEAD, len(old) - a)):
        other = ahead.get(old[a + number])
        if other is not None and (best is None or number + other < sum(best)):
            best = number, other
        if best is not None and number >= sum(best):
            break
    if best is not None:
        return a + best[0], c + best[1]
    # No common line within the window: both documents advance by it.
    step = min(LOOK_AHEAD, max(len(old) - a, len(new) - c))
    return min(len(old), a + step), min(len(new), c + step)


def _grouped(hunks: list[_Hunk]) -> Iterator[list[_Hunk]]:
    """Group hunks whose context lines overlap."""
    group = [hunks[0]]
    for hunk in hunks[1:]:
        if hunk.a - group[-1].b > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    yield group


def _shown(group: list[_Hunk], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first.a, first.c)
    tail = min(CONTEXT, len(old) - last.b, len(new) - last.d)
    counts = last.b + tail - first.a + lead, last.d + tail - first.c + lead
    starts = (first.a - lead + bool(counts[0]), first.c - lead + bool(counts[1]))
    yield f"@@ -{starts[0]},{counts[0]} +{starts[1]},{counts[1]} @@\n"
    position = first.a - lead
    for hunk in group:
        yield from _marked(" ", old[position : hunk.a])
        yield from _marked("-", old[hunk.a : hunk.b])
        yield from _marked("+", new[hunk.c : hunk.d])
        position = hunk.b
    yield from _marked(" ", old[position : position + tail])


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}"
        if not line.endswith(("\n", "\r")):
            yield "\n\\ No newline at end of file\n"


ENDING = ".bak"
"""Suffix of backups; folder walks ignore it, so that no backup counts as a sitemap."""

MAX_BACKUPS = 1_000


class Written(NamedTuple):
    """File that was replaced, and its backup; None if no backup was made."""

    path: Path
    backup: Path | None


@checked_arguments
def write_fixed(
    documents: Fixed | FixedDocument | Iterable[FixedDocument],
    robots: str | os.PathLike[str] | None = None,
    *,
    backup: bool | None = None,
) -> list[Path]:
    """Write fixed documents over their files.

    The files of a folder are replaced together or not at all, indexes last. Links are followed
    within their folder: the target of the link is written, with its permissions.

    Args:
        documents: The result of :func:`urlset.fix`, or one or some of its documents.
        robots: File of the robots.txt, if that is among them.
        backup: Whether to keep each replaced file as ``NAME.bak``: True for all, False for none,
            None for those whose bytes git does not have.

    Returns:
        The paths of the written files.

    Raises:
        TargetError: A file cannot be written or backed up, is a link that leads out of its
            folder, or was changed since it was read.
    """
    return [written.path for written in replace_files(_documents_of(documents), robots, backup)]


def _documents_of(given: object) -> list[FixedDocument]:
    """Return the documents of a result, of a list, or a single one."""
    if isinstance(given, Fixed | FixedDocument):
        return given.documents if isinstance(given, Fixed) else [given]
    expected = "write_fixed(): documents: expected the result of urlset.fix, or its documents"
    if not isinstance(given, Iterable):
        raise TypeError(f"{expected}, found {given!r:.200}")
    documents = [*given]
    for each in documents:
        if not isinstance(each, FixedDocument):
            raise TypeError(f"{expected}, found {each!r:.200}")
    return documents


def replace_files(
    documents: Iterable[FixedDocument], robots: str | os.PathLike[str] | None, backup: bool | None
) -> list[Written]:
    """Write fixed documents like :func:`write_fixed`; return the files with their backups."""
    folders: dict[Path, list[tuple[str, FixedDocument]]] = defaultdict(list)
    for document in documents:
        path = _path_of(document, robots)
        folders[path.parent].append((path.name, document))
    written: list[Written] = []
    with ExitStack() as stack:
        stages = [
            (stack.enter_context(FolderTarget(folder, "urlset-fix")), files)
            for folder, files in folders.items()
        ]
        for stage, files in stages:
            for name, document in files:
                _stage(stage, name, document)
        for stage, files in sorted(stages, key=lambda pair: any(map(_is_index, pair[1]))):
            written += _swap(stage, sorted(files, key=_is_index), backup)
    return written


def _swap(
    stage: FolderTarget, files: list[tuple[str, FixedDocument]], backup: bool | None
) -> list[Written]:
    """Back up the files of a folder, and replace them by staged ones."""
    olds = [(stage.folder / name, document.before) for name, document in files]
    kept: dict[Path, Path] = {}
    try:
        for path in files_to_back_up(olds, backup):
            kept[path] = _backed_up(path)
        for name, document in files:
            _expect_unchanged(stage, name, document)
        stage.swap([name for name, _ in files], ())
    except BaseException:
        for made in kept.values():  # their files were not replaced
            with suppress(OSError):
                made.unlink()
        raise
    return [Written(path, kept.get(path)) for path, _ in olds]


def _path_of(document: FixedDocument, robots: str | os.PathLike[str] | None) -> Path:
    key = document.key
    if is_file(key):
        if is_outside_link(document.name):
            raise TargetError(
                f"cannot write {document.name}: it is a link that leads out of its folder; "
                f"name the file itself: {key}"
            )
        return Path(os.path.realpath(key))
    if isinstance(key, str) and key.endswith("/robots.txt") and robots is not None:
        if is_outside_link(robots):
            raise TargetError(f"cannot write {robots}: it is a link that leads out of its folder")
        return Path(os.path.realpath(robots))
    raise TargetError(f"expected a file to write to, found {document.name or 'bytes'}")


def _stage(stage: FolderTarget, name: str, document: FixedDocument) -> None:
    """Write a file to the staging folder, and verify that it can be read."""
    _expect_unchanged(stage, name, document)
    stage.stage(name, document.after)
    back = stage.read_staged(name)
    raw = open_container(back, READ_LIMIT, None).raw
    if back != document.after or raw != document.text_after[: len(raw)]:
        raise TargetError(
            f"cannot write {stage.folder / name}: the staged file cannot be read back; "
            "no file was changed"
        )
    if parse(raw).kind in ("unknown", "html", "template") and not name.endswith("robots.txt"):
        raise TargetError(f"cannot write {stage.folder / name}: the result would not be a sitemap")


def _expect_unchanged(stage: FolderTarget, name: str, document: FixedDocument) -> None:
    if stage.read(name) != document.before:
        state = "exists already" if document.before is None else "was changed since it was read"
        raise TargetError(f"cannot write {stage.folder / name}: it {state}; no file was written")


def _is_index(file: tuple[str, FixedDocument]) -> bool:
    return b"<sitemapindex" in file[1].text_after[:4096]


def _backed_up(path: Path) -> Path:
    """Copy a file to its backup; return the path of the backup.

    The name is the first unused one of ``NAME.bak``, ``NAME.bak2``, …; no backup is ever
    replaced.

    Raises:
        TargetError: The file cannot be backed up.
    """
    for number in range(1, MAX_BACKUPS):
        backup = path.with_name(f"{path.name}{ENDING}{'' if number == 1 else number}")
        try:
            _copy(path, backup)
        except FileExistsError:
            continue
        except OSError as error:
            raise TargetError(
                f"cannot back up {path}: {error.strerror or error}; no file "
                f"was written; use {option('backup', False)} to write without a backup"
            ) from error
        return backup
    raise TargetError(
        f"cannot back up {path}: it has {MAX_BACKUPS - 1} backups already; remove "
        f"them, or use {option('backup', False)}"
    )


def _copy(path: Path, backup: Path) -> None:
    """Create a hard link to the file, which needs no space; copy it if links are not possible.

    The fixed file is a new file that replaces the original name, so that the link keeps the old
    bytes, owner and modification time.
    """
    try:
        os.link(path, backup)
    except FileExistsError:
        raise
    except OSError:
        with open(path, "rb") as source, open(backup, "xb") as target:
            try:
                shutil.copyfileobj(source, target)
            except OSError:
                backup.unlink(missing_ok=True)
                raise
        shutil.copystat(path, backup)


def is_in_git(path: Path, data: bytes) -> bool:
    """Return whether the index of a git repository has exactly these bytes for a file.

    Committed or staged bytes can be restored; untracked, ignored or changed ones cannot.
    """
    try:
        name = f":(literal){path.name}"  # no character of it is a pattern
        listed = run_git(str(path.parent), "ls-files", "-s", "-z", "--", name)
    except GitError:
        return False
    blob = b"blob %d\0%s" % (len(data), data)
    hashes = {hashlib.sha1(blob).hexdigest(), hashlib.sha256(blob).hexdigest()}
    known = [entry.split()[1].decode() for entry in listed.split(b"\0") if entry.count(b" ") >= 2]
    return bool(hashes & set(known))


def files_to_back_up(files: Sequence[tuple[Path, bytes | None]], backup: bool | None) -> list[Path]:
    """Return the files to back up: all, none, or by default those that are not in git."""
    if backup is False:
        return []
    olds = [(path, before) for path, before in files if before is not None]
    return [path for path, before in olds if backup or not is_in_git(path, before)]
