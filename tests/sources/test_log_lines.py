"""Lines of access logs: both engines return the same for any block, in any format."""

import re
from unittest.mock import patch

import arro3.core as arro3
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urlset.engine import available, get
from urlset.sources.logs import AccessLog
from urlset.sources.logs.lines import TimestampParser
from urlset.sources.logs.privacy_filter import (
    _ADMIN_PATHS,
    _ASSETS,
    _NUMBER_WORDS,
    _SECRET_WORDS,
    TargetFilter,
)

HEADS = ["192.0.2.1 - - ", "192.0.2.1 - kim ", "example.com:443 192.0.2.1 - - ", "192.0.2.1 kim - "]
HEADS += ["other.example 192.0.2.1 - kim ", "- - - ", "192.0.2.1 - a [b ", "a/b 192.0.2.1 - - "]
TIMES = ["03/Nov/2026:12:00:05 +0000", "03/Nov/2026:12:00:04 +0000", "03/nov/2026:12:00:05"]
TIMES += ["03/Nov/2026:13:00:05 +0100", "31/Feb/2026:12:00:05 +0000", "03/Nov/2026:12:00:60 +0000"]
TIMES += ["03/Nov/0000:12:00:05 +0000", "01/Jan/1970:00:00:00 +0100", "03/Nov/2026:12-00:05 +00x0"]
PATHS = ["/a", "/b", "/", "/c/d.html", "/style.css", "/a%7e", "/e;x=1", "/f#x", "a", '/\\"']
QUERIES = ["", "", "", "?b=1", "?"]
FIRST = b'192.0.2.1 - - [03/Nov/2026:12:00:00 +0000] "GET /first HTTP/1.1" 200 5\n'
MIXED = [
    FIRST.replace(b"/first", b"/a").replace(b"00 +", b"%02d +" % second) for second in range(5)
]
MIXED[2:2] = [MIXED[0].replace(b" 200 ", b" 404 "), FIRST]
HANDS = [b"", b" ", b"]", b'"', b"[", b"-", b"\xe9"]
ENDS = [" 5", "", ' 5 "-" "Mozilla/5.0"', "5", "_", "\r"]


@st.composite
def usual(draw):
    """A line as servers write it, or nearly."""
    time, end = draw(st.sampled_from(TIMES)), draw(st.sampled_from(ENDS))
    method = draw(st.sampled_from(["GET", "GET", "GET", "HEAD", "get", ""]))
    target = draw(st.sampled_from(PATHS)) + draw(st.sampled_from(QUERIES))
    status = draw(st.sampled_from(["200", "200", "304", "404", "301", "500", "20"]))
    head = draw(st.sampled_from(HEADS))
    return f'{head}[{time}] "{method} {target} HTTP/1.1" {status}{end}\n'.encode()


@st.composite
def blocks(draw):
    """Lines, some of which a hand has changed at one place."""
    text = b"".join(draw(st.lists(usual() | st.binary(max_size=40).map(lambda x: x + b"\n"))))
    for place in draw(st.lists(st.integers(0, len(text)), max_size=3)):
        text = text[:place] + draw(st.sampled_from(HANDS)) + text[place + 1 :]
    return text


def hits_of(lines, keeps_queries):
    """Compute what :class:`urlset.engine.LogAggregator` may return, in an independent way."""
    keys: dict[int, tuple[bytes, bytes]] = {}
    seconds: dict[int, int] = {}  # of successful requests
    clock = TimestampParser()
    for number, _, _, (host, marker, time, method, path, tail, status, _) in lines:
        if method != b"GET" or (tail and (keeps_queries or not tail.startswith(b"?"))):
            continue
        keys[number] = host if marker else b"", path
        second = None if time[18:20] > b"59" else clock.parse(time)
        if second is not None and status in (b"200", b"304"):
            seconds[number] = second
    mixed = {key for number, key in keys.items() if number not in seconds}
    hits, rows = [], []
    for key in dict.fromkeys(keys.values()):
        if key not in mixed:
            numbers = [number for number in keys if keys[number] == key]
            hits.append((*key, len(numbers), max(map(seconds.__getitem__, numbers)), numbers[0]))
    runs: dict[tuple[bytes, bytes], list[int]] = {}
    for number, _, _, parts in lines:
        if number not in keys:  # the page of the line is not known
            runs.clear()
        elif keys[number] not in mixed:
            continue
        elif number not in seconds:
            runs.pop(keys[number], None)
        elif keys[number] in runs:
            runs[keys[number]].append(seconds[number])
            continue
        else:
            run = runs[keys[number]] = [seconds[number]]
            rows.append((number, run, parts))
            continue
        rows.append((number, [], parts))
    return hits, rows


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@given(blocks(), st.booleans())
@example(b"\n\n", False)
@example(b"no end", False)
@example(b"".join(MIXED), False)
def test_engines_read_the_same_lines(block, keeps_queries):
    nothing, lines, count = get("reference").log_aggregator(keeps_queries).add(block)
    aggregator = get("native").log_aggregator(keeps_queries)

    hits, rows, native_count = aggregator.add(block)

    assert (nothing, aggregator.finish(), native_count) == ([], [], count)
    expected_hits, expected = hits_of(lines, keeps_queries)
    assert [hit[:-1] for hit in hits] == expected_hits
    assert [(number, parts) for number, _, _, parts in rows] == [
        (number, parts) for number, _, parts in expected
    ]
    for (_, second, count, parts), (_, seconds, _) in zip(rows, expected, strict=True):
        assert count == max(len(seconds), 1)
        assert second in (None, max(seconds, default=TimestampParser().parse(parts[2])))


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@given(st.lists(blocks(), min_size=1, max_size=3), st.sampled_from([120, 400, 1 << 20]))
def test_engines_give_the_same_pages(tmp_path_factory, texts, block_bytes):
    paths = [tmp_path_factory.mktemp("logs") / "access.log" for _ in texts]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(FIRST + text)

    found = []
    for engine in available():
        source = AccessLog(map(str, paths), "https://example.com/", engine=engine)
        with patch("urlset.sources.logs.source.BLOCK_BYTES", block_bytes):
            rows = [row for batch in source.batches() for row in rows_of(batch)]
        found.append((sorted(rows, key=str), source.notes, source.failures))

    assert found[0] == found[1]


PATTERNS = _NUMBER_WORDS.pattern + _ADMIN_PATHS.pattern
WORDS = [*_SECRET_WORDS, *_ASSETS, *re.findall(r"[a-z]{2,}", PATTERNS)]
WORDS += "sessions orders my- my u wp-admin xmlrpc.php cgi-bin server-status _next __".split()
PARTS = (
    "Token LOGIN / / / / - . .. 12 1234 0049 10.0.0.1 a@b.c ~kim (s( eyj0eXAiOiJK AbC DeF".split()
)
PARTS += "Gh 0f3a9b lamp index.html &a= aa:bb:cc:dd:ee:ff +49".split()


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@given(st.lists(st.sampled_from(WORDS + PARTS), max_size=9).map("".join))
def test_native_engine_is_sure_only_of_paths_that_the_filter_accepts(rest):
    line = f'192.0.2.1 - - [03/Nov/2026:12:00:00 +0000] "GET /{rest} HTTP/1.1" 200 5\n'

    hits, _, _ = get("native").log_aggregator(keeps_queries=False).add(line.encode())

    for _, path, _, _, _, is_page in hits:
        found = TargetFilter("https://example.com/").clean(path)
        assert found == (path.decode(), None) or not is_page


@pytest.mark.skipif("native" not in available(), reason="the native engine is not built")
@pytest.mark.parametrize(
    "form", ["/{}", "/{}/123456", "/my-{}s/123", "/{}/en/0f3a9b8c7d6e5f4a", "/a.{}"]
)
def test_native_engine_is_not_sure_of_words_that_the_filter_knows(form):
    line = '192.0.2.1 - - [03/Nov/2026:12:00:00 +0000] "GET {} HTTP/1.1" 200 5\n'
    paths = [form.format(word) for word in WORDS]
    block = "".join(map(line.format, paths)).encode()

    hits, _, _ = get("native").log_aggregator(keeps_queries=False).add(block)

    clean = TargetFilter("https://example.com/").clean
    assert {path for _, path, *_ in hits} >= {path.encode() for path in paths}
    assert all(clean(path)[1] is None for _, path, *_, is_page in hits if is_page)


def rows_of(batch):
    return arro3.Table.from_batches([batch]).to_struct_array().to_pylist()
