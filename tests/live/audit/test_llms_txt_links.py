"""llms.txt: the links of its Markdown, and input that is meant to do harm."""

from __future__ import annotations

import random
import re

import pytest

from urlset import parse
from urlset.live.audit.probes import llms_txt_links

# https://llmstxt.org/ shows a file of this form.
FORM = b"""# Title

> Optional description goes here

## Section name

- [Link title](https://link_url): Optional link details

## Optional

- [Link title](https://link_url/more)
"""


def links(text: bytes) -> list[tuple[int, str]]:
    return list(llms_txt_links(text))


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_spec_the_links_of_the_form_of_the_proposal_are_read(line_end: bytes, start: bytes):
    text = start + FORM.replace(b"\n", line_end)

    assert links(text) == [(7, "https://link_url"), (11, "https://link_url/more")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[a](b.md)", ["b.md"]),
        (b"[a](//example.com/)", ["//example.com/"]),
        (b"[a](#part)", []),
        (b"[a]()", []),
        (b"[a](<a b>)", ["a b"]),
        (b"[a](<>)", []),
        (b"[[a] [b]](https://e.com/(a)) [c](https://e.com/b)", ["https://e.com/(a)", "https://e.com/b"]),
        (b"[a](JavaScript:alert(1)) [b](mailto:a@example.com)", []),
        (b"[a](b)\n~~~\n[a](c)\n~~~\n[a](d)", ["b", "d"]),
        (b"```\n[a](b)\n~~~\n[a](c)", []),
        (b"Write `[name](page)` for a link, such as [a](b).", ["b"]),
        (rb"\](a) [b](c)", ["c"]),
    ],
)  # fmt: skip
def test_a_link_to_a_page_is_read_and_nothing_else(text: bytes, expected: list[str]):
    assert [target for _, target in links(text)] == expected


def test_links_have_their_line_and_their_decoded_target():
    text = b"# A\r\n\r[a](/x\\_y)\n```\n[b](/no)\n```\r\n[c](#d) [d](<e f>)`[g](/no)`[h](i?j&amp;k)"

    assert links(text) == [(3, "/x_y"), (7, "e f"), (7, "i?j&k")]


MARKS = b"a # ``` ~~~ ]( ` \\ - ( ) [a](b) [a](https://e.com/) [x](<c>) [j](js:x)"
SPACE = [b" ", b"    ", b"\t", b"\n", b"\n", b"\n", b"\n", b"\r", b"\r\n"]
PARTS = [*MARKS.split(), *SPACE, b"\xff"]
TARGET = re.compile(rb"(?<!\\)\]\([ \t]*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))")


def links_line_by_line(text: bytes) -> list[tuple[int, str]]:
    """Links by a scan of every line, without skipping any."""
    found, fence = [], b""
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
        mark = re.match(rb" {0,3}(```|~~~)", line)
        if mark and fence in (b"", mark[1]):
            fence = b"" if fence else mark[1]
        elif not fence:
            for match in TARGET.finditer(
                re.sub(rb"`[^`]*`", lambda code: b" " * len(code[0]), line)
            ):
                target = match[1] if match[1] is not None else match[2]
                if target and not target.startswith((b"js:", b"#")):
                    decoded = target.decode(errors="replace")
                    found.append((number, re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", decoded)))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_skipping_lines_changes_nothing(seed: int):
    draw = random.Random(seed)
    for _ in range(200):
        text = b"".join(draw.choices(PARTS, k=draw.randrange(1, 40)))

        assert links(text) == links_line_by_line(text), f"seed {seed}: {text!r}"


def test_the_name_of_a_file_does_not_decide_how_it_is_read():
    assert parse(b"# Tea\n[a](https://e.com/)\n", source="llms.txt").kind == "unknown"
    assert len(parse(b"https://e.com/a\nhttps://e.com/b\n", source="llms.txt").entries) == 2
