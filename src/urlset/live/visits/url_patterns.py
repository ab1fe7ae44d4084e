"""Select URLs by the options ``include`` and ``exclude``."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.reader.filters import compile_patterns


class UrlPatterns:
    """Regular expressions of which one, or none, must have a match in a URL.

    >>> patterns = UrlPatterns(include=["/shop/"], exclude=["[.]pdf$"])
    >>> [patterns.reason_against(f"https://example.com/{path}") for path in ("shop/a", "b")]
    [None, 'include']

    Raises:
        ValueError: A regular expression is invalid.
    """

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()):
        # Note: joined into one expression, a flag such as (?i) would be invalid or apply to all.
        self._include = compile_patterns("include", include)
        self._exclude = compile_patterns("exclude", exclude)

    def __bool__(self) -> bool:
        """Return whether a URL may be excluded."""
        return bool(self._include or self._exclude)

    def reason_against(self, url: str) -> str | None:
        """Return the option that excludes a URL; None if it is selected."""
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "include"
        if any(pattern.search(url) for pattern in self._exclude):
            return "exclude"
        return None
