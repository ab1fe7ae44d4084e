"""What the site's own robots.txt forbids, left out: no engine may fetch it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.builder.options import BuildOptions
from urlset.builder.tables import TAKEN, StagedRows
from urlset.errors import SourceError
from urlset.robots import Robots, read_robots
from urlset.robots.regexes import alternatives, regexes_of
from urlset.store import ScratchDatabase, quoted
from urlset.urls import split_origin

__all__ = ["exclude"]

AGENT = "Googlebot"
"""Whose rules count: Google's, which are those for everybody where it has none of its own."""

REASON = "disallowed by robots.txt"
PORTION = 1_000

# A code that is none, %zz, is compared in ways of its own.
_ODD = "regexp_matches(path, '%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)')"


def exclude(
    bench: ScratchDatabase, staging: StagedRows, path: Path, settings: BuildOptions
) -> None:
    """Give a reason against each staged URL of the site that a robots.txt forbids.

    Raises :class:`urlset.SourceError` where the file cannot be read.
    """
    origin = "://".join(split_origin(settings.base)[:2])
    try:
        robots = read_robots(path.read_bytes(), f"{origin}/robots.txt")
    except OSError as error:
        raise SourceError(
            f"expected a robots.txt, found {str(path)!r}: {error.strerror or error}"
        ) from error
    suspects = bench.rows(_suspects(robots, origin))
    barred = [loc for (loc,) in suspects if not _allows(robots, loc)]
    staging.widen(["reason"])
    for start in range(0, len(barred), PORTION):
        listed = ", ".join(map(quoted, barred[start : start + PORTION]))
        bench.run(
            f"UPDATE {TAKEN} SET reason = {quoted(REASON)} "
            f"WHERE reason IS NULL AND loc IN ({listed})"
        )


def _suspects(robots: Robots, origin: str) -> str:
    """A query for those that a pattern may forbid; whether it does is asked one by one."""
    query = (
        "SELECT DISTINCT loc, if(starts_with(rest, '/'), rest, '/' || rest) AS path FROM ("
        f"SELECT loc, split_part(substr(loc, {len(origin) + 1}), '#', 1) AS rest "
        f"FROM staged WHERE starts_with(loc, {quoted(origin)}))"
    )
    return f"SELECT loc FROM ({query}) WHERE {' OR '.join(_tests(robots))} ORDER BY loc"


def _tests(robots: Robots) -> Iterator[str]:
    patterns = robots.patterns(AGENT)
    forbidding = [regexes_of(p.text).encoded for p in patterns if not p.is_allowing]
    for one in alternatives(forbidding):
        yield f"regexp_matches(path, {quoted(one)})"
    yield _ODD if forbidding else "false"


def _allows(robots: Robots, url: str) -> bool:
    try:
        return robots.allows(url, AGENT)
    except ValueError:  # no URL for urllib
        return True
