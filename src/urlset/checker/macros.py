"""SQL that rules share: macros, columns with the parts of URLs, ASCII forms of host names.

DuckDB inserts the argument of a macro at each place where the macro uses it, and nested macros
multiply that. So each macro uses its argument once or twice, or binds it in a lambda. Otherwise
planning a statement takes longer than running it, unless it reads many rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_letters, ascii_lowercase, digits

from urlset.dates import DAY, TIME, XSD
from urlset.languages import LANGUAGES, REGIONS, SCRIPTS, VARIANTS
from urlset.protocol import MAX_LOC
from urlset.store import StoreSession, quoted, section_sql
from urlset.urls import split_origin

_LOCALE = f"x-default|({'|'.join(LANGUAGES)})(-({'|'.join(SCRIPTS)}))?(-({'|'.join(REGIONS)}))?"
_VARIANTS = "|".join(VARIANTS)
_LOCALE += f"(-({_VARIANTS}))*"

MACROS = {
    "check_time()": "getvariable('now')::TIMESTAMPTZ",
    # Note: `hash` of text maps /61/item-61 and /66/item-66 to one number, because two equal changes
    # at a distance of 8 or 16 bytes cancel out: 79 pairs of 20,000 URLs. So texts are identified by
    # MD5, reduced to 64 bits. NULL has a number, too.
    "text_hash(text)": "hash(md5_number(text))",
    "profile()": "getvariable('profile')::VARCHAR",
    # Whether this part of a divided check finds what it is to find of a row with this hash.
    "in_bucket(key)": "coalesce(key % getvariable('buckets') = getvariable('bucket'), true)",
    # Identity. A check with host names that are not ASCII uses ASCII_HOSTS instead.
    "ascii_host(host)": "host",
    "ascii_origin(origin)": "origin",
    # A loc is always an absolute http(s) URL with a host; the engine reports all others. The views
    # have these parts as columns; the macros are for other URLs.
    "scheme_of(loc)": "lower(split_part(loc, ':', 1))",
    "authority_of(loc)": "split_part(split_part(split_part(loc, '/', 3), '?', 1), '#', 1)",
    "host_of(loc)": r"ascii_host(lower(regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)', 1)))",
    "port_of(loc)": r"regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:\[]*):([0-9]+)', 1)",
    "query_of(loc)": r"CASE WHEN contains(loc, '?') "
    r"THEN regexp_extract(loc, '^[^?#]*\?([^#]*)', 1) ELSE '' END",
    "path_of(loc)": r"regexp_replace(regexp_extract(loc, "
    r"'^[^:]*://[^/?#]*([^?#]*)', 1), '^$', '/')",
    # Scheme, host and port without a default port: what the location rules compare.
    "origin_of(loc)": r"ascii_origin(regexp_replace(lower(regexp_extract(regexp_replace(loc, "
    r"'^([^:/]*://)[^/?#@]*@', '\1'), '^[^:/]*://[^/?#]*')), "
    r"'^(?:(http://.*):0*80|(https://.*):0*443|(.*):)$', '\1\2\3'))",
    # Earliest and latest instant of a date: a day without a zone may be in any time zone.
    "earliest(lastmod, text)": "lastmod - CASE WHEN contains(text, ':') THEN INTERVAL 0 HOUR "
    "ELSE INTERVAL 14 HOUR END",
    "latest(lastmod, text)": "lastmod + CASE strlen(text) WHEN 4 THEN INTERVAL 367 DAY "
    "WHEN 7 THEN INTERVAL 32 DAY ELSE CASE WHEN NOT contains(text, ':') THEN INTERVAL 36 HOUR "
    "WHEN substr(text, 11, 1) IN ('+', '-') THEN INTERVAL 24 HOUR ELSE INTERVAL 0 HOUR END END",
    # An escape stays where its character is another URL: / # ? in a path, # & + in a query, and a
    # % in front of two digits. It is escaped once more, in upper case, before the decoding.
    "percent_decoded(text)": "CASE WHEN contains(text, '%') THEN coalesce(try(url_decode("
    "CASE WHEN contains(text, '%2') OR contains(text, '%3') "
    "THEN kept_in_path(left(text, instr(text || '?', '?') - 1)) "
    "|| kept_in_query(substr(text, instr(text || '?', '?'))) ELSE text END"
    ")), text) ELSE text END",
    "kept_in_path(text)": r"regexp_replace(replace(replace(text, '%2f', '%2F'), '%3f', '%3F'), "
    r"'%(2[3F]|3F|25[0-9A-Fa-f]{2})', '%25\1', 'g')",
    "kept_in_query(text)": r"regexp_replace(replace(text, '%2b', '%2B'), "
    r"'%(2[36B]|25[0-9A-Fa-f]{2})', '%25\1', 'g')",
    # RFC 3986 section 5.2.4, for a path with its query. Each segment copies the result so far, so
    # paths longer than a sitemap may list are compared unchanged.
    "remove_dot_segments(path)": rf"CASE WHEN contains(path, '/.') AND length(path) <= {MAX_LOC} "
    r"THEN list_transform([path], lambda t: list_transform([left(t, instr(t || '?', '?') - 1)], "
    r"lambda p: list_reduce(string_split(p, '/')[2:], "
    r"lambda done, part: CASE part WHEN '.' THEN done "
    r"WHEN '..' THEN regexp_replace(done, '/[^/]*$', '') ELSE done || '/' || part END, '') "
    r"|| CASE WHEN regexp_matches(p, '/\.\.?$') THEN '/' ELSE '' END)[1] "
    r"|| substr(t, instr(t || '?', '?')))[1] ELSE path END",
    "folder_of(loc)": r"regexp_replace(regexp_extract(loc, "
    r"'^[^:]*://[^/?#]*(/(?:[^?#]*/)?)', 1), '^$', '/')",
    # Folder of the path in which the URLs branch, such as /shop/ or /docs/17/; / for pages in the
    # root folder.
    "section_of(url)": section_sql("path_of(url)", "(SELECT folders FROM section_folders)"),
    # Comparison key, equal for URLs that RFC 3986 section 6.2.2 calls equivalent and for URLs that
    # differ only in percent-encoding that is not needed. Not for messages.
    # With a host in lower case and no default port, only percent-encoding has to be undone.
    "normal_of(loc)": r"CASE WHEN regexp_matches(loc, '^https?://[a-z0-9.-]+(:[1-9][0-9]{3,4})?/') "
    "AND NOT contains(loc, '#') AND NOT contains(loc, '/.') THEN percent_decoded(loc) "
    # The lambdas bind the path, or it would be in the statement 36 times.
    "ELSE origin_of(loc) || list_transform(list_transform("
    "[coalesce(nullif(regexp_extract(loc, '^[^:]*://[^/?#]*([^#]*)', 1), ''), '/')], "
    "lambda p: remove_dot_segments(p)), lambda p: percent_decoded(p))[1] END",
    # Normal form of a path or a query by RFC 3986 section 6.2.2, for messages.
    "normalize_escapes(text)": "CASE WHEN contains(text, '%') "
    "THEN substr(array_to_string(list_transform("
    r"string_split('%' || text, '%'), lambda p: CASE "
    r"WHEN regexp_matches(p, '^(2[DEde]|3\d|4[1-9A-Fa-f]|5[\dAFaf]|6[1-9A-Fa-f]|7[\dAEae])') "
    r"THEN coalesce(try(decode(unhex(p[:2]))), '') || p[3:] "
    r"WHEN regexp_matches(p, '^[0-9A-Fa-f]{2}') THEN '%' || upper(p[:2]) || p[3:] "
    r"ELSE '%' || p END), ''), 3) ELSE text END",
    # URL without the parts that most servers ignore: scheme, www., the name of an index file and a
    # slash at the end. `duplicate_key` is the same in lower case.
    # The lambdas bind the argument, so that it is computed once.
    "canonical_guess(loc)": r"list_transform(list_transform([loc], lambda t: "
    r"CASE WHEN contains(lower(t), '/index.') OR contains(lower(t), '/default.') "
    r"THEN regexp_replace(t, '(?i)/(index|default)\.(html?|php|aspx?|jsp)(\?|$)', '/\3') "
    r"ELSE t END), lambda t: substr(t, CASE "
    r"WHEN starts_with(t, 'https://') THEN CASE WHEN starts_with(t, 'https://www.') THEN 13 ELSE 9 "
    r"END WHEN starts_with(t, 'http://') THEN CASE WHEN starts_with(t, 'http://www.') THEN 12 "
    r"ELSE 8 END ELSE 1 END))[1]",
    "without_slash(text)": r"list_transform([text], lambda t: CASE WHEN suffix(t, '/') THEN t[:-2] "
    r"WHEN contains(t, '/?') THEN regexp_replace(t, '/(\?|$)', '\1') ELSE t END)[1]",
    "is_plain(loc)": "NOT regexp_matches(substr(loc, 7), '[%+#@:]|/[.]')",
    "duplicate_key(loc)": "without_slash(canonical_guess(lower(CASE WHEN is_plain(loc) THEN loc "
    "ELSE normal_of(loc) END)))",
    # Value for a message: one line of at most 80 characters.
    "preview(text)": "translate(CASE WHEN length(text) > 80 THEN left(text, 80) || '…' "
    "ELSE text END, chr(9) || chr(10) || chr(13), '   ')",
    # The reason of a failure in a message: one line, long enough for each that urlset writes.
    "reason_text(text)": "translate(left(text, 400), chr(9) || chr(10) || chr(13), '   ')",
    "is_web(text)": r"coalesce(regexp_matches(text, '^(?i:https?)://[^/?#\s]'), false)",
    # Description of the fault of a URL that the engine does not check (images, videos …), or NULL.
    "url_fault(text)": "CASE "
    r"WHEN regexp_full_match(text, 'https?://[a-zA-Z0-9.-]+/[\w~/.?=&%-]*') THEN NULL "
    "WHEN text IS NOT NULL AND NOT is_web(text) THEN 'is not a full http(s) URL' "
    r"WHEN regexp_matches(text, '[\s\x{A0}]') THEN 'has white space inside' "
    r"WHEN regexp_matches(text, '[<>\"{}|\\^`\x00-\x1f\x7f]') "
    "THEN 'has a character that must be percent-encoded' END",
    # For URLs that are rarely equal: most differ at the end, which is cheap to compare.
    "same_url(one, other)": "CASE WHEN right(rtrim(one, '/'), 2) <> right(rtrim(other, '/'), 2) "
    "THEN false ELSE normal_of(one) = normal_of(other) END",
    # Description of the fault of a date in an extension, or NULL if it is valid: a day (with a
    # zone, as xsd:date allows), or a day with a time (to the minute, second or finer) and a zone.
    "w3c_fault(text)": "CASE "
    f"WHEN regexp_full_match(text, '{XSD}') THEN CASE "
    "WHEN try_cast(left(text, 10) AS DATE) IS NULL OR text < '0001' "
    r"OR regexp_matches(text, 'T(2[4-9]|[3-9]|..:[6-9]|..:..:(6[1-9]|[7-9]))') "
    # A leap second: the last one of June or December in UTC.
    "OR (substr(text, 17, 3) = ':60' AND NOT coalesce(strftime(make_timestamp(epoch_us(try_cast("
    "replace(text, ':59:60', ':59:59') AS TIMESTAMPTZ))), '%m-%d %H:%M:%S') "
    "IN ('06-30 23:59:59', '12-31 23:59:59'), false)) THEN 'is not a real date' "
    r"WHEN regexp_matches(text, '^.{10}.*[+-](1[5-9]|[2-9]|..:[6-9])') "
    "THEN 'has an impossible offset from UTC' END "
    f"WHEN regexp_full_match(text, '{DAY}[T ]{TIME}') THEN 'has a time but no time zone' "
    f"WHEN regexp_full_match(text, '{DAY}[T ]{TIME} ?[+-]\\d\\d(\\d\\d)?') "
    "THEN 'has an offset that is not written +hh:mm' "
    "WHEN text IS NOT NULL THEN 'is not YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm' END",
    # Instant of such a date; a day is its midnight in UTC. NULL if the date has a fault.
    "w3c_instant(text)": "CASE WHEN text IS NOT NULL AND w3c_fault(text) IS NULL "
    "THEN try_cast(text AS TIMESTAMPTZ) END",
    # Value of hreflang as search engines compare it, and its parts.
    "tag_of(hreflang)": "lower(replace(hreflang, '_', '-'))",
    "language_of(hreflang)": "split_part(tag_of(hreflang), '-', 1)",
    "is_locale(hreflang)": f"regexp_full_match(hreflang, '(?i:{_LOCALE})')",
    "is_language(code)": f"regexp_full_match(code, '{'|'.join(LANGUAGES)}')",
    "is_script(code)": f"regexp_full_match(code, '(?i:{'|'.join(SCRIPTS)})')",
    "is_region(code)": f"regexp_full_match(code, '{'|'.join(REGIONS)}')",
}
"""SQL of the macros by name and parameters."""

ASCII_HOSTS = {
    "ascii_host(host)": "list_transform([host], lambda h: CASE WHEN strlen(h) > length(h) "
    "THEN coalesce(getvariable('ascii_hosts')[h], h) ELSE h END)[1]",
    "ascii_origin(origin)": "list_transform([origin], lambda o: CASE WHEN strlen(o) > length(o) "
    "THEN list_transform([regexp_extract(o, '^[^:]*://([^:]*)', 1)], lambda h: "
    "regexp_extract(o, '^[^:]*://') || coalesce(getvariable('ascii_hosts')[h], h) "
    "|| regexp_extract(o, '(:[0-9]*)$', 1))[1] ELSE o END)[1]",
}
"""Replacements for macros of the same name, used if a host name is not ASCII (rare)."""

_URLS = """
    SELECT loc AS url FROM entries UNION ALL SELECT loc FROM sitemaps
    UNION ALL SELECT unnest([url, loc, source, declared_by]) FROM documents
    UNION ALL SELECT unnest([url, final_url]) FROM robots
    UNION ALL SELECT unnest(list_transform(sitemaps, lambda s: s.url)) FROM robots
    UNION ALL SELECT unnest(list_transform(alternates, lambda a: a.href)) FROM entries
        WHERE len(alternates) > 0"""
_HOSTS = f"""
    SELECT DISTINCT lower(regexp_extract(url, '^[^:]*://(?:[^/?#@]*@)?([^/?#:]*)', 1)) AS host
    FROM ({_URLS}) WHERE strlen(url) > length(url)"""
# Materialized: DuckDB would evaluate the second condition, with the regular expression, first.
_OTHER_HOSTS = f"""
    WITH hosts AS MATERIALIZED ({_HOSTS})
    SELECT host FROM hosts WHERE strlen(host) > length(host)"""


def ascii_hosts(store: StoreSession) -> dict[str, str]:
    """Return the host names in a store that are not ASCII, with their ASCII form (UTS 46)."""
    found: dict[str, str] = {}
    for (host,) in store.rows(_OTHER_HOSTS):
        from urlset.http import request_url  # only for such hosts: it takes long to load

        target = request_url(f"https://{host}/")
        if target is not None:
            found[host] = split_origin(target)[1]
    return found


def sql_map(hosts: Mapping[str, str]) -> str:
    """Return a mapping of host names as the text of an SQL MAP."""
    keys = ", ".join(map(quoted, hosts))
    values = ", ".join(map(quoted, hosts.values()))
    return f"MAP([{keys}]::VARCHAR[], [{values}]::VARCHAR[])"


def names_where(conditions: Mapping[str, str]) -> str:
    """Return SQL that joins the names whose conditions are true."""
    cases = (f"CASE WHEN {condition} THEN '{name}' END" for name, condition in conditions.items())
    return f"concat_ws(', ', {', '.join(cases)})"


def not_words(
    words: Sequence[str],
    first: str,
    more: str,
    *,
    also_longer: bool = False,
    any_case: bool = False,
) -> str:
    """Return a regular expression that matches all names except these words.

    RE2 has no lookahead, so the expression enumerates how a name can differ from each word. A name
    begins with one of ``first``, ``more`` may follow. ``also_longer`` also excludes names that
    begin with one of the words. ``any_case`` takes all letters, which are in lower case, for those
    in upper case, too; ``(?i)`` of RE2 would also match two letters that are not ASCII.

    >>> not_words(["no"], "no", "no")
    '(?:[o][no]*|n(?:(?:[n][no]*|o[no]+))?)'
    """

    def both(chars: str) -> str:
        return "".join(c.upper() for c in chars if c.isalpha()) + chars if any_case else chars

    heads = sorted({word[0] for word in words})
    others = "".join(char for char in first if char not in heads)
    branches = [f"[{both(others)}][{both(more)}]*"]
    for head in heads:
        tails = [word[1:] for word in words if word[0] == head]
        rest = [tail for tail in tails if tail]
        following = f"[{both(more)}]+"
        if rest:
            following = not_words(rest, more, more, also_longer=also_longer, any_case=any_case)
        start = f"[{both(head)}]" if any_case else head
        if len(rest) == len(tails):
            branches.append(f"{start}(?:{following})?")
        elif not also_longer:
            branches.append(start + following)
    return f"(?:{'|'.join(branches)})"


_NOT_PUBLIC = (
    "localhost localdomain local internal intranet private lan home corp arpa test example invalid"
).split()
_UNFILLED = "undefined null NaN __".split()
_INDEX_FILES = "index default".split()
_IN_HOST, _IN_NAME = f"{ascii_lowercase}{digits}-", f"{ascii_letters}{digits}_~-"
_HOST = rf"(?:[{_IN_HOST}]+\.)+{not_words(_NOT_PUBLIC, ascii_lowercase, _IN_HOST)}"
_NAME = not_words(_UNFILLED, _IN_NAME, _IN_NAME, also_longer=True)

PLAIN_LOC = (
    rf"https?://{_HOST}/(?:{_NAME}/)*(?:{_NAME}(?:\.html?|\.php|\.aspx?)?)?"
    rf"(?:\?[\w&~-]*(?:={_NAME}?(?:&[\w&~-]*)?)*)?"
)
"""Regular expression of plain locs, which no rule about spelling reports: most of all locs.

A plain loc is http(s), has a public host in lower case, and has nothing after it that must be
percent-encoded or looks like an unfilled template. It is one expression, because each test costs
as much as reading all locs.
"""

_LOWER_NAME = f"{ascii_lowercase}{digits}_~-"
_PAGE = not_words(
    [*map(str.lower, _UNFILLED), *_INDEX_FILES],
    _LOWER_NAME,
    _LOWER_NAME,
    also_longer=True,
    any_case=True,
)
COMMON_LOC = (
    rf"https?://{_HOST}/(?:{_NAME}/)*(?:(?:{_NAME}|{_PAGE}(?:\.html?|\.php|\.aspx?))"
    rf"(?:\?[\w&~-]*(?:={_NAME}?(?:&[\w&~-]*)?)*)?)?"
)
"""Regular expression of plain locs that also have no part which ``duplicate_key`` normalizes.

All locs are tested by it. Few are left, which further expressions test.
"""

IS_COMPLEX = r"regexp_matches(substr(loc, 9), '[%+#@:]|/[.?]|/(?i:index|default)[.]')"
"""Condition: ``duplicate_key`` normalizes more of ``loc`` than its case, ``www.`` and a slash at
the end."""

IS_PLAIN = f"regexp_full_match(loc, '{PLAIN_LOC}')"
"""Condition: ``loc`` is plain."""

ALL_LOCS = """(SELECT document, "offset", line, loc FROM entries
    UNION ALL SELECT document, "offset", line, loc FROM sitemaps)"""
"""Rows of all locs, of pages and of children of indexes."""

PARAMETERIZED = f"""(FROM {ALL_LOCS}
    WHERE contains(loc, '?') OR contains(loc, ';') OR contains(loc, '('))"""
"""Rows of locs that have parameters."""

OUTSIDE_CANDIDATES = """(
    SELECT e.document, e.entry, e."offset", e.line, e.loc, s.kind, s.url AS sitemap,
        s.host AS sitemap_host, s.origin AS sitemap_origin, s.folder AS sitemap_folder
    FROM entries e JOIN readable s ON s.document = e.document
    WHERE NOT starts_with(e.loc, s.origin || s.folder))"""
"""Rows of entries whose loc does not begin with the folder of their sitemap."""

ENTRY_COLUMNS = 'e.document, e.entry, e."offset", e.line, e.loc'
FROM_ENTRIES = "FROM entries e JOIN readable s ON s.document = e.document"


def split_url_sql(table: str) -> str:
    """Return SQL that adds the parts of ``loc`` as columns to a table, each computed once."""
    return rf"""
        SELECT *, ascii_host(lower(CASE WHEN contains(authority, '@') OR contains(authority, '[')
                THEN regexp_extract(authority, '^(?:.*@)?(\[[^\]]*\]|[^:]*)', 1)
                ELSE split_part(authority, ':', 1) END)) AS host,
            CASE WHEN contains(authority, ':')
                THEN regexp_extract(authority, ':([0-9]+)$', 1) ELSE '' END AS port,
            coalesce(nullif(split_part(front, '?', 1), ''), '/') AS path,
            CASE WHEN contains(front, '?')
                THEN substr(front, instr(front, '?') + 1) ELSE '' END AS query,
            CASE WHEN contains(rest, '#')
                THEN regexp_extract(rest, '#(.*)$', 1) ELSE '' END AS fragment
        FROM (SELECT *, CASE WHEN contains(rest, '#')
                THEN split_part(rest, '#', 1) ELSE rest END AS front
            FROM (SELECT *, substr(tail, length(authority) + 1) AS rest
            FROM (SELECT *, lower(split_part(loc, ':', 1)) AS scheme,
                    split_part(split_part(split_part(loc, '/', 3), '?', 1), '#', 1) AS authority,
                    substr(loc, length(split_part(loc, '/', 1)) + 3) AS tail
                FROM {table})))"""
