"""Rules that the parsing engines report: code, name, level and template of the message.

Codes and names are unique among all rules of :mod:`urlset.checker` and are never reused. ``{}``
in a template stands for the detail of the problem.
"""

from __future__ import annotations

from typing import NamedTuple

from urlset.model import Level


class EngineRule(NamedTuple):
    """A rule of the engines: code, name, level and template of its messages."""

    code: str
    name: str
    level: Level
    template: str

    def message(self, detail: str) -> str:
        """Return the message of the rule for one problem with a detail."""
        return self.template.replace("{}", detail)


_TABLE = """
X001 empty-file                     error   File is empty
X002 not-well-formed                error   XML is not well-formed: {}
X003 unescaped-ampersand            error   Raw "&" must be written &amp;
X004 undefined-entity               error   Entity &{}; is not defined in XML
X005 invalid-xml-char               error   Character {} is not allowed in XML
X006 leading-whitespace             error   {} of white space before the XML declaration
X007 junk-before-root               error   Text or markup before the sitemap root: {}
X008 trailing-content               error   Content after the closing root tag: {}
X009 truncated                      error   File ends before {}
X010 invalid-utf8                   error   {}
X011 encoding-not-utf8              error   Encoding is {}, must be UTF-8
X012 encoding-mismatch              error   {}
X013 utf8-bom                       info    File starts with a UTF-8 byte order mark
X014 misplaced-bom                  error   Byte order mark (U+FEFF) that is not at the start of the file
X015 doctype                        warning DOCTYPE in a sitemap
X016 external-entity                error   {}
X018 xsl-stylesheet                 info    xml-stylesheet uses XSLT, which browsers are removing
X019 html-document                  error   This is an HTML page, not a sitemap
X020 unbound-prefix                 error   Prefix {}: is used but not declared
X021 duplicate-attribute            error   Attribute {} occurs twice on one element; the first one counts
X022 double-escaped                 warning Value is escaped twice: {}
X023 comment-in-value               warning Comment or processing instruction inside <{}>
X024 concatenated-documents         error   Another XML document starts here, in the same file
X025 gzip-corrupt                   error   Gzip data is damaged: {}
X026 gzip-trailing-data             warning {} bytes after the gzip stream
X028 double-gzip                    error   File was gzipped more than once
X029 unsupported-compression        error   {}: only gzip is allowed
X031 template                       warning File is a template ({}), not a sitemap
S001 wrong-root                     error   {} is not the root of a sitemap, an index or a feed
S002 missing-namespace              error   <{}> has no xmlns; expected http://www.sitemaps.org/schemas/sitemap/0.9
S003 wrong-namespace                error   Namespace {} should be http://www.sitemaps.org/schemas/sitemap/0.9
S004 wrong-extension-namespace      error   Extension is bound to namespace {}
S006 tag-case                       error   <{}> must be written in lower case
S007 missing-loc                    error   <{}> has no <loc>
S008 duplicate-child                error   <{}> occurs more than once in one entry; the first one counts
S009 empty-element                  warning <{}> is empty
S010 unknown-element                warning <{}> is not part of the protocol
S011 extension-in-default-namespace error   <{}> belongs to an extension and needs its prefix
S012 unexpected-attribute           info    Attribute {}
S013 stray-text                     warning Text directly inside <{}>
S014 mixed-index-urlset             error   <{}> is not allowed here: an index lists sitemaps, a sitemap lists URLs
S015 nested-root                    error   <{}> nested inside a sitemap
S016 loc-without-entry              error   <loc> is a direct child of the root
S017 markup-in-value                error   <{}> contains child elements
S019 invalid-changefreq             warning changefreq "{}" is not one of the seven values
S020 invalid-priority               warning priority "{}" is not a decimal 0.0-1.0
S021 empty-urlset                   warning Sitemap lists no URLs
S022 tags-not-for-index             warning <{}> has no meaning in a sitemap index
T001 text-not-a-url                 error   Line is not a URL: {}
T002 text-multiple-per-line         error   Line holds {} URLs
T003 text-layout                    info    Blank lines, surrounding white space or CR-only line ends
T004 text-entity-escaped            warning Line contains {}: text sitemaps are not XML
F001 feed-version                   warning {} is not an accepted feed format
F002 feed-item-without-link         error   Feed item has no usable link
F003 feed-date                      warning Feed date "{}" is invalid
U001 loc-not-absolute               error   "{}" is not a full URL
U002 loc-scheme                     error   Scheme {} is not http or https
U003 loc-too-long                   error   URL has {} characters; must be under 2,048
U005 loc-surrounding-whitespace     warning White space around the URL
U006 loc-inner-whitespace           error   White space inside the URL: {}
U015 loc-host-invalid               error   Host "{}" is not a valid host name
D001 lastmod-invalid                error   "{}" is not a W3C date
D002 lastmod-without-timezone       error   "{}" has a time but no time zone
D003 lastmod-offset-format          error   Offset in "{}" must be +hh:mm
D004 lastmod-impossible             error   "{}" is not a real date
L001 too-many-urls                  error   {} URLs; the limit is 50,000
L002 too-large                      error   {} bytes uncompressed; the limit is 52,428,800
L004 index-too-many                 error   {} sitemaps; the limit is 50,000
L005 index-too-large                error   Index is {} bytes; the limit is 52,428,800
L006 too-many-images                error   {} images on one URL; the limit is 1,000
L007 too-many-news                  error   {} news entries; the limit is 1,000
L009 decompression-bomb             error   {}
I005 index-empty                    warning Index lists no sitemaps
G001 image-missing-loc              error   image:image without image:loc
G035 video-duplicate-child          error   <video:{}> occurs more than once; the first one counts
G055 news-multiple                  error   <news:{}> occurs more than once in one entry; the first one counts
H001 hreflang-missing-attribute     error   xhtml:link without {}
H002 hreflang-rel                   error   rel of xhtml:link must be "alternate", found {}
R002 robots-sitemap-relative        error   Sitemap value "{}" is not an absolute URL
R003 robots-sitemap-syntax          warning Sitemap line in robots.txt: {}
R006 robots-too-large               error   robots.txt is {} bytes; content after 512,000 is ignored
R007 robots-encoding                info    robots.txt is not plain UTF-8: {}
"""


def _read(line: str) -> EngineRule:
    code, name, level, template = line.split(maxsplit=3)
    return EngineRule(code, name, level, template)  # type: ignore[arg-type]


RULES: dict[str, EngineRule] = {line[:4]: _read(line) for line in _TABLE.strip().splitlines()}
"""The rules by code."""
