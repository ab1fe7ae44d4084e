"""Mark the XML files of a build with a comment, so that it recognizes them if the ledger is lost.

Other generators write the same declaration and the same root element; only a build writes this
comment. A list of URLs cannot hold a comment: the ledger identifies it, or an index that has the
mark.
"""

from __future__ import annotations

from hashlib import blake2b

from urlset.engine import DocumentBytes
from urlset.engine.reference.render import declaration

MARK = b"<!-- urlset build -->\n"
_DECLARATION = declaration(None)


def marked(document: bytes) -> bytes:
    r"""Return an XML document with the mark after its declaration.

    >>> marked(b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset/>\n').splitlines()[1]
    b'<!-- urlset build -->'
    """
    end = len(_DECLARATION)
    assert document.startswith(_DECLARATION)  # every renderer writes it
    return b"".join((_DECLARATION, MARK, memoryview(document)[end:]))


def is_marked(document: bytes) -> bool:
    r"""Return whether a build wrote a document.

    >>> is_marked(b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset/>')
    False
    """
    return document.startswith(_DECLARATION + MARK)


def digest_of(data: DocumentBytes) -> str:
    """Return 128 bits of BLAKE2b, in hexadecimal, that identify the bytes of an output file."""
    return blake2b(data, digest_size=16).hexdigest()
