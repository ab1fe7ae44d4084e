"""G: what a video must have, and where it is."""

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
    """A page with a video of all that is required, but these ``parts``; one of "" is left out."""
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
    """SQL for the names whose conditions hold."""
    cases = (f"CASE WHEN {condition} THEN '{name}' END" for name, condition in conditions.items())
    return f"concat_ws(', ', {', '.join(cases)})"


_GOOD = _video()
_MISSING = {
    f"video:{name}": f"video.{name} IS NULL" for name in ("thumbnail_loc", "title", "description")
}
_SAME = {f"video:{name}": f"same_url(video.{name}, loc)" for name in ("content_loc", "player_loc")}

# Files may lie on FTP, too; what plays in Flash or by a protocol of streams is not fetched.
_FAULT = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN regexp_matches({0}, '^(?i:ftp)://[^/?#\\s]') "
    "THEN url_fault('http' || {0}[4:]) WHEN regexp_matches({0}, '(?i)\\.swf(\\?|#|$)') "
    "THEN 'is Flash, which no browser plays any more' ELSE url_fault({0}) END"
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
        why="A video is shown with its picture, its title and its description. Without one of them "
        "Google does not take it.",
        fix_hint="Give each video a thumbnail_loc, a title and a description",
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
        why="It must be said where the video is: its file, or the player that shows it.",
        fix_hint="Name the file in content_loc, or else the player in player_loc",
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
        why="The video is in the page; a page that is its own video cannot be played.",
        fix_hint="Name the file of the video, or the player that the page embeds",
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
        why="Videos and their pictures are fetched over HTTP or FTP, from the URL as it stands "
        "there; paths, streams (rtmp, rtsp) and Flash lead to none.",
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
        why="content_loc is the file of the video. A player or a page there cannot be read as one.",
        fix_hint="Name the media file (.mp4, .webm …), and the player in player_loc",
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
        why="Google takes 32 tags of a video at most.",
        fix_hint="Keep the tags that say most",
        source=_SOURCE,
        bad=_video("\n    " + "".join(f"<video:tag>{n}</video:tag>" for n in range(33))),
        good=_video("<video:tag>rye</video:tag>"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "G035",
        why="Each element says one thing of a video. Of several the first one is read, which may "
        "not be the one that was meant.",
        fix_hint="Keep each element once; only tag may stand many times",
        source=_SOURCE,
        bad=_video("<video:title>Wheat</video:title>"),
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "G036 video-removed-tag info",
        message="{tags} of a video: engines do not use it any more",
        view="videos",
        where=" OR ".join(_REMOVED_TAGS.values()),
        values={"tags": _named(_REMOVED_TAGS)},
        element="video:video",
        why="Google has removed it from video sitemaps, or never documented it.",
        fix_hint="Leave it out, unless somebody else reads it",
        source=_REMOVED,
        bad=_video("<video:category>Grain</video:category>"),
        good=_GOOD,
        fix_safety="opt-in",
    ),
)
