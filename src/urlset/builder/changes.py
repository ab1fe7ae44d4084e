"""What a build changed, URL by URL: added, changed, removed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.atomic import AtomicFile, expect_replaceable, why_unwritten
from urlset.errors import TargetError
from urlset.store import ScratchDatabase

__all__ = ["changes", "changes_written"]

_FIELDS = ("lastmod", "changefreq", "priority")


def changes(bench: ScratchDatabase) -> Iterator[dict[str, Any]]:
    """Each change as an object: ``change``, ``loc``, and the entry ``before`` and ``after``.

    ``before`` is null of what was added, ``after`` of what was removed.
    """
    names = ", ".join([*(f"old_{name}" for name in _FIELDS), *_FIELDS])
    query = f"""
        SELECT if(state = 'moved', 'changed', state), loc, {names}
        FROM differing WHERE state IN ('added', 'changed', 'removed')
            OR (state = 'moved' AND is_changed)
        ORDER BY loc"""
    for batch in bench.batches(query):
        for change, loc, *values in rows_of(as_table(batch)):
            before, after = values[: len(_FIELDS)], values[len(_FIELDS) :]
            yield {
                "change": change,
                "loc": loc,
                "before": None if change == "added" else dict(zip(_FIELDS, before, strict=True)),
                "after": None if change == "removed" else dict(zip(_FIELDS, after, strict=True)),
            }


@contextmanager
def changes_written(bench: ScratchDatabase, path: Path | None) -> Iterator[None]:
    """Write the changes as JSON lines beside ``path``, and let them appear there at the end.

    Beware: within the transaction of the ledger. What was killed in between is told again, not
    forgotten. Raises :class:`urlset.TargetError`, before anything is published where it can.
    """
    if path is None:
        yield
        return
    with _told(path):
        expect_replaceable(path)
        staged = AtomicFile(path, is_alone=True)
    try:
        with _told(path), os.fdopen(staged.descriptor, "w", encoding="utf-8") as file:
            for change in changes(bench):
                file.write(json.dumps(change, ensure_ascii=False) + "\n")
        yield
        with _told(path):
            staged.put()
    finally:
        staged.discard()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TargetError(f"cannot write {path}: {why_unwritten(path, error)}") from error
