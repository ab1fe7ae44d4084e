"""Sections of a set: assign URLs by pattern, column or source; name the files of each section."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import md5
from typing import Any
from urllib.parse import urlsplit

from urlset.arrow.batches import text_array, with_columns
from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions
from urlset.sources import Source
from urlset.store import quoted
from urlset.writer.file_set import FileNaming

LABEL_COLUMN = "section_of_source"
"""Column with the label of the source, for the section ``source``."""
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst)$", re.IGNORECASE)


def section_labels(
    sources: Sequence[Source], settings: BuildOptions
) -> tuple[Sequence[Source], BuildOptions]:
    """Add a column with a section label to each source if ``sections`` contains ``source``."""
    if "source" not in settings.sections:
        return sources, settings
    specs = tuple(f"column:{LABEL_COLUMN}" if s == "source" else s for s in settings.sections)
    labels = labels_of(sources)
    wrapped = [LabelledSource(*pair) for pair in zip(sources, labels, strict=True)]
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


class LabelledSource:
    """Source with an additional column that has the label in every row."""

    def __init__(self, source: Source, label: str):
        self.name, self.failures, self.notes = source.name, source.failures, source.notes
        self._source = source
        self._label = label
        self.check = getattr(source, "check", None)
        self.row_version = getattr(source, "row_version", None)

    def use_cache(self, cache: Any) -> None:
        """Pass a cache to the source, if it supports one."""
        if hasattr(self._source, "use_cache"):
            self._source.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the source, each with the label."""
        yield from self.labelled(self._source.batches())

    def labelled(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield batches with the label."""
        for batch in batches:
            yield with_columns(batch, {LABEL_COLUMN: text_array([self._label] * batch.num_rows)})


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
    """Return SQL for the section of a URL in ``g``, a word for file names or an empty text.

    Raises ``ValueError`` if a section has an invalid form.
    """
    cases, rest = [], ["g.section"]
    names: dict[str, str] = {}
    for spec in settings.sections:
        if spec.startswith("column:"):
            rest.append(f'g."{spec.removeprefix("column:")}"')
        elif found := SECTION.fullmatch(spec):
            name = names.setdefault(found[1].lower(), found[1])
            if name != found[1]:
                raise ValueError(
                    f"expected names of sections that differ by more than case, found {name!r} "
                    f"and {found[1]!r}: their files would be the same on some disks"
                )
            cases.append(f"WHEN regexp_matches(g.loc, {quoted(found[2])}) THEN {quoted(found[1])}")
        else:
            raise ValueError(
                "expected a section as NAME=PATTERN, column:NAME or source, found "
                f"{spec!r}; blog=/blog/ puts every URL with /blog/ in it into that section"
            )
    named = word_of(f"coalesce({', '.join(rest)}, '')")
    plain = named if settings.sections else "''"
    return f"CASE {' '.join(cases)} ELSE {plain} END" if cases else plain


def word_of(name: str) -> str:
    """Return SQL for the word for file names of a name of a section in SQL.

    A name without Latin letters becomes a digest, an empty one an empty word.
    """
    slug = f"trim(regexp_replace(lower({name}), '[^a-z0-9_-]+', '-', 'g'), '-')"
    return f"if({name} <> '' AND {slug} = '', 's' || md5({name})[:8], {slug})"


_RESERVED = re.compile(r"index_*")  # sitemap-index-2.xml is the second index
_ROUNDS = 8
_FIELD = re.compile(r"\{(name|section|number)(?::0?(\d))?\}")


class FileNames:
    """Names of the files and indexes of one set.

    Without sections ``sitemap-1.xml``, …, with sections ``sitemap-blog-1.xml``, …; the index is
    ``sitemap.xml``, or that of each section ``sitemap-blog.xml``. A single file without a section
    is ``sitemap.xml`` itself. The option ``pattern``, such as ``{name}_{section}_{number:03}``,
    renames the files, never the indexes.

    If the files of a section would have the names of other files or of an index, ``_`` is appended
    to the section: ``sitemap-index_-1.xml``. ``notes`` reports these, after :meth:`assign`.
    """

    def __init__(self, settings: BuildOptions):
        self._settings = settings
        self._scheme = FileNaming.of(settings.name, settings.format, settings.gzip)
        self._ending = self._scheme.single().removeprefix(settings.name)
        self._pattern = settings.name_pattern
        self._slugs: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """Sentences about sections that have another word in file names, to avoid equal names."""
        return [
            f"the files of the section {section!r} are named {word!r}: otherwise "
            "they would have the name of another file or of an index"
            for section, word in sorted(self._slugs.items())
            if section != word
        ]

    def is_indexed(self, files: Sequence[File]) -> bool:
        """Return whether files need an index."""
        return (
            self._settings.index != "auto"
            or len(files) > 1
            or bool(self._settings.include_sitemaps)
            or any(file.section for file in files)
        )

    def assign(self, files: Sequence[File]) -> Mapping[int, str]:
        """Return the name of each file, by its number; raise ``ValueError`` if two are the same."""
        if not self.is_indexed(files):
            return {file.number: self._scheme.single() for file in files}
        self._slugs = {file.section: _file_word(file.section) for file in files}
        for _ in range(_ROUNDS):
            names = {file.number: self._file_name(file) for file in files}
            colliding = self._colliding(files, names)
            if not colliding:
                break
            for section in colliding:
                self._slugs[section] += "_"
        else:
            raise ValueError(
                "expected names that differ, found files of several sections with the same name; "
                "rename a section, or add {section} to the pattern"
            )
        indexes = {self.index(section, 1) for section in self._indexed()}
        if both := indexes.intersection(names.values()):
            raise ValueError(
                "expected different names for files and indexes, found "
                f"{', '.join(sorted(both))} for both; choose another pattern"
            )
        return names

    def _indexed(self) -> Collection[str]:
        """Return the sections that have an index; ``""`` stands for the index of the whole set."""
        return self._slugs if self._settings.index == "section" else ("",)

    def _colliding(self, files: Sequence[File], names: Mapping[int, str]) -> set[str]:
        """Return the sections whose file names equal those of a shorter section or of an index."""
        owners: dict[str, set[str]] = {}
        for file in files:
            owners.setdefault(names[file.number], set()).add(file.section)
        for section in self._indexed():
            name = self.index(section, 1)
            if name in owners:
                owners[name].add(section)
        found: set[str] = set()
        for sections in owners.values():
            found |= set(sorted(sections, key=lambda word: (len(word), word))[1:])
        return found

    def index(self, section: str, number: int) -> str:
        """Return the name of index ``number``, from 1, of a section, or of all (``""``)."""
        return self._naming(section).index(number)

    def parse(self, name: str) -> tuple[str, int] | None:
        """Return section and position of a file from its name; None if it is not a sitemap file.

        >>> FileNames(BuildOptions(base_url="https://example.com/")).parse("sitemap-blog-12.xml")
        ('blog', 12)
        """
        if self._settings.format == "text" and name == self._scheme.single():
            return "", 1
        pattern = self._pattern or "{name}-{section}-{number}"
        for found in (self._match(pattern, name), self._match(_without_section(pattern), name)):
            if found is not None:
                groups = found.groupdict()
                return _section(groups.get("section") or ""), int(groups["number"])
        if (
            self._settings.format == "text" and self._pattern is None
        ):  # the first file has no number
            found = self._match("{name}-{section}", name)
            return (_section(found["section"]), 1) if found is not None else None
        return None

    def index_candidates(self, existing: Collection[str]) -> Iterator[str]:
        """Yield the existing file names that may be those of an index of this set."""
        number = 1
        while (name := self._scheme.index(number)) in existing:
            yield name
            number += 1
        if self._settings.index == "section":
            start = f"{self._settings.name}-"
            for name in sorted(existing):
                if (
                    name.startswith(start) and ".xml" in name
                ):  # or a sitemap file, which the caller detects
                    yield name

    def _file_name(self, file: File) -> str:
        if self._pattern is None:
            return self._naming(file.section).child(file.position)
        pattern = self._pattern if file.section else _without_section(self._pattern)
        fields = {"name": self._settings.name, "section": self._slugs[file.section]}
        return (
            _FIELD.sub(
                lambda found: fields.get(found[1], f"{file.position:0{found[2] or 1}}"), pattern
            )
            + self._ending
        )

    def _match(self, pattern: str, name: str) -> re.Match[str] | None:
        fields = {
            "name": re.escape(self._settings.name),
            "section": "(?P<section>[A-Za-z0-9_-]+)",
            "number": "(?P<number>[0-9]+)",
        }
        parts = _FIELD.split(pattern)
        literal, names = parts[::3], parts[1::3]
        expression = re.escape(literal[0])
        for field, text in zip(names, literal[1:], strict=True):
            expression += fields[field] + re.escape(text)
        return re.fullmatch(expression + re.escape(self._ending), name)

    def _naming(self, section: str) -> FileNaming:
        if not section:
            return self._scheme
        name = f"{self._settings.name}-{self._slugs.get(section, section)}"
        return FileNaming.of(name, self._settings.format, self._settings.gzip)


def _file_word(section: str) -> str:
    """Return the word for a section in file names, different from all words in index names.

    >>> _file_word("blog"), _file_word("index"), _section(_file_word("index_"))
    ('blog', 'index_', 'index_')
    """
    return f"{section}_" if _RESERVED.fullmatch(section) else section


def _section(word: str) -> str:
    """Convert a word in a file name back to its section."""
    return word.removesuffix("_") if _RESERVED.fullmatch(word) else word


def _without_section(pattern: str) -> str:
    """Return the pattern for files without a section, without the section's separator.

    >>> _without_section("{name}-{section}-{number}")
    '{name}-{number}'
    """
    return re.sub(r"[._~-]?\{section\}", "", pattern).lstrip("._~-")
