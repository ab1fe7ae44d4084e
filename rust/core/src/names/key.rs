//! The local names that mean something, and what elements of those names do.

use crate::namespaces::Ns;

macro_rules! keys {
    ($($key:ident = $text:literal,)*) => {
        /// The local names that mean something here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "they are the names of the protocol")]
        pub enum Key { $($key,)* Other }

        impl Key {
            /// The key of a local name, in the case of the protocol.
            #[must_use]
            pub fn of(text: &[u8]) -> Self {
                match text {
                    $($text => Self::$key,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

keys! {
    // The protocol, and where each name may stand: the order matters to `Key::is_in`.
    Urlset = b"urlset", Sitemapindex = b"sitemapindex", Url = b"url", Sitemap = b"sitemap",
    Lastmod = b"lastmod", Changefreq = b"changefreq", Priority = b"priority",
    Loc = b"loc", Caption = b"caption", GeoLocation = b"geo_location", License = b"license",
    Title = b"title",
    ThumbnailLoc = b"thumbnail_loc", Description = b"description", ContentLoc = b"content_loc",
    PlayerLoc = b"player_loc", Duration = b"duration", ExpirationDate = b"expiration_date",
    Rating = b"rating", ContentSegmentLoc = b"content_segment_loc", ViewCount = b"view_count",
    Tag = b"tag", Category = b"category", FamilyFriendly = b"family_friendly",
    Restriction = b"restriction", GalleryLoc = b"gallery_loc", Price = b"price",
    RequiresSubscription = b"requires_subscription", Uploader = b"uploader", Tvshow = b"tvshow",
    Platform = b"platform", Live = b"live", Id = b"id",
    PublicationDate = b"publication_date",
    Publication = b"publication", Access = b"access", Genres = b"genres", Keywords = b"keywords",
    StockTickers = b"stock_tickers",
    ShowTitle = b"show_title", VideoType = b"video_type", EpisodeTitle = b"episode_title",
    SeasonNumber = b"season_number", EpisodeNumber = b"episode_number",
    PremierDate = b"premier_date",
    Name = b"name", Language = b"language",
    Image = b"image", Video = b"video", News = b"news", Link = b"link",
    // Feeds.
    Rss = b"rss", Rdf = b"rdf", Feed = b"feed", Item = b"item", Entry = b"entry", Guid = b"guid",
    Updated = b"updated", Modified = b"modified", Pubdate = b"pubdate", Date = b"date",
    Published = b"published", Issued = b"issued",
}

const _: () = assert!((Key::Other as u32) < u64::BITS);

impl Key {
    /// Whether an extension's container may hold an element of this name.
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

    /// One bit for each key.
    #[must_use]
    pub fn bit(self) -> u64 {
        1 << self as u32
    }

    /// Whether elements of this name hold others, in an extension.
    #[must_use]
    pub fn is_container(self) -> bool {
        matches!(self, Self::Image | Self::Video | Self::News | Self::Tvshow | Self::Publication)
    }

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

    /// The extension that an element of the protocol's own namespace belongs to.
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

/// What an element does in a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `urlset`, `sitemapindex`
    Root,
    /// `url`, `sitemap`
    Entry,
    /// `loc`, `lastmod`, `changefreq`, `priority`
    Value,
    /// An extension's element that holds others.
    Container,
    /// An extension's element that holds text.
    Leaf,
    /// `xhtml:link`
    Link,
    /// In the protocol's namespace, but not of the protocol.
    Unknown,
    /// Of an extension without columns.
    Extra,
    /// In a feed.
    Plain,
}

/// What an element of this name does in a sitemap.
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
