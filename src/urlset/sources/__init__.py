"""What a build takes: each kind of source, as batches of candidates."""

from __future__ import annotations

from urlset.sources.candidates import CANDIDATE, Candidate, Source, in_batches
from urlset.sources.folder import HtmlFolder

__all__ = ["CANDIDATE", "Candidate", "HtmlFolder", "Source", "in_batches"]
