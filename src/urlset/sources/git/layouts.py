"""Find the source file of a generated page in the directory structures of static site generators.

Hugo keeps ``/about/`` in ``content/about.md`` or ``content/en/about.md`` and its URLs in lower
case, MkDocs in ``docs/about.md``, Sphinx in ``docs/about.rst``, mdBook ``/`` in ``src/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from urlset.languages import LANGUAGES, REGIONS

FOLDERS = (
    "", "content/", "docs/", "src/", "pages/", "src/pages/", "src/content/", "src/content/docs/",
    "src/content/pages/", "app/", "doc/", "source/", "docs/source/", "doc/source/", "docs/src/",
    "docs/content/", "book/src/", "site/content/", "website/docs/", "docs/docs/",
)  # fmt: skip
"""Folders in which sources are searched, in this order."""

EXTENSIONS = tuple(
    ".md .mdx .html .rst .adoc .astro .njk .markdown .ipynb .txt .org .asciidoc .textile .vue "
    ".svelte .liquid .hbs .ejs .pug .haml .erb .twig .j2 .jinja .jinja2 .php .htm .xhtml".split()
)
"""File extensions of sources, in this order."""

_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?", re.IGNORECASE)
_INDEX_RANK, _README_RANK, _SUFFIX_RANK, _DEFAULT_RANK = 100, 10_000, 1_000, 20_000


def page_of(file: str) -> str:
    """Return the page name of a built file: ``about/index.html`` → ``about``.

    >>> page_of("about/index.html"), page_of("index.html"), page_of("tea/green.html")
    ('about', '', 'tea/green')
    """
    folder, slash, name = file.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if dot and extension:
        name = "" if stem == "index" else stem
    return f"{folder}{slash}{name}".removesuffix("/")


def is_language(name: str) -> bool:
    """Return whether a folder has the name of a language.

    >>> is_language("de"), is_language("pt-BR"), is_language("blog")
    (True, True, False)
    """
    found = _LANGUAGE.fullmatch(name)
    if found is None or found[1].lower() not in LANGUAGES:
        return False
    return found[2] is None or found[2].upper() in REGIONS


class SourceIndex:
    """Index of source files by the page that is built from each.

    ``built`` are the languages that have a folder in the built site. If there is exactly one other
    language, its pages are those without a language in their path.

    >>> index = SourceIndex(["content/en/Tea.md", "content/de/tee.md", "README.md"], {"de"})
    >>> index.find("tea/index.html"), index.find("de/tee/index.html"), index.find("index.html")
    ('content/en/Tea.md', 'content/de/tee.md', 'README.md')
    """

    def __init__(self, paths: Iterable[str], built: Set[str] = frozenset()):
        self._exact: dict[str, tuple[int, str]] = {}
        self._ambiguous: set[str] = set()
        self._built = {language.lower() for language in built}
        for path in paths:
            self._add(path)
        self._normalized: dict[str, str | None] = {}
        for page, (_, path) in self._exact.items():
            key = _normalized(page)
            is_other = key in self._normalized and self._normalized[key] != path
            self._normalized[key] = None if is_other else path

    def find(self, file: str) -> str | None:
        """Return the path of the source file from which a file of the site was built, or None."""
        page = page_of(file)
        if page in self._exact:
            return self._exact[page][1]
        return self._normalized.get(_normalized(page))

    def _add(self, path: str) -> None:
        extension = next((e for e in EXTENSIONS if path.endswith(e)), None)
        if extension is None:
            return
        for number, folder in enumerate(FOLDERS):
            if path.startswith(folder):
                rest = path[len(folder) : -len(extension)]
                if not rest or rest.endswith("/"):  # a file named `.md`
                    continue
                rank = number * 200 + EXTENSIONS.index(extension)
                self._add_page(rest, rank, path, is_content=bool(folder))

    def _add_page(self, rest: str, rank: int, path: str, *, is_content: bool) -> None:
        parent, _, name = rest.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        if stem and is_language(suffix):  # about.de.md
            self._add_language_page(
                suffix, f"{parent}/{stem}".strip("/"), rank + _SUFFIX_RANK, path
            )
            return
        page, rank = _without_index(rest, rank)
        self._insert(page, rank, path)
        language, _, inner = page.partition("/")
        if is_content and is_language(language) and language.lower() not in self._built:
            self._insert(inner, rank + _DEFAULT_RANK, path, language)

    def _add_language_page(self, language: str, rest: str, rank: int, path: str) -> None:
        page, rank = _without_index(rest, rank)
        self._insert(f"{language}/{page}".removesuffix("/"), rank, path)
        if language.lower() not in self._built:
            self._insert(page, rank + _DEFAULT_RANK, path, language)

    def _insert(self, page: str, rank: int, path: str, language: str | None = None) -> None:
        """Add a source file of a page, unless there is a better one or languages conflict."""
        previous = self._exact.get(page)
        if language is not None:
            if page in self._ambiguous:
                return
            if (
                previous is not None
                and previous[0] >= _DEFAULT_RANK
                and _languages(previous[1]) != _languages(path)
            ):
                self._ambiguous.add(page)
                del self._exact[page]
                return
        if previous is None or rank < previous[0]:
            self._exact[page] = rank, path


def _without_index(rest: str, rank: int) -> tuple[str, int]:
    """Return page and rank of a source file; the page of an ``index`` file is its folder."""
    parent, _, name = rest.rpartition("/")
    if name.lower() in ("index", "_index"):
        return parent, rank + _INDEX_RANK
    if name.lower() == "readme":
        return parent, rank + _README_RANK
    return rest, rank


def _languages(path: str) -> set[str]:
    """Return the languages that a path contains."""
    return {part.lower() for part in re.split(r"[/.]", path) if is_language(part)}


def _normalized(page: str) -> str:
    """Convert a page name to lower case with hyphens between words, as some generators do."""
    return page.lower().replace(" ", "-")
