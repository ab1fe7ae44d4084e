"""Rules about the bytes of a file and XML syntax: encoding, compression, markup (codes X…)."""

from __future__ import annotations

import bz2
import gzip
from functools import partial

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule, rule

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_ESCAPING = f"{_PROTOCOL}#escaping"
_XML = "https://www.w3.org/TR/xml/"
_NOTED = f"<!-- café -->\n{PAGE}"

_FAQ = "https://www.sitemaps.org/faq.html#faq_sitemap_size"
_GZIP = "https://www.rfc-editor.org/rfc/rfc1952"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"

_PLAIN = whole().encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_GOOD = {"sitemap.xml.gz": _PACKED}
_DAMAGED = _PACKED[:-8] + bytes(4) + _PACKED[-4:]  # the checksum at the end is wrong


_XXE = (
    "https://cheatsheetseries.owasp.org/cheatsheets/XML_External_Entity_Prevention_Cheat_Sheet.html"
)

_WHOLE = whole()
_ENTRIES = _WHOLE.partition("\n")[2]  # without the declaration


_engine_rule = partial(engine_rule, source=_ERRORS, good=_WHOLE)
_gzip_rule = partial(_engine_rule, good=_GOOD)

RULES = (
    _engine_rule(
        "X001",
        why="Search engines read nothing and report an error. Usually the program that writes the "
        "sitemap failed or found nothing to list.",
        fix_hint="Write the sitemap again, and find out why it was empty",
        bad=b"",
        good=PAGE,
    ),
    _engine_rule(
        "X005",
        why="XML does not allow control characters, not even as &#1;. Strict readers reject the "
        "whole file because of one. They come from databases, and from files padded with NUL. A "
        "file with NUL bytes is never fixed.",
        fix_hint="Remove the character",
        source=f"{_XML}#charsets",
        bad=whole(f"{PAGE}\x0b").encode(),
    ),
    _engine_rule(
        "X010",
        why="A sitemap must be UTF-8. Invalid bytes cause a wrong URL, or readers reject the whole "
        "file. The intended characters are unknown, so such a file is never fixed.",
        fix_hint="Write the file as UTF-8",
        source=_ESCAPING,
        bad=whole(_NOTED).encode("latin-1"),
        good=whole(_NOTED).encode(),
    ),
    _engine_rule(
        "X011",
        why="A sitemap must be UTF-8. Search engines that ignore the declaration read other "
        "encodings as UTF-8 and get wrong URLs. If all characters are ASCII, only the declaration "
        "is wrong.",
        fix_hint="Write the file as UTF-8, and declare UTF-8 or no encoding",
        source=_ESCAPING,
        bad=whole(_NOTED, declaration='encoding="ISO-8859-1"').encode("latin-1"),
        good=whole(_NOTED).encode(),
    ),
    _engine_rule(
        "X012",
        why="Readers that trust the declaration decode the bytes incorrectly or reject the file. "
        "If the encoding is unknown, no URL is taken from text that is not ASCII.",
        fix_hint="Declare the encoding that the bytes have; UTF-8 needs no declaration",
        source=f"{_XML}#charencoding",
        bad=whole(declaration='encoding="UTF-16"').encode(),
    ),
    _engine_rule(
        "X013",
        why="A byte order mark is allowed, but readers of sitemaps do not need it. Some tools "
        "treat it as part of the first line, especially in text sitemaps.",
        fix_hint="Save the file without a byte order mark",
        source=f"{_XML}#charencoding",
        bad=b"\xef\xbb\xbf" + whole().encode(),
    ),
    _engine_rule(
        "X014",
        why="After the first position it is an invisible character and not a byte order mark. XML "
        "parsers reject the file. It comes from concatenated files.",
        fix_hint="Remove the character",
        source=f"{_XML}#charencoding",
        bad=b"\n\xef\xbb\xbf" + whole().partition("\n")[2].encode(),
        good=whole().partition("\n")[2].encode(),
    ),
    _gzip_rule(
        "X025",
        why="Most programs stop at the damage, and some drop what they decompressed before it. The "
        "data after it is lost.",
        fix_hint="Compress the file again, and publish it only when it is complete",
        bad={"sitemap.xml.gz": _DAMAGED},
    ),
    _gzip_rule(
        "X026",
        why="Data after the gzip stream is not part of the sitemap. Some programs reject the file "
        "because of it.",
        fix_hint="Compress the file again, without data after the stream",
        source=_GZIP,
        bad={"sitemap.xml.gz": _PACKED + b"<!-- cached -->"},
    ),
    rule(
        "X027 gz-name-mismatch warning",
        message="{description}",
        requires_rows="gzip_files",
        sql="""
            SELECT document, name,
                CASE WHEN layers = 0 THEN 'Name ' || name || ' ends in .gz but the file is not gzip'
                    ELSE 'File is gzip but its name ' || name || ' does not end in .gz'
                END AS description,
                CASE WHEN layers = 0 THEN 'warning' ELSE 'info' END AS level
            FROM sources
            WHERE kind IN ('urlset', 'index', 'text', 'rss', 'atom') AND name <> ''
                AND (layers > 0) <> (ends_with(name, '.gz') OR ends_with(name, '.gzip'))
                -- A server may compress the file itself (Content-Encoding).
                AND (layers > 0 OR coalesce(wire_size >= packed_size, true))
                AND document NOT IN (  -- compressed in another format
                    SELECT document FROM problems WHERE code = 'X029' AND document IS NOT NULL
                )""",
        why="Search engines look at the first bytes, but many tools and servers rely on the name: "
        "they decompress a file that is not compressed, or fail to decompress one that is.",
        fix_hint="Use a name that ends with .gz for gzip files only",
        source=_FAQ,
        bad={"sitemap.xml.gz": _PLAIN},
        good=_GOOD,
    ),
    _gzip_rule(
        "X028",
        why="Readers decompress once and find gzip instead of XML. Usually the file was compressed "
        "when it was written and again by the server.",
        fix_hint="Compress once, and exclude .gz files from compression by the server",
        bad={"sitemap.xml.gz": gzip.compress(_PACKED, mtime=0)},
    ),
    _gzip_rule(
        "X029",
        why="Search engines decompress gzip only, so no URL of this file is read.",
        fix_hint="Compress the file with gzip, or not at all",
        source=_FAQ,
        bad={"sitemap.xml.bz2": bz2.compress(_PLAIN)},
    ),
    _engine_rule(
        "X002",
        why="Strict readers reject the whole file because of one mismatched tag, and lenient ones "
        "interpret it differently.",
        fix_hint="Write the file with a tool that escapes text and closes its tags",
        source=f"{_XML}#sec-well-formed",
        bad=PAGE.replace("</lastmod>", "</lastmode>"),
        good=PAGE,
    ),
    _engine_rule(
        "X003",
        why="In XML, & begins an entity. Strict readers reject the file. Some lenient ones drop "
        "the & and the text after it, and request a wrong URL.",
        fix_hint="Write &amp; for &",
        source=_ESCAPING,
        bad=PAGE.replace(".com/", ".com/?size=1&color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
    ),
    _engine_rule(
        "X004",
        why="XML has only the entities amp, lt, gt, quot and apos; the others belong to HTML. "
        "Strict readers reject the file.",
        fix_hint="Write the character itself, or its number as &#nnn;",
        source=f"{_XML}#wf-entdeclared",
        bad=PAGE.replace(".com/", ".com/caf&eacute;"),
        good=PAGE.replace(".com/", ".com/caf%C3%A9"),
    ),
    _engine_rule(
        "X006",
        why="An XML declaration must come first, otherwise parsers reject the file. A blank line "
        "usually comes from a script, after its last ?>.",
        fix_hint="Remove everything before <?xml",
        bad="\n" + _WHOLE,
    ),
    _engine_rule(
        "X007",
        why="Parsers reject a file that does not begin with XML. Usually the text is a notice or a "
        "warning of the program that writes the sitemap.",
        fix_hint="Remove the text before the root, such as notices and warnings of the server",
        source=f"{_XML}#sec-prolog-dtd",
        bad=f"Notice: undefined variable\n{_WHOLE}",
    ),
    _engine_rule(
        "X008",
        why="Only comments may follow the root; strict readers reject the file. Usually a cache or "
        "a timer adds a banner to every page.",
        fix_hint="Remove the text after the closing tag of the root",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\nServed in 0.2 s",
        good=f"{_WHOLE}\n<!-- Served in 0.2 s -->",
    ),
    _engine_rule(
        "X009",
        heading="Sitemaps that end too early",
        why="The data after the cut is lost, and some readers use an incomplete last URL. Usually "
        "the disk was full, a time limit was reached, or the file was read while it was written.",
        fix_hint="Write the sitemap again, and publish it only when it is complete",
        source=f"{_XML}#sec-well-formed",
        bad=_WHOLE.removesuffix("\n</urlset>"),
    ),
    _engine_rule(
        "X015",
        why="A sitemap needs no DOCTYPE, and careful readers reject a file with one because it "
        "enables attacks.",
        fix_hint="Remove the DOCTYPE",
        source=_XXE,
        bad=f"<!DOCTYPE urlset>\n{_ENTRIES}",
        good=_ENTRIES,
    ),
    _engine_rule(
        "X016",
        why="Such an entity can read files of the machine that parses it, or exhaust its memory. "
        "It is never fetched, so its content is missing.",
        fix_hint="Remove the DOCTYPE, and write the text in place of the entity",
        source=_XXE,
        bad=f'<!DOCTYPE urlset [<!ENTITY base SYSTEM "base.txt">]>\n{_ENTRIES}',
        good=_ENTRIES,
    ),
    rule(
        "X017 xml-declaration info",
        message="{description}",
        view="markup",
        where="fact = 'declaration' AND value IS DISTINCT FROM '1.0'",
        values={
            "description": "CASE WHEN value IS NULL THEN 'No XML declaration' "
            "ELSE 'XML version is ' || value || ', expected 1.0' END"
        },
        needs=("markup",),
        why="XML 1.0 in UTF-8 needs no declaration, but people and simple programs recognize the "
        "file by it. Many parsers reject version 1.1.",
        fix_hint='Begin the file with <?xml version="1.0" encoding="UTF-8"?>',
        source=f"{_XML}#sec-prolog-dtd",
        bad=_ENTRIES,
        good=_WHOLE,
        is_default=False,
    ),
    _engine_rule(
        "X018",
        why="Crawlers ignore it, and browsers are removing XSLT: visitors will see a warning or "
        "the plain file.",
        fix_hint="Remove the xml-stylesheet instruction, or use a CSS file",
        source="https://developer.chrome.com/docs/web-platform/deprecating-xslt",
        bad=f'<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>\n{_ENTRIES}',
        good=f'<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n{_ENTRIES}',
    ),
    _engine_rule(
        "X019",
        why="The URL returns a page, so no URL is listed. Often it is an error page with status "
        "200, a login, or a page for visitors.",
        fix_hint="Serve the sitemap at this URL instead of the page",
        bad="<!DOCTYPE html>\n<html><body><p>Not found</p></body></html>",
    ),
    _engine_rule(
        "X021",
        why="XML allows each attribute once; strict readers reject the file. Usually two programs "
        "added an xmlns.",
        fix_hint="Keep one of the attributes",
        source=f"{_XML}#uniqattspec",
        bad=whole(attributes=' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'),
    ),
    _engine_rule(
        "X024",
        why="A file is one document. Readers use the first, or reject the file. It comes from "
        "concatenated files.",
        fix_hint="Split it into two files, or move the entries into the first document",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\n{_ENTRIES}",
        good=whole(f"{PAGE}\n{PAGE.replace('.com/', '.com/about')}"),
    ),
    _engine_rule(
        "X031",
        heading="Templates instead of sitemaps",
        why="A program generates the sitemap from this file, as Jekyll does from a sitemap.xml "
        "with front matter and Liquid. Nothing else is checked in it, and it is never fixed, "
        "because its expressions are not URLs. If a server returns it unchanged, the program did "
        "not run and no URL is listed (then it is an error).",
        added="A template is not a sitemap yet: all other findings would be false, and a fix "
        "would destroy it.",
        fix_hint="Check the generated file: the folder of the built site, or its URL",
        source="https://jekyllrb.com/docs/front-matter/",
        bad="---\nlayout: null\n---\n"
        + whole(
            "{% for page in site.pages %}<url><loc>{{ site.url }}{{ page.url }}</loc></url>"
            "{% endfor %}"
        ),
    ),
)
