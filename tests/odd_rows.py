"""Rows as users give them: most valid, some odd, some invalid."""

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import strategies as st

from urlset import Alternate, Entry, Image, News, Video
from urlset.model import ContentSegment, Price, TvShow, VideoId

SITE = "https://e.com/"

plain_urls = st.integers(0, 30).map(lambda number: f"{SITE}p/{number}?a=1&b=%20")
odd_urls = st.sampled_from(
    [
        "/relative",
        "a/b.html",
        f"  {SITE}padded\n",
        f"{SITE}tee-grün",
        "https://bücher.example/",
        f"{SITE}a b",
        f"{SITE}'quoted'",
        f"{SITE}x\x00",
        f"{SITE}\ufffe",
        "javascript:alert(1)",
        "ftp://e.com/a",
        "foo bar",
        "www.e.com/a",
        "mailto:a@e.com",
        "https://",
        "https:///a",
        "http://http/",
        "http://256.1.1.1/",
        "https://e..com/",
        f"https://{'a' * 64}.com/",
        SITE + "a" * 2_027,
        SITE + "a" * 2_040,
        "HTTPS://E.com/",
        "",
        "   ",
    ]
)
urls = st.one_of(plain_urls, plain_urls, plain_urls, odd_urls)
images_of_text = st.sampled_from(
    [None, "", " ", "Tea", " Tea ", "Tee & Grün", "a\x01b", "\u200bTea", "two\nlines", "Tea\ufffe"]
)
texts_of_dates = st.sampled_from(
    ["2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05+02:00", "2026", "2026-01-02 03:04",
     "yesterday", "01/02/2026", "2026-02-30", "", " 2026-01-02 "]
)  # fmt: skip
dates = st.sampled_from(
    [
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2))),
        datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001 - it is to be refused
        date(2026, 1, 2),
        5,
    ]
)
changefreqs = st.sampled_from([None, None, "daily", "never", "", "Daily", "fortnightly", 5])
priorities = st.sampled_from(
    [None, None, 0.0, 0.5, 1.0, 1, "0.7", "", "high", -0.1, 1.5, float("nan"), -0.0, True]
)
languages = st.sampled_from(["de", "x-default", "zh-Hant-TW", "de_AT", "", " de", None])

images = st.builds(Image, urls, images_of_text, st.none(), images_of_text, st.none() | urls)
alternates = st.builds(Alternate, languages, urls, st.sampled_from([None, "print", " "]))
image_lists = st.one_of(
    st.just(()),
    st.just(()),
    st.lists(images, max_size=2).map(tuple),
    st.lists(images, max_size=2),
    urls,
    st.lists(urls | images.map(lambda image: image._asdict()), max_size=2),
)
alternate_lists = st.one_of(
    st.just(()),
    st.just(()),
    st.lists(alternates, max_size=2).map(tuple),
    st.lists(alternates.map(lambda link: link._asdict()), max_size=2),
)
VIDEO = Video(
    f"{SITE}t.jpg",
    "Tea & Grün",
    "How tea is made.",
    f"{SITE}tea.mp4",
    duration="90",
    rating="4.5",
    publication_date="2026-01-02T03:04:05.6Z",
    tags=("tea", "green"),
    family_friendly="yes",
)
NEWS = News("Tea Times", "en", publication_date="2026-01-02", title="New tea")

# One field of a valid record is replaced, by a value that is right or wrong for it.
odd_values = {
    **dict.fromkeys(("thumbnail_loc", "content_loc", "player_loc"), urls),
    **dict.fromkeys(("title", "description"), images_of_text),
    "duration": st.sampled_from(["0", "28800", "28801", "1.5", 90, None]),
    "rating": st.sampled_from(["5.0", "5.1", 4.5, None]),
    "view_count": st.sampled_from(["0", "-1", "many", 7]),
    **dict.fromkeys(("expiration_date", "publication_date"), texts_of_dates | dates),
    "family_friendly": st.sampled_from(["no", "maybe", "", True]),
    "tags": st.lists(images_of_text, max_size=2) | st.lists(images_of_text, max_size=2).map(tuple),
    "content_segments": st.just((ContentSegment(f"{SITE}1.mp4", "9"),)),
    "prices": st.sampled_from([(Price("9.50", "EUR"),), [Price("9.50")], ({"value": "9"},)]),
    "tvshow": st.sampled_from([None, TvShow("Tea", "full"), {"show_title": "Tea"}]),
    "ids": st.just((VideoId("1", "tms:series"),)),
    "restriction": st.sampled_from(["DE AT", "Germany"]),
    "live": st.sampled_from(["yes", "soon"]),
}
odd_news = {
    "name": images_of_text,
    "language": st.sampled_from(["de", "zh-cn", "english", "", None]),
    "publication_date": texts_of_dates | dates,
    "title": images_of_text,
    "keywords": images_of_text,
}


def with_one_odd(record, values):
    """Return a strategy of a record, unchanged or with one of the values."""
    changed = [values[name].map(lambda value, name=name: {name: value}) for name in values]
    return st.just(record) | st.one_of(changed).map(lambda change: record._replace(**change))


videos = with_one_odd(VIDEO, odd_values)
video_lists = st.one_of(
    st.just(()),
    st.lists(videos, max_size=2).map(tuple),
    st.lists(videos | videos.map(lambda video: video._asdict()), max_size=2),
)
news = st.none() | with_one_odd(NEWS, odd_news)
entries = st.builds(
    Entry,
    urls,
    st.none() | dates | texts_of_dates,
    st.none() | st.none() | texts_of_dates,
    changefreqs,
    priorities,
    images=image_lists,
    videos=video_lists,
    news=news,
    alternates=alternate_lists,
)
_NAMES = Entry._fields[:9]


def as_dict(entry: Entry, names: frozenset[str]) -> dict[str, object]:
    return {name: getattr(entry, name) for name in _NAMES if name == "loc" or name in names}


dicts = st.builds(as_dict, entries, st.frozensets(st.sampled_from(_NAMES)))
strange = st.sampled_from([None, 5, {"last_mod": "2026", "loc": SITE}, {"url": f"{SITE}u"}, {}])
extended = st.builds(
    Entry, plain_urls, videos=st.lists(videos, max_size=2).map(tuple), news=news
)  # with nothing else that could be odd
rows = st.one_of(entries, entries, dicts, extended, urls, strange)
