//! Known local names and the roles of their elements.

use crate::namespaces::{NAMESPACES, Ns, uri_of};

macro_rules! keys {
    ($($key:ident = $text:literal,)*) => {
        /// Known local name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the variants are the names of the protocol")]
        pub enum Key { $($key,)* Other }

        impl Key {
            /// All keys except `Other`, each with its name.
            pub const ALL: &[(Self, &str)] = &[$((Self::$key, $text),)*];

            /// Returns the key of a local name in the case of the protocol.
            #[must_use]
            #[allow(non_upper_case_globals, reason = "the constants are named after the keys")]
            pub fn of(text: &[u8]) -> Self {
                $(const $key: &[u8] = $text.as_bytes();)*
                match text {
                    $($key => Self::$key,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

keys! {
    // Names of the protocol and its extensions. Note: `Key::is_in` depends on their order.
    Urlset = "urlset", Sitemapindex = "sitemapindex", Url = "url", Sitemap = "sitemap",
    Lastmod = "lastmod", Changefreq = "changefreq", Priority = "priority",
    Loc = "loc", Caption = "caption", GeoLocation = "geo_location", License = "license",
    Title = "title",
    ThumbnailLoc = "thumbnail_loc", Description = "description", ContentLoc = "content_loc",
    PlayerLoc = "player_loc", Duration = "duration", ExpirationDate = "expiration_date",
    Rating = "rating", ContentSegmentLoc = "content_segment_loc", ViewCount = "view_count",
    Tag = "tag", Category = "category", FamilyFriendly = "family_friendly",
    Restriction = "restriction", GalleryLoc = "gallery_loc", Price = "price",
    RequiresSubscription = "requires_subscription", Uploader = "uploader", Tvshow = "tvshow",
    Platform = "platform", Live = "live", Id = "id",
    PublicationDate = "publication_date",
    Publication = "publication", Access = "access", Genres = "genres", Keywords = "keywords",
    StockTickers = "stock_tickers",
    ShowTitle = "show_title", VideoType = "video_type", EpisodeTitle = "episode_title",
    SeasonNumber = "season_number", EpisodeNumber = "episode_number",
    PremierDate = "premier_date",
    Name = "name", Language = "language",
    Image = "image", Video = "video", News = "news", Link = "link",
    // Names of feeds.
    Rss = "rss", Rdf = "rdf", Feed = "feed", Item = "item", Entry = "entry", Guid = "guid",
    Updated = "updated", Modified = "modified", Pubdate = "pubdate", Date = "date",
    Published = "published", Issued = "issued",
}

const _: () = assert!((Key::Other as usize) < KeySet::CAPACITY);

/// Set of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeySet([u64; KeySet::CAPACITY / 64]);

impl KeySet {
    /// Number of keys that there may be: increase it by 64 when a new key does not fit.
    const CAPACITY: usize = 128;

    /// Returns whether the set contains a key.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: Key) -> bool {
        self.contains_number(key as usize)
    }

    /// Adds a key. Returns whether the set did not contain it.
    #[inline]
    pub fn insert(&mut self, key: Key) -> bool {
        self.insert_number(key as usize)
    }

    #[inline]
    fn contains_number(&self, number: usize) -> bool {
        self.0[number / 64] & (1 << (number % 64)) != 0
    }

    #[inline]
    fn insert_number(&mut self, number: usize) -> bool {
        let is_new = !self.contains_number(number);
        self.0[number / 64] |= 1 << (number % 64);
        is_new
    }
}

impl Key {
    /// Returns whether a container of an extension may hold an element of this name.
    #[must_use]
    pub fn is_in(self, container: Self) -> bool {
        match container {
            Self::Image => (Self::Loc..=Self::Title).contains(&self),
            Self::Video => (Self::Title..=Self::PublicationDate).contains(&self),
            Self::News => {
                (Self::PublicationDate..=Self::StockTickers).contains(&self) || self == Self::Title
            }
            Self::Tvshow => (Self::ShowTitle..=Self::PremierDate).contains(&self),
            Self::Publication => matches!(self, Self::Name | Self::Language),
            _ => false,
        }
    }

    /// Returns whether elements of this name are containers in an extension.
    #[must_use]
    pub fn is_container(self) -> bool {
        matches!(self, Self::Image | Self::Video | Self::News | Self::Tvshow | Self::Publication)
    }

    /// Returns whether a namespace has an element of this name.
    pub(super) fn is_known(self, ns: Ns) -> bool {
        match ns {
            Ns::Core => (Self::Urlset..=Self::Loc).contains(&self),
            Ns::Image => self == Self::Image || self.is_in(Self::Image),
            Ns::Video => self == Self::Video || self.is_in(Self::Video) || self.is_in(Self::Tvshow),
            Ns::News => {
                self == Self::News || self.is_in(Self::News) || self.is_in(Self::Publication)
            }
            Ns::Xhtml => self == Self::Link,
            _ => false,
        }
    }

    /// Returns the names of the elements that a container of an extension may hold.
    fn children(self) -> Vec<&'static str> {
        Self::ALL.iter().filter(|(key, _)| key.is_in(self)).map(|(_, name)| *name).collect()
    }

    /// Returns the extension that a container in the namespace of the protocol belongs to.
    pub(super) fn misplaced_extension(self) -> Option<Ns> {
        match self {
            Self::Image => Some(Ns::Image),
            Self::Video => Some(Ns::Video),
            Self::News => Some(Ns::News),
            Self::Link => Some(Ns::Xhtml),
            _ => None,
        }
    }
}

/// Returns each container of an extension with the names of the elements that it may hold.
#[must_use]
pub fn container_elements() -> Vec<(&'static str, Vec<&'static str>)> {
    let containers = Key::ALL.iter().filter(|(key, _)| key.is_container());
    containers.map(|(key, name)| (*name, key.children())).collect()
}

/// Returns the URI of each namespace that has known elements, with their names.
#[must_use]
pub fn namespace_elements() -> Vec<(&'static str, Vec<&'static str>)> {
    let known = |ns: Ns| {
        Key::ALL.iter().filter(move |(key, _)| key.is_known(ns)).map(|(_, name)| *name).collect()
    };
    let elements = NAMESPACES.iter().map(|ns| (uri_of(*ns).unwrap_or_default(), known(*ns)));
    elements.filter(|(_, names): &(_, Vec<_>)| !names.is_empty()).collect()
}

/// Role of an element in a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `urlset`, `sitemapindex`
    Root,
    /// `url`, `sitemap`
    Entry,
    /// `loc`, `lastmod`, `changefreq`, `priority`
    Value,
    /// Element of an extension that holds other elements.
    Container,
    /// Element of an extension that holds text.
    Leaf,
    /// `xhtml:link`
    Link,
    /// Unknown element in the namespace of the protocol.
    Unknown,
    /// Element of an extension without columns.
    Extra,
    /// Element of a feed.
    Plain,
}

/// Returns the role of elements with this name.
pub(super) fn role(ns: Ns, key: Key) -> Role {
    match (ns, key) {
        (Ns::Core, Key::Urlset | Key::Sitemapindex) => Role::Root,
        (Ns::Core, Key::Url | Key::Sitemap) => Role::Entry,
        (Ns::Core, Key::Loc | Key::Lastmod | Key::Changefreq | Key::Priority) => Role::Value,
        (Ns::Core, _) => Role::Unknown,
        (Ns::Image, Key::Image)
        | (Ns::Video, Key::Video | Key::Tvshow)
        | (Ns::News, Key::News | Key::Publication) => Role::Container,
        (Ns::Image | Ns::Video | Ns::News, _) => Role::Leaf,
        (Ns::Xhtml, Key::Link) => Role::Link,
        _ => Role::Extra,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_more_keys_than_the_bits_of_a_word() {
        for number in 0..KeySet::CAPACITY {
            let mut set = KeySet::default();
            assert!(set.insert_number(number));
            assert!(!set.insert_number(number));
            for other in 0..KeySet::CAPACITY {
                assert_eq!(set.contains_number(other), other == number, "{number} {other}");
            }
        }
    }

    #[test]
    fn keys_have_the_names_of_their_elements() {
        let mut set = KeySet::default();
        for (key, name) in Key::ALL {
            assert_eq!(Key::of(name.as_bytes()), *key);
            assert!(set.insert(*key), "{name} is listed twice");
        }
        assert_eq!(Key::of(b"Loc"), Key::Other);
    }
}
