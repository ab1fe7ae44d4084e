"""llms.txt: titles, sections and links of its Markdown, and input that is meant to do harm."""

from __future__ import annotations

import pickle
import random
import re
from pathlib import Path

import pytest

from urlset import check, parse
from urlset.formats.llms_txt import MAX_OF_A_RULE, llms_txt_diagnostics, llms_txt_links

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


MARKS = b"a # ## ### = === ``` ~~~ ]( ` \\ - ( ) [a](b) [a](https://e.com/) [x](<c>) [j](js:x)"
SPACE = [b" ", b"    ", b"\t", b"\n", b"\n", b"\n", b"\n", b"\r", b"\r\n"]
PARTS = [*MARKS.split(), *SPACE, b"# T", b"## S", b"\xff"]


def structure_line_by_line(text: bytes) -> list[tuple[str, int]]:
    """Codes and offsets of the titles and sections at fault, by a scan of every line."""
    found: list[tuple[str, int]] = []
    titles, fence, previous, section, has_text = 0, b"", b"", None, True
    begin = len(text) - len(text.lstrip())
    for match in [*re.compile(rb"[^\r\n]+").finditer(text, begin), None]:
        line = b"## end" if match is None else match[0]
        start = len(text) if match is None else match.start()
        mark = re.match(rb" {0,3}(```|~~~)", line)
        heading = re.match(rb" {0,3}(#{1,2})[ \t]+[^\s#]", line)
        before = re.match(rb" {0,3}#{1,2}[ \t]+[^\s#]", previous)
        underline = re.match(rb" {0,3}=+[ \t]*$", line) and previous.strip() and not before
        if mark and fence in (b"", mark[1]):
            fence, has_text = b"" if fence else mark[1], True
        elif fence and match is not None:
            pass
        elif underline or (heading and heading[1] == b"#"):
            titles += 1
            found += [("M002", start)] if titles > 1 else []
        elif heading:
            found += [] if has_text or section is None else [("M006", section)]
            section, has_text = start, False
        else:
            has_text = has_text or bool(line.strip())
        previous = line
    return sorted(found + ([] if titles else [("M001", 0)]), key=lambda f: (f[1], f[0]))


@pytest.mark.parametrize("seed", range(20))
def test_skipping_lines_changes_nothing(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(200):
        text = b"".join(draw.choices(PARTS, k=draw.randrange(1, 40)))
        diagnostics, _ = llms_txt_diagnostics(text)
        found = [(d.code, d.offset) for d in diagnostics if d.code in ("M001", "M002", "M006")]

        assert found == structure_line_by_line(text), f"seed {seed}: {text!r}"


def test_a_long_file_of_short_lines_is_read_in_linear_time() -> None:
    # 10 MB; a scan of every line would exceed the time limit of the test
    assert codes(b"# A\n" + b"a\n" * 5_000_000) == []


def test_links_have_their_line_and_their_decoded_target() -> None:
    text = b"# A\r\n\r[a](/x\\_y)\n```\n[b](/no)\n```\r\n[c](#d) [d](<e f>)`[g](/no)`[h](i?j&amp;k)"

    assert list(llms_txt_links(text)) == [(3, "/x_y"), (7, "e f"), (7, "i?j&k")]
