"""What the files of a set with sections are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from urlset.builder.ledger import File
from urlset.builder.settings import Settings
from urlset.writer.naming import Scheme

__all__ = ["Names"]

_TAKEN = "index"


class Names:
    """Names of the files and indexes of one set.

    Without sections ``sitemap-1.xml``, …, with sections ``sitemap-blog-1.xml``, …; the index is
    ``sitemap.xml``, or that of each section ``sitemap-blog.xml``. One file alone, without a
    section, is ``sitemap.xml`` itself.
    """

    def __init__(self, settings: Settings):
        self._settings = settings
        self._scheme = Scheme.of(settings.name, settings.format, settings.gzip)

    def is_indexed(self, files: Sequence[File]) -> bool:
        """Whether files need an index."""
        return (
            self._settings.index != "auto" or len(files) > 1 or any(file.section for file in files)
        )

    def of(self, files: Sequence[File]) -> Mapping[int, str]:
        """The name of each file, by its number. Raises ``ValueError`` for one that is taken."""
        if not self.is_indexed(files):
            return {file.number: self._scheme.single() for file in files}
        return {file.number: self._child(file) for file in files}

    def index(self, section: str, number: int) -> str:
        """The index of that number, from 1; of a section, or of all (``""``)."""
        return self._of_section(section).index(number)

    def is_ours(self, name: str) -> bool:
        """Whether a file of that name may be one of this set."""
        ending = self._scheme.single().removeprefix(self._settings.name)
        return name.startswith(self._settings.name) and name.endswith(ending)

    def _child(self, file: File) -> str:
        if file.section == _TAKEN:
            raise ValueError(
                f"expected another section than {_TAKEN!r}, whose files would be called as the "
                "indexes are; name it otherwise"
            )
        return self._of_section(file.section).child(file.position)

    def _of_section(self, section: str) -> Scheme:
        if not section:
            return self._scheme
        name = f"{self._settings.name}-{section}"
        return Scheme.of(name, self._settings.format, self._settings.gzip)
