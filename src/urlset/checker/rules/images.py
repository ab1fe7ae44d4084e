"""Rules about image entries (codes G…)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps"
_REMOVED = "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions"


def _entry(*images: str) -> str:
    """Return a ``url`` element with images; each string is the content of one ``image:image``."""
    found = "\n".join(f"  <image:image>{image}</image:image>" for image in images)
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"{found}</url>"
    )


_IMAGE = "<image:loc>https://example.com/a.jpg</image:loc>"
_DEAD = ("caption", "geo_location", "title", "license")

RULES = (
    engine_rule(
        "G001",
        why="An image is identified by its URL. Without one, the other elements have no effect.",
        fix_hint="Add the URL of the image, or remove the image:image",
        source=_SOURCE,
        bad=_entry(_IMAGE, "<image:loc></image:loc>"),
        good=_entry(_IMAGE),
        fix_safety="unsafe",
    ),
    rule(
        "G002 image-loc-invalid error",
        message='image:loc "{v}" {fault}',
        view="images",
        where="url_fault(image.loc) IS NOT NULL",
        values={"v": "preview(image.loc)", "fault": "url_fault(image.loc)"},
        element="image:loc",
        why="An image is fetched from exactly this URL. A path or an invalid URL finds no image.",
        fix_hint="Write the full URL with https:// and the host, and percent-encode it",
        source=_SOURCE,
        bad=_entry("<image:loc>/a.jpg</image:loc>"),
        good=_entry(_IMAGE),
        fix_safety="unsafe",
    ),
    rule(
        "G003 image-removed-tag info",
        message="{tags} of an image: ignored by search engines since 2022",
        view="images",
        where=" OR ".join(f"image.{name} IS NOT NULL" for name in _DEAD),
        values={
            "tags": "concat_ws(', ', {})".format(
                ", ".join(f"CASE WHEN image.{n} IS NOT NULL THEN 'image:{n}' END" for n in _DEAD)
            )
        },
        element="image:image",
        why="Google has removed these elements from image sitemaps, and uses the text around the "
        "image on its page.",
        fix_hint="Remove them, and write captions on the page",
        source=_REMOVED,
        bad=_entry(f"{_IMAGE}<image:title>Rye</image:title>"),
        good=_entry(_IMAGE),
        fix_safety="opt-in",
    ),
    rule(
        "G004 image-duplicate info",
        message="Image {image} is listed {n} times on this page",
        requires_rows="images",
        sql="""
            SELECT document, "offset", line, loc, preview(src) AS image, count(*) AS n,
                max(nth) AS nth
            FROM (
                SELECT e.document, e.entry, e."offset", e.line, e.loc,
                    unnest(list_transform(e.images, lambda i: i.loc)) AS src,
                    generate_subscripts(e.images, 1) AS nth
                FROM entries e JOIN readable s ON s.document = e.document
                WHERE len(e.images) > 1 AND len(list_distinct(
                    list_transform(e.images, lambda i: hash(i.loc)))) < len(e.images))
            GROUP BY document, entry, "offset", line, loc, src HAVING count(*) > 1""",
        element="image:image",
        why="Repetitions have no effect and count towards the 1,000 images of a page.",
        fix_hint="List each image once on a page",
        source=_SOURCE,
        bad=_entry(_IMAGE, _IMAGE),
        good=_entry(_IMAGE, "<image:loc>https://example.com/b.jpg</image:loc>"),
        fix_safety="unsafe",
    ),
    rule(
        "G005 image-is-page warning",
        message="image:loc is the URL of the page itself",
        view="images",
        # If the loc is an image file, U020 reports that.
        where="CASE WHEN same_url(image.loc, loc) THEN NOT regexp_matches(path_of(loc), "
        "'(?i)\\.(png|jpe?g|gif|webp|avif|svg|bmp|tiff?)$') ELSE false END",
        element="image:loc",
        why="This is the URL of a page and not of an image, so no image is found.",
        fix_hint="Write the URL of the image file",
        source=_SOURCE,
        bad=_entry("<image:loc>https://example.com/a</image:loc>"),
        good=_entry(_IMAGE),
    ),
)
