"""Submit: announce to search engines what changed on a site, each change once."""

from __future__ import annotations

from urlset.submitter.changes import ChangedUrl
from urlset.submitter.keys import create_key
from urlset.submitter.pipeline import SubmitKeywords, SubmitSettings, submit
from urlset.submitter.result import Submission

__all__ = ["ChangedUrl", "Submission", "SubmitKeywords", "SubmitSettings", "create_key", "submit"]
