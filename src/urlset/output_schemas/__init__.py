"""JSON Schemas of what the commands write as JSON and JSON lines, and of ``to_dict``."""

from __future__ import annotations

from urlset.output_schemas.outputs import OUTPUTS, SITE_URL, Output, schemas

__all__ = ["OUTPUTS", "SITE_URL", "Output", "schemas"]
