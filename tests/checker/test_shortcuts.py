"""Fast paths of the check, compared with slow references."""

from __future__ import annotations

import random
import re

import duckdb
import pytest

from urlset.checker import check
from urlset.checker.macros import COMMON_LOC, IS_COMPLEX, MACROS, PLAIN_LOC, not_words

WORDS = "local localhost lan test".split()
HOSTS = "com co.uk lan land local locals localhost localhosts 1a test x-y".split()
PIECES = (
    "a b- null nullx undefined NaN Na __ __x__ .html .php .txt / ? & = %41 ~ # . // : @".split()
)
SHAPE = re.compile(
    r"https?://([a-z0-9-]+\.)+[a-z][a-z0-9-]*/([\w~-]+/)*([\w~-]+(\.html?|\.php|\.aspx?)?)?"
    r"(\?[\w=&~-]*)?"
)
REFUSED = re.compile(
    r"\.(lan|local|localhost|test)/|[/=](undefined|null|NaN|__[a-z]+__)([/?&]|$)", re.MULTILINE
)


def test_others_is_every_name_but_the_words():
    names = {word[:size] + end for word in WORDS for size in range(9) for end in ("", *"alnstx")}
    names -= {""}

    pattern = re.compile(not_words(WORDS, "acdehlnostx", "acdehlnostx"))

    assert {name for name in names if not pattern.fullmatch(name)} == set(WORDS)


def test_others_also_longer_refuses_what_begins_with_a_word():
    names = "loc local locals lan land la t te tes test tests a".split()

    pattern = re.compile(
        not_words(["local", "lan", "test"], "acdelnost", "acdelnost", also_longer=True)
    )

    assert [name for name in names if pattern.fullmatch(name)] == "loc la t te tes a".split()


def test_others_in_any_case_are_of_ascii():
    pattern = re.compile(not_words(["no"], "nok", "nok", also_longer=True, any_case=True))

    found = [
        name for name in "no No nO nox k K ok KO n N \u212a".split() if pattern.fullmatch(name)
    ]

    assert found == "k K ok KO n N".split()


def test_plain_loc_has_nothing_that_is_refused():
    seed = random.randrange(1 << 32)
    chosen = random.Random(seed)
    locs = [
        f"https://www.{chosen.choice(HOSTS)}/{''.join(chosen.choices(PIECES, k=size % 7))}"
        for size in range(20_000)
    ]

    plain = [loc for loc in locs if re.fullmatch(PLAIN_LOC, loc)]

    assert len(plain) > 1_000, seed
    assert all(SHAPE.fullmatch(loc) and not REFUSED.search(loc) for loc in plain), seed
    missed = [loc for loc in locs if SHAPE.fullmatch(loc) and not REFUSED.search(loc)]
    assert all(re.search("[/=](undefined|null|NaN|__)", loc) for loc in {*missed} - {*plain}), seed


def test_common_loc_is_plain_and_has_nothing_to_normalize():
    seed = random.randrange(1 << 32)
    chosen = random.Random(seed)
    pieces = (*PIECES, "index", "Index", "DEFAULT", "default", "InDeX", ".", ".htm", ".aspx", "/")
    pieces += (
        "\u017f",
        "\u212a",
    )  # a long s and a sign for Kelvin, which are s and k in lower case
    locs = [
        f"http{'s' * (size % 2)}://{chosen.choice(HOSTS)}.com/"
        + "".join(chosen.choices(pieces, k=size % 7))
        for size in range(30_000)
    ]

    with duckdb.connect() as connection:
        query = f"SELECT loc, {IS_COMPLEX} FROM (SELECT unnest(?) AS loc)"
        is_complex = dict(connection.execute(query, [locs]).fetchall())
        condition = f"regexp_full_match(loc, '{COMMON_LOC}')"
        query = f"SELECT loc FROM (SELECT unnest(?) AS loc) WHERE {condition}"
        common = {loc for (loc,) in connection.execute(query, [locs]).fetchall()}

    plain = {loc for loc in locs if re.fullmatch(PLAIN_LOC, loc, re.ASCII)}
    assert len(common) > 1_000, seed
    assert common <= plain, seed
    assert not any(is_complex[loc] for loc in common), seed
    # Those left out have a name that begins with one of the words, in any case.
    missed = {loc for loc in plain - common if not is_complex[loc]}
    assert all(re.search("(?i)/(undefined|null|nan|__|index|default)", loc) for loc in missed), seed


def test_urls_with_the_same_hash_are_no_duplicates():
    # DuckDB's `hash` maps some texts with equal changes at a distance of 8 bytes to one number.
    locs = [f"https://{'e' * n}.com/{i}/item-{i}" for n in range(1, 9) for i in range(10, 100)]
    with duckdb.connect() as connection:
        query = "SELECT list(loc) FROM (SELECT unnest(?) AS loc) GROUP BY hash(loc[9:])"
        groups = [found for (found,) in connection.execute(query, [locs]).fetchall()]
    alike = [loc for found in groups if len(found) > 1 for loc in found]
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in [*alike, f"{alike[0]}/"])

    findings = list(check(f"<urlset>{entries}</urlset>".encode(), select=["U024", "U025", "U026"]))

    assert len(alike) >= 2
    assert {finding.loc for finding in findings} <= {alike[0], f"{alike[0]}/"}
    assert findings


def test_normal_of_is_the_same_by_the_short_way_and_by_the_long_one():
    seed = random.randrange(1 << 32)
    chosen = random.Random(seed)
    hosts = ["a.com", "A.com", "a.com:80", "a.com:", "é.com", "www.a.com.", "[::1]:80", "u@a.com"]
    hosts += ["a.com:443", "a.com:8080", "a.com:0080", "a.com:00443", "127.0.0.1:65535", "a.com:9"]
    pieces = "a B - /. /.. index.html ? %41 %2F %e2%82%ac %ff %zz + ~ . / & é , ; (".split()
    locs = [
        f"http{'s' * (size % 2)}://{chosen.choice(hosts)}/"
        + "".join(chosen.choices(pieces, k=size % 6))
        for size in range(5_000)
    ]

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE section_folders (folders VARCHAR[])")  # of a macro
        for head, body in MACROS.items():
            connection.execute(f"CREATE MACRO {head} AS {body}")
        # Behind a fragment, which it leaves out, the short way is not taken.
        query = "SELECT normal_of(loc), normal_of(loc || '#f') FROM (SELECT unnest(?) AS loc)"
        pairs = connection.execute(query, [locs]).fetchall()

    assert all(short == long for short, long in pairs), seed


@pytest.mark.parametrize("head", MACROS)
def test_a_macro_inserts_its_argument_few_times(head):
    """Planning takes longer than reading of small sets, and macros in macros multiply copies."""
    name, _, parameters = head.partition("(")
    types = {"earliest": "instant, argument", "latest": "instant, argument", "in_bucket": "number"}
    count = 0 if parameters == ")" else parameters.count(",") + 1
    arguments = types.get(name) or ", ".join(["argument"] * count)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE section_folders (folders VARCHAR[])")  # of a macro
        for each, body in MACROS.items():
            connection.execute(f"CREATE MACRO {each} AS {body}")
        connection.execute("CREATE TABLE t (argument VARCHAR, instant TIMESTAMPTZ, number UBIGINT)")
        connection.execute("SET VARIABLE buckets = 1::UBIGINT; SET VARIABLE bucket = 0::UBIGINT")
        connection.execute("PRAGMA explain_output = 'optimized_only'")
        query = f"EXPLAIN (FORMAT json) SELECT {name}({arguments}) FROM t"
        [[_, plan]] = connection.execute(query).fetchall()

    assert plan.count("argument") <= 40


def test_rules_that_are_given_several_views_need_one_of_them():
    http = "<url><loc>http://example.com/a</loc></url>"
    document = f"<urlset><url><loc>https://example.com/b</loc></url>{http}</urlset>".encode()

    nowhere = check({"sitemap.xml": document}, select=["U027"])
    placed = check(document, base_url="https://example.org/sitemap.xml", select=["U027", "U028"])

    assert nowhere.by_rule == {"U027": 1}
    assert placed.by_rule == {"U028": 2}
