//! Extensions with columns: images, videos, news, alternates.

use std::borrow::Cow;

use crate::codes::{G001, G035, G055, H001, H002, S010};
use crate::columns::{Texts, video_text};
use crate::context::{Buffer, Context};
use crate::names::{Key, KeySet, Role};
use crate::namespaces::Ns;
use crate::nodes::Nodes;
use crate::unknown_extensions::serialize;
use crate::urls::trim;
use crate::utf8::utf8_or_empty;

/// First child of each name of a container, in document order.
type Fields = Vec<(Key, usize)>;

/// Reads the extension elements of an entry into the current row.
pub fn read(context: &mut Context<'_>, nodes: &Nodes<'_>, children: &[usize]) {
    let mut news = Vec::new();
    let mut extras = Vec::new();
    for child in children.iter().copied() {
        let name = &nodes.node(child).name;
        match (name.role, name.ns, name.key) {
            (Role::Value, ..) => {}
            (Role::Link, ..) => {
                if is_other_link(context, nodes, child) {
                    extras.push(child);
                } else {
                    read_alternate(context, nodes, child);
                }
            }
            (Role::Extra, ..) => extras.push(child),
            (_, Ns::Image, Key::Image) => read_image(context, nodes, child),
            (_, Ns::Video, Key::Video) => read_video(context, nodes, child),
            (_, Ns::News, Key::News) => news.push(child),
            (Role::Leaf, ..) => unknown(context, nodes, child),
            _ => {}
        }
    }
    if let Some((first, others)) = news.split_first() {
        for other in others {
            let node = nodes.node(*other);
            context.diagnostics.add(G055, node.start, node.tag_end, "news");
        }
        read_news(context, nodes, *first);
    }
    if !extras.is_empty() {
        let text = serialize(context, nodes, &extras);
        if !text.is_empty() {
            context.entries.extra.set(context.entries.row(), &text);
        }
    }
}

/// Returns whether an `xhtml:link` is not an alternate (such as `rel="amphtml"`). Such links are
/// stored as extra XML.
fn is_other_link(context: &Context<'_>, nodes: &Nodes<'_>, number: usize) -> bool {
    let rel = nodes.attribute(&context.buffer, number, b"rel");
    let attributes = nodes.attributes_of(number);
    rel.is_some_and(|rel| !rel.split(' ').any(|word| word.eq_ignore_ascii_case("alternate")))
        && !attributes.iter().any(|attribute| attribute.name == b"hreflang")
}

fn unknown(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let node = nodes.node(number);
    let raw = node.name.raw;
    context.diagnostics.add_once(S010, &[raw], node.start, node.tag_end, utf8_or_empty(raw));
}

/// Returns the trimmed text of an element, if it is not empty.
fn text<'b>(buffer: &'b Buffer<'_>, nodes: &Nodes<'_>, number: usize) -> Option<Cow<'b, str>> {
    let text = match nodes.content(buffer, number)? {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    };
    (!text.is_empty()).then_some(text)
}

/// Returns the trimmed value of an attribute, if it is not empty.
fn attribute<'b>(
    buffer: &'b Buffer<'_>,
    nodes: &'b Nodes<'_>,
    number: usize,
    name: &[u8],
) -> Option<&'b str> {
    Some(trim(nodes.attribute(buffer, number, name)?)).filter(|text| !text.is_empty())
}

fn set_text(column: &mut Texts, row: usize, buffer: &Buffer<'_>, nodes: &Nodes<'_>, number: usize) {
    if let Some(text) = text(buffer, nodes, number) {
        column.set(row, text.as_bytes());
    }
}

fn is_repeatable(key: Key) -> bool {
    matches!(key, Key::Tag | Key::Price | Key::Id | Key::ContentSegmentLoc)
}

/// Returns the first child of each name. Reports duplicates of fields that may occur once.
fn fields(
    context: &mut Context<'_>,
    nodes: &Nodes<'_>,
    number: usize,
    code: Option<&'static str>,
) -> Fields {
    let parent = &nodes.node(number).name;
    let mut found = Fields::new();
    let mut seen = KeySet::default();
    for child in nodes.children(number) {
        let node = nodes.node(child);
        let key = node.name.key;
        if node.name.role == Role::Extra {
            continue;
        }
        if !key.is_in(parent.key) || node.name.ns != parent.ns {
            unknown(context, nodes, child);
        } else if seen.insert(key) {
            found.push((key, child));
        } else if let Some(code) = code.filter(|_| !is_repeatable(key)) {
            context.diagnostics.add(code, node.start, node.tag_end, &node.name.local);
        }
    }
    found
}

fn find(fields: &Fields, wanted: Key) -> Option<usize> {
    fields.iter().find(|(key, _)| *key == wanted).map(|(_, child)| *child)
}

fn read_image(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let fields = fields(context, nodes, number, None);
    let Context { buffer, entries, diagnostics, .. } = context;
    let loc = find(&fields, Key::Loc).and_then(|child| text(buffer, nodes, child));
    let Some(loc) = loc else {
        let node = nodes.node(number);
        diagnostics.add(G001, node.start, node.tag_end, "");
        return;
    };
    let image = entries.images.list.push(entries.row());
    let columns = &mut entries.images.items.fields;
    columns[0].set(image, loc.as_bytes());
    for (key, child) in fields {
        let column = match key {
            Key::Caption => 1,
            Key::GeoLocation => 2,
            Key::Title => 3,
            Key::License => 4,
            _ => continue,
        };
        set_text(&mut columns[column], image, buffer, nodes, child);
    }
}

fn read_news(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let mut all = fields(context, nodes, number, Some(G055));
    if let Some(publication) = find(&all, Key::Publication) {
        all.extend(fields(context, nodes, publication, Some(G055)));
    }
    context.news_count += 1;
    let Context { buffer, entries, .. } = context;
    let row = entries.row();
    entries.news.set_present(row);
    for (key, child) in all {
        let column = match key {
            Key::Name => 0,
            Key::Language => 1,
            Key::Access => 2,
            Key::Genres => 3,
            Key::PublicationDate => 4,
            Key::Title => 5,
            Key::Keywords => 6,
            Key::StockTickers => 7,
            _ => continue,
        };
        set_text(&mut entries.news.items.fields[column], row, buffer, nodes, child);
    }
}

/// Returns the column of a video element that holds a single text, and the attributes stored in the
/// columns after it.
#[must_use]
pub fn video_column(key: Key) -> Option<(usize, &'static [&'static [u8]])> {
    Some(match key {
        Key::ThumbnailLoc => (const { video_text("thumbnail_loc") }, &[]),
        Key::Title => (const { video_text("title") }, &[]),
        Key::Description => (const { video_text("description") }, &[]),
        Key::ContentLoc => (const { video_text("content_loc") }, &[]),
        Key::PlayerLoc => (const { video_text("player_loc") }, &[b"allow_embed", b"autoplay"]),
        Key::Duration => (const { video_text("duration") }, &[]),
        Key::ExpirationDate => (const { video_text("expiration_date") }, &[]),
        Key::Rating => (const { video_text("rating") }, &[]),
        Key::ViewCount => (const { video_text("view_count") }, &[]),
        Key::PublicationDate => (const { video_text("publication_date") }, &[]),
        Key::Category => (const { video_text("category") }, &[]),
        Key::FamilyFriendly => (const { video_text("family_friendly") }, &[]),
        Key::Restriction => (const { video_text("restriction") }, &[b"relationship"]),
        Key::GalleryLoc => (const { video_text("gallery_loc") }, &[b"title"]),
        Key::RequiresSubscription => (const { video_text("requires_subscription") }, &[]),
        Key::Uploader => (const { video_text("uploader") }, &[b"info"]),
        Key::Platform => (const { video_text("platform") }, &[b"relationship"]),
        Key::Live => (const { video_text("live") }, &[]),
        _ => return None,
    })
}

fn read_video(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let fields = fields(context, nodes, number, Some(G035));
    let video = context.entries.videos.list.push(context.entries.row());
    for (key, child) in &fields {
        let Some((column, attributes)) = video_column(*key) else {
            continue;
        };
        let Context { buffer, entries, .. } = context;
        let texts = &mut entries.videos.texts.fields;
        set_text(&mut texts[column], video, buffer, nodes, *child);
        for (place, name) in attributes.iter().enumerate() {
            if let Some(text) = attribute(buffer, nodes, *child, name) {
                texts[column + 1 + place].set(video, text.as_bytes());
            }
        }
    }
    if let Some(show) = find(&fields, Key::Tvshow) {
        read_tvshow(context, nodes, show, video);
    }
    let Context { buffer, entries, .. } = context;
    let videos = &mut entries.videos;
    for child in nodes.children(number) {
        let name = &nodes.node(child).name;
        if name.ns != Ns::Video || !is_repeatable(name.key) {
            continue;
        }
        let text = text(buffer, nodes, child);
        let text = text.as_deref().map(str::as_bytes);
        let attribute = |name: &[u8]| attribute(buffer, nodes, child, name).map(str::as_bytes);
        match name.key {
            Key::Tag => {
                if let Some(text) = text {
                    videos.tags.push(video, text);
                }
            }
            Key::ContentSegmentLoc => {
                videos.content_segments.push(video, [text, attribute(b"duration")]);
            }
            Key::Price => {
                let [currency, kind, resolution] =
                    [&b"currency"[..], b"type", b"resolution"].map(attribute);
                videos.prices.push(video, [text, currency, kind, resolution]);
            }
            _ => videos.ids.push(video, [text, attribute(b"type")]),
        }
    }
}

fn read_tvshow(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize, video: usize) {
    let fields = fields(context, nodes, number, Some(G035));
    let Context { buffer, entries, .. } = context;
    let shows = &mut entries.videos.tvshow;
    shows.set_present(video);
    for (key, child) in fields {
        let column = match key {
            Key::ShowTitle => 0,
            Key::VideoType => 1,
            Key::EpisodeTitle => 2,
            Key::SeasonNumber => 3,
            Key::EpisodeNumber => 4,
            Key::PremierDate => 5,
            _ => continue,
        };
        set_text(&mut shows.items.fields[column], video, buffer, nodes, child);
    }
}

/// Reads an `xhtml:link`. A link without an href is dropped.
fn read_alternate(context: &mut Context<'_>, nodes: &Nodes<'_>, number: usize) {
    let Context { buffer, entries, diagnostics, .. } = context;
    let node = nodes.node(number);
    let [hreflang, href, media] = [&b"hreflang"[..], b"href", b"media"].map(|name| {
        let value = nodes.attribute(buffer, number, name)?;
        Some(trim(value)).filter(|trimmed| !trimmed.is_empty())
    });
    let Some(href) = href else {
        diagnostics.add(H001, node.start, node.tag_end, "href");
        return;
    };
    let begins = |with: &str| href.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with));
    let is_app = begins("android-app:") || begins("ios-app:");
    if hreflang.is_none() && media.is_none() && !is_app {
        diagnostics.add(H001, node.start, node.tag_end, "hreflang");
    }
    let rel = nodes.attribute(buffer, number, b"rel");
    if !rel.is_some_and(|rel| trim(rel).eq_ignore_ascii_case("alternate")) {
        let shown = rel.filter(|rel| !rel.is_empty()).unwrap_or("nothing");
        diagnostics.add(H002, node.start, node.tag_end, shown);
    }
    let texts = [hreflang, Some(href), media].map(|text| text.map(str::as_bytes));
    entries.alternates.push(entries.row(), texts);
}
