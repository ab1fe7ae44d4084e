"""Assign URLs to sections: by pattern, by column, or by source."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import md5
from typing import Any
from urllib.parse import urlsplit

from urlset.arrow.batches import text_array, with_columns
from urlset.builder.options import BuildOptions
from urlset.sources import Source
from urlset.store import quoted

__all__ = ["SECTION", "labels_of", "section_labels", "section_of"]

_COLUMN = "section_of_source"
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst)$", re.IGNORECASE)


def section_labels(
    sources: Sequence[Source], settings: BuildOptions
) -> tuple[Sequence[Source], BuildOptions]:
    """Add a column with a section label to each source if ``sections`` contains ``source``."""
    if "source" not in settings.sections:
        return sources, settings
    specs = tuple(f"column:{_COLUMN}" if s == "source" else s for s in settings.sections)
    labels = labels_of(sources)
    wrapped = [_LabelledSource(*pair) for pair in zip(sources, labels, strict=True)]
    return wrapped, replace(settings, sections=specs)


def labels_of(sources: Sequence[Source]) -> list[str]:
    """Return a label for each source, usable in file names and independent of their order.

    The label is the name of a file or folder, of a table in it, or the host of a URL. Equal labels
    are extended by more of the path, and finally by a digest.
    """
    candidates = {(s.name, _table(s)): list(_label_candidates(s.name, _table(s))) for s in sources}
    levels = dict.fromkeys(candidates, 0)
    while True:
        labels = {key: candidates[key][level] for key, level in levels.items()}
        counts = Counter(labels.values())
        twice = [
            key for key, label in labels.items()
            if counts[label] > 1 and levels[key] + 1 < len(candidates[key])
        ]  # fmt: skip
        if not twice:
            return [labels[source.name, _table(source)] for source in sources]
        for key in twice:
            levels[key] += 1


class _LabelledSource:
    """Source with an additional column that has the label in every row."""

    def __init__(self, source: Source, label: str):
        self.name, self.failures, self.notes = source.name, source.failures, source.notes
        self._source = source
        self._label = label
        self.check = getattr(source, "check", None)

    def use_cache(self, cache: Any) -> None:
        """Pass a cache to the source, if it supports one."""
        if hasattr(self._source, "use_cache"):
            self._source.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the source, each with the label."""
        for batch in self._source.batches():
            yield with_columns(batch, {_COLUMN: text_array([self._label] * batch.num_rows)})


def _table(source: Source) -> str | None:
    table: str | None = getattr(source, "table", None)
    return table


def _label_candidates(name: str, table: str | None) -> Iterator[str]:
    """Yield possible labels of a source, the shortest first, a unique one last."""
    short, *longer = _name_parts(name)
    if table is not None:
        short, longer = table, [f"{short} {table}", *(f"{part} {table}" for part in longer)]
    for text in (short, *longer):
        yield _slug(text)
    yield f"{_slug(short)}-{md5(f'{name} {table}'.encode(errors='replace')).hexdigest()[:8]}"


def _name_parts(name: str) -> list[str]:
    split = urlsplit(name) if "://" in name else None
    if split is not None:
        path = _without_ending(split.path.rstrip("/"))
        if split.scheme in ("http", "https"):
            return [split.hostname or name, f"{split.hostname}{path}"]
        return [os.path.basename(path) or split.hostname or name, f"{split.hostname}{path}"]
    if name == "-":
        return ["stdin"]
    first = min(name.split(", "))  # a source may be several logs
    path = _without_ending(os.path.normpath(first))
    if not os.path.basename(path).strip("."):
        path = os.path.abspath(path)
    folder, base = os.path.split(path)
    return [base, f"{os.path.basename(folder)} {base}", os.path.normpath(first)]


def _without_ending(path: str) -> str:
    return os.path.splitext(_PACKED.sub("", path))[0] if os.path.basename(path) else path


def _slug(text: str) -> str:
    """Return a word for file names; a word without Latin letters becomes a digest.

    >>> _slug("Old Pages"), _slug("日本")
    ('old-pages', 's4dbed2e6')
    """
    slug = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-")
    return slug or f"s{md5(text.encode(errors='replace')).hexdigest()[:8]}"


SECTION = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
"""Section by pattern: its name, and the pattern of its URLs."""


def section_of(settings: BuildOptions) -> str:
    """Return SQL for the section of a URL of ``g``: a word for file names, or an empty text.

    Raises:
        ValueError: A section has an invalid form.
    """
    cases, rest = [], ["g.section"]
    for spec in settings.sections:
        if spec.startswith("column:"):
            rest.append(f'g."{spec.removeprefix("column:")}"')
        elif found := SECTION.fullmatch(spec):
            cases.append(f"WHEN regexp_matches(g.loc, {quoted(found[2])}) THEN {quoted(found[1])}")
        else:
            raise ValueError(
                "expected a section as NAME=PATTERN, column:NAME or source, found "
                f"{spec!r}; blog=/blog/ puts every URL with /blog/ in it into that section"
            )
    word = f"coalesce({', '.join(rest)}, '')"
    slug = f"regexp_replace(lower({word}), '[^a-z0-9_-]+', '-', 'g')"
    # A word without Latin letters becomes a digest.
    named = (
        f"if({word} <> '' AND trim({slug}, '-') = '', 's' || md5({word})[:8], trim({slug}, '-'))"
    )
    plain = named if settings.sections else "''"
    return f"CASE {' '.join(cases)} ELSE {plain} END" if cases else plain
