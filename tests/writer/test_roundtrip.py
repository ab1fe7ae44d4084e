"""What is written reads back as it was, on both engines, and as the official schemas want it."""

import tempfile
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset import parse
from urlset.engine import Engine
from urlset.errors import EntryError
from urlset.model import (
    Alternate,
    ContentSegment,
    Entry,
    Image,
    News,
    Price,
    TvShow,
    Video,
    VideoId,
)
from urlset.urls import SPACE
from urlset.writer import write

# What no XML file can hold (XML 1.0 section 2.2), apart from surrogates.
FORBIDDEN = [chr(code) for code in range(32) if chr(code) not in "\t\n\r"] + ["\ufffe", "\uffff"]

characters = st.characters(exclude_categories=["Cs"], exclude_characters=FORBIDDEN)
texts = st.text(characters, max_size=40).map(lambda text: text.strip(SPACE)).filter(bool)
paths = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=[*FORBIDDEN, *SPACE, "\ufffd"]),
    max_size=30,
)
hosts = st.sampled_from(["example.com", "www.example.org:8080", "[2001:db8::1]", "bücher.example"])
urls = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTPS"]), hosts, paths)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
EARLIEST, LATEST = datetime(1000, 1, 3), datetime(9998, 12, 30)  # noqa: DTZ001 (st adds zones)
instants = st.datetimes(EARLIEST, LATEST, timezones=zones)


def w3c(moment: datetime, form: str) -> tuple[datetime, str]:
    """A moment in one of the six forms of W3C Datetime, and the instant that the text means."""
    midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    if form == "year":
        return midnight.replace(month=1, day=1), f"{moment:%Y}"
    if form == "month":
        return midnight.replace(day=1), f"{moment:%Y-%m}"
    if form == "day":
        return midnight, f"{moment:%Y-%m-%d}"
    if form == "minute":
        moment = moment.replace(second=0, microsecond=0)
    if form == "second":
        moment = moment.replace(microsecond=0)
    timespec = {"minute": "minutes", "second": "seconds", "fraction": "microseconds"}[form]
    text = moment.isoformat(timespec=timespec)
    if text.endswith("+00:00"):
        text = text.removesuffix("+00:00") + "Z"
    return moment.astimezone(UTC), text


forms = ["year", "month", "day", "minute", "second", "fraction"]
moments = st.builds(w3c, instants, st.sampled_from(forms))
days = st.builds(lambda moment, form: w3c(moment, form)[1], instants, st.sampled_from(forms[2:]))


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


def several(strategy: st.SearchStrategy, most: int = 3) -> st.SearchStrategy:
    return st.lists(strategy, max_size=most).map(tuple)


def a(kind, **fields):
    """A record; the fields that are not given are optional texts."""
    given_ = {name: fields.get(name, maybe(texts)) for name in kind._fields}
    return st.builds(kind, **given_)


yes_no = maybe(st.sampled_from("yes no Yes No YES NO".split()))
relations = st.sampled_from(["allow", "deny"])


def unless_blank(record: tuple) -> bool:
    return any(value is not None for value in record)


videos = st.builds(
    lambda video, restriction, platform, content: video._replace(
        restriction=restriction[0],
        restriction_relationship=restriction[1],
        platform=platform[0],
        platform_relationship=platform[1],
        content_loc=content[0],
        player_loc=content[1],
    ),
    a(
        Video,
        thumbnail_loc=urls,
        title=texts,
        description=texts,
        player_loc_allow_embed=yes_no,
        duration=maybe(st.integers(1, 28_800).map(str)),
        expiration_date=maybe(days),
        rating=maybe(st.sampled_from(["0", "0.0", "4.25", "5.0"])),
        content_segments=several(a(ContentSegment).filter(unless_blank)),
        view_count=maybe(st.integers(0).map(str)),
        publication_date=maybe(days),
        tags=several(texts, 32),
        family_friendly=yes_no,
        prices=several(a(Price).filter(unless_blank)),
        requires_subscription=yes_no,
        tvshow=maybe(a(TvShow, premier_date=maybe(days)).filter(unless_blank)),
        live=yes_no,
        ids=several(a(VideoId).filter(unless_blank)),
    ),
    st.tuples(st.sampled_from(["DE", "DE AT CH"]), relations) | st.just((None, None)),
    st.tuples(st.sampled_from(["web", "web tv mobile"]), relations) | st.just((None, None)),
    st.tuples(urls, maybe(urls)) | st.tuples(st.just("ftp://example.com/video"), maybe(urls))
    | st.tuples(st.none(), urls),
)  # fmt: skip
news = a(News, name=texts, language=st.sampled_from(["en", "gsw", "zh-cn"]), title=texts)
news = st.builds(lambda news, day: news._replace(publication_date=day), news, days)
languages = st.sampled_from(["en", "en-GB", "zh-Hant-TW", "x-default", "es-419"])
alternates = (
    st.builds(Alternate, languages, urls, maybe(texts))
    | st.builds(Alternate, st.none(), urls, texts)
    | st.just(Alternate(None, "android-app://com.example/https/example.com/"))
)

names = st.sampled_from(["a", "b-1", "Größe", "_x.y"])
FIVE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\r": "&#13;"}
)
BLANKS = str.maketrans({"\n": "&#10;", "\t": "&#9;"})
in_elements = texts.map(lambda text: text.translate(FIVE))
in_attributes = in_elements.map(lambda text: text.translate(BLANKS))


def element(name: str, attribute: str | None, inner: list[str], declared: str = "") -> str:
    tag = f"p:{name}{declared}" + ("" if attribute is None else f' k="{attribute}"')
    body = "".join(inner)
    return f"<{tag}>{body}</p:{name}>" if body else f"<{tag}/>"


elements = st.recursive(
    st.builds(element, names, maybe(in_attributes), st.lists(in_elements, max_size=1)),
    lambda inner: st.builds(element, names, maybe(in_attributes), st.lists(inner, max_size=3)),
    max_leaves=6,
)
# Whoever moves the outer element elsewhere needs its prefix declared there.
outer = st.builds(
    element,
    names,
    maybe(in_attributes),
    st.lists(elements | in_elements, max_size=3),
    st.just(' xmlns:p="https://e.example/ns?a=1&amp;b=2"'),
)
extras = st.lists(outer, min_size=1, max_size=2).map("".join)


def entry(loc, moment, **fields):
    lastmod, text = moment or (None, None)
    return Entry(loc, lastmod, text, **fields)


entries = st.builds(
    entry,
    urls,
    maybe(moments),
    changefreq=maybe(st.sampled_from("always hourly daily weekly monthly yearly never".split())),
    priority=maybe(st.floats(0, 1).map(abs)),
    images=several(a(Image, loc=urls)),
    videos=several(videos, 2),
    news=maybe(news),
    alternates=several(alternates),
    extra=maybe(extras),
)


def written(rows: object, engine: Engine, **options) -> list[Entry]:
    """Write, read the file again, and leave out where each entry stood."""
    with tempfile.TemporaryDirectory() as folder:
        publication = write(rows, folder, engine=engine.name, **options)
        document = parse(publication.files[0].path.read_bytes(), engine=engine.name)
    errors = [problem for problem in document.problems if problem.level == "error"]
    assert not errors
    return [entry._replace(offset=None, line=None) for entry in document.entries]


@given(rows=st.lists(entries, min_size=1, max_size=3, unique_by=lambda entry: entry.loc))
def test_entries_read_back_as_they_were(rows: list[Entry], engine: Engine):
    rows = [row for row in rows if all(row.loc not in video[3:5] for video in row.videos)]

    read = written(rows, engine, allow_empty=True)

    assert read == rows


@given(rows=st.lists(entries, min_size=1, max_size=3, unique_by=lambda entry: entry.loc))
def test_dicts_and_entries_are_written_alike(rows: list[Entry], engine: Engine):
    rows = [row for row in rows if all(row.loc not in video[3:5] for video in row.videos)]
    dicts = [as_dict(row) for row in rows]

    read = written(dicts, engine, allow_empty=True)

    assert read == rows


def as_dict(value: object) -> object:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: as_dict(item) for name, item in value._asdict().items()}
    return [as_dict(item) for item in value] if isinstance(value, tuple) else value


@given(locs=st.lists(urls.filter(lambda url: not set(url) & set('<>"')), min_size=1, unique=True))
def test_text_sitemaps_read_back_as_they_were(locs: list[str], engine: Engine):
    with tempfile.TemporaryDirectory() as folder:
        publication = write(locs, folder, format="text", engine=engine.name)
        document = parse(publication.files[0].path.read_bytes(), engine=engine.name)

    assert document.kind == "text"
    assert [entry.loc for entry in document.entries] == locs


def test_text_sitemaps_refuse_what_looks_like_markup(tmp_path):
    with pytest.raises(EntryError, match="percent-encode"):
        write(["https://example.com/a<b"], tmp_path, format="text")

    assert not list(tmp_path.iterdir())


@given(moment=instants | instants.map(datetime.date))
def test_moments_are_written_as_the_same_instant(moment: date, engine: Engine):
    row = {"loc": "https://example.com/", "lastmod": moment}

    read = written([row], engine)[0].lastmod

    if isinstance(moment, datetime):
        assert read == moment
    else:
        assert read == datetime(moment.year, moment.month, moment.day, tzinfo=UTC)


@given(value=st.floats(0, 1) | st.decimals(0, 1, places=3) | st.sampled_from(["0.8", ".5", "1"]))
def test_priorities_are_written_as_the_same_number(value: object, engine: Engine):
    read = written([{"loc": "https://example.com/", "priority": value}], engine)[0]

    assert read.priority == float(value)  # type: ignore[arg-type]


@given(loc=st.text() | st.text().map("https://example.com/{}".format))
def test_any_text_as_loc_reads_back_or_is_refused(loc: str, engine: Engine):
    with tempfile.TemporaryDirectory() as folder:
        publication = write([loc], folder, engine=engine.name, on_error="skip", allow_empty=True)
        document = parse(publication.files[0].path.read_bytes(), engine=engine.name)

    assert len(document.entries) + len(publication.rejected) == 1
    assert [entry.loc for entry in document.entries] == [loc.strip(" \t\r\n")] * publication.urls
    codes = {problem.code for problem in document.problems}
    assert codes <= {"S021", "X022"}  # no entries; a URL in which "&amp;" stands on purpose


@given(extra=st.text() | st.text(alphabet="<>/ab:= \"'&;![]-?CDATxmlns"))
def test_any_text_as_extra_reads_back_or_is_refused(extra: str, engine: Engine):
    row = Entry("https://example.com/", priority=0.5, extra=extra)

    with tempfile.TemporaryDirectory() as folder:
        publication = write([row], folder, engine=engine.name, on_error="skip", allow_empty=True)
        document = parse(publication.files[0].path.read_bytes(), engine=engine.name)

    problems = [problem.code for problem in document.problems if problem.code != "S021"]
    assert not problems
    assert [(e.loc, e.priority) for e in document.entries] == [(row.loc, 0.5)] * publication.urls


@pytest.mark.parametrize(
    "extra",
    [
        "<?php ?>",
        '<?php ?><a xmlns="urn:x"/>',
        '<a xmlns="urn:x"><?php echo 1 ?></a>',
        "<!-- nothing else -->",
        '<!-- <?php ?> --><?x?><a xmlns="urn:x"/>',
    ],
)
def test_extra_that_would_not_be_read_back_is_refused(extra: str, engine: Engine, tmp_path):
    with pytest.raises(EntryError, match="row 1, extra: expected elements of other namespaces"):
        write([Entry("https://example.com/", extra=extra)], tmp_path, engine=engine.name)


def test_extra_may_speak_of_processing_instructions(engine: Engine):
    extra = '<a xmlns="urn:x"><![CDATA[<?php ?>]]><!-- <?x?> --></a>'

    read = written([Entry("https://example.com/", extra=extra)], engine)

    assert read[0].extra == '<a xmlns="urn:x">&lt;?php ?&gt;</a>'


@pytest.mark.parametrize(
    ("path", "is_right"),
    [
        ("a" * 2_033, True),  # 2,047 characters
        ("a" * 2_034, False),
        ("ü" * 338 + "a" * 5, True),  # 2,033 of %C3%BC and a
        ("ü" * 338 + "a" * 6, False),
        ("日" * 225 + "a" * 8, True),
        ("日" * 226, False),
    ],
)
def test_urls_are_measured_as_they_are_requested(path, is_right, engine: Engine):
    """A crawler percent-encodes what is not ASCII, and the limit is on what it requests."""
    rows = [f"https://e.com/{path}"]

    if is_right:
        assert written(rows, engine)[0].loc == rows[0]
    else:
        with pytest.raises(EntryError, match="a URL of fewer than 2,048 characters"):
            written(rows, engine)


def test_host_of_a_url_is_measured_as_an_a_label(engine: Engine):
    longest = f"https://bücher.example/{'a' * (2_047 - len('https://xn--bcher-kva.example/'))}"

    assert written([longest], engine)[0].loc == longest
    with pytest.raises(EntryError, match="fewer than 2,048"):
        written([f"{longest}a"], engine)


@pytest.mark.parametrize(
    "loc", ["http://http/", "https://https", "http://256.1.1.1/", "http://12345/", "http://1.2.3/"]
)
def test_url_whose_host_nobody_can_look_up_is_refused(loc: str, engine: Engine):
    with pytest.raises(EntryError, match="fix the host name"):
        written([loc], engine)


_ATTRIBUTES: dict[str, Any] = {
    "player_loc_allow_embed": "yes",
    "player_loc_autoplay": "ap=1",
    "restriction_relationship": "allow",
    "gallery_loc_title": "Films",
    "uploader_info": "https://example.com/u",
    "platform_relationship": "deny",
    "prices": (Price(currency="EUR"),),
    "content_segments": (ContentSegment(duration="5"),),
    "ids": (VideoId(type="x"),),
}


@pytest.mark.parametrize("name", _ATTRIBUTES)
@pytest.mark.parametrize("form", ["entry", "dict", "table"])
def test_attributes_of_videos_are_kept_without_their_element(name, form, engine: Engine):
    video = Video("https://e.com/1.jpg", "T", "D", "https://e.com/1.mp4")
    row = Entry("https://example.com/", videos=(video._replace(**{name: _ATTRIBUTES[name]}),))
    table = engine.parse(engine_bytes([row], engine), None, None, []).entries

    read = written({"entry": [row], "dict": [as_dict(row)], "table": table}[form], engine)

    assert read == [row]


def engine_bytes(rows: list[Entry], engine: Engine) -> bytes:
    """Rows as a document, without any validation."""
    document = engine.renderer("urlset", 50_000, 1 << 30, 1_000)
    document.add(engine.columns(rows), 0)
    return document.finish()


@pytest.mark.parametrize(
    ("extra", "canonical"),
    [
        (
            '<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"></m:mobile>',
            '<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>',
        ),
        ("<a xmlns='urn:x'><![CDATA[1 < 2]]></a>", '<a xmlns="urn:x">1 &lt; 2</a>'),
        ('<!-- note --><a xmlns="urn:x"/>', '<a xmlns="urn:x"/>'),
    ],
)
def test_extra_is_written_in_one_form_that_reads_back(extra: str, canonical: str, engine: Engine):
    once = written([Entry("https://example.com/", extra=extra)], engine)
    twice = written(once, engine)

    assert once[0].extra == canonical
    assert twice == once


# ── the official schemas, without their known mistakes ──

SCHEMAS = {
    "http://www.google.com/schemas/sitemap-image/1.1": "sitemap-image-1.1.xsd",
    "http://www.google.com/schemas/sitemap-video/1.1": "sitemap-video-1.1.xsd",
    "http://www.google.com/schemas/sitemap-news/0.9": "sitemap-news-0.9.xsd",
    "http://www.google.com/schemas/sitemap-mobile/1.0": "sitemap-mobile.xsd",
    "http://www.w3.org/1999/xhtml": "xhtml1-strict.xsd",
}


@pytest.fixture(scope="session")
def schema(shared: Path):
    """The official schema of a sitemap, or of an index, together with those of the extensions."""
    etree = pytest.importorskip("lxml.etree")

    def load(name: str):
        core = {"http://www.sitemaps.org/schemas/sitemap/0.9": name}
        folder = (shared / "schemas").as_uri()
        imports = "".join(
            f'<xs:import namespace="{uri}" schemaLocation="{folder}/{file}"/>'
            for uri, file in (core | SCHEMAS).items()
        )
        wrapper = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{imports}</xs:schema>'
        # xhtml1-strict.xsd imports xml.xsd from the web; here it lies beside.
        parser = etree.XMLParser(no_network=True)

        class Beside(etree.Resolver):  # type: ignore[name-defined]
            def resolve(self, url, _public_id, context):
                if url.endswith("xml.xsd"):
                    return self.resolve_filename(str(shared / "schemas" / "xml.xsd"), context)
                return None

        parser.resolvers.add(Beside())
        return etree.XMLSchema(etree.fromstring(wrapper, parser))

    return {"sitemap": load("sitemap.xsd"), "siteindex": load("siteindex.xsd")}


# The schema takes URIs in ASCII only, dates with their seconds, XML names for languages,
# 28,800 decimals; and it wants 12 characters at least of a loc.
xsd_urls = st.from_regex(r"https://example\.com/[a-z0-9/?&='_.~-]{0,20}", fullmatch=True)
xsd_texts = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=40)
xsd_days = st.builds(
    lambda moment, form: w3c(moment, form)[1],
    instants,
    st.sampled_from(["day", "second", "fraction"]),
)
xsd_videos = a(
    Video,
    thumbnail_loc=xsd_urls,
    title=xsd_texts,
    description=xsd_texts,
    content_loc=st.just("https://media.example.com/film.mp4"),
    player_loc=maybe(st.just("https://media.example.com/player?film")),
    player_loc_allow_embed=st.none(),
    player_loc_autoplay=st.none(),
    duration=maybe(st.integers(1, 28_800).map(str)),
    expiration_date=maybe(xsd_days),
    rating=maybe(st.sampled_from(["0.0", "5"])),
    content_segments=several(st.builds(ContentSegment, xsd_urls, st.just("10"))),
    view_count=maybe(st.integers(0, 10**9).map(str)),
    publication_date=maybe(xsd_days),
    tags=several(xsd_texts),
    category=maybe(xsd_texts),
    family_friendly=yes_no,
    restriction=st.just("DE AT"),
    restriction_relationship=relations,
    gallery_loc=xsd_urls,
    gallery_loc_title=maybe(xsd_texts),
    prices=several(
        st.builds(
            Price, st.sampled_from(["1.99", "5"]), st.just("EUR"), st.just("rent"), st.just("HD")
        )
    ),
    requires_subscription=yes_no,
    uploader=xsd_texts,
    uploader_info=maybe(xsd_urls),
    tvshow=maybe(
        a(
            TvShow,
            show_title=xsd_texts,
            video_type=st.sampled_from(["full", "clip"]),
            episode_title=maybe(xsd_texts),
            season_number=maybe(st.just("1")),
            episode_number=maybe(st.just("2")),
            premier_date=maybe(xsd_days),
        )
    ),
    platform=st.just("web tv"),
    platform_relationship=relations,
    live=yes_no,
    ids=several(st.builds(VideoId, xsd_texts, st.just("tms:series"))),
)
xsd_entries = st.builds(
    entry,
    xsd_urls,
    maybe(st.builds(w3c, instants, st.sampled_from(["day", "second", "fraction"]))),
    changefreq=maybe(st.sampled_from(["daily", "never"])),
    priority=maybe(st.floats(0, 1).map(abs)),
    images=several(
        st.builds(Image, xsd_urls, xsd_texts, maybe(xsd_texts), maybe(xsd_texts), st.none())
    ),
    videos=several(xsd_videos, 2),
    news=maybe(
        st.builds(
            News,
            name=xsd_texts,
            language=st.sampled_from(["en", "zh-tw"]),
            access=maybe(st.just("Subscription")),
            genres=maybe(st.just("Blog, OpEd")),
            publication_date=xsd_days,
            title=xsd_texts,
            keywords=maybe(xsd_texts),
            stock_tickers=maybe(st.just("NASDAQ:A")),
        )
    ),
    alternates=several(
        st.builds(Alternate, st.sampled_from(["en", "x-default"]), xsd_urls, st.none())
    ),
    extra=maybe(
        st.just('<mobile:mobile xmlns:mobile="http://www.google.com/schemas/sitemap-mobile/1.0"/>')
    ),
)


@given(rows=st.lists(xsd_entries, min_size=1, max_size=3, unique_by=lambda entry: entry.loc))
def test_spec_output_is_valid_by_the_official_schemas(rows: list[Entry], engine: Engine, schema):
    from lxml import etree

    with tempfile.TemporaryDirectory() as folder:
        publication = write(
            rows, folder, index="always", base_url="https://example.com/", engine=engine.name
        )
        sitemap = etree.parse(str(publication.files[0].path))
        index = etree.parse(str(publication.indexes[0].path))

    schema["sitemap"].assertValid(sitemap)
    schema["siteindex"].assertValid(index)
