"""Rules about XML syntax (codes X…)."""

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
        why="Strict readers reject the whole file because of one mismatched tag, and lenient ones "
        "interpret it differently.",
        fix_hint="Write the file with a tool that escapes text and closes its tags",
        source=f"{_XML}#sec-well-formed",
        bad=PAGE.replace("</lastmod>", "</lastmode>"),
        good=PAGE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X003",
        why="In XML, & begins an entity. Strict readers reject the file. Some lenient ones drop "
        "the & and the text after it, and request a wrong URL.",
        fix_hint="Write &amp; for &",
        source=_ESCAPING,
        bad=PAGE.replace(".com/", ".com/?size=1&color=2"),
        good=PAGE.replace(".com/", ".com/?size=1&amp;color=2"),
        fix_safety="safe",
    ),
    engine_rule(
        "X004",
        why="XML has only the entities amp, lt, gt, quot and apos; the others belong to HTML. "
        "Strict readers reject the file.",
        fix_hint="Write the character itself, or its number as &#nnn;",
        source=f"{_XML}#wf-entdeclared",
        bad=PAGE.replace(".com/", ".com/caf&eacute;"),
        good=PAGE.replace(".com/", ".com/caf%C3%A9"),
        fix_safety="safe",
    ),
    engine_rule(
        "X006",
        why="An XML declaration must come first, otherwise parsers reject the file. A blank line "
        "usually comes from a script, after its last ?>.",
        fix_hint="Remove everything before <?xml",
        source=_ERRORS,
        bad="\n" + _WHOLE,
        good=_WHOLE,
        fix_safety="safe",
    ),
    engine_rule(
        "X007",
        why="Parsers reject a file that does not begin with XML. Usually the text is a notice or a "
        "warning of the program that writes the sitemap.",
        fix_hint="Remove the text before the root, such as notices and warnings of the server",
        source=f"{_XML}#sec-prolog-dtd",
        bad=f"Notice: undefined variable\n{_WHOLE}",
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X008",
        why="Only comments may follow the root; strict readers reject the file. Usually a cache or "
        "a timer adds a banner to every page.",
        fix_hint="Remove the text after the closing tag of the root",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\nServed in 0.2 s",
        good=f"{_WHOLE}\n<!-- Served in 0.2 s -->",
        fix_safety="unsafe",
    ),
    engine_rule(
        "X009",
        why="The data after the cut is lost, and some readers use an incomplete last URL. Usually "
        "the disk was full, a time limit was reached, or the file was read while it was written.",
        fix_hint="Write the file again, and publish it only when it is complete",
        source=f"{_XML}#sec-well-formed",
        bad=_WHOLE.removesuffix("\n</urlset>"),
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X015",
        why="A sitemap needs no DOCTYPE, and careful readers reject a file with one because it "
        "enables attacks.",
        fix_hint="Remove the DOCTYPE",
        source=_XXE,
        bad=f"<!DOCTYPE urlset>\n{_ENTRIES}",
        good=_ENTRIES,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X016",
        why="Such an entity can read files of the machine that parses it, or exhaust its memory. "
        "It is never fetched, so its content is missing.",
        fix_hint="Remove the DOCTYPE, and write the text in place of the entity",
        source=_XXE,
        bad=f'<!DOCTYPE urlset [<!ENTITY base SYSTEM "base.txt">]>\n{_ENTRIES}',
        good=_ENTRIES,
        fix_safety="unsafe",
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
        fix_safety="safe",
    ),
    engine_rule(
        "X018",
        why="Crawlers ignore it, and browsers are removing XSLT: visitors will see a warning or "
        "the plain file.",
        fix_hint="Remove the xml-stylesheet instruction, or use a CSS file",
        source="https://developer.chrome.com/docs/web-platform/deprecating-xslt",
        bad=f'<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>\n{_ENTRIES}',
        good=f'<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n{_ENTRIES}',
        fix_safety="opt-in",
    ),
    engine_rule(
        "X019",
        why="The URL returns a page, so no URL is listed. Often it is an error page with status "
        "200, a login, or a page for visitors.",
        fix_hint="Serve the sitemap at this URL instead of the page",
        source=_ERRORS,
        bad="<!DOCTYPE html>\n<html><body><p>Not found</p></body></html>",
        good=_WHOLE,
    ),
    engine_rule(
        "X021",
        why="XML allows each attribute once; strict readers reject the file. Usually two programs "
        "added an xmlns.",
        fix_hint="Keep one of the attributes",
        source=f"{_XML}#uniqattspec",
        bad=whole(attributes=' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'),
        good=_WHOLE,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X024",
        why="A file is one document. Readers use the first, or reject the file. It comes from "
        "concatenated files.",
        fix_hint="Split it into two files, or move the entries into the first document",
        source=f"{_XML}#NT-document",
        bad=f"{_WHOLE}\n{_ENTRIES}",
        good=whole(f"{PAGE}\n{PAGE.replace('.com/', '.com/about')}"),
        fix_safety="unsafe",
    ),
    engine_rule(
        "X031",
        why="A program generates the sitemap from this file, as Jekyll does from a sitemap.xml "
        "with front matter and Liquid. Nothing else is checked in it, and it is never fixed, "
        "because its expressions are not URLs. If a server returns it unchanged, the program did "
        "not run and no URL is listed (then it is an error).",
        fix_hint="Check the generated file: the folder of the built site, or its URL",
        source="https://jekyllrb.com/docs/front-matter/",
        bad="---\nlayout: null\n---\n"
        + whole(
            "{% for page in site.pages %}<url><loc>{{ site.url }}{{ page.url }}</loc></url>"
            "{% endfor %}"
        ),
        good=_WHOLE,
    ),
)
