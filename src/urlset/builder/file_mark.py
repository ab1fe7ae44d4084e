"""The comment by which a build knows its own files again, when no ledger tells of them.

Other generators write the same declaration and the same root element; only a build writes this.
A list of URLs has no place for it: such a file is known by the ledger, or by an index that has it.
"""

from __future__ import annotations

from urlset.engine.reference.render import declaration

__all__ = ["MARK", "is_marked", "marked"]

MARK = b"<!-- urlset build -->\n"
_DECLARATION = declaration(None)


def marked(document: bytes) -> bytes:
    r"""An XML document with the mark behind its declaration.

    >>> marked(b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset/>\n').splitlines()[1]
    b'<!-- urlset build -->'
    """
    end = len(_DECLARATION)
    assert document.startswith(_DECLARATION)  # of every renderer
    return b"".join((_DECLARATION, MARK, memoryview(document)[end:]))


def is_marked(document: bytes) -> bool:
    r"""Tell whether a build wrote a document.

    >>> is_marked(b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset/>')
    False
    """
    return document.startswith(_DECLARATION + MARK)
