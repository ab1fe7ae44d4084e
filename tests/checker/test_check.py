import gzip
import json
import os
from itertools import product
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from urlset import checker
from urlset.checker import CATALOGUE, Baseline, Findings
from urlset.checker.load import AFTER, BEFORE
from urlset.engine import Engine
from urlset.errors import (
    ConfigurationError,
    QueryError,
    SourceError,
    StoreError,
    TargetError,
)
from urlset.reporter import (
    report_github,
    report_json,
    report_junit,
    report_sarif,
    report_text,
    summary,
)
from urlset.temp_files import AtomicFile
from urlset.terminal_text import cells, clip, sanitize
from urlset.urls import resolve

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
TWO = f"""<urlset {NS}>
<url><loc>https://e.com/?a&b</loc><lastmod>yesterday</lastmod></url>
<url><loc>https://e.com/c</loc></url>
</urlset>
""".encode()
CLEAN = f"<urlset {NS}><url><loc>https://e.com/</loc></url></urlset>".encode()

# What a document says by itself: rules that judge its content have tests of their own.
OTHERS = [
    code
    for code, rule in CATALOGUE.items()
    if not rule.is_engine_rule and code not in ("X027", "T005")
]


def check(source, **options) -> Findings:
    """A check by the rules of form, unless others are asked for."""
    options["ignore"] = [*options.get("ignore", ()), *OTHERS]
    return checker.check(source, **options)


def rules(findings) -> list[str]:
    return [finding.rule for finding in findings]


def text(findings, **options) -> str:
    lines = report_text(findings, **options)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


# ── findings ─────────────────────────────────────────────────────────────────────────────────


def test_check_clean_document(engine: Engine):
    findings = check(CLEAN, engine=engine.name)

    assert list(findings) == []
    assert (findings.ok, findings.worst, findings.count) == (True, None, 0)
    assert findings.by_level == {"error": 0, "warning": 0, "info": 0}


def test_check_reports_place_entry_and_fix(engine: Engine):
    first, second = check(TWO, engine=engine.name)

    assert (first.rule, first.code, first.level) == ("unescaped-ampersand", "X003", "error")
    assert (first.line, first.column, first.offset) == (2, 27, TWO.index(b"&"))
    assert first.loc == second.loc == "https://e.com/?a&b"
    assert first.fix == "Write &amp; for &"
    assert second.code == "D001"


def test_check_counts_without_iterating_and_again():
    findings = check(TWO)

    assert findings.by_rule == {"D001": 1, "X003": 1}
    assert findings.by_level == {"error": 2, "warning": 0, "info": 0}
    assert (findings.count, findings.ok, findings.worst) == (2, False, "error")
    assert rules(findings) == rules(findings) == ["unescaped-ampersand", "lastmod-invalid"]


def test_check_counts_what_a_document_omits(engine: Engine):
    document = f"<urlset {NS}>" + "<url><loc>https://e.com/?a&b</loc></url>" * 10_005

    findings = check(f"{document}</urlset>".encode(), engine=engine.name)

    assert len(list(findings)) == 10_000
    assert findings.by_rule == {"X003": 10_005}
    assert findings.omitted == {"X003": 5}
    assert findings.count == findings.by_level["error"] == 10_005
    shown = text(findings, max_examples=1, omitted=findings.omitted)
    assert "10,004 more of 10,005: X003[unescaped-ampersand]" in shown


@pytest.mark.parametrize(
    ("document", "code", "loc"),
    [
        # Of an entry that is none, the one before it is not to blame.
        ("<url><loc>https://e.com/a</loc></url><url><lastmod>x</lastmod></url>", "D001", None),
        (
            "<url><loc>https://e.com/a</loc></url><loc>https://e.com/b</loc>",
            "S016",
            "https://e.com/b",
        ),
        ("<loc>https://e.com/b</loc></urlset>x", "X008", None),
        (
            "<url><loc>https://e.com/a</loc><lastmod>x</lastmod></url>",
            "D001",
            "https://e.com/a",
        ),
        (
            "<url><loc>https://e.com/a</loc></url>\n<url>\n<loc>https://e.com/b</loc>"
            "<priority>9</priority></url>",
            "S020",
            "https://e.com/b",
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_check_loc_is_that_of_the_entry_in_which_it_stands(document, code, loc, encoding, engine):
    data = f"<urlset {NS}>{document}</urlset>".encode(encoding)

    findings = check(data, engine=engine.name)

    assert [finding.loc for finding in findings if finding.code == code][:1] == [loc]


def test_check_loc_in_a_list_is_that_of_its_line():
    findings = check(b"https://e.com/a\nhttps://e.com/b&amp;c\nnonsense\n")

    assert [(f.code, f.loc) for f in findings] == [
        ("T004", "https://e.com/b&amp;c"),
        ("T001", None),
    ]


def test_check_excerpt_of_one_long_line():
    many = "<url><loc>https://e.com/</loc></url>" * 1_000
    data = f"<urlset {NS}>{many}<url><loc>https://e.com/ä?a&b</loc></url>{many}</urlset>"

    [finding] = check(data.encode(), select=["X003"])

    assert finding.excerpt is not None
    assert len(finding.excerpt.text) <= BEFORE + AFTER
    assert finding.excerpt.text[finding.excerpt.start :].startswith("&b</loc>")


def test_check_excerpt_in_another_encoding():
    data = f"<urlset {NS}>\n<url><loc>https://e.com/ä&b</loc></url></urlset>".encode("utf-16")

    [finding] = check(data, select=["X003"])

    assert finding.excerpt is not None
    assert finding.excerpt.text == "<url><loc>https://e.com/ä&b</loc></url></urlset>"
    assert finding.excerpt.text[finding.excerpt.start] == "&"


def test_check_excerpts_are_of_the_first_findings_of_each_rule():
    findings = check(b"https://e.com/\n" + b"x\n" * 5, max_excerpts=2)

    assert [finding.excerpt is not None for finding in findings] == [True, True] + [False] * 3


def test_check_index_checks_the_children_beside_it(tmp_path):
    (tmp_path / "i.xml").write_bytes(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.xml</loc></sitemap>"
        "<sitemap><loc>https://e.com/none.xml</loc></sitemap></sitemapindex>".encode()
    )
    (tmp_path / "a.xml").write_bytes(TWO)

    findings = check(tmp_path / "i.xml")

    assert {finding.source for finding in findings} == {str(tmp_path / "a.xml")}
    assert [record.source for record in findings.failed_documents] == ["https://e.com/none.xml"]
    assert len(findings.documents) == 3


def test_check_is_not_ok_where_a_part_failed():
    findings = check(
        f"<sitemapindex {NS}><sitemap><loc>https://e.com/a.xml</loc></sitemap></sitemapindex>".encode()
    )

    assert list(findings) == []
    assert not findings.ok


def test_check_missing_file(tmp_path):
    with pytest.raises(SourceError):
        check(tmp_path / "none.xml")


@pytest.mark.parametrize(
    ("select", "ignore", "found"),
    [
        (None, (), {"X003", "D001"}),
        (["X"], (), {"X003"}),
        (["unescaped-ampersand"], (), {"X003"}),
        (["d001"], (), {"D001"}),
        (None, ["D"], {"X003"}),
        (["X"], ["X003"], set()),
        (["X003"], ["X"], {"X003"}),
        (["X003"], ["X003"], set()),
        (["X", "X003"], ["X00"], {"X003"}),
    ],
)
def test_check_select_and_ignore(select, ignore, found):
    assert {finding.code for finding in check(TWO, select=select, ignore=ignore)} == found


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("unescaped-ampersands", "unescaped-ampersand"),
        ("x09", "did you mean 'X0"),
        ("zzz", "urlset rules"),
    ],
)
def test_check_rule_that_there_is_not(name, hint):
    with pytest.raises(ValueError, match=hint):
        check(b"", select=[name])


def test_check_ignores_rules_in_some_documents(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "sitemap.xml").write_bytes(TWO)
    (tmp_path / "sitemap.xml").write_bytes(TWO)

    findings = check(tmp_path, ignore_in={"old/*.xml": ["X"]})

    told = {(f.code, f.source) for f in findings}
    new, old = str(tmp_path / "sitemap.xml"), str(tmp_path / "old" / "sitemap.xml")
    assert told == {("X003", new), ("D001", new), ("D001", old)}
    assert findings.by_rule == {"D001": 2, "X003": 1}


def test_check_levels_can_be_set():
    findings = check(TWO, levels={"X003": "info"})

    assert [(f.code, f.level) for f in findings] == [("X003", "info"), ("D001", "error")]
    assert findings.by_level == {"error": 1, "warning": 0, "info": 1}


@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_check_of_what_was_stored(tmp_path, form):
    read = urlset.read(TWO)
    path = tmp_path / f"a.{form}"
    read.to_duckdb(path) if form == "duckdb" else read.to_parquet(path)
    own = checker.custom_rule(1, {"name": "own", "message": "{loc}", "sql": "SELECT * FROM URLS"})

    found = list(checker.check(path, rules=[own], select=["X", "own"]))

    told = ["X003"] if form == "duckdb" else []
    assert [f.code for f in found if f.code != "Z001"] == told
    assert [f.loc for f in found if f.code == "Z001"] == ["https://e.com/?a&b", "https://e.com/c"]


# ── rules of somebody's own ──────────────────────────────────────────────────────────────────


def own(**table) -> checker.Rule:
    return checker.custom_rule(1, {"name": "own", "message": "{loc} is old", **table})


def test_custom_rule_over_a_view():
    rule = own(view="urls", where="contains(loc, '/c')", level="error", element="loc")

    [finding] = check(TWO, rules=[rule], select=["own"])

    assert (finding.code, finding.rule, finding.level) == ("Z001", "own", "error")
    assert finding.message == "https://e.com/c is old"
    assert (finding.line, finding.column) == (3, 6)


def test_custom_rule_of_a_query():
    query = "SELECT document, count(*) AS loc FROM urls GROUP BY document HAVING count(*) > 1"

    [finding] = check(TWO, rules=[own(sql=query)], select=["Z001"])

    assert (finding.message, finding.line, finding.level) == ("2 is old", None, "warning")


def test_values_in_a_message_are_parameters_of_the_finding():
    rule = own(view="urls", where="true", message="{line:,} of {line} is {loc}")
    data = TWO.replace(b"</urlset>", b"<url><loc>https://e.com/d</loc><x:y/></url></urlset>")

    found = {f.code: f.parameters for f in check(data, rules=[rule], select=["own", "X"])}

    assert found == {
        "X003": (),
        "X020": (("detail", "x"),),
        "Z001": (("line", "4"), ("loc", "https://e.com/d")),
    }


def test_custom_rule_that_is_no_sql_is_reported_with_its_name():
    with pytest.raises(QueryError, match=r"rule Z001 \(own\)"):
        list(check(TWO, rules=[own(view="urls", where="nonsense = 1")], select=["own"]))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"view": "urls"}, "either `view` and `where`, or `sql`"),
        ({"sql": "SELECT 1", "level": "fatal"}, "found 'fatal'"),
        ({"sql": "SELECT 1", "wher": "x"}, "unknown key 'wher'"),
        ({"sql": 3}, "expected a string"),
        ({"sql": "SELECT 1", "message": " "}, "message is missing"),
        ({"sql": "SELECT 1", "message": "{1+1}"}, "a column name in braces"),
        ({"sql": "SELECT 1", "name": "two words"}, "without spaces"),
    ],
)
def test_custom_rule_that_cannot_be_meant(table, words):
    with pytest.raises(ValueError, match=words):
        own(**table)


def test_custom_rule_must_not_take_a_name():
    with pytest.raises(ValueError, match="exists already"):
        check(b"", rules=[own(name="unescaped-ampersand", sql="SELECT 1")])


def test_spec_dot_segments_are_removed_from_what_is_compared():
    # https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4
    # The oracle is the resolver of URLs, which is other code.
    segments = ["", ".", "..", "a", ".b", "..."]
    paths = {"/" + "/".join(some) for n in range(5) for some in product(segments, repeat=n)}
    paths -= {path for path in paths if path.startswith("//")}  # would be another host
    rule = own(
        sql='SELECT document, "offset", line, loc, remove_dot_segments(path) AS t FROM urls',
        message="{t}",
    )
    data = "".join(f"https://e.com{path}?x=/../y\n" for path in paths).encode()

    found = {finding.loc: finding.message for finding in check(data, rules=[rule], select=["own"])}

    assert len(found) == len(paths)
    for path in paths:
        shown = found[f"https://e.com{path}?x=/../y"]
        assert f"https://e.com{shown}" == resolve(path, "https://e.com/")


@pytest.mark.parametrize("other", ["/a/../b", "/./b", "/../b", "/a/c/../../b", "/a/..//../b"])
def test_url_with_dot_segments_is_a_duplicate(other):
    data = f"https://e.com/b\nhttps://e.com{other}\n".encode()

    assert [f.line for f in checker.check(data, select=["U025"])] == [2]


@pytest.mark.parametrize(
    "before", ["<!-- <loc>{}</loc> </url> -->", "<t><![CDATA[</url><loc>]]></t>"]
)
def test_place_is_not_within_what_is_commented_out(before):
    entry = f"<url>{before}<loc>https://e.com/#a</loc></url>"
    data = f"<urlset {NS}>\n{entry}</urlset>".encode()

    [finding] = checker.check(data, select=["U012"])

    assert (finding.line, finding.column) == (2, entry.rindex("<loc>") + 1)


# ── baselines ────────────────────────────────────────────────────────────────────────────────


def test_baseline_hides_what_is_known_however_it_moves(tmp_path):
    known, path = Baseline(), tmp_path / "known.json"
    assert len(list(known.record(check(TWO)))) == 2
    known.write(path)
    moved = TWO.replace(b"<url>", b"\n<url>").replace(b"/c<", b"/c?d&amp;e&f<")

    [finding] = Baseline.read(path).new(check(moved))

    assert (finding.code, finding.loc) == ("X003", "https://e.com/c?d&e&f")


def test_baseline_counts():
    known = Baseline()
    list(known.record(check(b"https://e.com/\nx\n")))

    assert len(list(known.new(check(b"https://e.com/\nx\nx\nx\n")))) == 2


def test_baseline_does_not_depend_on_the_wording_of_messages(tmp_path):
    rules = [
        own(sql="SELECT document, 'a' AS name, 3 AS n FROM documents", message=message)
        for message in ("{n} things in {name}", "In {name} are {n} things", "{n} in {name}s")
    ]
    known, path = Baseline(), tmp_path / "known.json"
    list(known.record(check(TWO, rules=rules[:1], select=["own"])))
    known.write(path)

    for rule in rules[1:]:
        assert list(Baseline.read(path).new(check(TWO, rules=[rule], select=["own"]))) == []


def test_baseline_separates_findings_without_a_url(tmp_path):
    text, path = "<urlset><a:x/><url><loc>https://e.com/</loc></url></urlset>", tmp_path / "a.json"
    known = Baseline()
    list(known.record(check(text.encode(), select=["X"])))
    known.write(path)

    [finding] = Baseline.read(path).new(check(text.replace("a:", "b:").encode(), select=["X"]))

    assert finding.parameters == (("detail", "b"),)


def test_baseline_with_messages_of_an_earlier_version_is_read(tmp_path):
    path = tmp_path / "known.json"
    rows = [
        ["X020", "", "Prefix a: is used but not declared", 1],
        ["X003", "", "https://e.com/", 1],
    ]
    path.write_text(json.dumps({"urlset_baseline": 1, "findings": rows}))
    text = "<urlset><b:x/><url><loc>https://e.com/{}</loc></url></urlset>"

    assert list(Baseline.read(path).new(check(text.format("").encode(), select=["X"]))) == []
    new = Baseline.read(path).new(check(text.format("?a&b").encode(), select=["X"]))
    assert [finding.code for finding in new] == ["X003"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"urlset_baseline": 2, "findings": []}'])
def test_baseline_that_is_none(tmp_path, text):
    (tmp_path / "known.json").write_text(text)

    with pytest.raises(ConfigurationError, match="expected a baseline of urlset"):
        Baseline.read(tmp_path / "known.json")


def test_levels_of_somebody_hold_for_what_the_engine_only_counts():
    data = b"https://e.com/\n" + b"".join(b"/%d\n" % n for n in range(10_005))

    found = check(data, select=["T001"], levels={"T001": "info"})

    assert found.by_level == {"error": 0, "warning": 0, "info": 10_005}


def test_baseline_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "known.json"
    Baseline().write(path)
    before = path.read_bytes()
    known = Baseline()
    list(known.record(check(TWO)))
    monkeypatch.setattr(AtomicFile, "commit", lambda _: os.listdir(path))  # an OSError

    with pytest.raises(TargetError, match="cannot write the baseline"):
        known.write(path)

    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["known.json"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_texts_that_find_no_room_say_where(monkeypatch):
    full = open("/dev/full", "w+b", buffering=0)  # noqa: SIM115 - closed by the texts
    monkeypatch.setattr("tempfile.SpooledTemporaryFile", lambda *_, **__: full)

    with pytest.raises(StoreError, match=r"texts of documents in .*: No space left .*TMPDIR"):
        list(check(TWO))

    assert full.closed


# ── what the name of a file tells ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("a.xml.gz", CLEAN, [("X027", "warning")]),
        ("a.xml", gzip.compress(CLEAN), [("X027", "info")]),
        ("a.xml.gz", gzip.compress(CLEAN), []),
        ("a.XML.GZ", gzip.compress(CLEAN), []),
        ("a.txt", b"https://e.com/\n", []),
        ("a.txt.gz", gzip.compress(b"https://e.com/\n"), []),
        ("a.csv", b"https://e.com/\n", [("T005", "warning")]),
        ("a.xml", CLEAN, []),
    ],
)
def test_check_name_of_a_file(tmp_path, name, data, found):
    # "sitemaps.org: you can give the file any name"; Google: "must end in .txt"
    (tmp_path / name).write_bytes(data)

    findings = list(check(tmp_path / name))

    assert [(finding.code, finding.level) for finding in findings] == found
    assert all((f.line, f.column, f.offset, f.loc) == (None,) * 4 for f in findings)


def test_check_bytes_have_no_name():
    assert list(check(gzip.compress(b"https://e.com/\n"))) == []


# ── reports ──────────────────────────────────────────────────────────────────────────────────


def test_report_text_shows_the_line_with_a_caret():
    shown = text(check(TWO, select=["X"]))

    assert shown == (
        '<bytes>:2:27: error X003[unescaped-ampersand] Raw "&" must be written &amp;\n'
        "    <url><loc>https://e.com/?a&b</loc><lastmod>yesterday</lastmod></url>\n"
        "                              ^"
    )


@pytest.mark.parametrize("before", [0, 10, 60, 200, 5_000])
@pytest.mark.parametrize("after", [0, 10, 500])
@pytest.mark.parametrize("letter", ["x", "\t", "東", "\x1b", "e\u0301"])
def test_report_text_caret_stands_under_its_place_in_80_columns(before, after, letter):
    loc = "https://e.com/" + letter * before
    data = f"<urlset {NS}><url><loc>{loc}&zzz</loc></url>{'<!-- -->' * after}</urlset>".encode()

    lines = text(check(data, select=["X003"])).split("\n")

    line, caret = lines[1], lines[2]
    assert max(cells(line), cells(caret)) <= 80
    column = len(caret) - 1
    at = next(i for i in range(len(line)) if cells(line[:i]) == column and line[i] == "&")
    assert line[at : at + 2] in ("&z", "&…")


def test_report_text_has_a_limit_of_examples_and_the_true_count():
    findings = check(b"https://e.com/\n" + b"x\n" * 50)

    shown = text(findings, max_examples=3)

    assert shown.count(": error T001") == 3
    assert "… 47 more of 50: T001[text-not-a-url]" in shown
    assert text(findings, max_examples=None).count(": error T001") == 50


def test_report_text_without_findings_is_empty():
    assert text(check(CLEAN)) == ""


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (CLEAN, "No findings in 1 document, 1 entry."),
        (TWO, "2 findings in 1 document, 2 entries: 2 errors."),
    ],
)
def test_summary(data, words):
    findings = check(data)

    assert "".join(p.text for p in summary(findings.by_level, findings.documents)) == words


def test_summary_counts_each_level_by_the_word_that_the_catalogue_has_for_it():
    line = summary({"error": 1, "warning": 2, "info": 3}, [])

    words = "6 findings in 0 documents, 0 entries: 1 error, 2 warnings, 3 info."
    assert "".join(piece.text for piece in line) == words


WORDS = f"{NS} <urlset <url> <loc> https://e.com/?a&b </loc> </url> </urlset> > <lastmod> &amp;"
FRAGMENTS = st.sampled_from([*WORDS.split(), "\x1b[2J", "\u202e", "東京", "\t", "\r\n", "x" * 99])


@given(st.one_of(st.binary(max_size=400), st.lists(FRAGMENTS).map(lambda x: "".join(x).encode())))
def test_check_of_any_bytes_can_be_reported(data):
    found = check(data)
    findings = list(found)

    lines = text(findings).split("\n")
    assert all(sanitize(line) == line for line in lines)
    assert all(cells(line) <= 80 for line in lines if line.startswith("    "))
    told = json.loads("".join(report_json(findings, found.totals_dict)))["findings"]
    assert [finding["message"] for finding in told] == [f.message for f in findings]
    assert len(list(report_github(findings, max_examples=None))) == len(findings)
    assert (
        json.loads("".join(report_sarif(findings, version="1")))["runs"][0]["results"] or not told
    )


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u200b\ufeff\u2028\x7f"


def test_reports_for_people_are_harmless(tmp_path):
    path = tmp_path / "a\x1b[31m.txt"
    path.write_bytes(f"https://e.com/\n{HOSTILE}\n".encode())
    findings = check(path)
    github = list(report_github(findings))

    for line in (text(findings), *github):
        assert not set(line) & (set(HOSTILE) - set("]0;owned[2J31m"))
        assert "\\x1b" in line


def test_report_json_is_a_contract():
    found = check(TWO)
    lines = list(report_json(found, found.totals_dict))

    told = json.loads("".join(lines))
    assert (lines[0], lines[4], len(lines)) == ("{", "],", 6)
    assert told == found.to_dict()
    assert [list(finding) for finding in told["findings"]] == [
        ["rule", "code", "level", "message", "source", "line", "column", "loc", "fix", "basis"]
    ] * 2
    assert told["findings"][0] == {
        "rule": "unescaped-ampersand",
        "code": "X003",
        "level": "error",
        "message": 'Raw "&" must be written &amp;',
        "source": None,
        "line": 2,
        "column": 27,
        "loc": "https://e.com/?a&b",
        "fix": "Write &amp; for &",
        "basis": None,
    }


def test_report_json_is_true_and_harmless():
    found = check(f"https://e.com/\n{HOSTILE}\n".encode())
    findings = list(found)

    lines = list(report_json(findings, found.totals_dict))

    assert json.loads("".join(lines))["findings"][0]["message"] == findings[0].message
    assert all(line.isascii() and line.isprintable() for line in lines)


def test_report_github_escapes_what_ends_a_command(tmp_path):
    path = tmp_path / "a,b:c%.csv"
    path.write_bytes(b"https://e.com/\n50% \r\n::error::x\n")

    lines = list(report_github(check(path)))

    name = str(path).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    assert lines[0].startswith(f"::warning file={name},title=T005 text-extension::")
    assert lines[-1].startswith(f"::error file={name},line=3,col=1,title=T001 text-not-a-url::")
    assert any("::Line is not a URL: 50%25" in line for line in lines)
    assert not any("\n" in line or "\r" in line for line in lines)


def test_report_github_has_a_limit_of_examples():
    lines = list(report_github(check(b"https://e.com/\n" + b"x\n" * 5), max_examples=2))

    assert len(lines) == 3
    assert lines[-1] == "::notice title=T001::3 more of 5 are not shown"


@pytest.mark.parametrize("max_examples", [2, None])
def test_report_github_counts_findings_that_are_not_listed(max_examples):
    findings = check(b"https://e.com/\n" + b"x\n" * 5)

    lines = list(report_github(findings, max_examples=max_examples, omitted={"T001": 7}))

    more = 7 if max_examples is None else 10
    assert lines[-1] == f"::notice title=T001::{more} more of 12 are not shown"


def test_report_sarif(tmp_path):
    path = tmp_path / "a b.xml"
    path.write_bytes(TWO)

    log = json.loads("".join(report_sarif(check(path), version="1.2")))

    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(CATALOGUE)
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "X003"
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 27}
    assert place["artifactLocation"]["uri"].endswith("/a%20b.xml")


def test_report_sarif_without_findings():
    assert json.loads("".join(report_sarif([], version="1")))["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("value", "width", "clipped"),
    [
        ("abc", 3, "abc"),
        ("abcdef", 5, "ab…ef"),
        ("東京東京", 8, "東京東京"),
        ("東京東京", 7, "東…京"),
        ("abc", 1, "…"),
    ],
)
def test_clip(value, width, clipped):
    assert clip(value, width) == clipped


def test_harmless_leaves_scripts_of_the_world_alone():
    assert sanitize("東京 Zürich عربى हिन्दी 👩") == "東京 Zürich عربى हिन्दी 👩"


def test_findings_is_public():
    assert isinstance(checker.check(b""), Findings)


def test_report_junit_counts_what_fails(tmp_path):
    (tmp_path / "a.xml").write_bytes(TWO)
    (tmp_path / "b.xml").write_bytes(CLEAN)
    findings = check(tmp_path)

    root = ElementTree.fromstring("\n".join(report_junit(findings, findings.documents)))

    bad, clean = root.findall("testsuite")
    assert (bad.get("tests"), bad.get("failures")) == ("2", "2")
    assert [case.get("name") for case in bad] == [
        "X003 unescaped-ampersand",
        "D001 lastmod-invalid",
    ]
    assert [failure.get("type") for failure in bad.iter("failure")] == ["error", "error"]
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")


@pytest.mark.parametrize(("level", "failures"), [("error", 0), ("warning", 1), ("info", 1)])
def test_report_junit_fails_from_a_level_on(level, failures):
    findings = check(f"<urlset {NS}></urlset>".encode(), select=["S021"])

    root = ElementTree.fromstring("\n".join(report_junit(findings, fail_level=level)))

    assert len(root.findall(".//failure")) == failures
    assert len(root.findall(".//system-out")) == 1 - failures


@given(st.text(max_size=200))
def test_report_junit_is_xml_whatever_stands_in_a_document(text):
    findings = check(f"https://e.com/\n{text}\n".encode(errors="replace"))

    ElementTree.fromstring("\n".join(report_junit(findings)).encode(errors="replace"))
