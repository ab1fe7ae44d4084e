"""Rules about videos: required elements, URLs and values (codes G…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.macros import names_where
from urlset.checker.rule import engine_rule, rule

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps"
_REMOVED = "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions"
_PARTS = {
    "thumbnail_loc": "https://example.com/a.jpg",
    "title": "Rye",
    "description": "Sowing",
    "content_loc": "https://example.com/a.mp4",
}


def _video(more: str = "", **parts: str) -> str:
    """Return an example entry with a complete video; ``parts`` replace elements."""
    found = "".join(
        f"\n    <video:{name}>{value}</video:{name}>"
        for name, value in {**_PARTS, **parts}.items()
        if value
    )
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"  <video:video>{found}{more}</video:video></url>"
    )


_GOOD = _video()
_MISSING = {
    f"video:{name}": f"video.{name} IS NULL" for name in ("thumbnail_loc", "title", "description")
}
_SAME = {f"video:{name}": f"same_url(video.{name}, loc)" for name in ("content_loc", "player_loc")}

# Files may be on FTP as well. Flash and streaming protocols cannot be fetched.
_FAULT = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN regexp_matches({0}, '^(?i:ftp)://[^/?#\\s]') "
    "THEN url_fault('http' || {0}[4:]) WHEN regexp_matches({0}, '(?i)\\.swf(\\?|#|$)') "
    "THEN 'is Flash, which browsers no longer play' ELSE url_fault({0}) END"
)
_FAULTS = {
    name: _FAULT.format(f"video.{name}") for name in ("thumbnail_loc", "content_loc", "player_loc")
}
_FAULTY = "CASE {} END".format(
    " ".join(f"WHEN ({fault}) IS NOT NULL THEN '{name}'" for name, fault in _FAULTS.items())
)

_REMOVED_TAGS = {
    "video:category": "video.category IS NOT NULL",
    "video:gallery_loc": "video.gallery_loc IS NOT NULL",
    "video:price": "len(video.prices) > 0",
    "video:tvshow": "video.tvshow IS NOT NULL",
    "video:id": "len(video.ids) > 0",
    "video:content_segment_loc": "len(video.content_segments) > 0",
    "allow_embed": "video.player_loc_allow_embed IS NOT NULL",
    "autoplay": "video.player_loc_autoplay IS NOT NULL",
}


def _video_with(more: str, description: str = "Sowing") -> str:
    """Return an example entry with a complete video and more elements."""
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        "  <video:video>\n"
        "    <video:thumbnail_loc>https://example.com/a.jpg</video:thumbnail_loc>\n"
        f"    <video:title>Rye</video:title><video:description>{description}</video:description>\n"
        "    <video:content_loc>https://example.com/a.mp4</video:content_loc>\n"
        f"    {more}</video:video></url>"
    )


def _first(conditions: dict[str, str]) -> str:
    """Return SQL for the name of the first condition that is true."""
    cases = " ".join(f"WHEN {condition} THEN '{name}'" for name, condition in conditions.items())
    return f"CASE {cases} END"


def _value(names: dict[str, str]) -> str:
    """Return SQL for the value of the element that the column ``tag`` names."""
    return "preview(CASE tag {} END)".format(
        " ".join(f"WHEN '{name}' THEN video.{name}" for name in names)
    )


_NUMBERS = {
    # The forms of xsd:decimal and xsd:nonNegativeInteger: a plus, zeros in front, no digit before
    # the point.
    "rating": "NOT coalesce(regexp_full_match(video.rating, "
    "'\\+?0*([0-4](\\.\\d*)?|5(\\.0*)?|\\.\\d+)'), true)",
    "view_count": "NOT coalesce(regexp_full_match(video.view_count, '\\+?\\d+'), true)",
}
_DATES = {
    name: f"w3c_fault(video.{name}) IS NOT NULL" for name in ("publication_date", "expiration_date")
}
_SWITCHES = {
    name: f"coalesce(lower(video.{name}) NOT IN ('yes', 'no'), false)"
    for name in ("family_friendly", "requires_subscription", "live")
}

_EXPIRY = "latest(w3c_instant(video.expiration_date), video.expiration_date)"


def _relation(name: str) -> str:
    """Return SQL for a text that says what is wrong with the ``relationship`` of an element."""
    return (
        f"CASE WHEN video.{name} IS NULL THEN NULL "
        f"WHEN video.{name}_relationship IS NULL THEN 'has no relationship (allow or deny)' "
        f"WHEN video.{name}_relationship NOT IN ('allow', 'deny') THEN 'has the relationship \"' "
        f"|| preview(video.{name}_relationship) || '\", which is neither allow nor deny' END"
    )


_WRONG_REGION = (
    "list_filter(regexp_split_to_array(video.restriction, '\\s+'), lambda c: NOT is_region(c) "
    "AND c <> 'XK')[1]"
)
_RESTRICTION = (
    f"coalesce({_relation('restriction')}, CASE WHEN contains(video.restriction, ',') "
    f"THEN 'has commas; separate regions with spaces' WHEN {_WRONG_REGION} IS NOT NULL "
    f"THEN 'names \"' || preview({_WRONG_REGION}) || '\", which is not a region of ISO 3166-1' END)"
)
_PLATFORM = (
    f"coalesce({_relation('platform')}, CASE WHEN NOT regexp_full_match(video.platform, "
    "'(web|mobile|tv)(\\s+(web|mobile|tv))*') THEN 'is \"' || preview(video.platform) "
    "|| '\"; write web, mobile or tv, separated by spaces' END)"
)

# The same host, or the same site by the last two names of it: users.example.com.
_SITE = "regexp_extract(host_of({}), '[^.]+\\.[^.]+$')"
_IS_OFF = (
    "CASE WHEN is_web(video.uploader_info) "
    f"THEN {_SITE.format('video.uploader_info')} <> {_SITE.format('loc')} ELSE false END"
)

_rule = partial(rule, source=_SOURCE, view="videos", element="video:video", good=_GOOD)

RULES = (
    _rule(
        "G020 video-missing-required error",
        message="video:video without {missing}",
        where=" OR ".join(_MISSING.values()),
        values={"missing": names_where(_MISSING)},
        why="Search results show a video with its thumbnail, title and description. Google rejects "
        "a video if one of them is missing.",
        fix_hint="Add thumbnail_loc, title and description to each video",
        bad=_video(title=""),
    ),
    _rule(
        "G021 video-no-content-or-player error",
        message="video:video has neither content_loc nor player_loc",
        where="video.content_loc IS NULL AND video.player_loc IS NULL",
        why="The location of the video is required: its file, or a player that shows it.",
        fix_hint="Write the URL of the file in content_loc, or of the player in player_loc",
        bad=_video(content_loc=""),
    ),
    _rule(
        "G022 video-loc-equals-page error",
        message="{tags} is the URL of the page itself",
        where=" OR ".join(f"coalesce({condition}, false)" for condition in _SAME.values()),
        values={"tags": names_where(_SAME)},
        why="The video is part of the page; the page itself cannot be played as a video.",
        fix_hint="Write the URL of the video file, or of the player that the page embeds",
        bad=_video(content_loc="https://example.com/a"),
    ),
    _rule(
        "G023 video-url-invalid error",
        message='video:{tag} "{v}" {fault}',
        where=f"({_FAULTY}) IS NOT NULL",
        values={
            "tag": _FAULTY,
            "v": "preview(CASE tag {} END)".format(
                " ".join(f"WHEN '{name}' THEN video.{name}" for name in _FAULTS)
            ),
            "fault": "CASE tag {} END".format(
                " ".join(f"WHEN '{name}' THEN {fault}" for name, fault in _FAULTS.items())
            ),
        },
        why="Videos and thumbnails are fetched over HTTP or FTP from exactly this URL. Paths, "
        "streams (rtmp, rtsp) and Flash cannot be fetched.",
        fix_hint="Write a full URL of a file or a player that a browser can open",
        bad=_video(content_loc="rtmp://example.com/a"),
    ),
    _rule(
        "G024 video-content-looks-like-page warning",
        message="content_loc looks like a page, not a video file: {v}",
        where="CASE WHEN video.content_loc IS NULL THEN false ELSE regexp_matches("
        "video.content_loc, '(?i)^https?://[^/?#]+/[^?#]*\\.(x?html?|aspx?|jsp|php)(#|$)"
        "|^https?://((www|m)\\.)?(youtube(-nocookie)?\\.com/(watch|embed)|youtu\\.be/"
        "|vimeo\\.com/\\d+|dailymotion\\.com/(embed/)?video/)|^https?://player\\.vimeo\\.com/video/')"
        " END",
        values={"v": "preview(video.content_loc)"},
        why="content_loc is the video file. A player or a page cannot be read as a video.",
        fix_hint="Write the media file (.mp4, .webm …) in content_loc, and the player in "
        "player_loc",
        bad=_video(content_loc="https://www.youtube.com/embed/x"),
        good=_video(content_loc="", player_loc="https://www.youtube.com/embed/x"),
    ),
    _rule(
        "G034 video-too-many-tags error",
        message="{n} video:tag; the limit is 32",
        where="len(video.tags) > 32",
        values={"n": "len(video.tags)"},
        why="Google reads at most 32 tags of a video.",
        fix_hint="Keep the most specific tags",
        bad=_video("\n    " + "".join(f"<video:tag>{n}</video:tag>" for n in range(33))),
        good=_video("<video:tag>rye</video:tag>"),
    ),
    engine_rule(
        "G035",
        why="Each element describes the video once. If there are several, the first is read, which "
        "may be the wrong one.",
        fix_hint="Keep each element once; only tag may be repeated",
        source=_SOURCE,
        bad=_video("<video:title>Wheat</video:title>"),
        good=_GOOD,
    ),
    _rule(
        "G036 video-removed-tag info",
        message="{tags} of a video: no longer used by search engines",
        where=" OR ".join(_REMOVED_TAGS.values()),
        values={"tags": names_where(_REMOVED_TAGS)},
        why="Google has removed it from video sitemaps, or never documented it.",
        fix_hint="Remove it, unless other readers use it",
        source=_REMOVED,
        bad=_video("<video:category>Grain</video:category>"),
    ),
    _rule(
        "G025 video-duration error",
        message='duration "{v}" is not a whole number of seconds from 1 to 28,800',
        where="CASE WHEN video.duration IS NULL THEN false "
        "WHEN NOT regexp_full_match(video.duration, '\\+?\\d+') THEN true "
        "ELSE coalesce(try_cast(video.duration AS BIGINT), 0) NOT BETWEEN 1 AND 28800 END",
        values={"v": "preview(video.duration)"},
        why="The duration is in seconds, and Google allows at most eight hours.",
        fix_hint="Write only the number of seconds: 90 for 1:30 or PT1M30S",
        bad=_video_with("<video:duration>1:30</video:duration>"),
        good=_video_with("<video:duration>90</video:duration>"),
    ),
    _rule(
        "G026 video-number-range error",
        message='{tag} "{v}" is not {wanted}',
        where=" OR ".join(_NUMBERS.values()),
        values={
            "tag": _first(_NUMBERS),
            "v": _value(_NUMBERS),
            "wanted": "CASE tag WHEN 'rating' THEN 'a number from 0.0 to 5.0' "
            "ELSE 'a whole number' END",
        },
        why="An invalid number, or one outside the range, is ignored.",
        fix_hint="Write rating from 0.0 to 5.0 and view_count as digits, or omit them",
        bad=_video_with("<video:rating>9.5</video:rating>"),
        good=_video_with("<video:rating>4.5</video:rating>"),
    ),
    _rule(
        "G027 video-date error",
        message='{tag} "{v}" {fault}',
        where=" OR ".join(_DATES.values()),
        values={
            "tag": _first(_DATES),
            "v": _value(_DATES),
            "fault": "w3c_fault(CASE tag WHEN 'publication_date' THEN video.publication_date "
            "ELSE video.expiration_date END)",
        },
        why="An invalid date is ignored: the video does not expire, or has no date.",
        fix_hint="Write the day, or the day with time and zone, as in 2026-11-20T08:00:00+01:00",
        bad=_video_with("<video:publication_date>20.11.2026</video:publication_date>"),
        good=_video_with("<video:publication_date>2026-11-20</video:publication_date>"),
    ),
    _rule(
        "G028 video-expired warning",
        message="expiration_date {v} is {reason}",
        where=f"CASE WHEN video.expiration_date IS NULL THEN false ELSE {_EXPIRY} < check_time() "
        f"OR coalesce({_EXPIRY} < w3c_instant(video.publication_date), false) END",
        values={
            "v": "preview(video.expiration_date)",
            "reason": f"CASE WHEN {_EXPIRY} < check_time() THEN 'in the past' "
            "ELSE 'before publication_date ' || video.publication_date END",
        },
        why="After this date, search engines no longer show the video.",
        fix_hint="Remove the video if it is no longer available, otherwise remove the date",
        bad=_video_with("<video:expiration_date>2026-11-01</video:expiration_date>"),
        good=_video_with("<video:expiration_date>2027-11-01</video:expiration_date>"),
        needs=("time",),
    ),
    _rule(
        "G029 video-yes-no warning",
        message='{tag} "{v}" is neither yes nor no',
        where=" OR ".join(_SWITCHES.values()),
        values={"tag": _first(_SWITCHES), "v": _value(_SWITCHES)},
        why="Only these two values are read, even if another has the same meaning.",
        fix_hint="Write yes or no",
        bad=_video_with("<video:live>false</video:live>"),
        good=_video_with("<video:live>no</video:live>"),
    ),
    _rule(
        "G030 video-restriction error",
        message="video:restriction {fault}",
        where="CASE WHEN video.restriction IS NULL THEN false "
        f"ELSE ({_RESTRICTION}) IS NOT NULL END",
        values={"fault": _RESTRICTION},
        why="If the restriction is invalid, the video may be shown in countries where it must not "
        "be, or nowhere.",
        fix_hint='Write relationship="allow" or "deny", and countries as in "DE AT CH"',
        bad=_video_with('<video:restriction relationship="allow">GB UK</video:restriction>'),
        good=_video_with('<video:restriction relationship="allow">GB IE</video:restriction>'),
    ),
    _rule(
        "G031 video-platform error",
        message="video:platform {fault}",
        where=f"CASE WHEN video.platform IS NULL THEN false ELSE ({_PLATFORM}) IS NOT NULL END",
        values={"fault": _PLATFORM},
        why="If the platform is invalid, the video may be shown on devices that cannot play it.",
        fix_hint='Write relationship="allow" or "deny", and devices as in "web tv"',
        bad=_video_with('<video:platform relationship="allow">desktop</video:platform>'),
        good=_video_with('<video:platform relationship="allow">web tv</video:platform>'),
    ),
    _rule(
        "G032 video-uploader warning",
        message="video:uploader {fault}",
        where="CASE WHEN video.uploader IS NULL AND video.uploader_info IS NULL THEN false "
        f"ELSE coalesce(length(video.uploader) > 255, false) OR {_IS_OFF} END",
        values={
            "fault": "CASE WHEN length(video.uploader) > 255 "
            "THEN format('has {:,} characters; the limit is 255', length(video.uploader)) "
            "ELSE 'leads to ' || preview(host_of(video.uploader_info)) || ', not to the site of "
            "the page' END"
        },
        why="The name of the uploader has at most 255 characters, and the page about the uploader "
        "must be on the same site.",
        fix_hint="Shorten the name, and link to a page of your own site",
        bad=_video_with('<video:uploader info="https://example.net/ann">Ann</video:uploader>'),
        good=_video_with('<video:uploader info="https://example.com/ann">Ann</video:uploader>'),
    ),
    _rule(
        "G033 video-text-length error",
        message="{tag} has {n:,} characters; {most}",
        where="length(video.description) > 2048 OR length(video.title) > 100",
        values={
            "tag": "CASE WHEN length(video.description) > 2048 THEN 'description' ELSE 'title' END",
            "n": "length(CASE tag WHEN 'title' THEN video.title ELSE video.description END)",
            "most": "CASE tag WHEN 'title' THEN 'the schema has 100' ELSE 'the limit is 2,048' END",
        },
        level_sql="CASE WHEN length(video.description) > 2048 THEN 'error' ELSE 'info' END",
        why="Google accepts at most 2,048 characters of a description. Titles have a limit only in "
        "the schema, and search results show fewer characters.",
        fix_hint="Shorten the text",
        bad=_video_with("", description="Sowing rye. " * 180),
        good=_video_with(""),
    ),
)
