"""Dates from git: asked safely, without believing shallow clones and bulk commits."""

from __future__ import annotations

from urlset.sources.git.dated import WithGit
from urlset.sources.git.dates import GitDates, git_dates

__all__ = ["GitDates", "WithGit", "git_dates"]
