//! Known local names and the roles of their elements.

use crate::namespaces::Ns;

macro_rules! keys {
    ($($key:ident = $text:literal,)*) => {
        /// Known local name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the variants are the names of the protocol")]
        pub enum Key { $($key,)* Other }

        impl Key {
            /// Returns the key of a local name in the case of the protocol.
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
    // Names of the protocol and its extensions. Note: `Key::is_in` depends on their order.
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
    // Names of feeds.
    Rss = b"rss", Rdf = b"rdf", Feed = b"feed", Item = b"item", Entry = b"entry", Guid = b"guid",
    Updated = b"updated", Modified = b"modified", Pubdate = b"pubdate", Date = b"date",
    Published = b"published", Issued = b"issued",
}

const _: () = assert!((Key::Other as u32) < u64::BITS);

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

    /// Returns the bit of this key in a set of keys.
    #[must_use]
    pub fn bit(self) -> u64 {
        1 << self as u32
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
