"""Templates: a kind of its own, with one finding, never read as a sitemap and never fixed."""
# ruff: noqa: E501 - templates as their programs write them

from __future__ import annotations

import pytest

from tests.cli.test_commands import NS, command
from urlset import check, fix, parse
from urlset.engine import Engine
from urlset.errors import SourceError
from urlset.reader import read

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
JEKYLL = f"""---
layout: null
---
{XML}<urlset {NS}>
{{% for post in site.posts %}}
  <url>
    <loc>{{{{ site.url }}}}{{{{ post.url }}}}</loc>
    {{% if post.lastmod == null %}}<lastmod>{{{{ post.date | date_to_xmlschema }}}}</lastmod>{{% endif %}}
  </url>
{{% endfor %}}
</urlset>
"""
FOUND = {
    "Jekyll": JEKYLL,
    "Jekyll, a blank line first": "\n" + JEKYLL,
    "Jekyll, CRLF and a byte order mark": "\ufeff" + JEKYLL.replace("\n", "\r\n"),
    "Liquid without front matter": JEKYLL.split("---\n")[2],
    "Hugo": f"{XML}<urlset {NS}>\n{{{{ range .Data.Pages }}}}<url><loc>{{{{ .Permalink }}}}</loc></url>"
    "{{ end }}</urlset>",
    "Hugo, escaped declaration": '{{ printf "<?xml version=\\"1.0\\"?>" | safeHTML }}\n'
    f"<urlset {NS}>{{{{ range .Pages }}}}<url><loc>{{{{ .Permalink }}}}</loc></url>{{{{ end }}}}</urlset>",
    "front matter of TOML": f"+++\ntitle = 'a'\n+++\n<urlset {NS}></urlset>",
    "Django": f"{XML}<urlset {NS}>{{% spaceless %}}{{% for url in urlset %}}<url><loc>{{{{ url.location }}}}"
    "</loc></url>{% endfor %}{% endspaceless %}</urlset>",
    "Twig with a comment": f"{XML}{{# all pages #}}<urlset {NS}><url><loc>https://e.com/</loc></url></urlset>",
    "ERB": f"{XML}<urlset {NS}><% @pages.each do |page| %><url><loc><%= page.url %></loc></url><% end %></urlset>",
    "JSP": f'<%@ page contentType="text/xml" %><urlset {NS}><url><loc>https://e.com/</loc></url></urlset>',
    "PHP": f"<?php header('Content-Type: text/xml'); ?>\n<urlset {NS}><?php foreach ($a as $b) {{ ?><url><loc>"
    "<?= $b ?></loc></url><?php } ?></urlset>",
    "only locs": f"<urlset {NS}><url><loc>{{{{ site.url }}}}/</loc></url><url><loc> {{{{ site.url }}}}/a</loc>"
    "<lastmod>2026-01-31</lastmod></url></urlset>",
    "only locs, in sections": f"<urlset {NS}><url><loc><![CDATA[<?= $url ?>]]></loc></url></urlset>",
    "a list": "{% for page in pages %}\n{{ page.url }}\n{% endfor %}\n",
    "an index": f"<sitemapindex {NS}>{{% for s in sitemaps %}}<sitemap><loc>{{{{ s }}}}</loc></sitemap>"
    "{% endfor %}</sitemapindex>",
    "a feed": '---\n---\n<feed xmlns="http://www.w3.org/2005/Atom"><id>{{ site.url }}</id></feed>',
}
PAGE = "<url><loc>https://e.com/{}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>\n"
DECOYS = {
    "one loc": PAGE.format("{{slug}}"),
    "every loc": PAGE.format("{{slug}}") + PAGE.format("a/{{ slug }}/{% a %}"),
    "one of three begins with one": PAGE.format("a")
    + PAGE.format("b")
    + "<url><loc>{{ url }}</loc></url>",
    "JSON in a URL": PAGE.format("?q={%22a%22:{%22b%22:1}}") + PAGE.format("?q={{%22a%22}}"),
    "a comment": "<!-- {% for page in pages %} <?php a(); ?> <% b %> {{ c }} -->"
    + PAGE.format("a"),
    "a title": PAGE.format("a").replace(
        "</url>",
        '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>'
        "https://e.com/a.png</image:loc><image:title>How to use {% raw %} and {{ x }} in Liquid"
        "</image:title></image:image></url>",
    ),
    "a section": PAGE.format("a").replace(
        "https://e.com/a", "<![CDATA[https://e.com/?a={{b}}&c=<%d%>]]>"
    ),
    "an instruction": "<?xml-stylesheet type='text/css' href='{{a}}.css'?>" + PAGE.format("a"),
    "an alternate": PAGE.format("a").replace(
        "</url>",
        '<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" '
        'href="https://e.com/{{slug}}"/></url>',
    ),
    "an element whose name is not ASCII": PAGE.format("a").replace(
        "</url>", '<p:Größe xmlns:p="https://e.com/ns">{{ a }}</p:Größe></url>'
    ),
    "an attribute with a greater-than sign": PAGE.format("a").replace(
        "</url>",
        '<p:a xmlns:p="https://e.com/ns" b="1 > {{ c }}" d=\'2 > {% e %}\'>x</p:a></url>',
    ),
    "far behind": PAGE.format("a") * 2_000 + "{% endfor %}",
}


@pytest.mark.parametrize("name", FOUND)
def test_a_template_is_a_kind_of_its_own_with_one_problem(name: str, engine: Engine) -> None:
    document = parse(FOUND[name].encode(), engine=engine.name)

    assert (document.kind, len(document.entries), document.sitemaps) == ("template", 0, [])
    assert [(problem.code, problem.level) for problem in document.problems] == [("X031", "warning")]


@pytest.mark.parametrize("name", DECOYS)
def test_a_sitemap_with_braces_in_it_is_a_sitemap(name: str, engine: Engine) -> None:
    data = f"{XML}<urlset {NS}>\n{DECOYS[name]}</urlset>\n".encode()
    document = parse(data, engine=engine.name)
    assert document.kind == "urlset"
    assert len(document.entries) >= 1
    assert "X031" not in {problem.code for problem in document.problems}


@pytest.mark.parametrize(
    "data", [b"https://e.com/{{a}}\n", b'{"loc": "https://e.com/{{a}}"}\n', b"---\n"]
)
def test_what_only_looks_like_a_template_is_none(data: bytes) -> None:
    assert parse(data).kind != "template"


def test_all_a_check_says_of_a_template_is_that_it_is_one() -> None:
    found = check(
        JEKYLL.encode(), base_url="https://e.com/sitemap.xml", extend_select=["X017", "P004"]
    )
    assert [finding.code for finding in found] == ["X031"]
    served = check({"https://e.com/sitemap.xml": JEKYLL.encode()}, ignore=["R"])
    assert [(finding.code, finding.level) for finding in served] == [("X031", "error")]


@pytest.mark.parametrize("name", FOUND)
def test_no_fix_touches_a_template(name: str, tmp_path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(FOUND[name], newline="")
    for source in (tmp_path, path, path.read_bytes()):
        assert fix(source, unsafe=True, extend_select=["X", "S", "P001"]).documents == []


def test_a_template_in_a_repository_does_not_fail_the_hook(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "sitemap.xml").write_text(JEKYLL)
    urlset = command(capsys, monkeypatch, tmp_path)

    ran = urlset("check", "sitemap.xml", "--fix")

    assert ran.code == 0
    assert "X031[template]" in ran.out
    assert "1 finding" in ran.out
    assert (tmp_path / "sitemap.xml").read_text() == JEKYLL


def test_read_and_build_say_that_a_template_is_no_sitemap(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "sitemap.xml").write_text(JEKYLL)
    (tmp_path / "feed.xml").write_text(FOUND["a feed"])
    entries = read(tmp_path)
    assert list(entries) == []
    assert [record.kind for record in entries.documents] == ["template"]
    assert "found a template" in (entries.documents[0].error or "")
    (tmp_path / "sitemap.xml").unlink()
    with pytest.raises(SourceError, match="found none"):
        list(read(tmp_path))
