"""Rows as users give them: most valid, some odd, some invalid."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

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
    st.lists(urls | images.map(lambda image: image._asdict()), max_size=2).map(json.dumps),
)
alternate_lists = st.one_of(
    st.just(()),
    st.just(()),
    st.lists(alternates, max_size=2).map(tuple),
    st.lists(alternates.map(lambda link: link._asdict()), max_size=2),
    st.lists(alternates.map(lambda link: link._asdict()), max_size=2).map(
        lambda links: json.dumps(links, ensure_ascii=False)
    ),
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
news_as_json = news.filter(lambda value: value and isinstance(value.publication_date, str)).map(
    lambda value: json.dumps(value._asdict())
)
entries = st.builds(
    Entry,
    urls,
    st.none() | dates | texts_of_dates,
    st.none() | st.none() | texts_of_dates,
    changefreqs,
    priorities,
    images=image_lists,
    videos=video_lists,
    news=news | news_as_json,
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


class Text(str):
    """Text of a class of its own, such as a translation that is looked up late."""

    __slots__ = ()


class Moment(datetime):
    """Datetime of a class of its own, such as a ``pandas.Timestamp``."""


BERLIN = ZoneInfo("Europe/Berlin")
foreign_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3) | st.sampled_from([2**63, 10**400]),
    st.floats() | st.sampled_from([0.1, 1e16, 1e-5, 123456789.5]),
    st.decimals() | st.just(Decimal("4.50")),
    st.datetimes(timezones=st.sampled_from([None, UTC, BERLIN, timezone(timedelta(0), "Z")])),
    st.sampled_from(
        [
            date(1, 2, 3),
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            datetime(1850, 1, 1, tzinfo=BERLIN),
            datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN),
            datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=15))),
            Moment(2026, 1, 2, tzinfo=UTC),
            Moment(2026, 1, 2),
            Text("2026-01-02"),
            Text(f"{SITE}text"),
            "\ud800",
            "Tea\udfff",
            b"bytes",
            [],
            {},
            "[]",
            '[{"loc": "https://e.com/j.jpg"}]',
            "0.50",
            "+1",
            ".",
            "1.",
        ]
    ),
)


def _dicts_of(**fields):
    """Return a strategy of dicts with some of the keys in any order, and rarely an unknown one."""
    known = st.lists(
        st.sampled_from([*fields.items(), ("unknown", st.just("x"))] if fields else []),
        unique_by=lambda pair: pair[0],
        max_size=4,
    )
    pairs = known.flatmap(
        lambda found: st.fixed_dictionaries(
            {name: st.one_of(values, values, foreign_values) for name, values in found}
        )
    )
    return st.tuples(pairs, st.booleans()).map(
        # A key that was computed is another object than the name of the field.
        lambda pair: (
            {"".join(list(key)): value for key, value in pair[0].items()} if pair[1] else pair[0]
        )
    )


_image_dicts = _dicts_of(loc=urls, caption=images_of_text, title=images_of_text)
_video_dicts = st.tuples(_dicts_of(**odd_values), st.integers(0, 3)).map(
    lambda pair: (
        {
            **{name: value for name, value in VIDEO._asdict().items() if value or pair[1]},
            **(pair[0] if pair[1] < 3 else {}),
        }
    )
)
_news_dicts = _dicts_of(**odd_news).map(lambda found: {**NEWS._asdict(), **found})
_link_dicts = st.tuples(languages, plain_urls, _dicts_of(media=images_of_text, href=urls)).map(
    lambda parts: {"hreflang": parts[0], "href": parts[1], **parts[2]}
)
_records = {
    "images": st.lists(_image_dicts | urls, max_size=2) | _image_dicts | urls,
    "videos": st.lists(_video_dicts, max_size=2) | _video_dicts,
    "news": _news_dicts,
    "alternates": st.lists(_link_dicts, max_size=2) | st.lists(_link_dicts, max_size=2).map(tuple),
}
foreign_dicts = st.tuples(
    st.sampled_from(["loc", "url", "loc", "both"]),
    plain_urls | plain_urls | urls | foreign_values,
    _dicts_of(
        lastmod=dates | texts_of_dates,
        lastmod_text=texts_of_dates,
        changefreq=changefreqs,
        priority=priorities,
        source=st.just("s"),
        offset=st.integers(),
        **_records,
    ),
).map(
    lambda parts: {
        **(
            {"url": f"{SITE}alias", "loc": parts[1]} if parts[0] == "both" else {parts[0]: parts[1]}
        ),
        **parts[2],
    }
)
