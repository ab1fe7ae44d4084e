"""Read the extensions that have columns: images, videos, news, alternates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import CHILDREN, Role
from urlset.engine.reference.nodes import Node
from urlset.engine.reference.unknown_extensions import serialise
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

__all__ = ["read"]

_REPEATABLE = {"tag", "price", "id", "content_segment_loc"}
_ATTRIBUTES = {
    "player_loc": ("allow_embed", "autoplay"),
    "restriction": ("relationship",),
    "platform": ("relationship",),
    "gallery_loc": ("title",),
    "uploader": ("info",),
}


def read(context: Context, children: list[Node]) -> dict[str, Any]:
    """Return the fields of an entry that its extension elements fill."""
    images: list[Image] = []
    videos: list[Video] = []
    news: list[Node] = []
    alternates: list[Alternate] = []
    extras: list[Node] = []
    for node in children:
        role, ns, key = node.name.role, node.name.ns, node.name.key
        if role is Role.LINK:
            _link(context, node, alternates, extras)
        elif role is Role.EXTRA:
            extras.append(node)
        elif ns is Ns.IMAGE and key == "image":
            images.extend(_image(context, node))
        elif ns is Ns.VIDEO and key == "video":
            videos.append(_video(context, node))
        elif ns is Ns.NEWS and key == "news":
            news.append(node)
        elif role is Role.LEAF:
            _unknown(context, node)
    found: dict[str, Any] = {
        "images": tuple(images),
        "videos": tuple(videos),
        "news": _news(context, news) if news else None,
        "alternates": tuple(alternates),
        "extra": serialise(extras) if extras else None,
    }
    return {name: value for name, value in found.items() if value}


def _unknown(context: Context, node: Node) -> None:
    context.report_once("S010", node.name.raw, node.start, node.tag_end, node.name.raw.decode())


def _text(node: Node) -> str | None:
    value = node.content()
    return (value.strip(SPACE) or None) if value is not None else None


def _attribute(node: Node, name: str) -> str | None:
    value = node.values.get(name.encode())
    return (value.strip(SPACE) or None) if value is not None else None


def _fields(context: Context, node: Node, code: str) -> dict[str, Node]:
    """Return the first child of each name; report repeated ones that may occur once only."""
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
            context.report(code, child.start, child.tag_end, key)
    return fields


def _image(context: Context, node: Node) -> Iterator[Image]:
    fields = _fields(context, node, "")
    values = {key: _text(child) for key, child in fields.items()}
    loc = values.pop("loc", None)
    if loc is None:
        context.report("G001", node.start, node.tag_end)
    else:
        yield Image(loc, **values)


def _news(context: Context, nodes: list[Node]) -> News:
    for node in nodes[1:]:
        context.report("G055", node.start, node.tag_end, "news")
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


def _link(context: Context, node: Node, alternates: list[Alternate], extras: list[Node]) -> None:
    """Read one ``xhtml:link``: an alternate, or (``rel="amphtml"``) extra XML.

    An alternate without an ``href`` is dropped.
    """
    attributes = node.values
    rel = attributes.get(b"rel")
    is_other = rel is not None and "alternate" not in ascii_lower(rel).split(" ")
    if is_other and b"hreflang" not in attributes:
        extras.append(node)
        return
    values = [attributes.get(name) for name in (b"hreflang", b"href", b"media")]
    hreflang, href, media = [(value or "").strip(SPACE) or None for value in values]
    if href is None:
        context.report("H001", node.start, node.tag_end, "href")
        return
    is_app = ascii_lower(href[:12]).startswith(("android-app:", "ios-app:"))
    if hreflang is None and media is None and not is_app:
        context.report("H001", node.start, node.tag_end, "hreflang")
    if rel != "alternate" and ascii_lower((rel or "").strip(SPACE)) != "alternate":
        context.report("H002", node.start, node.tag_end, rel or "nothing")
    alternates.append(Alternate(hreflang, href, media))
