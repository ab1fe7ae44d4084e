"""Rules about required video elements and video URLs (group G)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps"
_REMOVED = "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions"
_PARTS = {
    "thumbnail_loc": "https://example.com/a.jpg",
    "title": "Rye",
    "description": "Sowing",
    "content_loc": "https://example.com/a.mp4",
}


def _video(more: str = "", **parts: str) -> str:
    """Return a page with a complete video; ``parts`` replace elements, and "" removes one."""
    found = "".join(
        f"\n    <video:{name}>{value}</video:{name}>"
        for name, value in {**_PARTS, **parts}.items()
        if value
    )
    return (
        "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        f"  <video:video>{found}{more}</video:video></url>"
    )


def _named(conditions: dict[str, str]) -> str:
    """Return SQL for the names whose conditions are true."""
    cases = (f"CASE WHEN {condition} THEN '{name}' END" for name, condition in conditions.items())
    return f"concat_ws(', ', {', '.join(cases)})"


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

RULES = (
    rule(
        "G020 video-missing-required error",
        message="video:video without {missing}",
        view="videos",
        where=" OR ".join(_MISSING.values()),
        values={"missing": _named(_MISSING)},
        element="video:video",
        why="Search results show a video with its thumbnail, title and description. Google rejects "
        "a video if one of them is missing.",
        fix_hint="Add thumbnail_loc, title and description to each video",
        source=_SOURCE,
        bad=_video(title=""),
        good=_GOOD,
    ),
    rule(
        "G021 video-no-content-or-player error",
        message="video:video has neither content_loc nor player_loc",
        view="videos",
        where="video.content_loc IS NULL AND video.player_loc IS NULL",
        element="video:video",
        why="The location of the video is required: its file, or a player that shows it.",
        fix_hint="Write the URL of the file in content_loc, or of the player in player_loc",
        source=_SOURCE,
        bad=_video(content_loc=""),
        good=_GOOD,
    ),
    rule(
        "G022 video-loc-equals-page error",
        message="{tags} is the URL of the page itself",
        view="videos",
        where=" OR ".join(f"coalesce({condition}, false)" for condition in _SAME.values()),
        values={"tags": _named(_SAME)},
        element="video:video",
        why="The video is part of the page; the page itself cannot be played as a video.",
        fix_hint="Write the URL of the video file, or of the player that the page embeds",
        source=_SOURCE,
        bad=_video(content_loc="https://example.com/a"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "G023 video-url-invalid error",
        message='video:{tag} "{v}" {fault}',
        view="videos",
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
        element="video:video",
        why="Videos and thumbnails are fetched over HTTP or FTP from exactly this URL. Paths, "
        "streams (rtmp, rtsp) and Flash cannot be fetched.",
        fix_hint="Write a full URL of a file or a player that a browser can open",
        source=_SOURCE,
        bad=_video(content_loc="rtmp://example.com/a"),
        good=_GOOD,
    ),
    rule(
        "G024 video-content-looks-like-page warning",
        message="content_loc looks like a page, not a video file: {v}",
        view="videos",
        where="CASE WHEN video.content_loc IS NULL THEN false ELSE regexp_matches("
        "video.content_loc, '(?i)^https?://[^/?#]+/[^?#]*\\.(x?html?|aspx?|jsp|php)(#|$)"
        "|^https?://((www|m)\\.)?(youtube(-nocookie)?\\.com/(watch|embed)|youtu\\.be/"
        "|vimeo\\.com/\\d+|dailymotion\\.com/(embed/)?video/)|^https?://player\\.vimeo\\.com/video/')"
        " END",
        values={"v": "preview(video.content_loc)"},
        element="video:video",
        why="content_loc is the video file. A player or a page cannot be read as a video.",
        fix_hint="Write the media file (.mp4, .webm …) in content_loc, and the player in "
        "player_loc",
        source=_SOURCE,
        bad=_video(content_loc="https://www.youtube.com/embed/x"),
        good=_video(content_loc="", player_loc="https://www.youtube.com/embed/x"),
        fix_safety="unsafe",
    ),
    rule(
        "G034 video-too-many-tags error",
        message="{n} video:tag; the limit is 32",
        view="videos",
        where="len(video.tags) > 32",
        values={"n": "len(video.tags)"},
        element="video:video",
        why="Google reads at most 32 tags of a video.",
        fix_hint="Keep the most specific tags",
        source=_SOURCE,
        bad=_video("\n    " + "".join(f"<video:tag>{n}</video:tag>" for n in range(33))),
        good=_video("<video:tag>rye</video:tag>"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "G035",
        why="Each element describes the video once. If there are several, the first is read, which "
        "may be the wrong one.",
        fix_hint="Keep each element once; only tag may be repeated",
        source=_SOURCE,
        bad=_video("<video:title>Wheat</video:title>"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "G036 video-removed-tag info",
        message="{tags} of a video: no longer used by search engines",
        view="videos",
        where=" OR ".join(_REMOVED_TAGS.values()),
        values={"tags": _named(_REMOVED_TAGS)},
        element="video:video",
        why="Google has removed it from video sitemaps, or never documented it.",
        fix_hint="Remove it, unless other readers use it",
        source=_REMOVED,
        bad=_video("<video:category>Grain</video:category>"),
        good=_GOOD,
        fix_safety="opt-in",
    ),
)
