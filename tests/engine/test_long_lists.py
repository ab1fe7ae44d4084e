"""Many lines without a URL are passed at once, with the same result as one by one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.cpu_time import ratio
from urlset.engine.reference import context, lists

texts = st.sampled_from(
    ["# Title", "word", "a b", "", " ", "\t", "- x\t", " padded", "Grün", "ü", "\u200b", "\u200bx",
     "https://e.com/a", "https://e.com/a b", "/a", "a/b", "\x01", "<b>", "\x0b", "http:"]
)  # fmt: skip
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", ""])


def found(text):
    document = urlset.parse(text.encode(), engine="reference")
    return document.kind, list(document.entries), list(document.problems), document.omitted


@given(st.lists(st.tuples(texts, ends), max_size=30), st.integers(1, 3))
def test_lines_are_passed_at_once_as_one_by_one(parts, most):
    text = "https://e.com/first\n" + "".join(line + end for line, end in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "MAX_DIAGNOSTICS", most)
        at_once = found(text)
        patch.setattr(context.Context, "is_full", lambda *_: False)
        patch.setattr(lists, "_BLANK_LINES", re.compile(b"(?!)"))
        assert found(text) == at_once


@pytest.mark.parametrize("line", ["# a\n", "word\r\n", "\n", "- x\t\n"])
def test_lines_without_urls_take_less_time_than_urls(line):
    size = 1 << 20
    words = (line * (size // len(line))).encode()
    urls = b"https://example.com/a\n" * (size // 22)

    def parse(data):
        return lambda: urlset.parse(data, engine="reference")

    assert ratio(parse(words), to=parse(urls)) < 1
