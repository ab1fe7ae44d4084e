"""Fixes of links to versions of a page in other languages (rules H)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urlset.engine.reference.tokens import AttributeSpan
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.urls import normalize_url
from urlset.fixer.registry import FixContext, fixer
from urlset.formats.spans import decode_text
from urlset.urls import parse_url

# Country codes mistaken for languages, and the ISO 639-1 code of the language (rule H005).
_LANGUAGES = {"jp": "ja", "cn": "zh", "kr": "ko", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk"}
_REGION = re.compile(r"^([A-Za-z]{2,3})(-[A-Za-z]{4})?[-_]([A-Za-z]{2}|[0-9]{3})$")


def _set(
    context: FixContext, attribute: AttributeSpan, text: str, dropped: str | None = None
) -> Change:
    return context.rewrite_attribute(
        attribute, escape(text, attribute=True).encode(), dropped=dropped
    )


def _rewritten(
    context: FixContext, name: str, better: Callable[[str], str | None]
) -> Iterator[Change]:
    """Replace an attribute in all links of the entry if ``better`` returns another value."""
    for link in context.children("link"):
        for attribute in link.attributes:
            text = decode_text(context.data[attribute.value_start : attribute.value_end])
            if attribute.name == name and text is not None:
                new = better(text)
                if new is not None and new != text:
                    yield _set(context, attribute, new)


@fixer("H002")
def say_alternate(context: FixContext) -> Iterator[Change]:
    """Set ``rel="alternate"`` on the links of an entry."""
    link = context.element
    if link is None or link.local_name != "link":
        return
    found = next((a for a in link.attributes if a.name == "rel"), None)
    if found is not None:
        yield _set(context, found, "alternate")
    else:
        at = link.start + 1 + len(link.qname.encode())
        yield context.change(Edit(at, at, b' rel="alternate"'))


@fixer("H003")
def resolve_href(context: FixContext) -> Iterator[Change]:
    """Resolve the relative ``href`` of a link against the URL of its entry."""
    base_url = context.finding.loc or context.document.base_url
    yield from _rewritten(context, "href", lambda text: parse_url(text, base_url).url)


@fixer("H004")
def write_hyphen(context: FixContext) -> Iterator[Change]:
    """Replace underscores in language codes by hyphens."""
    yield from _rewritten(context, "hreflang", lambda text: text.replace("_", "-"))


@fixer("H005")
def right_language(context: FixContext) -> Iterator[Change]:
    """Replace a country code that is used as a language by the code of its language."""

    def better(text: str) -> str | None:
        language, mark, rest = text.partition("-")
        right = _LANGUAGES.get(language.strip().lower())
        return f"{right}{mark}{rest}" if right else None

    yield from _rewritten(context, "hreflang", better)


@fixer("H006", partly_safe=True)
def right_region(context: FixContext) -> Iterator[Change]:
    """Replace UK by GB; remove another invalid region, which engines ignore, if unsafe."""

    def british(text: str) -> str | None:
        found = _REGION.match(text.strip())
        is_uk = found is not None and found[3].upper() == "UK"
        return text.strip()[:-2] + "GB" if is_uk else None

    changes = list(_rewritten(context, "hreflang", british))
    yield from changes
    link = context.element
    if changes or not context.is_unsafe or link is None or link.local_name != "link":
        return
    for attribute in link.attributes:
        text = decode_text(context.data[attribute.value_start : attribute.value_end]) or ""
        if attribute.name == "hreflang" and (found := _REGION.match(text.strip())):
            yield _set(context, attribute, found[1] + (found[2] or ""), dropped=text)


@fixer("H008")
def add_itself(context: FixContext) -> Iterator[Change]:
    """Add the missing link of an entry to itself, with the language that other entries use."""
    entry, links = context.entry, context.children("link")
    own = entry.child("loc") if entry is not None else None
    if entry is None or own is None or not links:
        return
    languages = {
        alternate.hreflang
        for other in context.document.parsed.entries
        for alternate in other.alternates
        if alternate.hreflang and normalize_url(alternate.href) == normalize_url(own.stripped)
    } - {"x-default"}
    if len(languages) == 1:
        href = escape(own.stripped, attribute=True)
        name = f'<{links[0].qname} rel="alternate" hreflang="{languages.pop()}" href="{href}"/>'
        yield context.change(Edit(links[0].start, links[0].start, name.encode()))


@fixer("H009")
def keep_first_language(context: FixContext) -> Iterator[Change]:
    """Remove further links for a language that an earlier link of the entry has."""
    seen: set[str] = set()
    for link in context.children("link"):
        language = (link.attribute("hreflang") or "").strip().lower()
        if language and language in seen:
            yield context.remove(link)
        seen.add(language)


@fixer("H013")
def canonical_case(context: FixContext) -> Iterator[Change]:
    """Rewrite language tags in the case of RFC 5646 section 2.1.1: zh-Hant-TW."""
    yield from _rewritten(context, "hreflang", _canonical)


def _canonical(text: str) -> str:
    parts = text.strip().split("-")
    rest = sorted(parts[1:], key=lambda part: {4: 0}.get(len(part), 1))
    cased = {4: str.title, 2: str.upper}
    if text.strip().lower() == "x-default":
        return "x-default"
    return "-".join([parts[0].lower(), *(cased.get(len(p), str.lower)(p) for p in rest)])
