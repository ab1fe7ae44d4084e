"""Publish files to a prefix of an object store: stage locally, then upload object by object."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from urlset import engine as engines
from urlset.engine import DocumentBytes
from urlset.errors import TargetError
from urlset.object_store import ObjectInfo, ObjectStore, VersionConflict
from urlset.protocol import MEDIA_TYPES, READ_LIMIT
from urlset.publisher.target import check_swap, checked_name
from urlset.temp_files import LockedTempDir

if TYPE_CHECKING:
    from urlset.object_store import Attributes, UpdateVersion

_PACKABLE = (".xml", ".txt")


@dataclass
class _Step:
    """Change of one object of a bucket.

    Attributes:
        name: Name of the object.
        before: Its previous state; None if there was none.
        after: Its new bytes; None if it is removed.
        version: Version that the store returned for the new bytes; None or empty if unknown.
    """

    name: str
    before: ObjectInfo | None
    after: bytes | None
    version: UpdateVersion | None = None

    def made(self, there: ObjectInfo | None) -> bool:
        """Return whether what is stored comes from this step, also if the store changed it."""
        if there is None:
            return self.after is None
        return there.data == self.after or bool(self.version and self.version == there.version)


class Bucket:
    """Target for the objects under a prefix: a :class:`urlset.publisher.Target`.

    Each object is written only if its version is unchanged since this publication first read it,
    so that one of two concurrent publications fails. Each upload is read back and compared. On a
    failure the previous objects are restored; the message names those that could not be.

    ``.gz`` is stored as ``application/gzip`` without ``Content-Encoding``: a request for
    ``sitemap.xml.gz`` returns a gzip file.
    """

    def __init__(
        self,
        store: ObjectStore,
        *,
        cache_control: str | None = "max-age=3600",
        encoding: Literal["gzip"] | None = None,
    ):
        self._store = store
        self._cache_control = cache_control
        self._encoding = encoding
        self._folder: LockedTempDir | None = None
        self._staged_paths: dict[str, Path] = {}
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
        store = ObjectStore.of(url.rstrip("/"), allow_http=allow_http)
        return cls(store, cache_control=cache_control, encoding=encoding)

    @property
    def location(self) -> str:
        """The URL of the prefix."""
        return self._store.url

    @property
    def is_remote(self) -> bool:
        """Whether reading a published file needs a network request; always true."""
        return True

    def __enter__(self) -> Bucket:
        self._folder = LockedTempDir()
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.close()

    def names(self) -> list[str]:
        """Return the names of the objects directly under the prefix, sorted; skip hidden ones."""
        return [name for name in self._store.names() if not name.startswith(".")]

    def read(self, name: str) -> bytes | None:
        """Return the bytes of an object without its content encoding; None if there is none."""
        found = self._store.get(checked_name(name))
        self._seen.setdefault(name, found and found.version)
        if found is None:
            return None
        is_encoded = found.attributes.get("Content-Encoding") == "gzip"
        return _decompress(found.data) if is_encoded else found.data

    def modified(self, name: str) -> datetime | None:
        """Return when an object was written, in UTC to the second; None if there is none."""
        return self._store.modified(checked_name(name))

    def stage(self, name: str, data: DocumentBytes) -> None:
        """Write a file, encoded for the upload, to a temporary folder of this machine."""
        if checked_name(name) not in self._seen:
            self._seen[name] = self._store.head(name)
        path = self._stage / str(len(self._staged_paths))
        sent = engines.get().gzip(data) if self._is_packed(name) else data
        if name in self._staged_paths:
            raise TargetError(f"cannot stage {self.location}/{name}: it was staged before")
        try:
            with open(path, "xb") as file:
                file.write(sent)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            failure = TargetError(
                f"cannot stage {name} in {self._stage}: {error.strerror or error}; "
                "nothing was published"
            )
            failure.errno = error.errno
            raise failure from error
        self._staged_paths[name] = path

    def read_staged(self, name: str) -> bytes:
        """Return the bytes of a staged file, read back from disk, without content encoding."""
        data = self._staged_paths[name].read_bytes()
        return _decompress(data) if self._is_packed(name) else data

    def has_staged(self, name: str, data: DocumentBytes) -> bool:
        """Return whether a staged file, read back from disk, has these bytes when decoded."""
        return self.read_staged(name) == data

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Upload the staged files in order, if unchanged by others; then remove the retired."""
        check_swap(names, retired, self._staged_paths)
        try:
            for name in names:
                self._replace(name, self._staged_paths[name].read_bytes())
            for name in retired:
                self._remove(name)
        except BaseException as error:
            failed = self._roll_back()
            if isinstance(error, (TargetError, VersionConflict)):
                raise TargetError(f"{error}; {self._state(failed)}") from None
            if failed:
                raise TargetError(self._state(failed)) from error
            raise

    def _replace(self, name: str, data: bytes) -> None:
        before = None
        if self._seen[name] is not None:
            before = self._store.get(name)
            self._expect(name, before)
        # Note: recorded before the upload, so that an interrupted upload is rolled back, too.
        step = _Step(name, before, data)
        self._steps.append(step)
        refusal: VersionConflict | None = None
        try:
            step.version = self._store.put(
                name, data, self._attributes(name), before and before.version
            )
        except VersionConflict as error:
            # It may come from a retry of this upload after its response was lost.
            refusal = error
        there = self._store.get(name)
        if there is None or there.data != data:
            raise self._difference(step, there, refusal)

    def _difference(
        self, step: _Step, there: ObjectInfo | None, refusal: VersionConflict | None
    ) -> TargetError:
        """Return the error for an object that is not what was uploaded."""
        where = f"{self.location}/{step.name}"
        if step.made(there):
            return TargetError(
                f"cannot write {where}: expected the uploaded bytes, found other ones: the store, "
                "or a gateway before it, changes what it stores"
            )
        if refusal is not None and _version_of(there) == _version_of(step.before):
            return TargetError(
                f"cannot write {where}: the store refuses to replace the object, which no other "
                f"process changed ({refusal}); conditional writes must be supported and allowed"
            )
        return self._conflict(step.name, "the uploaded bytes", there)

    def _remove(self, name: str) -> None:
        before = self._store.get(name)
        if before is None:
            return
        if name in self._seen:
            self._expect(name, before)
        self._steps.append(_Step(name, before, None))
        self._store.delete(name)

    def _expect(self, name: str, there: ObjectInfo | None) -> None:
        seen = self._seen.get(name)
        if _version_of(there) != seen:
            raise self._conflict(name, _describe(seen), there)

    def _conflict(self, name: str, expected: str, there: ObjectInfo | None) -> TargetError:
        found = _describe(_version_of(there))
        return TargetError(
            f"cannot write {self.location}/{name}: expected {expected}, found {found}: another "
            "process publishes there; make sure that only one does, and publish again"
        )

    def _roll_back(self) -> list[str]:
        """Restore the previous objects, in reverse order; return the names that failed.

        After a failure new objects stay, as an index that was not restored may list them.
        """
        failed: list[str] = []
        for step in reversed(self._steps):
            try:
                is_restored = self._restore(step, keeps_new=bool(failed))
            except TargetError:
                is_restored = False
            if not is_restored:
                failed.append(step.name)
        return failed

    def _restore(self, step: _Step, *, keeps_new: bool) -> bool:
        """Restore an object; return whether it is as before, or that of another process."""
        there = self._store.get(step.name)
        if _data_of(there) == _data_of(step.before) or not step.made(there):
            return True
        if step.before is None:
            if keeps_new:
                return False
            self._store.delete(step.name)
        else:
            with suppress(VersionConflict):
                step.version = self._store.put(
                    step.name, step.before.data, step.before.attributes, there and there.version
                )
        there = self._store.get(step.name)
        return _data_of(there) == _data_of(step.before) or not step.made(there)

    def _state(self, failed: list[str]) -> str:
        if not failed:
            return f"all changes in {self.location} were rolled back"
        return (
            f"the changes in {self.location} were rolled back except for {', '.join(failed)}; "
            "publish again to complete the set"
        )

    def _attributes(self, name: str) -> Attributes:
        suffix = os.path.splitext(name)[1].lower()
        made: Attributes = {"Content-Type": MEDIA_TYPES.get(suffix, "application/octet-stream")}
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


def _decompress(data: bytes) -> bytes:
    """Decompress an object stored as gzip; data that the client decompressed is unchanged."""
    unpacked = engines.get().gunzip(data, READ_LIMIT)
    return data if unpacked is None else unpacked


def _describe(version: UpdateVersion | None) -> str:
    return "nothing" if version is None else f"version {version.get('e_tag')}"


def _version_of(there: ObjectInfo | None) -> UpdateVersion | None:
    return there and there.version


def _data_of(there: ObjectInfo | None) -> bytes | None:
    return there and there.data
