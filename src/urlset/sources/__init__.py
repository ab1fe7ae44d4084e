"""What a build takes: each kind of source, as batches of candidates."""

from __future__ import annotations

from urlset.sources.candidates import CANDIDATE, EVIDENCE, Candidate, Rows, Source, in_batches

__all__ = ["CANDIDATE", "EVIDENCE", "Candidate", "Rows", "Source", "in_batches"]
from urlset.sources.candidates import CANDIDATE, Candidate, Source, in_batches
from urlset.sources.git import GitDates, git_dates
from urlset.sources.logs import AccessLog

__all__ = [
    "CANDIDATE",
    "AccessLog",
    "Candidate",
    "GitDates",
    "Source",
    "git_dates",
    "in_batches",
]
from urlset.sources.candidates import CANDIDATE, Candidate, Source, in_batches
from urlset.sources.folder import HtmlFolder

__all__ = ["CANDIDATE", "Candidate", "HtmlFolder", "Source", "in_batches"]
