//! Videos and news that are certainly valid.

use super::{is_plain_text, is_plain_url};
use crate::columns::{Entries, Texts, video_text};
use crate::dates::{parse_date, w3c_instant};
use crate::utf8::utf8;

/// Maximum number of videos of one entry, far below the limit on elements.
const MAX_VIDEOS: usize = 1_000;
const MAX_TAGS: usize = 32;
/// Maximum number of characters of a description. Comparing bytes is stricter.
const MAX_DESCRIPTION: usize = 2_048;

/// Returns whether the videos of a row are certainly valid. Videos with restrictions, platforms,
/// prices, segments, identifiers or shows never are.
pub(super) fn has_plain_videos(entries: &Entries, row: usize, loc: &[u8]) -> bool {
    let videos = entries.videos.list.get(row);
    videos.len() <= MAX_VIDEOS && videos.into_iter().all(|video| is_plain(entries, video, loc))
}

fn is_plain(entries: &Entries, video: usize, loc: &[u8]) -> bool {
    macro_rules! text {
        ($name:literal) => {
            const { video_text($name) }
        };
    }
    let videos = &entries.videos;
    let fields = &videos.texts.fields;
    let get = |number: usize| fields[number].get(video);
    let is = |number: usize, is_right: fn(&[u8]) -> bool| get(number).is_none_or(is_right);
    let is_media = |number: usize| get(number).is_none_or(|url| is_plain_url(url) && url != loc);
    let tags = videos.tags.list.get(video);
    get(text!("thumbnail_loc")).is_some_and(is_plain_url)
        && get(text!("title")).is_some()
        && get(text!("description")).is_some_and(|text| text.len() <= MAX_DESCRIPTION)
        && (get(text!("content_loc")).is_some() || get(text!("player_loc")).is_some())
        && is_media(text!("content_loc"))
        && is_media(text!("player_loc"))
        && is(text!("player_loc_allow_embed"), is_yes_or_no)
        && is(text!("family_friendly"), is_yes_or_no)
        && is(text!("requires_subscription"), is_yes_or_no)
        && is(text!("live"), is_yes_or_no)
        && is(text!("duration"), is_duration)
        && is(text!("expiration_date"), is_date)
        && is(text!("publication_date"), is_date)
        && is(text!("rating"), is_rating)
        && is(text!("view_count"), is_whole_number)
        && get(text!("restriction")).is_none()
        && get(text!("restriction_relationship")).is_none()
        && get(text!("platform")).is_none()
        && get(text!("platform_relationship")).is_none()
        && fields.iter().all(|texts| is_plain_text(texts, video))
        && tags.len() <= MAX_TAGS
        && tags.into_iter().all(|tag| is_plain_text(&videos.tags.texts, tag))
        && videos.content_segments.list.get(video).is_empty()
        && videos.prices.list.get(video).is_empty()
        && videos.ids.list.get(video).is_empty()
        && !videos.tvshow.valid.get(video)
}

/// Returns whether the news of a row are missing or certainly valid.
pub(super) fn has_plain_news(entries: &Entries, row: usize) -> bool {
    if !entries.news.valid.get(row) {
        return true;
    }
    let fields = &entries.news.items.fields;
    let get = |number: usize| fields[number].get(row);
    let is_language =
        |text: &[u8]| matches!(text.len(), 2 | 3) && text.iter().all(u8::is_ascii_lowercase);
    get(0).is_some()
        && get(1).is_some_and(is_language)
        && get(4).is_some_and(is_date)
        && get(5).is_some()
        && fields.iter().all(|texts: &Texts| is_plain_text(texts, row))
}

fn is_yes_or_no(text: &[u8]) -> bool {
    matches!(text, b"yes" | b"no")
}

/// Returns whether a text is an integer from 1 to 28,800.
fn is_duration(text: &[u8]) -> bool {
    let number = || text.iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
    matches!(text.len(), 1..=5) && is_whole_number(text) && (1..=28_800).contains(&number())
}

fn is_whole_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Returns whether a text is a number from 0 to 5 with at most one decimal.
fn is_rating(text: &[u8]) -> bool {
    matches!(text, [b'0'..=b'5'] | [b'0'..=b'4', b'.', b'0'..=b'9'] | b"5.0")
}

/// Returns whether a text is a W3C date that states a day at least, in ten characters or more.
fn is_date(text: &[u8]) -> bool {
    w3c_instant(text).is_some()
        || (text.len() >= 10 && utf8(text).is_some_and(|text| parse_date(text).code.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_state_a_day() {
        let right = [
            "2026-01-31",
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00Z",
            "2026-01-31T12:00:00.5+01:00",
        ];
        assert!(right.iter().all(|text| is_date(text.as_bytes())));
        let wrong = ["", "2026", "2026-01", "2026-02-31", "2026-01-31T12:00:00", "31 January 2026"];
        assert!(!wrong.iter().any(|text| is_date(text.as_bytes())));
    }

    #[test]
    fn durations_and_ratings_have_their_range() {
        assert!([&b"1"[..], b"28800", b"007"].into_iter().all(is_duration));
        assert!(![&b""[..], b"0", b"28801", b"123456", b"1.5", b"/"].into_iter().any(is_duration));
        assert!([&b"0"[..], b"5", b"4.9", b"5.0"].into_iter().all(is_rating));
        assert!(![&b""[..], b"5.1", b"6", b"-1", b"4."].into_iter().any(is_rating));
    }
}
