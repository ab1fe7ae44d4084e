"""X: what makes a file XML, before any of it means anything."""

from __future__ import annotations

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_XML = "https://www.w3.org/TR/xml/"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"
_ESCAPING = "https://www.sitemaps.org/protocol.html#escaping"
_XXE = (
    "https://cheatsheetseries.owasp.org/cheatsheets/XML_External_Entity_Prevention_Cheat_Sheet.html"
)

_WHOLE = whole()
_ENTRIES = _WHOLE.partition("\n")[2]  # without the declaration

RULES = (
    engine_rule(
        "X002",
        why="Strict readers refuse the whole file for one tag that does not fit, and lenient ones "
        "do not agree on what is in it.",
        fix_hint="Write the file with a tool that escapes text and closes its tags",
        source=f"{_XML}#sec-well-formed",
        bad=PAGE.replace("</lastmod>", "</lastmode>"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X003",
        why="In XML, & begins an entity. Strict readers refuse the file; some lenient ones drop "
        "the & and what is behind it, and ask for a URL that is not there.",
        fix_hint="Write &amp; for &",
        source=_ESCAPING,
        bad=PAGE.replace(".com/", ".com/?size=1&color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
        fix_safety="safe",
    ),
    engine_rule(
        "X004",
        why="XML knows amp, lt, gt, quot and apos; the others belong to HTML. Strict readers "
        "refuse the file.",
        fix_hint="Write the character itself, or its number as &#nnn;",
        source=f"{_XML}#wf-entdeclared",
        bad=PAGE.replace(".com/", ".com/caf&eacute;"),
        good=PAGE.replace(".com/", ".com/caf%C3%A9"),
        fix_safety="safe",
    ),
    engine_rule(
        "X006",
        why="Where there is an XML declaration it comes first, or parsers refuse the file. A blank "
        "line mostly comes out of a script, from behind its last ?>.",
        fix_hint="Remove what stands before <?xml",
        source=_ERRORS,
        bad="\n" + _WHOLE,
        good=_WHOLE,
        fix_safety="safe",
    ),
    engine_rule(
        "X007",
        why="Parsers refuse a file that begins with something else than XML. What stands there is "
        "mostly a notice or a warning of the program that writes the sitemap.",
        fix_hint="Remove what stands before the root: notices and warnings of the server do not "
        "belong in it",
        source=f"{_XML}#sec-prolog-dtd",
        bad=f"Notice: undefined variable\n{_WHOLE}",
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X008",
        why="Nothing but comments may follow the root; strict readers refuse the file. Mostly it "
        "is a banner that a cache or a timer adds to every page.",
        fix_hint="Remove what stands after the closing tag of the root",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\nServed in 0.2 s",
        good=f"{_WHOLE}\n<!-- Served in 0.2 s -->",
        fix_safety="unsafe",
    ),
    engine_rule(
        "X009",
        why="What comes behind the cut is lost, and some readers take the last URL though only "
        "half of it is there. Mostly the disk was full, a time limit was reached, or the file was "
        "read while it was written.",
        fix_hint="Write the file again to its end, and move it into place only when it is whole",
        source=f"{_XML}#sec-well-formed",
        bad=_WHOLE.removesuffix("\n</urlset>"),
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X015",
        why="A sitemap needs none, and careful readers refuse a file that has one, because of what "
        "can be done with it.",
        fix_hint="Remove the DOCTYPE",
        source=_XXE,
        bad=f"<!DOCTYPE urlset>\n{_ENTRIES}",
        good=_ENTRIES,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X016",
        why="Such an entity can read files of whoever parses it, or fill his memory: it is never "
        "fetched, and what was to come of it is missing.",
        fix_hint="Remove the DOCTYPE, and write the text where the entity was",
        source=_XXE,
        bad=f'<!DOCTYPE urlset [<!ENTITY base SYSTEM "base.txt">]>\n{_ENTRIES}',
        good=_ENTRIES,
        fix_safety="unsafe",
    ),
    rule(
        "X017 xml-declaration info",
        message="{words}",
        view="markup",
        where="fact = 'declaration' AND value IS DISTINCT FROM '1.0'",
        values={
            "words": "CASE WHEN value IS NULL THEN 'No XML declaration' "
            "ELSE 'XML version is ' || value || ', expected 1.0' END"
        },
        needs=("markup",),
        why="XML 1.0 in UTF-8 needs no declaration, but people and simple programs tell by it what "
        "the file is. Version 1.1 many parsers refuse.",
        fix_hint='Begin the file with <?xml version="1.0" encoding="UTF-8"?>',
        source=f"{_XML}#sec-prolog-dtd",
        bad=_ENTRIES,
        good=_WHOLE,
        is_default=False,
        fix_safety="safe",
    ),
    engine_rule(
        "X018",
        why="Crawlers do not look at it, and browsers are removing XSLT: people will see a "
        "warning, or the bare file.",
        fix_hint="Remove the xml-stylesheet instruction, or let it name a CSS file",
        source="https://developer.chrome.com/docs/web-platform/deprecating-xslt",
        bad=f'<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>\n{_ENTRIES}',
        good=f'<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n{_ENTRIES}',
        fix_safety="opt-in",
    ),
    engine_rule(
        "X019",
        why="The address answers with a page, so that not one URL is listed. Often it is an error "
        "page with status 200, a login, or a page that people see instead of the file.",
        fix_hint="Serve the sitemap itself at this address, not a page about it",
        source=_ERRORS,
        bad="<!DOCTYPE html>\n<html><body><p>Not found</p></body></html>",
        good=_WHOLE,
    ),
    engine_rule(
        "X021",
        why="XML allows each attribute once; strict readers refuse the file. Mostly two programs "
        "have both added their xmlns.",
        fix_hint="Keep one of the attributes",
        source=f"{_XML}#uniqattspec",
        bad=whole(attributes=' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'),
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X024",
        why="A file is one document: readers take the first, or refuse all of it. It comes from "
        "files that were pasted together.",
        fix_hint="Make it two files, or move the entries into the first document",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\n{_ENTRIES}",
        good=whole(f"{PAGE}\n{PAGE.replace('.com/', '.com/about')}"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "X031",
        why="A program makes the sitemap from this file, as Jekyll does from sitemap.xml with its "
        "front matter and Liquid. Nothing else is checked in it, and it is never fixed: the "
        "expressions in it are no URLs. Where it is served as it is, the program did not run, and "
        "not one URL is listed (then it is an error).",
        fix_hint="Check what is made from it: the folder of the built site, or its URL",
        source="https://jekyllrb.com/docs/front-matter/",
        bad="---\nlayout: null\n---\n"
        + whole(
            "{% for page in site.pages %}<url><loc>{{ site.url }}{{ page.url }}</loc></url>"
            "{% endfor %}"
        ),
        good=_WHOLE,
    ),
)
