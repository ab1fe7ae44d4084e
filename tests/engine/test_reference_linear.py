"""The work of the reference engine grows as the document does: counted, not timed."""

import gzip
import sys
import zlib
from types import SimpleNamespace

import pytest

from urlset.engine import get
from urlset.engine.reference.tree import Tree
from urlset.formats.compression import inflate

reference = get("reference")


class Counted(bytes):
    """Bytes that count how many of them were searched for something."""

    searched = 0

    def find(self, part, start=0, end=None):
        end = len(self) if end is None else end
        found = super().find(part, start, end)
        self.searched += (end if found < 0 else found) - start
        return found


def work(text):
    """Calls of functions, and bytes that were searched."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    counted = Counted(text.encode())
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        reference.parse(counted, None, None, [])
    finally:
        sys.setprofile(before)
    return calls + counted.searched


UNITS = [
    "<!DOCTYPE a [<!ENTITY e 'v'>", "<!DOCTYPE a [<!ENTITY e \"", "<!DOCTYPE a [>",
    "<!DOCTYPE a [<!-- >", "<!DOCTYPE a [<? >", "<!DOCTYPE a ['>", "<!DOCTYPE a [%>",
    "<urlset></urlset><!-- ", "<urlset></urlset><?x <", "<!--", "<![CDATA[", "<?x", "<url><loc>",
    "<url><loc>http://e.com/</loc>", "<url><loc>http://e.com/</loc><video:video></url>",
    "<url><loc>http://e.com/</loc></url>", "</x>", "<x>", "<x y='", "&", "&e;", "]]>", "http://a ",
    "http://e.com/\n", "</", "</ ", "<", "\0", "&#65;", "&amp;", "see http://e.com/ ", "</b> ",
    "<url><loc>http://e.com/</loc><data><url>x</url></data></url>", "<data><url></data></b>",
    "<loc>http://e.com/</loc><url></url>", "<loc>x</b>", "<url><data><url>",
]  # fmt: skip
ENDS = ["", "-->", "?>", "]>", "'\"", "]]>", "</urlset>"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("head", ["", "<urlset>", "<urlset><url>"])
def test_four_times_as_much_takes_four_times_the_work(head, unit):
    for end in ENDS:
        small, large = (work(head + unit * count + end) for count in (50, 200))
        assert large < 6 * small + 2_000, (end, small, large)


def test_only_names_of_one_length_are_compared_in_any_case(monkeypatch):
    """Else each end tag that closes nothing would cost the length of all names that are open."""

    class Name(bytes):
        def lower(self):
            raise AssertionError

    push = Tree._push

    def watched(self, node):
        node.name = node.name._replace(raw=Name(node.name.raw))
        push(self, node)

    monkeypatch.setattr(Tree, "_push", watched)
    parsed = reference.parse(b"<urlset><url><abc></x></y>", None, None, [])
    assert [mark.detail for mark in parsed.diagnostics if mark.code == "X002"] == [
        "</x> closes nothing", "</y> closes nothing",
    ]  # fmt: skip


def test_gzip_of_many_members():
    """What stands behind a member is not copied for each of them."""
    member = gzip.compress(b"http://e.com/\n", mtime=0)
    seen = 0

    class Unpacker:
        def __init__(self, bits):
            self.inner = zlib.decompressobj(bits)

        def decompress(self, data, limit):
            nonlocal seen
            seen += len(data)
            return self.inner.decompress(data, limit)

        def __getattr__(self, name):
            return getattr(self.inner, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "urlset.inflate.zlib",
            SimpleNamespace(decompressobj=Unpacker, error=zlib.error),
        )
        assert reference.gunzip(member * 5_000, 1 << 20) == b"http://e.com/\n" * 5_000
    assert seen < 5_000 * 2_000


def test_damage_behind_much_that_packs_well():
    """What lies before the damage is unpacked in steps, not byte after byte."""
    packed = bytearray(gzip.compress(b" " * (1 << 20), mtime=0))
    packed[-8:] = bytes(8)
    calls = 0

    def count(_frame, event, function):
        nonlocal calls
        calls += event == "c_call" and function.__name__ == "decompress"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = inflate(bytes(packed), 1 << 21, reference.gunzip)
    finally:
        sys.setprofile(before)
    assert found.data == b" " * (1 << 20)
    assert calls < 2_000
