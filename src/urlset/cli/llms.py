"""The command ``urlset llms``: draft an llms.txt from the pages of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from urlset.cli.console import Sink, print_info, start_logging
from urlset.cli.options import Quiet, Verbose
from urlset.terminal_text import pluralize


def llms(
    store: Annotated[
        Path,
        typer.Argument(
            metavar="STORE", help="Store of `urlset crawl` or `urlset audit` (.duckdb)."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="Write to this file instead of stdout."
        ),
    ] = None,
    max_links: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of links.")
    ] = 200,
    max_section_links: Annotated[
        int, typer.Option(min=1, metavar="N", help="Maximum number of links of a section.")
    ] = 20,
    max_sections: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Maximum number of sections. Of each further one, the first page is listed in "
            "the section Optional.",
        ),
    ] = 20,
    quiet: Quiet = False,
    verbose: Verbose = 0,
) -> None:
    """Draft an llms.txt: the sections of a site, with links to its pages by title.

    It is a start for an author, who knows which pages matter and describes them. Pages that may
    not be indexed, have another canonical URL or did not answer 200 are not listed. Check the
    result with `urlset check llms.txt`.

    Exit codes: 0 written; 2 the store has no page that can be listed, or invalid usage.

    \b
    Examples:
      urlset crawl https://example.com --output site.duckdb
      urlset llms site.duckdb --output llms.txt
      urlset llms site.duckdb --max-links 50
    """  # noqa: D301 - the \b keeps the lines of the examples
    start_logging(verbose)
    from urlset.llms_txt import draft_llms_txt

    text = draft_llms_txt(
        store,
        max_links=max_links,
        max_section_links=max_section_links,
        max_sections=max_sections,
    )
    with Sink(output) as sink:
        sink.write(text)
    if output is not None and not quiet:
        print_info(f"{pluralize(text.count(chr(10) + '- '), 'link')} in {output}")
