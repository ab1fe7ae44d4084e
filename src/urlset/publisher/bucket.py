"""A prefix of a bucket as a target: staged on this machine, then put object by object."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple

from urlset import engine as engines
from urlset.errors import TargetError
from urlset.object_store import ObjectInfo, ObjectStore, VersionConflict
from urlset.protocol import READ_LIMIT
from urlset.publisher.target import checked_name, checked_swap
from urlset.tempdirs import LockedTempDir

if TYPE_CHECKING:
    from urlset.object_store.store import Attributes, UpdateVersion

__all__ = ["Bucket"]

TYPES = {
    ".xml": "application/xml",  # https://www.rfc-editor.org/rfc/rfc7303#section-9.1
    ".txt": "text/plain; charset=utf-8",  # sitemaps.org: "The text file must use UTF-8 encoding."
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",  # https://www.rfc-editor.org/rfc/rfc6713
}
_PACKABLE = (".xml", ".txt")


class _Step(NamedTuple):
    """One object changed: what stood there before, and the bytes put (None: taken away)."""

    name: str
    before: ObjectInfo | None
    after: bytes | None


class Bucket:
    """The next state of some objects under a prefix: a :class:`urlset.publisher.Target`.

    Each object is written on the condition that it is as it was when this publication first asked
    for it, so that of two publishers one is refused. After each, the store is asked whether it has
    what was sent. A failure puts back what it can and tells what it could not.

    ``.gz`` is stored as ``application/gzip``, a file, without ``Content-Encoding``: a visitor who
    asks for ``sitemap.xml.gz`` gets what its name says.
    """

    def __init__(
        self,
        cloud: ObjectStore,
        *,
        cache_control: str | None = "max-age=3600",
        encoding: Literal["gzip"] | None = None,
    ):
        self._cloud = cloud
        self._cache_control = cache_control
        self._encoding = encoding
        self._folder: LockedTempDir | None = None
        self._put: dict[str, Path] = {}
        self._seen: dict[str, UpdateVersion | None] = {}
        self._steps: list[_Step] = []

    @classmethod
    def of(
        cls,
        url: str,
        *,
        cache_control: str | None,
        encoding: Literal["gzip"] | None,
        allow_http: bool,
    ) -> Bucket:
        """Open the target of a URL, as ``s3://bucket/prefix``."""
        cloud = ObjectStore.of(url.rstrip("/"), allow_http=allow_http)
        return cls(cloud, cache_control=cache_control, encoding=encoding)

    @property
    def location(self) -> str:
        """The URL of the prefix."""
        return self._cloud.url

    @property
    def is_remote(self) -> bool:
        """Whether reading costs a request."""
        return True

    def __enter__(self) -> Bucket:
        self._folder = LockedTempDir()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.close()

    def names(self) -> list[str]:
        """The names of the objects directly under the prefix, sorted, hidden ones left out."""
        return [name for name in self._cloud.names() if not name.startswith(".")]

    def read(self, name: str) -> bytes | None:
        """The bytes of an object, unpacked where it was stored with an encoding, or None."""
        thing = self._cloud.get(checked_name(name))
        self._seen.setdefault(name, thing and thing.version)
        if thing is None:
            return None
        return _unpacked(thing.data) if _is_encoded(thing.attributes) else thing.data

    def modified(self, name: str) -> datetime | None:
        """The moment in UTC, to the second, at which an object was written, or None."""
        return self._cloud.modified(checked_name(name))

    def stage(self, name: str, data: bytes) -> None:
        """Stage a file on this machine, as it is to be sent."""
        if checked_name(name) not in self._seen:
            self._seen[name] = self._cloud.head(name)
        path = self._stage / str(len(self._put))
        sent = engines.get().gzip(data) if self._is_packed(name) else data
        if name in self._put:
            raise TargetError(f"cannot stage {self.location}/{name}: it was put already")
        try:
            with open(path, "xb") as file:
                file.write(sent)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            told = TargetError(
                f"cannot stage {name} in {self._stage}: {error.strerror or error}; "
                "nothing was published"
            )
            told.errno = error.errno
            raise told from error
        self._put[name] = path

    def read_staged(self, name: str) -> bytes:
        """The bytes of a file that was put, as they came to lie on the disk, unpacked again."""
        data = self._put[name].read_bytes()
        return _unpacked(data) if self._is_packed(name) else data

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Put the staged files in this order, each on its condition; then remove the retired."""
        checked_swap(names, retired, self._put)
        try:
            for name in names:
                self._replace(name, self._put[name].read_bytes())
            for name in retired:
                self._remove(name)
        except BaseException as error:
            left = self._undo()
            if isinstance(error, (TargetError, VersionConflict)):
                raise TargetError(f"{error}; {self._state(left)}") from None
            if left:
                raise TargetError(self._state(left)) from error
            raise

    def _replace(self, name: str, data: bytes) -> None:
        before = None
        if self._seen[name] is not None:
            before = self._cloud.get(name)
            self._expect(name, before)
        # Beware: noted before it is done, so that an interrupt in between is undone, too.
        self._steps.append(_Step(name, before, data))
        # A conflict may be our own request, sent again after its answer was lost: what is there
        # tells.
        with suppress(VersionConflict):
            self._cloud.put(name, data, self._attributes(name), before and before.version)
        there = self._cloud.get(name)
        if there is None or there.data != data:
            raise self._conflict(name, "what was put", there)

    def _remove(self, name: str) -> None:
        before = self._cloud.get(name)
        if before is None:
            return
        if name in self._seen:
            self._expect(name, before)
        self._steps.append(_Step(name, before, None))
        self._cloud.delete(name)

    def _expect(self, name: str, there: ObjectInfo | None) -> None:
        seen = self._seen.get(name)
        if (there and there.version) != seen:
            raise self._conflict(name, _called(seen), there)

    def _conflict(self, name: str, expected: str, there: ObjectInfo | None) -> TargetError:
        found = _called(there and there.version)
        return TargetError(
            f"cannot write {self.location}/{name}: expected {expected}, found {found}: another "
            "process publishes there; make sure that only one does, and publish again"
        )

    def _undo(self) -> list[str]:
        """Put back what stood there, last first; give back the names of which it could not."""
        left = []
        for step in reversed(self._steps):
            try:
                # What another has put meanwhile stays.
                with suppress(VersionConflict):
                    self._put_back(step)
            except TargetError:
                left.append(step.name)
        return left

    def _put_back(self, step: _Step) -> None:
        there = self._cloud.get(step.name)
        now = there and there.data
        before = step.before and step.before.data
        if now == before or now != step.after:
            return
        if step.before is None:
            self._cloud.delete(step.name)
        else:
            expected = there and there.version
            self._cloud.put(step.name, step.before.data, step.before.attributes, expected)

    def _state(self, left: list[str]) -> str:
        if not left:
            return f"what this publication had changed in {self.location} is put back"
        return (
            f"what this publication had changed in {self.location} is put back but for "
            f"{', '.join(left)}, which could not be; publish again, and the set will be whole"
        )

    def _attributes(self, name: str) -> Attributes:
        suffix = os.path.splitext(name)[1].lower()
        made: Attributes = {"Content-Type": TYPES.get(suffix, "application/octet-stream")}
        if self._cache_control is not None:
            made["Cache-Control"] = self._cache_control
        if self._is_packed(name):
            made["Content-Encoding"] = "gzip"
        return made

    def _is_packed(self, name: str) -> bool:
        return self._encoding == "gzip" and name.lower().endswith(_PACKABLE)

    @property
    def _stage(self) -> Path:
        assert self._folder is not None, "entered as a context manager"
        return Path(self._folder.path)


def _is_encoded(attributes: Attributes) -> bool:
    return attributes.get("Content-Encoding") == "gzip"


def _unpacked(data: bytes) -> bytes:
    """Undo ``Content-Encoding: gzip``; what a store has unpacked on the way is left as it came."""
    unpacked = engines.get().gunzip(data, READ_LIMIT)
    return data if unpacked is None else unpacked


def _called(version: UpdateVersion | None) -> str:
    return "nothing" if version is None else f"version {version.get('e_tag')}"
