"""What the files of a set with sections are called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions
from urlset.writer.file_names import FileNaming

__all__ = ["FileNames"]

_TAKEN = re.compile(r"index_*")  # sitemap-index-2.xml is the second index
_ROUNDS = 8
_FIELD = re.compile(r"\{(name|section|number)(?::0?(\d))?\}")


class FileNames:
    """Names of the files and indexes of one set.

    Without sections ``sitemap-1.xml``, …, with sections ``sitemap-blog-1.xml``, …; the index is
    ``sitemap.xml``, or that of each section ``sitemap-blog.xml``. One file alone, without a
    section, is ``sitemap.xml`` itself. A pattern of the settings, such as
    ``{name}_{section}_{number:03}``, names the files otherwise, never the indexes.

    A section whose files would be called as others, or as an index, has ``_`` behind its word
    there: ``sitemap-index_-1.xml``. ``notes`` tells which, once :meth:`of` has named the files.
    """

    def __init__(self, settings: BuildOptions):
        self._settings = settings
        self._scheme = FileNaming.of(settings.name, settings.format, settings.gzip)
        self._ending = self._scheme.single().removeprefix(settings.name)
        self._pattern = settings.pattern
        self._words: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """The sections that are called otherwise in the names of files, as sentences."""
        return [
            f"the files of the section {section!r} are called {word!r}: another file, or an "
            "index, would have the name otherwise"
            for section, word in sorted(self._words.items())
            if section != word
        ]

    def is_indexed(self, files: Sequence[File]) -> bool:
        """Whether files need an index."""
        return (
            self._settings.index != "auto" or len(files) > 1 or any(file.section for file in files)
        )

    def of(self, files: Sequence[File]) -> Mapping[int, str]:
        """The name of each file, by its number. Raises ``ValueError`` where two have the same."""
        if not self.is_indexed(files):
            return {file.number: self._scheme.single() for file in files}
        self._words = {file.section: _word(file.section) for file in files}
        for _ in range(_ROUNDS):
            names = {file.number: self._child(file) for file in files}
            twice = self._twice(files, names)
            if not twice:
                return self._apart(names)
            for section in twice:
                self._words[section] += "_"
        raise ValueError(
            "expected names that differ, found files of several sections with the same name; "
            "name the sections otherwise, or put {section} into the pattern"
        )

    def _apart(self, names: Mapping[int, str]) -> Mapping[int, str]:
        indexes = {self.index(section, 1) for section in self._indexed()}
        if both := indexes.intersection(names.values()):
            raise ValueError(
                f"expected names of files that no index has, found {', '.join(sorted(both))} for "
                "both; give another pattern"
            )
        return names

    def _indexed(self) -> Collection[str]:
        """The sections that have an index of their own; ``""`` is that of all."""
        return self._words if self._settings.index == "section" else ("",)

    def _twice(self, files: Sequence[File], names: Mapping[int, str]) -> set[str]:
        """The sections that are to be called otherwise: of two, the longer one."""
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
        """The index of that number, from 1; of a section, or of all (``""``)."""
        return self._of_section(section).index(number)

    def place(self, name: str) -> tuple[str, int] | None:
        """The section and the position of a file, by its name; None for one that is no child.

        >>> FileNames(BuildOptions("https://example.com/")).place("sitemap-blog-12.xml")
        ('blog', 12)
        """
        if self._settings.format == "text" and name == self._scheme.single():
            return "", 1
        pattern = self._pattern or "{name}-{section}-{number}"
        for found in (self._match(pattern, name), self._match(_without_section(pattern), name)):
            if found is not None:
                groups = found.groupdict()
                return _section(groups.get("section") or ""), int(groups["number"])
        if self._settings.format == "text" and self._pattern is None:  # the first has no number
            found = self._match("{name}-{section}", name)
            return (_section(found["section"]), 1) if found is not None else None
        return None

    def entrances(self, there: Collection[str]) -> Iterator[str]:
        """Those names that an index of this set may have."""
        number = 1
        while (name := self._scheme.index(number)) in there:
            yield name
            number += 1
        if self._settings.index == "section":
            start = f"{self._settings.name}-"
            for name in sorted(there):
                if name.startswith(start) and ".xml" in name:  # or a file: that is to be seen
                    yield name

    def _child(self, file: File) -> str:
        if self._pattern is None:
            return self._of_section(file.section).child(file.position)
        pattern = self._pattern if file.section else _without_section(self._pattern)
        words = {"name": self._settings.name, "section": self._words[file.section]}
        return (
            _FIELD.sub(
                lambda found: words.get(found[1], f"{file.position:0{found[2] or 1}}"), pattern
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
        made = re.escape(literal[0])
        for field, text in zip(names, literal[1:], strict=True):
            made += fields[field] + re.escape(text)
        return re.fullmatch(made + re.escape(self._ending), name)

    def _of_section(self, section: str) -> FileNaming:
        if not section:
            return self._scheme
        name = f"{self._settings.name}-{self._words.get(section, section)}"
        return FileNaming.of(name, self._settings.format, self._settings.gzip)


def _word(section: str) -> str:
    """What a section is called in names of files; no index is.

    >>> _word("blog"), _word("index"), _section(_word("index_"))
    ('blog', 'index_', 'index_')
    """
    return f"{section}_" if _TAKEN.fullmatch(section) else section


def _section(word: str) -> str:
    """The section that is called so."""
    return word.removesuffix("_") if _TAKEN.fullmatch(word) else word


def _without_section(pattern: str) -> str:
    """The pattern for files without a section, which needs one separator less.

    >>> _without_section("{name}-{section}-{number}")
    '{name}-{number}'
    """
    return re.sub(r"[._~-]?\{section\}", "", pattern).lstrip("._~-")
