"""Example sites of live rules: pages and a sitemap that lists them."""

from __future__ import annotations

from urlset.checker.examples import HOME, ExampleResponse, Piece, entry

__all__ = ["hreflang", "page", "redirect", "site"]


def page(title: str, head: str = "", body: str = "", **headers: str) -> ExampleResponse:
    r"""Return a response with an HTML page; ``last_modified="…"`` adds a header of that name.

    >>> page("Tea", body="<p>Green</p>").body
    '<!DOCTYPE html><title>Tea</title>\n<h1>Tea</h1><p>Green</p>'
    """
    links = f"\n{head}" if head else ""
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return ExampleResponse(
        f"<!DOCTYPE html><title>{title}</title>{links}\n<h1>{title}</h1>{body}", headers=pairs
    )


def redirect(target: str, status: int = 301) -> ExampleResponse:
    """Return a response that redirects to a URL."""
    return ExampleResponse(status=status, headers=(("location", target),))


def site(*listed: str, **pages: Piece) -> dict[str, Piece]:
    """Return a site whose sitemap lists paths: those of ``listed``, and else those of ``pages``.

    >>> list(site(tea=page("Tea")))
    ['sitemap.xml', 'tea']
    """
    urls = listed or tuple(pages)
    sitemap = "".join(entry(f"{HOME}{path}") for path in urls)
    return {"sitemap.xml": sitemap, **pages}


def hreflang(*links: str) -> str:
    """Return ``link`` elements for links of the form ``hreflang=path``.

    >>> hreflang("de=tee")
    '<link rel="alternate" hreflang="de" href="https://example.com/tee">'
    """
    pairs = (link.split("=", 1) for link in links)
    return "\n".join(
        f'<link rel="alternate" hreflang="{tag}" href="{HOME}{path}">' for tag, path in pairs
    )
