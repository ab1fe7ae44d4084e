//! Videos in their common form (see [`super`]): one element per field, with optional attributes.

use super::run::EntryReader;
use crate::columns::{Entries, Texts, Videos, video_text};
use crate::cursor::Slice;
use crate::extensions::video_column;
use crate::names::{Key, KeySet};
use crate::references::name_length;

impl EntryReader<'_> {
    /// Reads the content of a `video:video` element and its end tag.
    pub(super) fn video(&mut self, entries: &mut Entries) -> Option<()> {
        let row = entries.row();
        let videos = &mut entries.videos;
        let video = videos.list.push(row);
        let mut seen = KeySet::default();
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat(b"</video:video>") {
                return Some(());
            }
            if self.cursor.eat(b"<video:tvshow>") {
                if videos.tvshow.valid.get(video) {
                    return None;
                }
                self.tvshow(videos, video)?;
                continue;
            }
            if let Some((key, column, end_tag)) = self.usual_field() {
                if !seen.insert(key) {
                    return None;
                }
                self.field(&mut videos.texts.fields[column], video, end_tag)?;
                continue;
            }
            let (key, text) = self.video_leaf()?;
            let text = text.map(|slice| self.cursor.get(slice));
            let attribute = |name| self.cursor.attribute(name);
            match key {
                Key::Tag => videos.tags.push(video, text?),
                Key::Price => {
                    let [currency, kind, resolution] =
                        [attribute(b"currency"), attribute(b"type"), attribute(b"resolution")];
                    videos.prices.push(video, [text, currency, kind, resolution]);
                }
                Key::Id => videos.ids.push(video, [text, attribute(b"type")]),
                Key::ContentSegmentLoc => {
                    videos.content_segments.push(video, [text, attribute(b"duration")]);
                }
                key => {
                    let (column, names) = video_column(key)?;
                    if !seen.insert(key) {
                        return None;
                    }
                    let columns = &mut videos.texts.fields;
                    columns[column].set_some(video, text);
                    for (place, name) in names.iter().enumerate() {
                        columns[column + 1 + place].set_some(video, attribute(name));
                    }
                }
            }
        }
    }

    /// Skips the start tag of a common field without attributes. Returns its key, column and end
    /// tag.
    #[inline]
    fn usual_field(&mut self) -> Option<(Key, usize, &'static [u8])> {
        macro_rules! field {
            ($key:ident, $name:literal) => {
                self.cursor.eat(concat!("<video:", $name, ">").as_bytes()).then_some((
                    Key::$key,
                    const { video_text($name) },
                    concat!("</video:", $name, ">").as_bytes(),
                ))
            };
        }
        match self.cursor.rest().get(b"<video:".len()..)? {
            [b't', b'h', ..] => field!(ThumbnailLoc, "thumbnail_loc"),
            [b't', b'i', ..] => field!(Title, "title"),
            [b'd', b'e', ..] => field!(Description, "description"),
            [b'c', b'o', b'n', b't', b'e', b'n', b't', b'_', b'l', ..] => {
                field!(ContentLoc, "content_loc")
            }
            [b'p', b'l', b'a', b'y', ..] => field!(PlayerLoc, "player_loc"),
            [b'd', b'u', ..] => field!(Duration, "duration"),
            [b'r', b'a', ..] => field!(Rating, "rating"),
            [b'v', ..] => field!(ViewCount, "view_count"),
            [b'p', b'u', ..] => field!(PublicationDate, "publication_date"),
            [b'f', ..] => field!(FamilyFriendly, "family_friendly"),
            _ => None,
        }
    }

    /// Reads one element of a video. Returns its key and text.
    #[inline]
    fn video_leaf(&mut self) -> Option<(Key, Option<Slice>)> {
        if !self.cursor.eat(b"<video:") {
            return None;
        }
        let name = self.cursor.rest();
        let name = name.get(..name_length(name))?;
        self.cursor.at += name.len();
        if self.cursor.tag_end()? {
            return None;
        }
        let span = self.cursor.text()?;
        if !(self.cursor.eat(b"</video:") && self.cursor.eat(name) && self.cursor.eat(b">")) {
            return None;
        }
        let slice = self.cursor.value(span)?;
        Some((Key::of(name), self.cursor.trimmed(slice)))
    }

    fn tvshow(&mut self, videos: &mut Videos, video: usize) -> Option<()> {
        videos.tvshow.set_present(video);
        let columns = &mut videos.tvshow.items.fields;
        loop {
            self.cursor.skip_spaces();
            if self.cursor.eat(b"</video:tvshow>") {
                return Some(());
            }
            let (key, text) = self.video_leaf()?;
            let column: &mut Texts = match key {
                Key::ShowTitle => &mut columns[0],
                Key::VideoType => &mut columns[1],
                Key::EpisodeTitle => &mut columns[2],
                Key::SeasonNumber => &mut columns[3],
                Key::EpisodeNumber => &mut columns[4],
                Key::PremierDate => &mut columns[5],
                _ => return None,
            };
            if column.get(video).is_some() {
                return None;
            }
            column.set(video, self.cursor.get(text?));
        }
    }
}
