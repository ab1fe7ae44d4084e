"""Parse one document: detect its kind, read its roots, report what is outside them."""

from __future__ import annotations

import re

from urlset.engine.reference import feeds, sitemap
from urlset.engine.reference.context import Context
from urlset.engine.reference.fast_path import FastPath
from urlset.engine.reference.lists import read_list
from urlset.engine.reference.names import NameResolver, Role
from urlset.engine.reference.prolog import BOM, FIND_FRAGMENT, read_prolog, skip_space
from urlset.engine.reference.tokens import comment, instruction, is_declaration, markup
from urlset.engine.reference.tree import Node, Tree
from urlset.model import Kind
from urlset.protocol import FIND_ROOT, MAX_BYTES, MAX_NEWS, MAX_URLS

_NOTHING = re.compile(rb"(?>(?:[ \t\r\n]|\xef\xbb\xbf)*)")
_ONLY_NULS = re.compile(rb"[\x00 \t\r\n]*+")
_ROOT_NAME = re.compile(rb"<(?:[A-Za-z_\x80-\xff][-.\w\x80-\xff]*+:)?([A-Za-z]+)")
_KINDS: dict[bytes, Kind] = {
    b"urlset": "urlset", b"url": "urlset", b"loc": "urlset",
    b"sitemapindex": "index", b"sitemap": "index",
    b"rss": "rss", b"rdf": "rss", b"feed": "atom",
}  # fmt: skip


def read_document(context: Context) -> Kind:
    """Parse a document of any format into ``context``; return its kind."""
    if _NOTHING.fullmatch(context.text):
        context.report("X001", 0, 0)
        return "empty"
    form, start = read_prolog(context)
    kind: Kind
    if form == "xml":
        kind = _read_roots(context, start)
    elif form == "text":
        kind = "text" if read_list(context, start) else "unknown"
    else:
        kind = form
    if context.entities_used:
        context.escalate("X015", 0)
    _check_limits(context, kind)
    return kind


def _read_roots(context: Context, start: int) -> Kind:
    context.root_start = start
    root = _Root(context, start)
    kind, position = root.read()
    pattern = FIND_FRAGMENT if root.is_fragment else FIND_ROOT
    while position is not None:
        begin = _next_root(context, position, pattern)
        position = _Root(context, begin).read()[1] if begin is not None else None
    if kind == "urlset" and context.sitemaps and not context.entries:
        return "index"
    if kind == "index" and context.entries and not context.sitemaps:
        return "urlset"
    return kind


def _next_root(context: Context, start: int, pattern: re.Pattern[bytes]) -> int | None:
    """Return the offset of another root element after a root, or None; report text before it."""
    text = context.text
    position = _skip_misc(context, start)
    if position == len(text):
        return None
    root = pattern.search(text, position)
    begin = root.start() if root else len(text)
    declaration = text.find(b"<?xml", position, begin)
    junk_end = declaration if root and declaration >= 0 else begin
    junk = text[position:junk_end]
    if junk.strip(b" \t\r\n" + BOM):
        if _ONLY_NULS.fullmatch(junk):
            context.report("X005", position, junk_end, "U+0000")
        else:
            context.report("X008", position, junk_end, junk[:400].decode(errors="ignore"))
    elif junk:
        context.report("X014", position, junk_end)
    if root is None:
        return None
    context.report("X024", junk_end, root.end())
    return begin


def _skip_misc(context: Context, start: int) -> int:
    """Skip white space, comments and processing instructions after a root."""
    text = context.text
    position = skip_space(text, start)
    while True:
        end: int | None = None
        if text.startswith(b"<!--", position):
            end = comment(context, position)
        elif text.startswith(b"<?", position) and not is_declaration(text, position):
            end = instruction(context, position)
        if end is None:
            return position
        position = skip_space(text, end)


class _Root:
    """Reader of a root element and its content; ``start`` is the offset of its ``<``."""

    def __init__(self, context: Context, start: int):
        name = _ROOT_NAME.match(context.text, start)
        assert name is not None  # the prolog has matched it
        self.context = context
        self.start = start
        self.key = name[1].lower()
        self.kind = _KINDS[self.key]
        self.is_feed = self.kind in ("rss", "atom")
        self.is_fragment = self.key in (b"url", b"sitemap", b"loc")
        self.tree = Tree(
            context, NameResolver(context, is_feed=self.is_feed), self._begin, self._finish
        )

    def read(self) -> tuple[Kind, int | None]:
        """Read the root; return its kind and its end, None if its end tag is missing."""
        context, text, tree = self.context, self.context.text, self.tree
        if self.is_fragment:
            words = f"<{self.key.decode()}>"
            context.report_once("S001", "fragment", self.start, self.start + 1, words)
        position = markup(context, tree, self.start)
        fast_path = FastPath(context, tree.stack[0]) if tree.stack else None
        while position < len(text) and not tree.is_done:
            if tree.is_between:
                position = tree.leaves(position)
            elif fast_path is not None and tree.is_outside:
                position = fast_path.read(position)
            following = text.find(b"<", position)
            following = len(text) if following < 0 else following
            if following > position:
                tree.text(position, following)
            position = markup(context, tree, following) if following < len(text) else following
        if tree.is_done:
            return self.kind, position
        missing = f"</{tree.stack[0].name.raw.decode()}>" if tree.stack else "the root is open"
        context.report("X009", len(text), len(text), missing)
        return self.kind, None

    def _begin(self, root: Node) -> None:
        if self.is_feed:
            feeds.check_version(self.context, root)
        elif root.name.role is Role.ROOT:
            sitemap.check_attributes(self.context, root)

    def _finish(self, node: Node) -> None:
        if self.is_feed:
            feeds.finish_item(self.context, node, feeds.base_of(self.tree.stack))
            return
        roots = (n.name.key for n in reversed(self.tree.stack) if n.name.role is Role.ROOT)
        sitemap.finish_element(self.context, node, next(roots, ""))


def _check_limits(context: Context, kind: Kind) -> None:
    size = context.source_offset(len(context.text))
    if kind == "index":
        if len(context.sitemaps) > MAX_URLS:
            context.report("L004", 0, 0, f"{len(context.sitemaps):,}")
        if size > MAX_BYTES:
            context.report("L005", 0, 0, f"{size:,}")
        if not context.sitemaps:
            context.report("I005", 0, 0)
        return
    if kind in ("html", "unknown"):
        return
    if len(context.entries) > MAX_URLS:
        context.report("L001", 0, 0, f"{len(context.entries):,}")
    if size > MAX_BYTES:
        context.report("L002", 0, 0, f"{size:,}")
    if context.news_count > MAX_NEWS:
        context.report("L007", 0, 0, f"{context.news_count:,}")
    if not context.entries:
        is_news = b"sitemap-news" in context.text
        context.report("S021", 0, 0, level="info" if is_news else None)
