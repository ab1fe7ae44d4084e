"""Parsing URLs: kept as written, repaired if unambiguous, or rejected."""

import re
from itertools import product
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from urlset import parse
from urlset.urls import (
    SPACE,
    is_host,
    parse_url,
    remove_dot_segments,
    resolve,
    split_origin,
    split_urls,
)

BASE = "https://example.com/dir/sitemap.xml"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com/",
        "HTTPS://EXAMPLE.COM/A",
        "http://example.com:8080/a?b=c&d=e#f",
        "http://example.com:/a",
        "https://user:secret@example.com/",
        "https://example.com/a/../b/./c//d",
        "https://example.com/100%/%zz/%41",
        "https://example.com/|{}[]^`\\\"<>'",
        "https://example.com/日本?q=é#ü",
        "https://www.exämple.com/",
        "https://xn--bcher-kva.example/",
        "https://my_host.example.com/",
        "https://example.com./a",
        "https://localhost/",
        "https://192.0.2.1/a",
        "https://[2001:db8::1]:8080/a",
        "https://example.com?q",
        "https://example.com#f",
        "https://example.com/" + "a" * 5000,
    ],
)
def test_url_is_kept_as_it_was_written(url):
    assert parse_url(url) == (url, ())
    assert parse_url(url, BASE) == (url, ())


@pytest.mark.parametrize(
    ("text", "url", "codes"),
    [
        (" https://example.com/a\n", "https://example.com/a", ["U005"]),
        ("\u200bhttps://example.com/a\xa0", "https://example.com/a", ["U005"]),
        ("https://example.com/a b", "https://example.com/a%20b", ["U006"]),
        ("https://example.com/a\n    b", "https://example.com/ab", ["U006"]),
        ("https://example.com/a\tb", "https://example.com/ab", ["U006"]),
        (" https://example.com/a b ", "https://example.com/a%20b", ["U005", "U006"]),
        ("/a", "https://example.com/a", ["U001"]),
        ("a.html", "https://example.com/dir/a.html", ["U001"]),
        ("../a?b#c", "https://example.com/a?b#c", ["U001"]),
        ("//example.org/a", "https://example.org/a", ["U001"]),
        ("?b", "https://example.com/dir/sitemap.xml?b", ["U001"]),
        ("#b", "https://example.com/dir/sitemap.xml#b", ["U001"]),
        ("example.com/a", "https://example.com/a", ["U001"]),
        ("Example.COM/a b", "https://Example.COM/a%20b", ["U006", "U001"]),
        ("(https://example.org/a)", "https://example.org/a", ["U001"]),
    ],
)
def test_url_is_repaired_with_one_outcome(text, url, codes):
    found = parse_url(text, BASE)
    assert (found.url, [flaw.code for flaw in found.issues]) == (url, codes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("javascript:void(0)", "U002"),
        ("mailto:someone@example.com", "U002"),
        ("ftp://example.com/a", "U002"),
        ("data:text/html,a", "U002"),
        ("htp://example.com/a", "U002"),
        ("android-app://com.example/https/example.com", "U002"),
        ("www.example.com", "U001"),
        ("www.example.com/a", "U001"),
        ("example.org/a", "U001"),
        ("example.com:8080/a", "U002"),
        ("http:/example.com/a", "U001"),
        ("https:https://example.com/a", "U001"),
        ("{{ site.url }}/a", "U001"),
        ("${base}/a", "U001"),
        ("%BASE%/a", "U001"),
        ("https://", "U015"),
        ("https:///a", "U015"),
        ("https://?a", "U015"),
        ("https://a..b/", "U015"),
        ("https://{host}/a", "U015"),
        ("https://exa mple.com/", "U015"),
        ("https://example.com:99999/", "U015"),
        ("https://example.com:80a/", "U015"),
        ("https://1.2.3/", "U015"),
        ("https://1.2.3.256/", "U015"),
        ("https://example.1/", "U015"),
        ("https://[:::]/", "U015"),
        ("https://[1]/", "U015"),
        ("https://[2001:db8::12345]/", "U015"),
        (f"https://{'a' * 64}.com/", "U015"),
        (f"https://{'a.' * 127}com/", "U015"),
    ],
)
def test_text_that_is_no_url(text, code):
    found = parse_url(text, BASE)
    assert found.url is None
    assert code in [flaw.code for flaw in found.issues]


@pytest.mark.parametrize("text", ["/a", "//example.com/a", "a", "?a", ""])
def test_reference_without_a_base_is_no_url(text):
    assert parse_url(text).url is None


@pytest.mark.parametrize("base", ["file:///srv/sitemap.xml", "/srv/sitemap.xml", "ftp://a.com/"])
def test_reference_against_a_base_that_is_no_http_url(base):
    assert parse_url("/a", base).url is None


# RFC 3986 section 5.4: https://www.rfc-editor.org/rfc/rfc3986#section-5.4
@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ],
)  # fmt: skip
def test_spec_rfc3986_references(reference, expected):
    assert resolve(reference, "http://a/b/c/d;p?q") == expected


BASES = [
    "http://example.com/b/c/d?q", "http://example.com/b/c/d", "http://example.com/b/c/",
    "http://example.com/", "http://example.com", "https://example.com:81/b/c/d.html",
    "http://example.com/b/../c/d", "http://example.com/b./.c/d", "http://example.com/b%2f/c",
]  # fmt: skip


@given(
    st.text("ab./?#=", max_size=12)
    | st.lists(st.sampled_from(["..", ".", "a", "b.html", ".b", ""]), max_size=6).map("/".join),
    st.sampled_from(BASES),
)
def test_references_are_resolved_as_urllib_does(reference, base):
    assume("?#" not in reference and not reference.endswith(("?", "#")) and "//" not in reference)
    found = resolve(reference, base)
    # urllib drops "?" and "#" with nothing behind them, which we keep, as they were written.
    plain = re.sub(r"\?(?=#|$)", "", found.rstrip("#"), count=1)
    expected = urljoin(base, reference)
    if ".." in base and not reference.partition("?")[0].partition("#")[0]:
        expected = base + reference  # the path of the base is kept
    assert plain == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("https://example.com/a", ["https://example.com/a"]),
        ("https://example.com/a b", ["https://example.com/a b"]),
        ("https://a.com/1 https://b.com/2", ["https://a.com/1", "https://b.com/2"]),
        ("\nhttps://a.com/1\n  HTTP://b.com/2\n", ["https://a.com/1", "HTTP://b.com/2"]),
        ("https://a.com/?u=https://b.com/", ["https://a.com/?u=https://b.com/"]),
        ("see https://a.com/", ["see", "https://a.com/"]),
    ],
)
def test_split_urls(text, parts):
    assert split_urls(text) == parts


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("example.com", True), ("example.com.", True), ("localhost", True), ("a_b.example", True),
        ("exämple.com", True), ("日本.jp", True), ("127.0.0.1", True), ("[::1]", True),
        ("a" * 63, True), ("", False), (".", False), ("a..b", False), (".a", False),
        ("a" * 64, False), ("a b", False), ("a%20b", False), ("a/b", False), ("[::1", False),
        ("256.0.0.1", False), ("1.2.3", False), ("1.2.3.4.5", False), ("a.5", False),
        ("01.2.3.4", False), ("example.com:80", False), ("user@example.com", False),
        ("\xa0example.com", False), ("a\u3000b.com", False), ("a\ufffd.com", False),
        ("\x85", False),
    ],
)  # fmt: skip
def test_is_host(host, verdict):
    assert is_host(host) is verdict


@given(st.text())
def test_url_never_raises_and_is_never_half(text):
    found = parse_url(text, BASE)
    if found.url is not None:
        scheme, authority, rest = split_origin(found.url)
        assert scheme.lower() in ("http", "https")
        assert authority
        assert f"{scheme}://{authority}{rest}" == found.url
        assert not re.search(r"[ \t\r\n]", found.url)
    else:
        assert found.issues


@given(st.text("abc:/.?#@%é \n\t", max_size=30))
def test_url_without_a_flaw_is_the_text(rest):
    found = parse_url(f"https://{rest}")
    if not found.issues:
        assert found.url == f"https://{rest}"
        assert urlsplit(found.url).hostname


@given(st.text(SPACE, max_size=5), st.text(SPACE, max_size=5))
def test_url_is_trimmed_of_all_space(before, after):
    found = parse_url(f"{before}https://example.com/a{after}")
    assert found.url == "https://example.com/a"
    assert bool(found.issues) == bool(before or after)


def rfc_3986_without_dot_segments(path: str) -> str:
    """The algorithm of https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4, step by step."""
    output = ""
    while path:
        if path.startswith("../"):
            path = path[3:]
        elif path.startswith("./") or path.startswith("/./"):
            path = path[2:]
        elif path == "/.":
            path = "/"
        elif path.startswith("/../") or path == "/..":
            path = "/" + path[4:]
            output = output[: output.rfind("/")] if "/" in output else ""
        elif path in (".", ".."):
            path = ""
        else:
            end = path.find("/", 1)
            end = len(path) if end < 0 else end
            output, path = output + path[:end], path[end:]
    return output


def test_spec_dot_segments_are_removed_as_in_rfc_3986(engine):
    segments = ["", ".", "..", "a", ".b", "..."]
    paths = sorted({"/" + "/".join(some) for n in range(5) for some in product(segments, repeat=n)})
    locs = [path for path in paths if not path.startswith("//")]  # would name another host
    data = "".join(f"<url><loc>{path}</loc></url>" for path in locs).encode()

    document = parse(
        b"<urlset>" + data + b"</urlset>", base_url="https://e.com/", engine=engine.name
    )

    assert [remove_dot_segments(path) for path in paths] == [
        rfc_3986_without_dot_segments(path) for path in paths
    ]
    assert [entry.loc for entry in document.entries] == [
        f"https://e.com{remove_dot_segments(path)}" for path in locs
    ]
