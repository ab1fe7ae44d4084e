"""Dates from git: asked safely, without believing shallow clones and bulk commits."""

from __future__ import annotations

from urlset.sources.git.dates import GitDates, git_dates
from urlset.sources.git.source import GitDatedSource

__all__ = ["GitDatedSource", "GitDates", "git_dates"]
