"""Dates from git: asked safely, without believing shallow clones and bulk commits."""

from __future__ import annotations

from urlset.sources.git.dated import WithGit
from urlset.sources.git.dates import PATTERNS, GitDates, git_dates

__all__ = ["PATTERNS", "GitDates", "WithGit", "git_dates"]
