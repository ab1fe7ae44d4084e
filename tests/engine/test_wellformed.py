"""Well-formed or not: expat decides; the engines must agree with it on any tokens in any order."""

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import urlset
from urlset.urls import parse_url

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"

# What is said of documents that are not well-formed, and of no others.
ILL_FORMED = {
    "X002", "X003", "X004", "X005", "X006", "X007", "X008", "X009", "X020", "X021", "X024",
}  # fmt: skip

# What expat refuses and we do not report as an error, each with the reason.
TOLERATED = {
    "must not undeclare prefix": "xmlns:p='' is legal in Namespaces 1.1 and hurts nobody",
    "reserved prefix": "an xmlns:xml or xmlns:xmlns changes nothing: both are resolved by name",
    "prefix must not be bound to one of the reserved namespace names": "it is a namespace unknown",
    "duplicate attribute": "only by namespace (p:a and q:a, both bound to u); by name it is X021",
}

BODY = (
    "<url>", "</url>", "<loc>", "</loc>", "https://e.example/a", "<lastmod>2024-01-01</lastmod>",
    "<url><loc>https://e.example/b</loc></url>", "<loc/>", "<URL>", "</URL>", "<urlset>",
    "<urlset/>",
    "&amp;", "&lt;", "&quot;", "&#65;", "&#x41;", "&#x9;", "&", "& amp;", "&amp", "&foo;",
    "&eacute;",
    "&é;", "&#;", "&#xZ;", "&#0;", "&#xD800;", "&#xFFFE;", "&#1114112;", "&#x41",
    "<!-- a -->", "<!-- a -- b -->", "<!-->", "<!--->", "<!---->", "<!-- a --->", "<!--", "-->",
    "<?pi x?>", "<?pi?>", "<??>", "<? pi?>", "<?xml version='1.0'?>", "<?XML x?>", "<?xml-s x?>",
    "<?a:b x?>", "<?", "<?x ", "?>", "<![CDATA[x]]>", "<![CDATA[<&]]>", "<![cdata[x]]>",
    "<![CDATA[",
    "]]>", "<!ELEMENT x>", "<!", "<!-", "<", ">", '"', "'", "=", "/", " ", "\n", "\r\n", "\t",
    "\x01", "\x7f", "\x85", "\ufffe", "\ufeff", "é", "\U0001f40d",
    "<x>", "</x>", "<x/>", "<x />", "</x >", "</x a='1'>", "</ x>", "< x/>", "<x.y-z_1/>", "<1x/>",
    "<-x/>", "<é/>", "<url", "<url ", "</url", "</", "<a", "<a b='", " a='1'", "<x\n a='1'\n/>",
    "<x a='1'/>", '<x a="1" b="2"/>', '<x a="1"b="2"/>', "<x a=1/>", "<x a/>", "<x a='<'/>",
    "<x a='&'/>", "<x a='&amp;'/>", "<x a='&foo;'/>", "<x a='>'/>", "<x a='1' a='2'/>",
    "<x a = '1' />",
    "<x a='1'/", "<x /a/>", "<x a='1' / >", "<x a='1\n2'/>", "<x a='\x01'/>", "<x a='&lt;'/>",
    "<p:x/>", "<p:x xmlns:p='u'/>", "<x xmlns:p='u'>", "<p:x>", "</p:x>", "<x p:a='1'/>", "<x:/>",
    "<x xmlns:p='u' xmlns:q='u' p:a='1' q:a='2'/>", "<x xmlns=''/>", "<x xmlns:p=''/>", "<:x/>",
    "<x xmlns:xml='u'/>", "<x xml:lang='de'/>", "<xml:x/>", "<p:q:x xmlns:p='u'/>", "<xmlns:x/>",
)  # fmt: skip
PROLOG = (
    "<?xml version='1.0'?>", '<?xml version="1.0" encoding="UTF-8"?>', "<?xml version = '1.1' ?>",
    "<?xml version='1.0' standalone='yes'?>", "<?xml encoding='UTF-8'?>",
    "<?xml version='1.0' x='1'?>",
    "<?xml version='1.0' encoding='UTF-8;'?>", "<?xml version=\"1.0' ?>", "<?xml version='1.0'>",
    "<?xml?>", "<?XML version='1.0'?>", "<?xml version='1.0' standalone='maybe'?>",
    "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>", "<?xml version='1.0' encoding=''?>",
    "<?xml version='1.0'encoding='UTF-8'?>", " ", "\n", "\ufeff", "\0", "x", "<!-- a -->",
    "<!-- a -- b -->", "<?pi x?>", "<?pi:x x?>", "<? x?>",
    "<?xml-stylesheet type='text/css' href='x'?>",
    "<!DOCTYPE urlset>", "<!DOCTYPE urlset [<!ENTITY foo 'bar'>]>", "<!DOCTYPE urlset []>",
    "<!doctype urlset>", "<!DOCTYPE  urlset  >", "<!DOCTYPE>", "<!-- <urlset> -->", "<br>", "<br/>",
    "<!", "&nbsp;", "<?pi", "<![CDATA[x]]>", "]]>",
)  # fmt: skip
EPILOG = (
    "\n", "<!-- a -->", "<!-- a -- b -->", "<?pi x?>", "x", "&amp;", "<x/>", "\0", "</urlset>",
    "<?xml version='1.0'?>", "<!DOCTYPE x>", "<", "<!--", "<?pi", "<![CDATA[]]>", "<url/>",
    "\ufeff",
)  # fmt: skip


def soup(tokens: tuple[str, ...], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(tokens), max_size=most).map("".join)


def expat_error(data: bytes) -> str | None:
    parser = expat.ParserCreate(namespace_separator=" ")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        return str(error)
    return None


def check(engine_name: str, data: bytes) -> None:
    error = expat_error(data)
    problems = urlset.parse(data, engine=engine_name).problems
    if [problem.code for problem in problems] == ["X031"]:
        return  # a template, such as one with "<?=" of PHP: nothing else is checked in it
    if error is None:
        assert not ILL_FORMED & {problem.code for problem in problems}
    elif not error.startswith(tuple(TOLERATED)):
        assert any(problem.level == "error" for problem in problems), error


@given(
    prolog=soup(PROLOG, 3), body=soup(BODY, 5), end=st.sampled_from(["</urlset>"] * 9 + [""]),
    epilog=soup(EPILOG, 2),
)  # fmt: skip
@example(prolog="<!-- a --><?xml version='1.0'?>", body="", end="</urlset>", epilog="")
@example(prolog="", body="<?=", end="</urlset>", epilog="")
@example(prolog="<!DOCTYPE urlset><!DOCTYPE urlset>", body="", end="</urlset>", epilog="")
def test_expat_decides_for_any_soup_of_tokens(engine, prolog, body, end, epilog):
    check(engine.name, f'{prolog}<urlset xmlns="{CORE}">{body}{end}{epilog}'.encode())


@pytest.mark.parametrize("token", BODY)
def test_expat_decides_for_each_token_of_a_body(engine, token):
    check(engine.name, f'<urlset xmlns="{CORE}">{token}</urlset>'.encode())
    check(engine.name, f'<urlset xmlns="{CORE}"><url>{token}</url></urlset>'.encode())
    check(engine.name, f'<urlset xmlns="{CORE}"><url><loc>{token}</loc></url></urlset>'.encode())


@pytest.mark.parametrize("token", PROLOG)
def test_expat_decides_for_each_token_of_a_prolog(engine, token):
    for text in (token, f"<?xml version='1.0'?>{token}", f"<!-- a -->{token}"):
        check(engine.name, f'{text}<urlset xmlns="{CORE}"></urlset>'.encode())


@pytest.mark.parametrize("token", EPILOG)
def test_expat_decides_for_each_token_of_an_epilog(engine, token):
    check(engine.name, f'<urlset xmlns="{CORE}"></urlset>{token}'.encode())


# ── locs of well-formed sitemaps ──

CHARACTERS = st.characters(
    codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"
)
TAILS = st.text(CHARACTERS | st.sampled_from("&<>\"' %?#/"), max_size=12)
LOCS = TAILS.map(lambda tail: f"https://e.example/{tail}")


@st.composite
def values(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text in one of the ways that XML has to write it."""
    pieces = []
    for character in draw(texts):
        forms = [escape(character), f"&#{ord(character)};", f"&#x{ord(character):x};"]
        forms += [f"<![CDATA[{character}]]>", f"<!-- x -->{escape(character)}", escape(character)]
        pieces.append(
            forms[draw(st.integers(0, 30)) % 30 % len(forms)]
            if draw(st.booleans())
            else escape(character)
        )
    return "".join(pieces)


BETWEEN = st.sampled_from(["", "", "\n  ", "<!-- <url><loc>no</loc></url> -->", "<?pi ?>", "\r\n"])
OTHERS = st.sampled_from(
    [
        "<lastmod>2024-01-01</lastmod>",
        "<i:image><i:loc>https://e.example/i</i:loc></i:image>",
        '<x:y a="1"><x:loc>https://e.example/no</x:loc><loc xmlns="u">https://e.example/no</loc></x:y>',
        f"<x:loc z={quoteattr('<&>')}>https://e.example/no</x:loc>",
    ]
)


@st.composite
def sitemaps(draw: st.DrawFn) -> str:
    prefix = draw(st.sampled_from(["", "s:"]))
    name = "xmlns" + (":s" if prefix else "")
    entries = []
    for _ in range(draw(st.integers(0, 4))):
        parts = [
            f"<{prefix}loc>{draw(values(LOCS))}</{prefix}loc>",
            *draw(st.lists(OTHERS, max_size=2)),
        ]
        parts = [
            part.replace("<lastmod>", f"<{prefix}lastmod>").replace(
                "</lastmod>", f"</{prefix}lastmod>"
            )
            for part in draw(st.permutations(parts))
        ]
        inner = draw(BETWEEN).join(parts)
        entries.append(f"<{prefix}url>{inner}{draw(BETWEEN)}</{prefix}url>{draw(BETWEEN)}")
    head = draw(st.sampled_from(["", '<?xml version="1.0" encoding="UTF-8"?>', "<!-- a -->"]))
    spaces = (
        f'{name}="{CORE}" xmlns:x="urn:x" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'
    )
    return f"{head}<{prefix}urlset {spaces}>{''.join(entries)}</{prefix}urlset>"


def element_tree_locs(text: str) -> Iterator[str]:
    for loc in ElementTree.fromstring(text.encode()).findall(f"{{{CORE}}}url/{{{CORE}}}loc"):
        yield "".join(loc.itertext())


@given(text=sitemaps())
def test_locs_are_those_of_element_tree(engine, text):
    document = urlset.parse(text.encode(), engine=engine.name)

    assert document.kind == "urlset"
    assert not ILL_FORMED & {problem.code for problem in document.problems}
    expected = [parse_url(loc).url for loc in element_tree_locs(text)]
    assert [entry.loc for entry in document.entries] == [url for url in expected if url is not None]
