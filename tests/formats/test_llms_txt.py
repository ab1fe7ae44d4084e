"""llms.txt: titles, sections and links of its Markdown, and input that is meant to do harm."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from urlset import check, parse
from urlset.formats.llms_txt import MAX_OF_A_RULE, llms_txt_diagnostics

# https://llmstxt.org/ shows a file of this form.
FORM = b"""# Title

> Optional description goes here

Optional details go here

## Section name

- [Link title](https://link_url): Optional link details

## Optional

- [Link title](https://link_url/more)
"""


def codes(text: bytes) -> list[str]:
    return [found.code for found in llms_txt_diagnostics(text)[0]]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_spec_the_form_of_the_proposal_has_no_findings(line_end: bytes, start: bytes) -> None:
    assert codes(start + FORM.replace(b"\n", line_end)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"#Tea", ["M001"]),  # Markdown needs a space
        (b"# ", ["M001"]),
        (b"## Tea\ntext", ["M001"]),
        (b"# A\n# B", ["M002"]),
        (b"A\n===\nB\n===", ["M002"]),
        (b"# A\n===", []),
        (b"# A\n[a](b.md)", ["M003"]),
        (b"# A\n[a](//example.com/)", ["M003"]),
        (b"# A\n[a](#part)", []),
        (b"# A\n[a]()", []),
        (b"# A\n[a](<a b>)", ["M003"]),
        (b"# A\n[[a] [b]](https://e.com/(a)) [c](https://e.com/(a))", ["M005"]),
        (b"# A\n[a](JavaScript:alert(1))", ["M004"]),
        (b"# A\n~~~\n[a](b)\n# B\n~~~\n[a](c)", ["M003"]),
        (b"# A\n## B\n## C\ntext", ["M006"]),
        (b"# A\n## B\n```\n# x\n```", []),
        (b"# A\n```\n~~~\n# x\n```\n# B", ["M002"]),
    ],
)
def test_a_fault_is_found(text: bytes, expected: list[str]) -> None:
    assert codes(text) == expected


def test_a_finding_has_the_position_and_the_text_of_the_link(tmp_path: Path) -> None:
    file = tmp_path / "llms.txt"
    file.write_bytes("# Täe\r\n\r\n- [ä](/grün)\r\n".encode())

    [finding] = check(str(file))

    assert (finding.rule, finding.line, finding.column) == ("llms-txt-relative-link", 3, 7)
    assert finding.message == 'Link "/grün" is not an absolute URL'


def test_a_file_with_another_name_or_content_is_read_as_before() -> None:
    assert parse(b"https://example.com/\n", source="urls.txt").kind == "text"
    assert parse(b"<!DOCTYPE html><p>", source="llms.txt").kind == "html"
    assert len(parse(b"https://e.com/a\nhttps://e.com/b#c\n", source="llms.txt").entries) == 2
    assert parse(b"", source="llms.txt").kind == "empty"


@pytest.mark.parametrize("data", [b"\0" * 99, bytes(range(256)), b"# \xff\xfe", b"[" * 99_999])
def test_binary_data_yields_findings(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "llms.txt"
    file.write_bytes(data)

    assert not check(str(file)).ok


@pytest.mark.parametrize("part", [b"[a](", b"](<", b"](a(", b"](", b"`", b"[a](b(c)) "])
def test_a_long_line_takes_linear_time(part: bytes) -> None:
    codes(b"# A\n" + part * 200_000)  # quadratic time would exceed the time limit of the test


def test_findings_beyond_the_limit_are_counted() -> None:
    text = b"# A\n" + b"- [a](b)\n" * (MAX_OF_A_RULE + 5)

    document = parse(text, source="llms.txt")
    copy = pickle.loads(pickle.dumps(document))

    assert len(document.problems) == MAX_OF_A_RULE
    assert document.omitted == {"llms-txt-relative-link": 5}
    assert (copy.kind, copy.omitted) == (document.kind, document.omitted)
