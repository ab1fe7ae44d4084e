"""The Sitemap lines of a robots.txt: ours come and go, those of the owner stay, to the byte."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from urlset import TargetError
from urlset.robots import MAX_BYTES, read_robots
from urlset.writer.robots_txt import with_sitemaps

SITE = "https://example.com/robots.txt"
A, B, C = (f"https://example.com/{name}.xml" for name in "abc")
OWNER = b"User-agent: *\nDisallow: /private\n"
BEGIN, END = b"# urlset: sitemaps begin", b"# urlset: sitemaps end"


def declared(text: bytes) -> list[str]:
    return [line.url for line in read_robots(text, SITE).sitemaps]


def outside(text: bytes) -> bytes:
    """What is left of a file without our block."""
    if BEGIN not in text:
        return text
    above, _, rest = text.partition(BEGIN)
    return above + rest.partition(END)[2].removeprefix(b"\r").removeprefix(b"\n")


# ── the block ──


def test_file_that_is_not_there_is_made():
    text = with_sitemaps(None, [A, B])

    assert text.splitlines()[1:] == [f"Sitemap: {A}".encode(), f"Sitemap: {B}".encode(), END]
    assert text.startswith(BEGIN)
    assert text.endswith(END + b"\n")
    assert read_robots(text, SITE).problems == ()


def test_block_comes_last_and_apart_from_the_rules():
    text = with_sitemaps(OWNER, [A])

    assert text.startswith(OWNER + b"\n" + BEGIN)
    assert declared(text) == [A]


def test_block_is_replaced_where_it_stands():
    text = with_sitemaps(OWNER, [A]) + b"User-agent: x\nDisallow: /\n"

    again = with_sitemaps(text, [B, C])

    assert declared(again) == [B, C]
    assert outside(again) == outside(text)
    assert with_sitemaps(again, [A]) == text


def test_no_urls_take_the_block_away():
    text = with_sitemaps(OWNER, [A])

    assert with_sitemaps(text, []) == OWNER + b"\n"
    assert with_sitemaps(OWNER, []) == OWNER
    assert with_sitemaps(None, []) == b""


def test_url_that_the_owner_declares_gets_no_second_line():
    owner = b"SITEMAP: %s # mine\r\n" % A.encode()

    assert with_sitemaps(owner, [A]) == owner
    assert with_sitemaps(owner, [A, B, B]).count(b"https://") == 2
    assert declared(with_sitemaps(owner, [A, B])) == [A, B]


def test_line_that_engines_do_not_understand_is_none_of_the_owner():
    for owner in (b"Sitemap : /a.xml\n", b"Site-map: %s\n" % A.encode(), b"# Sitemap: x\n"):
        assert f"\nSitemap: {A}".encode() in with_sitemaps(owner, [A])


def test_labels_keep_blocks_apart():
    text = with_sitemaps(with_sitemaps(OWNER, [A], "shop"), [B], "blog")

    again = with_sitemaps(text, [C], "shop")

    assert declared(again) == [C, B]
    assert with_sitemaps(again, [A], "shop") == text


@pytest.mark.parametrize(
    ("owner", "gap"),
    [
        (b"", b""),
        (b"\xef\xbb\xbf", b""),
        (b"User-agent: *", b"\n\n"),
        (b"User-agent: *\r\nDisallow:", b"\r\n\r\n"),
        (b"User-agent: *\rDisallow:\r", b"\r"),
        (b"User-agent: *\n\n", b""),
        (b"User-agent: *\n \t", b"\n"),
        (b"Disallow: /\xff\xe9\n", b"\n"),
    ],
)
def test_end_of_the_owner_stays_as_it_is(owner, gap):
    text = with_sitemaps(owner, [A])

    assert text.startswith(owner + gap + BEGIN)
    assert declared(text) == [A]


def test_empty_block_chooses_its_place():
    owner = b"\xef\xbb\xbf" + BEGIN + b"\n" + END + b"\n\n" + OWNER

    text = with_sitemaps(owner, [A])

    assert text.startswith(b"\xef\xbb\xbf" + BEGIN)
    assert text.endswith(END + b"\n\n" + OWNER)
    assert declared(text) == [A]


# ── what is refused ──


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace(END, b""), "found begin in line 4"),
        (lambda text: text.replace(BEGIN, b"# "), "found end in line 6"),
        (lambda text: text + text, "begin in line 4, end in line 6, begin in line 10"),
        (lambda text: text.replace(END, END + b"\n" + END), "end in line 6, end in line 7"),
        (lambda text: text.replace(b"Sitemap", b"Disallow: /x\nSitemap"), "edited"),
        (lambda text: text.replace(b"Sitemap", b"Sitemap: http://e.com/\nSitemap"), "edited"),
        (lambda text: text.replace(b"a.xml", b"b.xml"), "edited"),
        (lambda text: text.replace(b"begin ", b"begin x"), "edited"),
        (lambda text: text.replace(b"Sitemap", b"# note\nSitemap"), "edited"),
    ],
)
def test_damaged_block_is_refused(change, told):
    text = change(with_sitemaps(OWNER, [A]))

    with pytest.raises(TargetError, match=told):
        with_sitemaps(text, [B])


def test_other_line_ends_are_no_damage():
    text = with_sitemaps(OWNER, [A])

    again = with_sitemaps(text.replace(b"\n", b"\r\n"), [B])

    assert declared(again) == [B]
    assert again.count(b"\n") == again.count(b"\r\n")


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-32"])
def test_wide_encodings_are_refused(codec):
    with pytest.raises(TargetError, match="UTF-8"):
        with_sitemaps(OWNER.decode().encode(codec), [A])


@pytest.mark.parametrize(
    "url",
    [
        "/a.xml",
        "a",
        "",
        "https://e.com/a b",
        "https://e.com/#a",
        "ftp://e.com/",
        "https://e.com/\nDisallow: /",
    ],
)
def test_invalid_url_is_refused(url):
    with pytest.raises(ValueError, match="absolute URL"):
        with_sitemaps(OWNER, [url])


@pytest.mark.parametrize("label", ["", "a b", "a\n", "a:", "x" * 41])
def test_invalid_label_is_refused(label):
    with pytest.raises(ValueError, match="label"):
        with_sitemaps(OWNER, [A], label)


def test_google_reads_500_kib_and_the_block_must_lie_there():
    # "Google currently enforces a robots.txt file size limit of 500 kibibytes":
    # https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt
    size = len(with_sitemaps(b"#\n", [A])) - 2
    fits = b"#" * (MAX_BYTES - size - 1) + b"\n"
    below = BEGIN + b"\n" + END + b"\n" + b"#" * MAX_BYTES

    assert len(with_sitemaps(fits, [A])) == MAX_BYTES
    with pytest.raises(TargetError, match="512,000"):
        with_sitemaps(b"#" + fits, [A])
    assert with_sitemaps(below, [A]).endswith(b"#" * MAX_BYTES)


# ── for any file ──

lines = st.sampled_from(
    [
        b"User-agent: *", b"Disallow: /", b"", b" ", b"# note", b"Sitemap: https://e.com/x.xml",
        b"sitemap:https://example.com/a.xml", b"Sitemap: https://e.com/\xc3\xa9.xml # x", b"\xff",
        b"# urlset: sitemaps", b"# shop: sitemaps begin", b"Crawl-delay: 1", b"\xef\xbb\xbf#",
    ]
)  # fmt: skip
owners = st.builds(
    lambda bom, found, end: bom + b"".join(line + eol for line, eol in found) + end,
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(st.tuples(lines, st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])), max_size=8),
    lines,
)
urls = st.lists(
    st.sampled_from([A, B, C, "https://e.com/x.xml", "https://bücher.example/s.xml"]), max_size=4
)


@given(owners | st.binary().filter(lambda data: b"\0" not in data), urls, urls)
@example(b"a\r", [A], [])
def test_bytes_of_the_owner_survive_and_twice_is_once(owner, first, second):
    assume(not owner.startswith((b"\xff\xfe", b"\xfe\xff")))

    text = with_sitemaps(owner, first)
    again = with_sitemaps(text, second)

    assert text.startswith(owner)
    assert text[len(owner) :].lstrip(b"\r\n").startswith((BEGIN, b""))
    assert with_sitemaps(text, first) == text
    assert with_sitemaps(again, second) == again
    assert outside(again).startswith(owner)
    assert outside(again)[len(owner) :].strip(b"\r\n") == b""


@given(owners, urls, urls)
def test_robots_finds_exactly_the_sitemaps(owner, first, second):
    text = with_sitemaps(with_sitemaps(owner, first), second)

    assert set(declared(text)) == {*declared(owner), *second}
    assert len(declared(text)) == len(set(declared(text)))


@given(owners, urls)
def test_rules_of_the_owner_are_what_they_were(owner, chosen):
    text = with_sitemaps(owner, chosen)

    for path in ("", "private", "a.xml"):
        url = f"https://example.com/{path}"
        assert read_robots(text, SITE).allows(url) == read_robots(owner, SITE).allows(url)


def test_file_of_half_a_megabyte_is_read_in_one_pass():
    # A line of blanks, of colons, of comment signs: each is read once.
    for unit in (b" ", b"#", b":", b"sitemap", b"# urlset", b"\r"):
        owner = unit * (400_000 // len(unit))
        assert with_sitemaps(owner, [A]).startswith(owner)
