"""Compare the ``lastmod`` dates of each section with the dates of its pages."""

from __future__ import annotations

from typing import NamedTuple

from urlset.store import StoreSession

LASTMOD_SQL = (
    "SELECT section, dates, truthful, late, early, invented, unknown FROM lastmod_sections\n"
    "ORDER BY dates DESC, section"
)
"""Query of the numbers of :class:`SectionTrial`; it needs the live views."""


class SectionTrial(NamedTuple):
    """Numbers of ``lastmod`` dates of a section, by whether they agree with their pages.

    Attributes:
        section: First folder of the paths.
        dates: Dates with a witness: the header Last-Modified, the date on the page, or the content
            at the previous audit.
        truthful: Dates that agree with it.
        late: Dates older than the last change of the page.
        early: Dates newer than it.
        invented: Dates that changed without the page, or that are equal for many pages.
        unknown: Dates without a witness, which are not among ``dates``.
    """

    section: str
    dates: int
    truthful: int
    late: int
    early: int
    invented: int
    unknown: int = 0

    @property
    def share(self) -> float:
        """Share of truthful dates, from 0 to 1."""
        return self.truthful / self.dates if self.dates else 0.0


def lastmod_trials(session: StoreSession) -> list[SectionTrial]:
    """Return the numbers of true and false dates by section; the live views must exist."""
    return [SectionTrial(*row) for row in session.rows(LASTMOD_SQL)]
