"""The command ``urlset mcp``: a server of the Model Context Protocol for agents."""

from __future__ import annotations

from pathlib import Path

from urlset.cli.options import UsageError
from urlset.cli.version import version_of_urlset


def mcp(
    *,
    root: Path | None,
    allow_private: bool,
    request_budget: int,
    quiet: bool,  # noqa: ARG001 - as in all commands; nothing is printed
) -> None:
    """Serve tools about sitemaps to an agent, by the Model Context Protocol (MCP) on stdin.

    The tools read, check and audit sitemaps, query the results with SQL, and explain rules and the
    state of a URL. None of them writes, submits or fixes anything. They read files of one folder
    only, and request public addresses only. Each answer has at most 8 kB.

    It needs the package mcp: pip install 'urlset[mcp]'. Exit codes: 0 stdin was closed, 2 invalid
    usage.

    \b
    Examples:
      urlset mcp
      urlset mcp --root public/ --request-budget 500
      claude mcp add urlset -- uvx --from 'urlset[mcp]' urlset mcp
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.agents import Fences, Toolbox  # before the server: they need no package mcp
    from urlset.store import end_process_when_stuck

    try:
        from urlset.agents.server import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            f"expected the package mcp, found none ({error}); run pip install 'urlset[mcp]'"
        ) from error
    end_process_when_stuck()
    fences = Fences(root or ".", allow_private=allow_private, max_requests=request_budget)
    serve(Toolbox(fences), version=version_of_urlset())
