"""Fields of entries, documents and problems: the one table of their names, types and elements.

Other forms of these lists are derived from this table: the Arrow schema, the SQL schema of the
store, the elements that the reference engine reads and writes, and lists of columns. The classes
of :mod:`urlset.model` and the columns of the native engine are written out, and a test compares
them with this table.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple, get_args

STORE_VERSION = 3
"""Version of the tables of a store; increase it with every change of a field.

A store of another version is not opened.
"""

Leaf = Literal["string", "instant", "number", "integer", "uint64", "uint32", "flag"]
"""Type of a single value. ``instant`` is a time in UTC, in microseconds."""

_LEAVES: tuple[str, ...] = get_args(Leaf)


class Field(NamedTuple):
    """Field of a record: name, type, XML element, unit and meaning.

    Attributes:
        name: Name of the field and of the column.
        type: A :data:`Leaf`, or the name of the record in :data:`RECORDS` that it holds.
        is_list: Whether the element may be repeated; the field then holds a list.
        element: Where the value is in XML, relative to the element of the record: ``image:loc`` is
            a child, ``news:publication/news:name`` a child of a child, ``@href`` an attribute,
            ``video:uploader@info`` an attribute of a child, ``.`` the text of the element itself.
            Empty if it is not in the XML.
        unit: Unit of the number, if it has one.
        meaning: Meaning of the value, for the documentation.
    """

    name: str
    type: str
    is_list: bool
    element: str
    unit: str
    meaning: str

    @property
    def prefix(self) -> str:
        """Prefix of the element; empty for an element of the protocol, or if it has none."""
        return self.element.partition(":")[0] if ":" in self.element else ""


class RecordSchema(NamedTuple):
    """Schema of a record: the name of its class in :mod:`urlset.model`, and its fields in their order."""

    name: str
    fields: tuple[Field, ...]

    @classmethod
    def of(cls, name: str, fields: str) -> RecordSchema:
        """Create a record from lines of five cells: name, type, element, unit and meaning.

        The type of a list ends with ``[]``.

        >>> RecordSchema.of("Tea", "leaves | string[] | tea:leaf | | what is in it").fields[0].is_list
        True
        """
        rows = ([cell.strip() for cell in line.split("|")] for line in fields.strip().splitlines())
        return cls(
            name,
            tuple(
                Field(field, kind.removesuffix("[]"), kind.endswith("[]"), element, unit, meaning)
                for field, kind, element, unit, meaning in rows
            ),
        )

    def field(self, name: str) -> Field:
        """Return the field of this name; raise ``KeyError`` if there is none."""
        return {field.name: field for field in self.fields}[name]


class Place(NamedTuple):
    """Place of a value in XML: local names of the enclosing elements, and of an attribute."""

    elements: tuple[str, ...]
    attribute: str


def place_of(field: Field) -> Place:
    """Return the place of a field, relative to the element of its record.

    >>> place_of(RECORDS["Video"].field("uploader_info"))
    Place(elements=('uploader',), attribute='info')
    >>> place_of(RECORDS["Price"].field("value"))
    Place(elements=(), attribute='')
    """
    path, _, attribute = field.element.partition("@")
    steps = path.split("/") if path not in ("", ".") else []
    return Place(tuple(step.rpartition(":")[2] for step in steps), attribute)


def container_elements() -> dict[str, tuple[str, ...]]:
    """Return the local names of the elements that each container of an extension may hold.

    >>> container_elements()["publication"]
    ('name', 'language')
    """
    found: dict[str, dict[str, None]] = {}

    def add(container: str, record: RecordSchema) -> None:
        for field in record.fields:
            place = place_of(field)
            for outer, inner in pairwise((container, *place.elements)):
                found.setdefault(outer, {})[inner] = None
            if not is_leaf(field.type):
                add(place.elements[-1], RECORDS[field.type])

    for field in EXTENSIONS:
        if not is_leaf(field.type):
            add(place_of(field).elements[0], RECORDS[field.type])
    return {container: tuple(names) for container, names in found.items()}


def is_leaf(kind: str) -> bool:
    """Return whether a field type is that of a single value, not of a list or record.

    >>> is_leaf("string"), is_leaf("Image")
    (True, False)
    """
    return kind in _LEAVES


ENTRY = RecordSchema.of(
    "Entry",
    """
    loc          | string      | loc         |       | URL to request
    lastmod      | instant     | lastmod     |       | instant of the last change; a date without a time is midnight UTC
    lastmod_text | string      | lastmod     |       | original text
    changefreq   | string      | changefreq  |       | value of the protocol, in lower case
    priority     | number      | priority    |       | 0.0 to 1.0; null if absent
    images       | Image[]     | image:image |       | images on the page; an empty list if there are none
    videos       | Video[]     | video:video |       | videos on the page; an empty list if there are none
    news         | News        | news:news   |       | news article; null if there is none
    alternates   | Alternate[] | xhtml:link  |       | other versions of the page: by language or by media
    extra        | string      |             |       | extensions without a column, as XML text
    source       | string      |             |       | path or URL of the document
    offset       | uint64      |             | bytes | byte where the entry starts
    line         | uint32      |             |       | line where it starts, from 1
    """,
)
"""One URL of a sitemap."""

_RECORDS = (
    RecordSchema.of(
        "Image",
        """
        loc          | string | image:loc          | | URL of the image
        caption      | string | image:caption      | | caption
        geo_location | string | image:geo_location | | place that it shows
        title        | string | image:title        | | title
        license      | string | image:license      | | URL of its license
        """,
    ),
    RecordSchema.of(
        "Video",
        """
        thumbnail_loc            | string           | video:thumbnail_loc          |         | URL of the preview image
        title                    | string           | video:title                  |         | title
        description              | string           | video:description            |         | description, at most 2,048 characters
        content_loc              | string           | video:content_loc            |         | URL of the media file
        player_loc               | string           | video:player_loc             |         | URL of a player
        player_loc_allow_embed   | string           | video:player_loc@allow_embed |         | whether the player may be embedded: yes or no
        player_loc_autoplay      | string           | video:player_loc@autoplay    |         | query parameter that starts the player
        duration                 | string           | video:duration               | seconds | duration from 1 to 28,800
        expiration_date          | string           | video:expiration_date        |         | date after which the video is not available
        rating                   | string           | video:rating                 |         | rating, 0.0 to 5.0
        content_segments         | ContentSegment[] | video:content_segment_loc    |         | segments of a video that has several
        view_count               | string           | video:view_count             |         | number of views
        publication_date         | string           | video:publication_date       |         | date of the first publication
        tags                     | string[]         | video:tag                    |         | tags, at most 32
        category                 | string           | video:category               |         | category
        family_friendly          | string           | video:family_friendly        |         | whether it suits all audiences: yes or no
        restriction              | string           | video:restriction            |         | countries, two letters each
        restriction_relationship | string           | video:restriction@relationship |       | whether it is allowed or denied there: allow or deny
        gallery_loc              | string           | video:gallery_loc            |         | URL of the gallery
        gallery_loc_title        | string           | video:gallery_loc@title      |         | title of the gallery
        prices                   | Price[]          | video:price                  |         | prices
        requires_subscription    | string           | video:requires_subscription  |         | whether a subscription is needed: yes or no
        uploader                 | string           | video:uploader               |         | name of the uploader
        uploader_info            | string           | video:uploader@info          |         | URL of a page about the uploader
        tvshow                   | TvShow           | video:tvshow                 |         | show that the video belongs to
        platform                 | string           | video:platform               |         | platforms: web, mobile, tv
        platform_relationship    | string           | video:platform@relationship  |         | whether they are allowed or denied: allow or deny
        live                     | string           | video:live                   |         | whether it is a live stream: yes or no
        ids                      | VideoId[]        | video:id                     |         | identifiers
        """,
    ),
    RecordSchema.of(
        "ContentSegment",
        """
        loc      | string | .         |         | URL of the segment
        duration | string | @duration | seconds | duration
        """,
    ),
    RecordSchema.of(
        "Price",
        """
        value      | string | .           | | amount
        currency   | string | @currency   | | currency, three letters (ISO 4217)
        type       | string | @type       | | purchase: rent or own
        resolution | string | @resolution | | resolution: hd or sd
        """,
    ),
    RecordSchema.of(
        "VideoId",
        """
        value | string | .     | | identifier
        type  | string | @type | | kind of identifier
        """,
    ),
    RecordSchema.of(
        "TvShow",
        """
        show_title     | string | video:show_title     | | title of the show
        video_type     | string | video:video_type     | | type of the video, such as full or preview
        episode_title  | string | video:episode_title  | | title of the episode
        season_number  | string | video:season_number  | | number of the season
        episode_number | string | video:episode_number | | number of the episode
        premier_date   | string | video:premier_date   | | date of the first broadcast
        """,
    ),
    RecordSchema.of(
        "News",
        """
        name             | string | news:publication/news:name     | | name of the publication
        language         | string | news:publication/news:language | | language of the publication
        access           | string | news:access                    | | access: Subscription or Registration
        genres           | string | news:genres                    | | genres, separated by commas
        publication_date | string | news:publication_date          | | date of the publication
        title            | string | news:title                     | | title of the article
        keywords         | string | news:keywords                  | | keywords, separated by commas
        stock_tickers    | string | news:stock_tickers             | | stock tickers, separated by commas
        """,
    ),
    RecordSchema.of(
        "Alternate",
        """
        hreflang | string | @hreflang | | language, or x-default
        href     | string | @href     | | URL of the other version
        media    | string | @media    | | media query
        """,
    ),
)
RECORDS = {record.name: record for record in _RECORDS}
"""Records in fields of entries, by the name of their class."""

CONTENT = tuple(field for field in ENTRY.fields if field.name not in ("source", "offset", "line"))
"""Fields of the content of an entry, which come first; the others say where it was found."""

EXTENSIONS = tuple(field for field in ENTRY.fields if field.prefix or field.name == "extra")
"""Fields of an entry that extensions fill; they come after the elements of the protocol."""

SITEMAP = RecordSchema.of(
    "Sitemap",
    """
    loc          | string  | loc     |       | URL of the sitemap
    lastmod      | instant | lastmod |       | last change of that file according to the index
    lastmod_text | string  | lastmod |       | original text
    source       | string  |         |       | path or URL of the index
    offset       | uint64  |         | bytes | byte where it starts
    line         | uint32  |         |       | line where it starts, from 1
    """,
)
"""One sitemap that an index lists."""

PROBLEM = RecordSchema.of(
    "Problem",
    """
    rule    | string | |       | name of the rule, as in `urlset rules`
    code    | string | |       | code of the rule, such as X003
    level   | string | |       | error, warning or info
    message | string | |       | description of the problem
    offset  | uint64 | | bytes | byte where it starts
    end     | uint64 | | bytes | byte after its end
    line    | uint32 | |       | line where it starts, from 1
    column  | uint32 | |       | column in characters, from 1
    """,
)
"""One problem of a document; the class also has ``detail``, which is not stored."""

DOCUMENT = RecordSchema.of(
    "DocumentRecord",
    """
    document      | uint32  | |         | number of the document in this store, in reading order; reading it again assigns a new number
    source        | string  | |         | path or URL that was requested; null for bytes without a name
    url           | string  | |         | final URL on the web; of a file, the URL that `--base-url` assigns; null if unknown
    loc           | string  | |         | URL by which an index lists it; null if no index lists it
    root          | string  | |         | the source given to `read` from which this was found
    parent        | string  | |         | source of the index (or robots.txt, or page) that names it; null for the first document
    how           | string  | |         | how it was found: given, index, folder, and on a site robots, link, well-known or feed
    depth         | uint32  | |         | number of indexes above it
    declared_by   | string  | |         | robots.txt that declares it or an index above it
    disallowed_by | string  | |         | robots.txt that disallows fetching it
    lastmod       | instant | |         | last change according to its index
    kind          | string  | |         | urlset, index, text, rss, atom, html, template, empty or unknown, detected from the content; null if nothing could be read
    size          | uint64  | | bytes   | bytes, decompressed
    packed_size   | uint64  | | bytes   | bytes as received
    layers        | uint32  | |         | layers of gzip around it
    encoding      | string  | |         | character encoding of the document
    entry_count   | uint64  | |         | entries in the document; a filtered read stores fewer
    sitemap_count | uint64  | |         | sitemaps that it lists, if it is an index
    problem_count | uint64  | |         | problems in the document; at most 10,000 of each rule are stored
    unreadable_count | uint64 | |       | entries, and sitemaps of an index, that have no readable URL and are omitted
    error         | string  | |         | why the document was not read, or not completely; null if it was
    failure       | string  | |         | kind of that reason: missing, unreadable, cycle, stream, status, refused, unreachable, incomplete or same-answer; null of a document that arrived completely
    skipped       | string  | |         | why it was skipped; null if it was read
    same_as       | string  | |         | document that it redirects to and that was read before; the entries are stored there
    status        | uint32  | |         | HTTP status; null if there was no response
    content_type  | string  | |         | HTTP header of that name
    etag          | string  | |         | HTTP header of that name
    last_modified | string  | |         | HTTP header of that name, unchanged
    wire_size     | uint64  | | bytes   | bytes of the HTTP body that were transferred
    seconds       | number  | | seconds | duration of the last HTTP attempt
    is_from_cache | flag    | |         | whether the copy in `--cache` was still current (HTTP)
    read_at       | instant | |         | time of reading
    """,
)
"""One document that was found."""
