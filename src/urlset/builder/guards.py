"""The gates that a publication passes: what is suspicious is not published unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from urlset.builder.options import GATES, BuildOptions, Gate
from urlset.errors import GateError
from urlset.store import ScratchDatabase, quoted

__all__ = ["check_hosts", "check_share", "check_zero", "fail"]


def fail(gate: Gate, settings: BuildOptions, words: str) -> None:
    """Raise :class:`urlset.GateError`, unless this gate is to be passed by force."""
    if gate in settings.force:
        return
    raise GateError(
        f"{words}; nothing was published. If that is as it should be: --force {gate}",
        gate=gate,
        exit_code=GATES[gate],
    )


def check_zero(
    given: int, sources: Sequence[str], left_out: Mapping[str, int], settings: BuildOptions
) -> None:
    """A set without a single URL is more often an accident than a wish.

    ``given`` rows came of the ``sources``, by their names; ``left_out`` says why URLs are not kept.
    """
    found = "none"
    if given:
        reasons = ", ".join(f"{why} {n:,}" for why, n in islice(left_out.items(), 3))
        found = f"none of {given:,} to keep" + (f" (left out: {reasons})" if reasons else "")
    elif sources:
        found = f"none in {sources[0] if len(sources) == 1 else f'{len(sources):,} sources'}"
    fail("zero", settings, f"expected URLs to publish, found {found}")


def check_share(urls: int, before: int, settings: BuildOptions) -> None:
    """A set that shrank to less than half (``min_share``) is more often an accident."""
    if urls < before * settings.min_share:
        least = f"{settings.min_share:.0%}".removesuffix("%")
        fail(
            "shrunk",
            settings,
            f"expected at least {least} % of the {before:,} URLs that are published, found "
            f"{urls:,}",
        )


def check_hosts(bench: ScratchDatabase, settings: BuildOptions) -> None:
    """Engines believe a sitemap about its own host only."""
    allowed = [settings.base.split("/")[2].lower(), *(host.lower() for host in settings.hosts)]
    hosts = ", ".join(map(quoted, allowed))
    # Nearly all begin with the base: for them no host needs to be looked for.
    foreign = f"""differing WHERE state IN ('added', 'moved')
        AND NOT starts_with(loc, {quoted(settings.base)})
        AND lower(regexp_extract(loc, '^[a-zA-Z]+://(?:[^/@?#]*@)?([^/?#]+)', 1))
            NOT IN ({hosts})"""
    (count,) = bench.one(f"SELECT count(*) FROM {foreign}")
    if count:
        rows = bench.rows(f"SELECT loc FROM {foreign} ORDER BY loc LIMIT 3")
        examples = ", ".join(loc for (loc,) in rows)
        fail(
            "hosts",
            settings,
            f"expected URLs of {allowed[0]}, found {count:,} of another host ({examples}); "
            "leave them out by a filter, or name the host by --host",
        )
