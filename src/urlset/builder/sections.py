"""Names sections after sources: what each is called, and a column that says so of every row."""

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
    """Sources whose rows say which one gave them, where settings make sections of that."""
    if "source" not in settings.sections:
        return sources, settings
    specs = tuple(f"column:{_COLUMN}" if s == "source" else s for s in settings.sections)
    labels = labels_of(sources)
    wrapped = [_Labelled(*pair) for pair in zip(sources, labels, strict=True)]
    return wrapped, replace(settings, sections=specs)


def labels_of(sources: Sequence[Source]) -> list[str]:
    """A word for each source that may stand in the name of a file, whatever their order.

    That is the name of a file or a folder, of a table in it, or the host of a URL; where two would
    be called the same, with more of the path before it, and at last with a digest.
    """
    words = {(s.name, _table(s)): list(_words(s.name, _table(s))) for s in sources}
    levels = dict.fromkeys(words, 0)
    while True:
        labels = {key: words[key][level] for key, level in levels.items()}
        counts = Counter(labels.values())
        twice = [
            key for key, label in labels.items()
            if counts[label] > 1 and levels[key] + 1 < len(words[key])
        ]  # fmt: skip
        if not twice:
            return [labels[source.name, _table(source)] for source in sources]
        for key in twice:
            levels[key] += 1


class _Labelled:
    """A source with a column more, of the same word in every row."""

    def __init__(self, source: Source, label: str):
        self.name, self.failures, self.notes = source.name, source.failures, source.notes
        self._source = source
        self._label = label
        self.check = getattr(source, "check", None)

    def use_cache(self, cache: Any) -> None:
        """Let the source use a cache, where it can."""
        if hasattr(self._source, "use_cache"):
            self._source.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """The batches of the source, each with the word."""
        for batch in self._source.batches():
            yield with_columns(batch, {_COLUMN: text_array([self._label] * batch.num_rows)})


def _table(source: Source) -> str | None:
    table: str | None = getattr(source, "table", None)
    return table


def _words(name: str, table: str | None) -> Iterator[str]:
    """What a source may be called, the shortest first, and last what no other is called."""
    short, *longer = _parts(name)
    if table is not None:
        short, longer = table, [f"{short} {table}", *(f"{part} {table}" for part in longer)]
    for words in (short, *longer):
        yield _slug(words)
    yield f"{_slug(short)}-{md5(f'{name} {table}'.encode(errors='replace')).hexdigest()[:8]}"


def _parts(name: str) -> list[str]:
    split = urlsplit(name) if "://" in name else None
    if split is not None:
        path = _stem(split.path.rstrip("/"))
        if split.scheme in ("http", "https"):
            return [split.hostname or name, f"{split.hostname}{path}"]
        return [os.path.basename(path) or split.hostname or name, f"{split.hostname}{path}"]
    if name == "-":
        return ["stdin"]
    first = min(name.split(", "))  # of several logs
    path = _stem(os.path.normpath(first))
    if not os.path.basename(path).strip("."):
        path = os.path.abspath(path)
    folder, base = os.path.split(path)
    return [base, f"{os.path.basename(folder)} {base}", os.path.normpath(first)]


def _stem(path: str) -> str:
    return os.path.splitext(_PACKED.sub("", path))[0] if os.path.basename(path) else path


def _slug(words: str) -> str:
    """A word for names of files; one of no Latin letters is told apart by its digest.

    >>> _slug("Old Pages"), _slug("日本")
    ('old-pages', 's4dbed2e6')
    """
    slug = re.sub(r"[^a-z0-9_-]+", "-", words.lower()).strip("-")
    return slug or f"s{md5(words.encode(errors='replace')).hexdigest()[:8]}"


SECTION = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
"""A section by a pattern: its name, and what is in its URLs."""


def section_of(settings: BuildOptions) -> str:
    """An expression for the section of a URL of ``g``: a word for names of files, or nothing.

    Raises ``ValueError`` for one that is no such thing.
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
    # A word of no Latin letters is told apart by its digest.
    named = (
        f"if({word} <> '' AND trim({slug}, '-') = '', 's' || md5({word})[:8], trim({slug}, '-'))"
    )
    plain = named if settings.sections else "''"
    return f"CASE {' '.join(cases)} ELSE {plain} END" if cases else plain
