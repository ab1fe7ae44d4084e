"""What a build takes: each kind of source, as batches of candidates."""

from __future__ import annotations

from urlset.sources.candidates import CANDIDATE, EVIDENCE, Candidate, Rows, Source, in_batches

__all__ = ["CANDIDATE", "EVIDENCE", "Candidate", "Rows", "Source", "in_batches"]
