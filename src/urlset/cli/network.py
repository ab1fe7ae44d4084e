"""How sites are fetched: the options that say so, and the policy that they come to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from urlset.cli.options import MisuseError, misuse

if TYPE_CHECKING:
    from urlset.http import Policy

__all__ = [
    "AuthFile",
    "Concurrency",
    "Delay",
    "Headers",
    "IgnoreRobots",
    "Network",
    "Timeout",
    "UserAgent",
    "network_of",
]

VARIABLE = "URLSET_AUTH"

UserAgent = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name to give to servers; robots.txt is asked for it, too."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="LINE", help="Send this header (Name: value) to every host."),
]
AuthFile = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="File with `user:password` or `Bearer TOKEN`, for the host of SOURCE only; else it "
        f"is taken from ${VARIABLE}.",
    ),
]
Delay = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="Least time between two requests to a host."),
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, max=256, metavar="N", help="Documents fetched at once.")
]
Timeout = Annotated[
    float | None,
    typer.Option(min=0.1, metavar="SECONDS", help="Most time for a document, with its retries."),
]
IgnoreRobots = Annotated[
    bool,
    typer.Option(
        "--ignore-robots",
        help="Look for sitemaps where robots.txt asks not to; those it declares are always read.",
    ),
]


class Network(NamedTuple):
    """What :func:`urlset.read` is told about fetching; None for its own manners."""

    policy: Policy | None = None
    auth: str | tuple[str, str] | None = None


def network_of(
    *,
    user_agent: str | None,
    headers: list[str] | None,
    auth_file: Path | None,
    delay: float | None,
    concurrency: int | None,
    timeout: float | None,
    ignore_robots: bool = False,
) -> Network:
    """Make it of the options; raises :class:`MisuseError` for what cannot be meant."""
    auth = _auth(auth_file)
    changes: dict[str, object] = {}
    if user_agent is not None:
        changes["user_agent"] = user_agent
    if headers:
        changes["headers"] = dict(map(_header, headers))
    if delay is not None:
        # A delay that was asked for is kept, however long.
        changes |= {"delay_s": delay, "max_delay_s": max(delay, 10.0)}
    if concurrency is not None:
        changes |= {"concurrency": concurrency, "per_host": concurrency}
    if timeout is not None:
        changes |= {
            "total_timeout_s": timeout,
            "read_timeout_s": min(timeout, 30.0),
            "connect_timeout_s": min(timeout, 10.0),
        }
    if ignore_robots:
        changes["obey_robots"] = False
    if not changes:
        return Network(None, auth)
    from urlset.http import Policy

    with misuse("--header"):
        return Network(Policy(**changes), auth)  # type: ignore[arg-type]


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        raise MisuseError(f"--header: expected a line like 'Accept-Language: de', found {line!r}")
    return name.strip(), value.strip()


def _auth(file: Path | None) -> str | tuple[str, str] | None:
    """Read the secret: an argument would be seen by everybody on the machine."""
    where = f"${VARIABLE}" if file is None else f"--auth-file {file}"
    if file is None:
        text = os.environ.get(VARIABLE)
    else:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise MisuseError(f"{where}: cannot be read: {error}") from error
    if text is None or not text.strip():
        if file is not None:
            raise MisuseError(f"{where}: expected `user:password` or `Bearer TOKEN`, found nothing")
        return None
    kind, _, token = text.strip().partition(" ")
    if kind.lower() == "bearer" and token:
        return token.strip()
    user, colon, password = text.strip().partition(":")
    if not colon:
        # Beware: what stands there is a secret, and is not shown.
        raise MisuseError(f"{where}: expected `user:password` or `Bearer TOKEN`")
    return user, password
