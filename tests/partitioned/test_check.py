"""A check in parts finds what one check of the whole source finds, however it is divided."""

import pickle
import random
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from tests.example_site import is_answered
from tests.http_walks import quick
from tests.site_box import SiteBox, index_of, urlset_of
from urlset.checker import CATALOGUE, Rule
from urlset.checker.examples import documents_of
from urlset.partitioned import FINDING_COLUMNS, ReadPart, check, plan

HOST = "https://example.com"
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
COLUMNS = [name for name, _ in FINDING_COLUMNS]
SET_RULES = sorted(rule.code for rule in CATALOGUE.values() if rule.partition != "document")


def in_parts(parts: list[ReadPart], **options: Any) -> Counter[tuple[Any, ...]]:
    """Check parts as other processes do, from a pickle."""
    found: Counter[tuple[Any, ...]] = Counter()
    for batch in check(pickle.loads(pickle.dumps(parts)), now=MOMENT, **options):
        found.update(zip(*(batch.column(name).to_pylist() for name in COLUMNS), strict=True))
    return found


def whole(source: Any, **options: Any) -> Counter[tuple[Any, ...]]:
    findings = urlset.check(source, now=MOMENT, **options)
    return Counter(tuple(getattr(one, name) for name in COLUMNS) for one in findings)


def random_loc(chosen: random.Random) -> str:
    """Return one of few pages, written in one of many ways."""
    page = chosen.choice("abcdef")
    forms = ["/{}", "/{}", "/{}", "/{}/", "/%6{}", "/x/../{}", "/shop/{}", "/{}?q=1", "/cart/{}"]
    starts = [HOST, HOST, HOST, HOST, "http://example.com", "https://www.example.com"]
    starts += ["https://b.example.org", "https://EXAMPLE.com:443", "https://bücher.example.com"]
    return chosen.choice(starts) + chosen.choice(forms).format(
        page.upper() * 2 if chosen.random() < 0.05 else page
    )


def random_entry(chosen: random.Random) -> str:
    parts = [f"<loc>{random_loc(chosen)}</loc>"]
    day = f"20{chosen.randint(24, 27)}-11-{chosen.randint(10, 20)}"
    if chosen.random() < 0.7:
        parts.append(f"<lastmod>{day}{chosen.choice(['', 'T08:00:00Z', 'T09:00:00Z'])}</lastmod>")
    if chosen.random() < 0.2:
        parts.append(f"<priority>0.{chosen.randint(1, 9)}</priority>")
    if chosen.random() < 0.5:
        for language in chosen.sample(["en", "de", "fr", "x-default"], chosen.randint(1, 3)):
            href = f"{HOST}/{chosen.choice('abcdefgh')}"
            parts.append(f'<xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>')
    if chosen.random() < 0.2:
        image = chosen.choice([f"{HOST}/cart/1.png", "https://b.example.org/private/2.png"])
        parts.append(f"<image:image><image:loc>{image}</image:loc></image:image>")
    return f"<url>{''.join(parts)}</url>\n"


HEAD = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
)


def random_set(chosen: random.Random) -> dict[str, bytes]:
    """Return documents that repeat, link to and contradict each other, some of them damaged."""
    names = [f"{'shop/' * chosen.randint(0, 1)}{n}.xml" for n in range(chosen.randint(2, 6))]
    names += ["news-images.xml.gz"] * chosen.randint(0, 1)
    found: dict[str, bytes] = {}
    for name in names:
        entries = [random_entry(chosen) for _ in range(chosen.randint(0, 12))]
        body = f"{HEAD}{''.join(entries)}</urlset>".encode()
        kind = chosen.random()
        if kind < 0.2:
            body = index_of(
                f"{HOST}/{other}" for other in chosen.choices([*names, "gone.xml"], k=4)
            )
        elif kind < 0.3:
            body = "\n".join(random_loc(chosen) for _ in range(5)).encode()
        if chosen.random() < 0.15:
            place = chosen.randrange(len(body))
            body = chosen.choice([body[:place], body[:place] + b"<\0&" + body[place:]])
        found[name] = body
    lines = ["User-agent: *", "Disallow: /cart/", f"Sitemap: {HOST}/{chosen.choice(names)}"]
    if chosen.random() < 0.7:
        found["robots.txt"] = "\n".join(lines).encode()
    return found


@pytest.mark.slow
@settings(max_examples=amount(5, 100))
@given(st.integers(0, 2**32), st.booleans())
def test_a_divided_check_of_a_random_set_equals_one_check(tmp_path_factory, seed, is_folder):
    chosen = random.Random(seed)
    documents = random_set(chosen)
    source: Any = {f"{HOST}/{name}": body for name, body in documents.items()}
    if chosen.random() < 0.3:
        source["https://b.example.org/robots.txt"] = b"User-agent: *\nDisallow: /private/\n"
    options: dict[str, Any] = {}
    if is_folder:
        source = tmp_path_factory.mktemp("set")
        for name, body in documents.items():
            Path(source, name).parent.mkdir(exist_ok=True)
            Path(source, name).write_bytes(body)
        options["base_url"] = f"{HOST}/" if chosen.random() < 0.8 else None
    rules = {"extend_select": ["P501", "U017", "H011", "D012"]}

    expected = whole(source, **options, **rules)
    parts = plan(source, part_bytes=chosen.choice([1, 2_000, 1 << 20]), **options)
    found = in_parts(parts, buckets=chosen.choice([1, 2, 3]), **rules)

    assert found == expected


RULES = [rule for rule in CATALOGUE.values() if not rule.is_live and not is_answered(rule.page.bad)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.slow
def test_each_rule_finds_its_example_in_parts(rule: Rule):
    documents = documents_of(rule.page.bad)
    profile = next(iter(sorted(rule.profiles)), None)
    options: dict[str, Any] = {"select": [rule.code], "profile": profile}
    size = max(1, sum(map(len, documents.values())) // 3)

    expected = whole(documents, **options)

    assert expected
    assert in_parts(plan(documents, part_bytes=size), buckets=2, **options) == expected


def test_a_small_set_has_the_findings_of_one_check():
    pages = urlset_of(HOST, 2)
    documents = {f"{HOST}/a.xml": pages, f"{HOST}/shop/b.xml": pages.replace(b"/1<", b"/cart/<")}
    documents[f"{HOST}/robots.txt"] = b"User-agent: *\nDisallow: /cart/\n"
    options: dict[str, Any] = {"select": SET_RULES, "ignore": ["D", "I"]}

    found = in_parts(plan(documents, part_bytes=1), buckets=2, **options)

    assert found == whole(documents, **options)
    assert {row[1] for row in found} == {"R001", "R010", "R013", "U029", "U501"}


@pytest.mark.slow
def test_sites_are_checked_without_a_second_request(box: SiteBox):
    box.put_urlset("/a.xml", 3)
    box.put_urlset("/b.xml", 3)
    box.put_index("/i.xml", ["/a.xml", "/b.xml", "/gone.xml"])
    box.put_robots("Sitemap: /i.xml")

    expected = whole(box.url("/i.xml"), policy=quick())
    requests = len(box.paths)
    found = in_parts(plan(box.url("/i.xml"), policy=quick()), buckets=2)

    places = {COLUMNS.index(name) for name in ("line", "column", "offset")}
    without = [
        Counter(tuple(v for n, v in enumerate(row) if n not in places) for row in rows.elements())
        for rows in (found, expected)
    ]
    assert without[0] == without[1] != {}
    assert len(box.paths) == 2 * requests


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buckets": 0}, "buckets: expected 1 or more"),
        ({"select": ["U9999"]}, "expected the name or the code of a rule"),
        ({"profile": "altavista"}, "altavista"),
    ],
)
def test_invalid_options_raise_before_reading(options: dict[str, Any], message: str):
    with pytest.raises((ValueError, TypeError), match=message):
        check(plan(b"https://example.com/"), **options)
