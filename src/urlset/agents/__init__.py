"""Tools of the MCP server: small answers about sitemaps for agents, within fences."""

from __future__ import annotations

from urlset.agents.answer import MAX_ANSWER, MAX_EXAMPLES, ToolAnswer
from urlset.agents.fences import Fences
from urlset.agents.toolbox import Toolbox

__all__ = ["MAX_ANSWER", "MAX_EXAMPLES", "Fences", "ToolAnswer", "Toolbox"]
