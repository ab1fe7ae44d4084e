"""Name the files and indexes of a set, also of a set with sections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions
from urlset.writer.file_set import FileNaming

__all__ = ["FileNames"]

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
        self._pattern = settings.pattern
        self._slugs: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """Sentences about sections whose file names use another word."""
        return [
            f"the files of the section {section!r} are named {word!r}: otherwise "
            "they would have the name of another file or of an index"
            for section, word in sorted(self._slugs.items())
            if section != word
        ]

    def is_indexed(self, files: Sequence[File]) -> bool:
        """Return whether files need an index."""
        return (
            self._settings.index != "auto" or len(files) > 1 or any(file.section for file in files)
        )

    def assign(self, files: Sequence[File]) -> Mapping[int, str]:
        """Return the name of each file, by its number.

        Raises:
            ValueError: Two files would have the same name.
        """
        if not self.is_indexed(files):
            return {file.number: self._scheme.single() for file in files}
        self._slugs = {file.section: _slug(file.section) for file in files}
        for _ in range(_ROUNDS):
            names = {file.number: self._file_name(file) for file in files}
            colliding = self._colliding(files, names)
            if not colliding:
                return self._check_indexes(names)
            for section in colliding:
                self._slugs[section] += "_"
        raise ValueError(
            "expected names that differ, found files of several sections with the same name; "
            "rename a section, or add {section} to the pattern"
        )

    def _check_indexes(self, names: Mapping[int, str]) -> Mapping[int, str]:
        indexes = {self.index(section, 1) for section in self._indexed()}
        if both := indexes.intersection(names.values()):
            raise ValueError(
                "expected different names for files and indexes, found "
                f"{', '.join(sorted(both))} for both; choose another pattern"
            )
        return names

    def _indexed(self) -> Collection[str]:
        """Return the sections with an index of their own; ``""`` is the index of all."""
        return self._slugs if self._settings.index == "section" else ("",)

    def _colliding(self, files: Sequence[File], names: Mapping[int, str]) -> set[str]:
        """Return the sections to rename: of two that collide, the longer one."""
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

        >>> FileNames(BuildOptions("https://example.com/")).parse("sitemap-blog-12.xml")
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
        """Yield the existing names that an index of this set may have."""
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


def _slug(section: str) -> str:
    """Return the word for a section in file names; no index has it.

    >>> _slug("blog"), _slug("index"), _section(_slug("index_"))
    ('blog', 'index_', 'index_')
    """
    return f"{section}_" if _RESERVED.fullmatch(section) else section


def _section(word: str) -> str:
    """Return the section of a word in a file name."""
    return word.removesuffix("_") if _RESERVED.fullmatch(word) else word


def _without_section(pattern: str) -> str:
    """Return the pattern for files without a section, without the section's separator.

    >>> _without_section("{name}-{section}-{number}")
    '{name}-{number}'
    """
    return re.sub(r"[._~-]?\{section\}", "", pattern).lstrip("._~-")
