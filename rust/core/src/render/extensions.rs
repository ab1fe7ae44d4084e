//! Rendering of news and videos.

use super::element::element;
use crate::columns::{Entries, NEWS_FIELDS, TVSHOW_FIELDS, VIDEO_FIELDS, Videos};

/// Renders the `news:news` element of an entry.
pub(super) fn news(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    let texts = &entries.news.items.fields;
    let field = |out: &mut Vec<u8>, number: usize| {
        element(out, "news:", NEWS_FIELDS[number], texts[number].get(row), &[]);
    };
    out.extend_from_slice(b"<news:news>");
    if texts[..2].iter().any(|text| text.get(row).is_some()) {
        out.extend_from_slice(b"<news:publication>");
        field(out, 0);
        field(out, 1);
        out.extend_from_slice(b"</news:publication>");
    }
    (2..8).for_each(|number| field(out, number));
    out.extend_from_slice(b"</news:news>");
}

/// Renders a `video:video` element.
pub(super) fn video(out: &mut Vec<u8>, videos: &Videos, video: usize) {
    let get = |number: usize| videos.texts.fields[number].get(video);
    // Renders a field and the following columns that hold its attributes.
    let field = |out: &mut Vec<u8>, number: usize, names: &[&str]| {
        let attributes: [_; 2] = std::array::from_fn(|place| {
            let name = names.get(place).copied().unwrap_or_default();
            (name, names.get(place).and_then(|_| get(number + 1 + place)))
        });
        element(out, "video:", VIDEO_FIELDS[number], get(number), &attributes);
    };
    let item = |out: &mut Vec<u8>, name: &str, text, attributes: &[_]| {
        element(out, "video:", name, text, attributes);
    };
    out.extend_from_slice(b"<video:video>");
    (0..4).for_each(|number| field(out, number, &[]));
    field(out, 4, &["allow_embed", "autoplay"]);
    (7..10).for_each(|number| field(out, number, &[]));
    for segment in videos.content_segments.list.get(video) {
        let [loc, duration] = &videos.content_segments.items.fields;
        let attributes = [("duration", duration.get(segment))];
        item(out, "content_segment_loc", loc.get(segment), &attributes);
    }
    (10..12).for_each(|number| field(out, number, &[]));
    for tag in videos.tags.list.get(video) {
        item(out, "tag", videos.tags.texts.get(tag), &[]);
    }
    (12..14).for_each(|number| field(out, number, &[]));
    field(out, 14, &["relationship"]);
    field(out, 16, &["title"]);
    for price in videos.prices.list.get(video) {
        let [value, currency, kind, resolution] = &videos.prices.items.fields;
        let attributes = [
            ("currency", currency.get(price)),
            ("type", kind.get(price)),
            ("resolution", resolution.get(price)),
        ];
        item(out, "price", value.get(price), &attributes);
    }
    field(out, 18, &[]);
    field(out, 19, &["info"]);
    if videos.tvshow.valid.get(video) {
        out.extend_from_slice(b"<video:tvshow>");
        for (name, texts) in TVSHOW_FIELDS.iter().zip(&videos.tvshow.items.fields) {
            item(out, name, texts.get(video), &[]);
        }
        out.extend_from_slice(b"</video:tvshow>");
    }
    field(out, 21, &["relationship"]);
    field(out, 23, &[]);
    for id in videos.ids.list.get(video) {
        let [value, kind] = &videos.ids.items.fields;
        item(out, "id", value.get(id), &[("type", kind.get(id))]);
    }
    out.extend_from_slice(b"</video:video>");
}
