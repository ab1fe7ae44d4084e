//! Rendering of extensions: images, videos, news and alternates.

use super::element::element;
use crate::columns::{Entries, IMAGE_FIELDS, NEWS_FIELDS, TVSHOW_FIELDS, Videos, video_text};
use crate::namespaces::Ns;

/// Extension with a column.
pub(super) struct Extension {
    /// Namespace of its elements.
    pub ns: Ns,
    /// Prefix that the renderer declares.
    pub prefix: &'static str,
    /// Returns whether an entry has elements of it.
    pub is_used: fn(&Entries, usize) -> bool,
    /// Renders the elements of an entry.
    pub render: fn(&mut Vec<u8>, &Entries, usize),
}

/// Extensions in the order of their elements in an entry.
pub(super) const EXTENSIONS: [Extension; 4] = [
    Extension {
        ns: Ns::Image,
        prefix: "image",
        is_used: |entries, row| !entries.images.list.get(row).is_empty(),
        render: images,
    },
    Extension {
        ns: Ns::Video,
        prefix: "video",
        is_used: |entries, row| !entries.videos.list.get(row).is_empty(),
        render: videos,
    },
    Extension {
        ns: Ns::News,
        prefix: "news",
        is_used: |entries, row| entries.news.valid.get(row),
        render: news,
    },
    Extension {
        ns: Ns::Xhtml,
        prefix: "xhtml",
        is_used: |entries, row| !entries.alternates.list.get(row).is_empty(),
        render: alternates,
    },
];

/// Renders the `image:image` elements of an entry.
fn images(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    for image in entries.images.list.get(row) {
        out.extend_from_slice(b"<image:image>");
        for (name, texts) in IMAGE_FIELDS.iter().zip(&entries.images.items.fields) {
            element(out, "image:", name, texts.get(image), &[]);
        }
        out.extend_from_slice(b"</image:image>");
    }
}

/// Renders the `xhtml:link` elements of an entry.
fn alternates(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    for alternate in entries.alternates.list.get(row) {
        let [hreflang, href, media] = &entries.alternates.items.fields;
        let attributes = [
            ("rel", Some(&b"alternate"[..])),
            ("hreflang", hreflang.get(alternate)),
            ("media", media.get(alternate)),
            ("href", href.get(alternate)),
        ];
        element(out, "xhtml:", "link", None, &attributes);
    }
}

/// Renders the `news:news` element of an entry.
fn news(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    if !entries.news.valid.get(row) {
        return;
    }
    let texts = &entries.news.items.fields;
    let field = |out: &mut Vec<u8>, number: usize| {
        element(out, "news:", NEWS_FIELDS[number], texts[number].get(row), &[]);
    };
    out.extend_from_slice(b"<news:news>");
    // The publication has the first two fields.
    if texts[..2].iter().any(|text| text.get(row).is_some()) {
        out.extend_from_slice(b"<news:publication>");
        (0..2).for_each(|number| field(out, number));
        out.extend_from_slice(b"</news:publication>");
    }
    (2..NEWS_FIELDS.len()).for_each(|number| field(out, number));
    out.extend_from_slice(b"</news:news>");
}

/// Renders the `video:video` elements of an entry.
fn videos(out: &mut Vec<u8>, entries: &Entries, row: usize) {
    for number in entries.videos.list.get(row) {
        video(out, &entries.videos, number);
    }
}

fn video(out: &mut Vec<u8>, videos: &Videos, video: usize) {
    let get = |number: usize| videos.texts.fields[number].get(video);
    // Renders an element; its attributes are in the columns after its text.
    macro_rules! field {
        ($name:literal $(, $attribute:literal)*) => {{
            let number = const { video_text($name) };
            let attributes = [$((
                $attribute,
                get(const { video_text(concat!($name, "_", $attribute)) }),
            ),)*];
            element(out, "video:", $name, get(number), &attributes);
        }};
    }
    let item = |out: &mut Vec<u8>, name: &str, text, attributes: &[_]| {
        element(out, "video:", name, text, attributes);
    };
    out.extend_from_slice(b"<video:video>");
    field!("thumbnail_loc");
    field!("title");
    field!("description");
    field!("content_loc");
    field!("player_loc", "allow_embed", "autoplay");
    field!("duration");
    field!("expiration_date");
    field!("rating");
    for segment in videos.content_segments.list.get(video) {
        let [loc, duration] = &videos.content_segments.items.fields;
        let attributes = [("duration", duration.get(segment))];
        item(out, "content_segment_loc", loc.get(segment), &attributes);
    }
    field!("view_count");
    field!("publication_date");
    for tag in videos.tags.list.get(video) {
        item(out, "tag", videos.tags.texts.get(tag), &[]);
    }
    field!("category");
    field!("family_friendly");
    field!("restriction", "relationship");
    field!("gallery_loc", "title");
    for price in videos.prices.list.get(video) {
        let [value, currency, kind, resolution] = &videos.prices.items.fields;
        let attributes = [
            ("currency", currency.get(price)),
            ("type", kind.get(price)),
            ("resolution", resolution.get(price)),
        ];
        item(out, "price", value.get(price), &attributes);
    }
    field!("requires_subscription");
    field!("uploader", "info");
    if videos.tvshow.valid.get(video) {
        out.extend_from_slice(b"<video:tvshow>");
        for (name, texts) in TVSHOW_FIELDS.iter().zip(&videos.tvshow.items.fields) {
            item(out, name, texts.get(video), &[]);
        }
        out.extend_from_slice(b"</video:tvshow>");
    }
    field!("platform", "relationship");
    field!("live");
    for id in videos.ids.list.get(video) {
        let [value, kind] = &videos.ids.items.fields;
        item(out, "id", value.get(id), &[("type", kind.get(id))]);
    }
    out.extend_from_slice(b"</video:video>");
}
