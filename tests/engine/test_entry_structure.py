"""Which elements belong to an entry, and which text to a value: nested elements, wrong end tags."""

import pytest

import urlset
from urlset import Document
from urlset.engine import Engine

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
GOOGLE = "http://www.google.com/schemas"
HEAD = (
    f'<urlset xmlns="{CORE}" xmlns:image="{GOOGLE}/sitemap-image/1.1" '
    f'xmlns:video="{GOOGLE}/sitemap-video/1.1" xmlns:news="{GOOGLE}/sitemap-news/0.9">'
)
BASE = "https://example.com/dir/sitemap.xml"
A, B, LAST = "https://e.com/a", "https://e.com/b", "https://e.com/last"


def read(engine: Engine, body: str) -> Document:
    text = f"{HEAD}{body}<url><loc>{LAST}</loc></url></urlset>"
    document = urlset.parse(text.encode(), base_url=BASE, engine=engine.name)
    assert [entry.loc for entry in document.entries][-1] == LAST
    return document


def locs(document: Document) -> list[str]:
    """The URLs but the last, which follows what is looked at."""
    return [entry.loc for entry in document.entries][:-1]


def codes(document: Document) -> list[str]:
    return sorted({problem.code for problem in document.problems})


# ── nested elements ──

# Baidu's structured data: https://ziyuan.baidu.com/college/courseinfo?id=267&page=9
BAIDU = f"""<url>
  <loc>{A}</loc><lastmod>2024-05-06</lastmod>
  <data><display>
    <url>{B}</url><loc>{B}2</loc><lastmod>1999-01-01</lastmod><priority>0.1</priority>
    <item><url><loc>{B}3</loc></url></item>
  </display></data>
</url>"""


def test_structured_data_inside_an_entry_makes_no_entries(engine):
    document = read(engine, BAIDU)

    assert (locs(document), codes(document)) == ([A], ["S010"])
    first = next(iter(document.entries))
    assert (first.lastmod_text, first.priority) == ("2024-05-06", None)


def test_structured_data_inside_an_unclosed_entry_makes_no_entries(engine):
    document = read(engine, BAIDU.removesuffix("</url>"))

    assert (locs(document), codes(document)) == ([A], ["S010", "X002"])


def test_structured_data_beside_a_damaged_entry_makes_no_entries(engine):
    document = read(engine, f"<url><loc>{B}</loc></b></url>{BAIDU}")

    assert (locs(document), codes(document)) == ([B, A], ["S010", "X002"])


@pytest.mark.parametrize(
    ("container", "images"),
    [
        ("<video:video><loc>{}</loc><video:title>t</video:title></video:video>", []),
        ("<news:news><news:title>t</news:title><loc>{}</loc></news:news>", []),
        ("<image:image><loc>{}</loc></image:image>", [B]),
        ("<image:image><image:loc>{}</image:loc><loc>x</loc></image:image>", [B]),
        ("<image><loc>{}</loc><loc>x</loc></image>", [B]),
        ("<image:image><image:loc><loc>{}</loc></image:loc></image:image>", [B]),
        ("<video:video><video:content_loc><loc>{}</loc></video:content_loc></video:video>", []),
    ],
)
def test_loc_inside_an_extension_makes_no_entry(engine, container, images):
    extension = container.format(B)
    for body in (f"<loc>{A}</loc>{extension}", f"{extension}<loc>{A}</loc>"):
        document = read(engine, f"<url>{body}</url>")
        assert locs(document) == [A]
        assert [image.loc for image in next(iter(document.entries)).images] == images


def test_loc_of_an_unknown_element_makes_no_entry(engine):
    document = read(engine, f"<url><foo><loc>{A}</loc></foo></url>")

    assert (locs(document), codes(document)) == ([], ["S007", "S010"])


def test_nested_entry_and_root_are_content_of_the_entry_with_a_loc(engine):
    for inner in (f"<url><loc>{B}</loc></url>", f"<urlset><url><loc>{B}</loc></url></urlset>"):
        document = read(engine, f"<url><loc>{A}</loc>{inner}</url>")
        assert (locs(document), codes(document)) == ([A], ["S010"])


def test_entry_around_entries_only_wraps_them(engine):
    inner = f"<url><loc>{A}</loc></url><url><loc>{B}</loc></url>"
    document = read(engine, f"<url>{inner}</url>")

    assert locs(document) == [A, B]
    assert {"S007"} < set(codes(document))


def test_missing_end_tag_of_an_entry_loses_no_entry(engine):
    """Where tags do not match, an entry ends where the next begins."""
    document = read(engine, f"<url><loc>{A}</loc><url><loc>{B}</loc></url>")
    assert (locs(document), codes(document)) == ([A, B], ["X002"])

    document = read(engine, f"<url><loc>{A}</loc><data><url><loc>{B}</loc></url>")
    assert (locs(document), codes(document)) == ([A, B], ["S010", "X002"])


def test_item_inside_an_item_is_its_content(engine):
    def feed(body: str) -> list[str]:
        text = f'<rss version="2.0"><channel>{body}</channel></rss>'
        document = urlset.parse(text.encode(), engine=engine.name)
        return [entry.loc for entry in document.entries]

    inner = f"<item><link>{B}</link></item>"
    assert feed(f"<item><link>{A}</link><list>{inner}</list></item>") == [A]
    assert feed(f"<item><link>{A}</link>{inner}") == [A, B]


def test_child_of_an_index_inside_another_is_its_content(engine):
    inner = f"<data><sitemap><loc>{B}</loc></sitemap></data>"
    text = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>{A}</loc>{inner}</sitemap></sitemapindex>'
    document = urlset.parse(text.encode(), engine=engine.name)

    assert [sitemap.loc for sitemap in document.sitemaps] == [A]


# ── wrong end tags ──


@pytest.mark.parametrize(
    "rest",
    [
        "</lastmod>2020</lastmod>",
        "</link> My title</loc>",
        "</b>2020</loc>",
        "</>2020</loc>",
        "</ loc>2020",
        "</b></i>2020<i>x</i></loc>",
        "</b><![CDATA[2020]]></loc>",
        "</b>&amp;x=2020</loc>",
    ],
)
def test_text_behind_a_wrong_end_tag_is_no_part_of_the_url(engine, rest):
    document = read(engine, f"<url><loc>{A}{rest}<priority>0.5</priority></url>")

    assert locs(document) == [A]
    assert "X002" in codes(document)


def test_text_behind_a_wrong_end_tag_is_no_part_of_any_value(engine):
    image = "<image:image><image:loc>https://e.com/i.png</image>2020</image:loc></image:image>"
    document = read(
        engine,
        f"<url><loc>{A}</loc><lastmod>2024-05-06</b>x</lastmod>{image}</url>",
    )
    first = next(iter(document.entries))

    assert (first.lastmod_text, first.images[0].loc) == ("2024-05-06", "https://e.com/i.png")


def test_text_behind_a_wrong_end_tag_in_a_feed(engine):
    item = f"<item>x</b><title>t</title><link>{A}</guid> My title</link></item>"
    text = f'<rss version="2.0"><channel>{item}</channel></rss>'
    document = urlset.parse(text.encode(), engine=engine.name)

    assert [entry.loc for entry in document.entries] == [A]


def test_wrong_end_tag_before_the_url_changes_nothing(engine):
    document = read(engine, f"<url><loc>\n</b>{A}</loc></url>")

    assert (locs(document), codes(document)) == ([A], ["U005", "X002"])


# ── text around a URL ──


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"see {A}", [A]),
        (f"loc: {A}", [A]),
        (f"My title, {A} {B}", [A, B]),
        (f"see {A} for more", []),
        (f"/x {A}", [A]),
    ],
)
def test_words_before_a_url_are_no_page(engine, text, expected):
    document = read(engine, f"<url><loc>{text}</loc></url>")

    assert locs(document) == expected
    assert "U001" in codes(document)
