"""Fill the tables of a store with an imaginary site that was audited."""

from typing import NamedTuple

from urlset.live.schemas import VISIT_SCHEMA
from urlset.model import Level
from urlset.store import Store

BASE = "https://shop.example.com"
HOSTILE_TITLE = "</script><script>alert(1)</script>\u202egpj.exe<img src=x onerror=alert(2)>"

# Section, share of the URLs in percent, and of these the percentages that redirect, fail, are not
# indexable, are unknown; median time to the first byte in seconds.
SECTIONS = """
('shop', 34, 9, 1, 2, 0, 0.21), ('blog', 22, 1, 1, 1, 0, 0.12), ('products', 18, 2, 0, 7, 1, 0.26),
('search', 6, 0, 4, 31, 6, 0.95), ('de', 7, 1, 0, 1, 0, 0.14), ('fr', 6, 1, 3, 1, 0, 0.15),
('news', 3, 0, 0, 0, 0, 0.09), ('help', 2, 0, 0, 0, 0, 0.11), ('about', 1, 0, 12, 0, 0, 0.10),
('legal', 1, 0, 0, 0, 0, 0.08)"""

FACTS = """
CREATE TABLE facts AS
WITH sections AS (
    SELECT *, sum(percent) OVER (ORDER BY percent DESC, name) AS high
    FROM (VALUES {sections}) s(name, percent, redirects, fails, hidden, unknowns, half))
SELECT n, name AS section, * EXCLUDE (n, name), (n * 7919) % 1000 / 1000.0 AS noise,
    (n // 100 * 37 + n * 11) % 100 AS dice,
    concat('{base}/', name, '/',
        (['shoes', 'archive', 'outlet', 'new', 'care', 'kids'])[1 + (n * 7 + n // 100) % 6],
        '/page-', n) AS url
FROM range({all}) r(n) JOIN sections ON n % 100 >= high - percent AND n % 100 < high"""

JUDGED = """
CREATE TABLE judged AS
SELECT *, dice >= 100 - hidden AS is_hidden,
    CASE
        WHEN dice < redirects THEN 'redirect'
        WHEN dice < redirects + fails THEN if(n % 3 = 0, 'soft-404', 'gone')
        WHEN dice < redirects + fails + unknowns THEN 'unknown'
        ELSE 'ok'
    END AS verdict
FROM facts"""

PAGES = """
INSERT INTO pages BY NAME
SELECT url, section, 1 AS crawl, verdict, 'Page ' || n AS title,
    CASE verdict WHEN 'redirect' THEN 301 WHEN 'gone' THEN 404 WHEN 'unknown' THEN 429 ELSE 200 END
        AS status,
    if(verdict = 'unknown', 'http-429', NULL) AS unknown_reason,
    is_hidden AND n % 2 = 0 AS is_noindex,
    if(is_hidden AND n % 2 = 1, '{base}/other', url) AS canonical,
    verdict = 'ok' AND NOT is_hidden AS is_indexable,
    n < {count} AS is_listed, n % 23 <> 0 OR n >= {count} AS is_linked, n % 4 <> 1 AS is_visited,
    round(half * (0.55 + 0.9 * noise + 3 * noise ** 9), 4) AS first_byte_s, 1.0 AS seconds,
    false AS is_from_cache, [] AS alternates
FROM judged"""

FRONTIER = """
INSERT INTO frontier BY NAME
SELECT url, section, 'done' AS state, [if(n < {count}, 'sitemap', 'link')] AS origins FROM facts"""

CRAWL = """
INSERT INTO crawls BY NAME
SELECT 1 AS crawl, 'audit' AS kind, '{base}' AS site, {is_complete} AS is_complete,
    if({is_complete}, [], ['--max-pages 50000 was reached', '312 pages are unknown']) AS reasons"""

DOCUMENTS = """
INSERT INTO documents BY NAME
SELECT d AS document, '{base}/sitemap-' || d || '.xml' AS source, 'urlset' AS kind
FROM range(4) r(d)"""

# A third of the dates are from one build, the others from three years; a ninth is missing.
ENTRIES = """
INSERT INTO entries BY NAME
SELECT n % 4 AS document, n // 4 + 1 AS entry, url AS loc, []::{alternates} AS alternates,
    CASE
        WHEN n % 9 < 3 THEN '2026-09-14 04:00:00Z'::TIMESTAMPTZ
        WHEN n % 9 > 3 THEN '2026-11-20 10:00:00Z'::TIMESTAMPTZ
            - to_days(((noise ** 2.2) * 1200)::INTEGER)
    END AS lastmod
FROM facts WHERE n < {count}"""

# French pages omit the Spanish ones, and a tenth of the German pages omit the English ones.
LANGUAGES = """
INSERT INTO pages BY NAME
WITH languages AS (SELECT unnest(['en', 'de', 'fr', 'es']) AS language)
SELECT concat('{base}/', a.language, '/t/', c) AS url, a.language AS section, 1 AS crawl,
    'ok' AS verdict, 200 AS status, true AS is_indexable, false AS is_listed, true AS is_linked,
    true AS is_visited, 0.1 AS first_byte_s,
    list({{'hreflang': b.language, 'href': concat('{base}/', b.language, '/t/', c),
        'origin': 'head'}} ORDER BY b.language) AS alternates
FROM range({clusters}) r(c), languages a, languages b
WHERE NOT (a.language = 'fr' AND b.language = 'es')
    AND NOT (a.language = 'de' AND b.language = 'en' AND c % 10 = 0)
GROUP BY a.language, c"""


class Found(NamedTuple):
    """Finding with the fields that the report shows."""

    code: str
    level: Level
    message: str
    loc: str | None
    source: str | None = f"{BASE}/sitemap-1.xml"
    line: int | None = 3
    basis: str = "observed"


def fill(store: Store, count: int, *, is_complete: bool = True) -> None:
    """Fill the tables with ``count`` listed URLs and a tenth of that number that are not listed."""
    store.add(VISIT_SCHEMA)
    values = {
        "base": BASE,
        "sections": SECTIONS,
        "count": count,
        "all": count + count // 10,
        "is_complete": is_complete,
        "clusters": min(400, count // 40),
        "alternates": "STRUCT(hreflang VARCHAR, href VARCHAR, media VARCHAR)[]",
    }
    steps = (FACTS, JUDGED, PAGES, FRONTIER, CRAWL, DOCUMENTS, ENTRIES, LANGUAGES)
    with store.session() as session:
        for step in steps:
            session.run(step.format(**values))


def findings(store: Store) -> list[Found]:
    """Return a finding for each listed URL that is not ok, and some with a hostile text."""
    codes: dict[str, tuple[str, Level]] = {
        "redirect": ("N003", "warning"),
        "gone": ("N001", "error"),
        "soft-404": ("N007", "error"),
        "unknown": ("N012", "info"),
    }
    query = (
        "SELECT url, verdict, status FROM pages WHERE is_listed AND verdict <> 'ok' ORDER BY url"
    )
    found = []
    with store.session() as session:
        for number, (url, verdict, status) in enumerate(session.rows(query)):
            code, level = codes[verdict]
            basis = "unknown" if verdict == "unknown" else "observed"
            found.append(Found(code, level, f"answers {status}", url, basis=basis))
            if number < 700:
                loc = "javascript:alert(1)" if number % 7 == 0 else url
                found.append(Found("U012", "warning", f"title: {HOSTILE_TITLE}", loc))
    return found
