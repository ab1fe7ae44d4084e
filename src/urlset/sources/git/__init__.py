"""Dates of files from git, queried safely; shallow clones and bulk commits give no dates."""

from __future__ import annotations

from urlset.sources.git.dates import GitDatedSource, GitDates, git_dates

__all__ = ["GitDatedSource", "GitDates", "git_dates"]
