"""Dates from git: asked safely, without believing shallow clones and bulk commits."""

from __future__ import annotations

from urlset.sources.git.dates import GitDatedSource, GitDates, git_dates

__all__ = ["GitDatedSource", "GitDates", "git_dates"]
