"""Rules over the view of unusual URLs find the same as over all locs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from urlset.checker import CATALOGUE, Rule, check

_ODD = re.compile(r"\bunusual_urls\b")
ASKING = {
    code: rule
    for code, rule in CATALOGUE.items()
    if rule.view == "unusual_urls" or _ODD.search(rule.sql or "")
}


def of_all_locs() -> Iterator[Rule]:
    """The same rules, asking all locs."""
    for code, rule in ASKING.items():
        sql = None if rule.sql is None else _ODD.sub("locs", rule.sql)
        view = "locs" if rule.view == "unusual_urls" else rule.view
        yield replace(rule, code=f"Z{code}", name=f"all-{rule.name}", view=view, sql=sql)


HOSTS = [
    "example.com",
    "EXAMPLE.com",
    "www.example.co.uk",
    "a-b.example",
    "a.b-c",
    "1.example.com",
    "example.c",
    "example.1com",
    "example.com.",
    "-example.com",
    "example",
    "localhost",
    "site.local",
    "site.test",
    "internal",
    "staging.internal",
    "site.localhost",
    "site.arpa",
    "home.lan",
    "192.168.1.1",
    "10.0.0.1",
    "127.0.0.1",
    "8.8.8.8",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[2001:db8::1]",
    "bücher.example.com",
    "xn--bcher-kva.example.com",
    "user@example.com",
    "user:secret@example.com",
    "ex_ample.com",
    "exa%6Dple.com",
]
PORTS = ["", "", "", ":", ":80", ":443", ":8080", ":0", ":99999"]
PIECES = [
    *"abcZ019-_~.:;,!$&'()*+=@|^`\\\"<>{}[]%#? \t\u00a0\u200bßüñ你🦀",
    *"/ // /./ /../ /. /.. ./".split(),
    *"%20 %2F %7b %7D %5Bslug%5D %25 %2525 %e4 %E4 %GG %1 %".split(),
    *"null undefined NaN /null/ =null __slug__ /__slug__/ __URL__ :id /:id [slug]".split(),
    *"{slug} ${url} {{x}} {%x%} <%=x%> <int:id> %s %(x)s %PUBLIC_URL% [object%20Object]".split(),
    *"index.html a.php b.aspx a.jpg .JPG a.pdf .zip .htm .html .xml .txt .css".split(),
    *"sitemap.xml sitemap_1.xml.gz robots.txt /sitemap/ sitemap.txt news-sitemap.xml".split(),
    *"utm_source=x ?a=b&c=d ?q=null& ;jsessionid=1 (S(x)) https://other.example/".split(),
]


def urls() -> st.SearchStrategy[str]:
    """URLs of which about half are plain but for one piece."""
    tails = st.lists(
        st.sampled_from(PIECES) | st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")),
        max_size=6,
    )
    return st.builds(
        lambda scheme, host, port, slash, tail: f"{scheme}://{host}{port}{slash}{''.join(tail)}",
        st.sampled_from(["https", "https", "http", "HTTPS", "Http"]),
        st.sampled_from(HOSTS),
        st.sampled_from(PORTS),
        st.sampled_from(["/", "/", "/a/b", "?", "#", ""]),
        tails,
    )


def document_of(locs: list[str], root: str, row: str) -> bytes:
    rows = "".join(f"<{row}><loc>{escape(loc)}</loc></{row}>\n" for loc in locs)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</{root}>'.encode()


EACH = [
    f"https://example.com/{before}{piece}{after}"
    for before, after in (("a", "b"), ("", ""), ("a?b=", ""), ("a/", "/b"))
    for piece in PIECES
] + [f"https://{host}{port}/a" for host in HOSTS for port in PORTS]
BASES = st.sampled_from([None, "https://example.com/sitemap.xml"])
KINDS = st.sampled_from([("urlset", "url"), ("sitemapindex", "sitemap")])


@pytest.mark.slow
@settings(max_examples=20)  # of many URLs each: a check costs the same for one as for a hundred
@given(locs=st.lists(urls(), min_size=60, max_size=120), base=BASES, kind=KINDS)
@example(locs=EACH, base=None, kind=("urlset", "url"))
@example(locs=EACH, base="https://example.com/sitemap.xml", kind=("sitemapindex", "sitemap"))
def test_odd_leaves_out_nothing_that_a_rule_objects_to(locs, base, kind):
    data = document_of(locs, *kind)
    both = [*ASKING, *(f"Z{code}" for code in ASKING)]

    findings = list(
        check(data, base_url=base, select=both, rules=list(of_all_locs()), follow=False)
    )

    among_odd = {(f.code, f.loc, f.line, f.message) for f in findings if f.code in ASKING}
    among_all = {(f.code[1:], f.loc, f.line, f.message) for f in findings if f.code[0] == "Z"}
    assert among_odd == among_all


def test_odd_is_asked_by_rules():
    assert {"U007", "U012", "U019", "U020", "U021"} <= set(ASKING)
