"""The extensions that have columns: images, videos, news, alternates."""

from __future__ import annotations

from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import CHILDREN, Role
from urlset.engine.reference.nodes import Node
from urlset.model import (
    Alternate,
    ContentSegment,
    Image,
    News,
    Price,
    TvShow,
    Video,
    VideoId,
)
from urlset.protocol import Ns
from urlset.urls import SPACE

__all__ = ["is_other_link", "read"]

_REPEATABLE = {"tag", "price", "id", "content_segment_loc"}
_ATTRIBUTES = {
    "player_loc": ("allow_embed", "autoplay"),
    "restriction": ("relationship",),
    "platform": ("relationship",),
    "gallery_loc": ("title",),
    "uploader": ("info",),
}


def read(context: Context, children: list[Node]) -> dict[str, object]:
    """Read the extension elements of one entry into the fields of an entry that have any."""
    if all(node.name.role is Role.VALUE for node in children):
        return {}
    images = [_image(context, node) for node in _of(children, Ns.IMAGE, "image")]
    videos = [_video(context, node) for node in _of(children, Ns.VIDEO, "video")]
    alternates = [
        _alternate(context, node)
        for node in children
        if node.name.role is Role.LINK and not is_other_link(node)
    ]
    found: dict[str, object] = {
        "images": tuple(image for image in images if image),
        "videos": tuple(videos),
        "alternates": tuple(alternate for alternate in alternates if alternate),
    }
    news = _of(children, Ns.NEWS, "news")
    if news:
        found["news"] = _news(context, news)
    for node in children:
        if node.name.role is Role.LEAF:
            _unknown(context, node)
    return {name: value for name, value in found.items() if value}


def is_other_link(node: Node) -> bool:
    """Tell an ``xhtml:link`` that is no alternate (``rel="amphtml"``), kept as extra XML."""
    if node.name.role is not Role.LINK or node.attribute(b"hreflang") is not None:
        return False
    rel = node.attribute(b"rel")
    return rel is not None and "alternate" not in ascii_lower(rel).split(" ")


def _of(children: list[Node], ns: Ns, key: str) -> list[Node]:
    return [node for node in children if node.name.ns is ns and node.name.key == key]


def _unknown(context: Context, node: Node) -> None:
    context.mark_once("S010", node.name.raw, node.start, node.tag_end, node.name.raw.decode())


def _text(node: Node) -> str | None:
    value = node.content()
    return (value.strip(SPACE) or None) if value is not None else None


def _attribute(node: Node, name: str) -> str | None:
    value = node.attribute(name.encode())
    return (value.strip(SPACE) or None) if value is not None else None


def _fields(context: Context, node: Node, code: str) -> dict[str, Node]:
    """The first child of each name; more of one that may stand once are noted."""
    fields: dict[str, Node] = {}
    for child in node.children():
        key = child.name.key
        if child.name.role is Role.EXTRA:
            continue
        if key not in CHILDREN[node.name.key] or child.name.ns is not node.name.ns:
            _unknown(context, child)
        elif key not in fields:
            fields[key] = child
        elif key not in _REPEATABLE and code:
            context.mark(code, child.start, child.tag_end, key)
    return fields


def _image(context: Context, node: Node) -> Image | None:
    fields = _fields(context, node, "")
    values = {key: _text(child) for key, child in fields.items()}
    loc = values.pop("loc", None)
    if loc is None:
        context.mark("G001", node.start, node.tag_end)
        return None
    return Image(loc, **values)


def _news(context: Context, nodes: list[Node]) -> News:
    for node in nodes[1:]:
        context.mark("G055", node.start, node.tag_end, "news")
    fields = _fields(context, nodes[0], "G055")
    publication = fields.pop("publication", None)
    values = {key: _text(child) for key, child in fields.items()}
    if publication is not None:
        inner = _fields(context, publication, "G055")
        values |= {key: _text(child) for key, child in inner.items()}
    return News(**values)


def _video(context: Context, node: Node) -> Video:
    fields = _fields(context, node, "G035")
    values: dict[str, object] = {}
    for key, child in fields.items():
        if key in _REPEATABLE or key == "tvshow":
            continue
        values[key] = _text(child)
        for name in _ATTRIBUTES.get(key, ()):
            values[f"{key}_{name}"] = _attribute(child, name)
    if "tvshow" in fields:
        show = _fields(context, fields["tvshow"], "G035")
        values["tvshow"] = TvShow(**{key: _text(child) for key, child in show.items()})
    return Video(
        **values,  # type: ignore[arg-type]
        tags=tuple(text for child in _all(node, "tag") if (text := _text(child))),
        content_segments=tuple(
            ContentSegment(_text(child), _attribute(child, "duration"))
            for child in _all(node, "content_segment_loc")
        ),
        prices=tuple(
            Price(
                _text(child),
                _attribute(child, "currency"),
                _attribute(child, "type"),
                _attribute(child, "resolution"),
            )
            for child in _all(node, "price")
        ),
        ids=tuple(VideoId(_text(child), _attribute(child, "type")) for child in _all(node, "id")),
    )


def _all(node: Node, key: str) -> list[Node]:
    return [c for c in node.children() if c.name.key == key and c.name.ns is Ns.VIDEO]


def _alternate(context: Context, node: Node) -> Alternate | None:
    """Read one ``xhtml:link``; without an href it leads nowhere and is left out."""
    href = _attribute(node, "href")
    hreflang, media = _attribute(node, "hreflang"), _attribute(node, "media")
    if href is None:
        context.mark("H001", node.start, node.tag_end, "href")
        return None
    is_app = ascii_lower(href[:12]).startswith(("android-app:", "ios-app:"))
    if hreflang is None and media is None and not is_app:
        context.mark("H001", node.start, node.tag_end, "hreflang")
    rel = node.attribute(b"rel")
    if rel != "alternate" and ascii_lower((rel or "").strip(SPACE)) != "alternate":
        context.mark("H002", node.start, node.tag_end, rel or "nothing")
    return Alternate(hreflang, href, media)
