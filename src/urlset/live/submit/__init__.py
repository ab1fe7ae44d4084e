"""Submit: announce to search engines what changed on a site, each change once."""

from __future__ import annotations

from urlset.live.submit.changes import ChangedUrl
from urlset.live.submit.keys import create_key
from urlset.live.submit.pipeline import submit
from urlset.live.submit.result import Submission
from urlset.live.submit.settings import SubmitSettings

__all__ = ["ChangedUrl", "Submission", "SubmitSettings", "create_key", "submit"]
