"""URLs in the form that is requested: ordinary URLs take a shorter path to the same result."""

from __future__ import annotations

import re
from importlib import import_module
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

module = import_module("urlset.http.request_url")
NOTHING = re.compile(r"(?!)")

PIECES = st.lists(
    st.sampled_from(
        ["http://", "https://", "HTTP://", "/", "a", "Z", "0", "[", "]", "[::1]", ":80", ":0", "@",
         "example.com", "EXAMPLE.com", "bücher.example", "?", "#", "%", "%2f", " ", "\n", '"', "<",
         "^", "|", "{", "~", "\x7f", "ä", "\ud800", "\\", "`", "!", ";", "="]
    ),
    max_size=8,
)  # fmt: skip
URLS = PIECES.map("".join) | PIECES.map(lambda pieces: "http://h/" + "".join(pieces))


@given(URLS)
def test_ordinary_urls_have_the_result_of_the_general_path(url: str):
    found = module.request_url(url), module.origin_of(url)
    with patch.object(module, "_ORDINARY", NOTHING):
        assert found == (module.request_url(url), module.origin_of(url))
