"""H: links to the versions of a page in other languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.urls import normal
from urlset.fixer.registry import FixContext, fixer
from urlset.fixer.xml_spans import AttributeSpan, ElementSpan, decoded
from urlset.urls import parse_url

__all__: list[str] = []

# What people write for a language, and the code that ISO 639-1 has for it (catalogue, H005).
_LANGUAGES = {"jp": "ja", "cn": "zh", "kr": "ko", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk"}
_REGION = re.compile(r"^([A-Za-z]{2,3})(-[A-Za-z]{4})?[-_]([A-Za-z]{2}|[0-9]{3})$")


def _links(case: FixContext) -> list[ElementSpan]:
    entry = case.entry
    return [child for child in entry.children if child.local == "link"] if entry else []


def _set(
    case: FixContext, attribute: AttributeSpan, text: str, dropped: str | None = None
) -> Change:
    new = escape(text, attribute=True).encode()
    return case.change(Edit(attribute.value_start, attribute.value_end, new), dropped=dropped)


def _rewritten(
    case: FixContext, name: str, better: Callable[[str], str | None]
) -> Iterator[Change]:
    """Write an attribute anew in all links of the entry for which there is a better value."""
    for link in _links(case):
        for attribute in link.attributes:
            text = decoded(case.data[attribute.value_start : attribute.value_end])
            if attribute.name == name and text is not None:
                new = better(text)
                if new is not None and new != text:
                    yield _set(case, attribute, new)


@fixer("H002")
def say_alternate(case: FixContext) -> Iterator[Change]:
    """Write rel="alternate"."""
    link = case.element
    if link is None or link.local != "link":
        return
    found = next((a for a in link.attributes if a.name == "rel"), None)
    if found is not None:
        yield _set(case, found, "alternate")
    else:
        at = link.start + 1 + len(link.raw.encode())
        yield case.change(Edit(at, at, b' rel="alternate"'))


@fixer("H003")
def resolve_href(case: FixContext) -> Iterator[Change]:
    """Resolve a reference against the URL of the entry."""
    base = case.spot.loc or case.job.base
    yield from _rewritten(case, "href", lambda text: parse_url(text, base).url)


@fixer("H004")
def write_hyphen(case: FixContext) -> Iterator[Change]:
    """Write a hyphen for an underscore."""
    yield from _rewritten(case, "hreflang", lambda text: text.replace("_", "-"))


@fixer("H005")
def right_language(case: FixContext) -> Iterator[Change]:
    """Write the code of the language where that of a country stands."""

    def better(text: str) -> str | None:
        language, mark, rest = text.partition("-")
        right = _LANGUAGES.get(language.strip().lower())
        return f"{right}{mark}{rest}" if right else None

    yield from _rewritten(case, "hreflang", better)


@fixer("H006", careful=True)
def right_region(case: FixContext) -> Iterator[Change]:
    """Write GB for UK; leave another region out, which engines ignore, when asked for."""

    def british(text: str) -> str | None:
        found = _REGION.match(text.strip())
        is_uk = found is not None and found[3].upper() == "UK"
        return text.strip()[:-2] + "GB" if is_uk else None

    changes = list(_rewritten(case, "hreflang", british))
    yield from changes
    link = case.element
    if changes or not case.is_unsafe or link is None or link.local != "link":
        return
    for attribute in link.attributes:
        text = decoded(case.data[attribute.value_start : attribute.value_end]) or ""
        if attribute.name == "hreflang" and (found := _REGION.match(text.strip())):
            yield _set(case, attribute, found[1] + (found[2] or ""), dropped=text)


@fixer("H008")
def add_itself(case: FixContext) -> Iterator[Change]:
    """Add the link to the entry itself, where the others of the document tell its language."""
    entry, links = case.entry, _links(case)
    own = entry.child("loc") if entry is not None else None
    if entry is None or own is None or not links:
        return
    languages = {
        alternate.hreflang
        for other in case.job.document.entries
        for alternate in other.alternates
        if alternate.hreflang and normal(alternate.href) == normal(own.trimmed)
    } - {"x-default"}
    if len(languages) == 1:
        href = escape(own.trimmed, attribute=True)
        name = f'<{links[0].raw} rel="alternate" hreflang="{languages.pop()}" href="{href}"/>'
        yield case.change(Edit(links[0].start, links[0].start, name.encode()))


@fixer("H009")
def keep_first_language(case: FixContext) -> Iterator[Change]:
    """Of several links for one language keep the first."""
    seen: set[str] = set()
    for link in _links(case):
        language = (link.attribute("hreflang") or "").strip().lower()
        if language and language in seen:
            yield case.remove(link)
        seen.add(language)


@fixer("H013")
def canonical_case(case: FixContext) -> Iterator[Change]:
    """Write languages as RFC 5646 section 2.1.1 has them: zh-Hant-TW."""
    yield from _rewritten(case, "hreflang", _canonical)


def _canonical(text: str) -> str:
    parts = text.strip().split("-")
    rest = sorted(parts[1:], key=lambda part: {4: 0}.get(len(part), 1))
    cased = {4: str.title, 2: str.upper}
    if text.strip().lower() == "x-default":
        return "x-default"
    return "-".join([parts[0].lower(), *(cased.get(len(p), str.lower)(p) for p in rest)])
