"""A regular expression of the locs that no rule about spelling objects to: most of those there are.

It is one, for each costs as much as reading all locs; so what a plain loc must not have stands in
it, too, though RE2 cannot look ahead: as all the ways to be another word.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, digits

__all__ = ["PLAIN_LOC", "not_words"]


def not_words(words: Sequence[str], first: str, more: str, *, also_longer: bool = False) -> str:
    """Make a regular expression of all names but these words.

    Names begin with a character of ``first`` and go on with those of ``more``; ``also_longer``
    refuses those that begin with one of the words, too.

    >>> not_words(["no"], "no", "no")
    '(?:[o][no]*|n(?:(?:[n][no]*|o[no]+))?)'
    """
    heads = sorted({word[0] for word in words})
    ways = [f"[{''.join(its for its in first if its not in heads)}][{more}]*"]
    for head in heads:
        tails = [word[1:] for word in words if word[0] == head]
        left = [tail for tail in tails if tail]
        behind = not_words(left, more, more, also_longer=also_longer) if left else f"[{more}]+"
        if len(left) == len(tails):
            ways.append(f"{head}(?:{behind})?")
        elif not also_longer:
            ways.append(head + behind)
    return f"(?:{'|'.join(ways)})"


_NOT_PUBLIC = (
    "localhost localdomain local internal intranet private lan home corp arpa test example invalid"
).split()
_UNFILLED = "undefined null NaN __".split()
_IN_HOST, _IN_NAME = f"{ascii_lowercase}{digits}-", f"{ascii_letters}{digits}_~-"
_HOST = rf"(?:[{_IN_HOST}]+\.)+{not_words(_NOT_PUBLIC, ascii_lowercase, _IN_HOST)}"
_NAME = not_words(_UNFILLED, _IN_NAME, _IN_NAME, also_longer=True)

PLAIN_LOC = (
    rf"https?://{_HOST}/(?:{_NAME}/)*(?:{_NAME}(?:\.html?|\.php|\.aspx?)?)?"
    rf"(?:\?[\w&~-]*(?:={_NAME}?(?:&[\w&~-]*)?)*)?"
)
"""A loc of http(s) with a public host of letters in lower case, and behind it nothing that would
have to be encoded, or that looks as if something had not been filled in."""
