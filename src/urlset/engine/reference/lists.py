"""Read text sitemaps: one URL on each line."""

from __future__ import annotations

import re

from urlset.engine.reference.context import Context
from urlset.model import Entry
from urlset.protocol import CHANGEFREQS
from urlset.urls import INNER_SPACE, SPACE, split_words

_LINE = re.compile(rb"[^\r\n]*+(?:\r\n|\n|\r|$)")
# Lines without a slash have no URL. Those of the first pattern are in the usual layout (T003).
_USUAL_WORDS = re.compile(rb"(?>(?:[!-.0-~](?:[^/\r\n]*[!-.0-~])?\r?\n)+)")
_WORDS = re.compile(rb"(?>(?:[ \t]*+(?:[!-.0-~][^/\r\n]*+)?[\r\n]++)+)")
_WORDS_OF_LINE = re.compile(rb"[!-.0-~][^\r\n]*+")
_BLANK_LINES = re.compile(rb"(?>(?:[ \t]*+[\r\n]++)+)")
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos);")
_OTHER_SPACE = re.compile(f"[{INNER_SPACE.replace(' ', '')}]")
_LETTER = re.compile(r"[A-Za-z]|[^\x00-\x7f]")
# Control characters, and characters of markup (RFC 3986 allows none of them in a URL).
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f<>\"]")


def read_list(context: Context, start: int) -> bool:
    """Read the lines from ``start``; return False if none of them is a URL.

    A line with white space is accepted if each of its words is a URL, or if it is one URL with
    spaces. A line that is ambiguous is reported instead (T001).
    """
    text = context.text
    position = start
    while position < len(text):
        found = _LINE.match(text, position)
        assert found is not None  # the pattern matches any line
        line = found[0].rstrip(b"\r\n").decode()
        is_read = _read_line(context, line, position)
        if found[0].endswith(b"\r") or line != line.strip(SPACE) or not line:
            context.report_once("T003", None, position, found.end())
        position = found.end()
        # Many lines without a URL are passed at once: no more diagnostics of them are kept.
        if not line and (blank := _BLANK_LINES.match(text, position)):
            position = blank.end()
        elif not is_read and context.is_full("T001"):
            if "T003" in context.diagnostics:
                words = _WORDS.match(text, position)
            else:
                words = _USUAL_WORDS.match(text, position)
            if words is not None:
                context.omit("T001", sum(1 for _ in _WORDS_OF_LINE.finditer(words[0])))
                position = words.end()
    if not context.entries:
        context.keep_first("T001")
    return bool(context.entries)


def _read_line(context: Context, line: str, offset: int) -> bool:
    """Read the URLs of a line; return False if it is reported as having none."""
    value = line.strip(SPACE)
    end = offset + len(line.encode())
    if not value:
        return True
    words = split_words(value)
    is_clean = _FORBIDDEN.search(value) is None
    if is_clean and _is_spaced_url(value, words):
        words = [value]
    if not is_clean or not all(_HTTP.match(word) for word in words):
        context.report("T001", offset, end, value)
        return False
    if len(words) > 1:
        context.report("T002", offset, end, str(len(words)))
    if escaped := _ESCAPED.search(value):
        context.report("T004", offset, end, escaped[0])
    for word in words:
        url = context.url(word, offset, end)
        if url is not None:
            context.entries.append(
                Entry(
                    url,
                    source=context.source,
                    offset=context.source_offset(offset),
                    line=context.line(offset),
                )
            )
    return True


def _is_spaced_url(value: str, words: list[str]) -> bool:
    """Return whether a line is one URL with spaces, not columns of dates, numbers or words."""
    if len(words) < 2 or not _HTTP.match(value) or _OTHER_SPACE.search(value):
        return False
    return all(
        _LETTER.search(word)
        and word[0] != "#"
        and word not in CHANGEFREQS
        and not _HTTP.match(word)
        for word in words[1:]
    )
