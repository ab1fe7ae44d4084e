"""Options that several commands share, and the errors about invalid option values."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Union, get_origin

import typer

from urlset.cli.console import start_logging
from urlset.errors import UrlsetError
from urlset.option_schema import Option

if TYPE_CHECKING:
    from urlset.http import Policy

AUTH_VARIABLE = "URLSET_AUTH"
"""Environment variable with the credentials, used without ``--auth-file``."""


class UsageError(UrlsetError, ValueError):
    """Error for an option with an invalid value, or for options that contradict each other."""


class EngineName(StrEnum):
    """Names of the engines."""

    native = "native"
    reference = "reference"


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Sites, URLs of sitemaps, files, folders, or - for stdin.",
        show_default=False,
    ),
]
EngineOption = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Engine that parses; by default native if it is installed."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only the result and errors."),
]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        metavar="",
        help="Log stages and retries to stderr; -vv also requests and documents.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="PATH", help="Write to this file instead of stdout."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="URL at which SOURCE is published: of the folder, or of the file. One that ends with "
        "/ is the folder that contains the file.",
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Configuration file; by default urlset.toml in this folder or above.",
    ),
]
UserAgent = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="User agent, also for the groups of robots.txt."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="LINE", help="Send this header (Name: value) to every host."),
]
AuthFile = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="File with `user:password` or `Bearer TOKEN`, sent only to the host of SOURCE; by "
        f"default ${AUTH_VARIABLE}.",
    ),
]
Delay = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="Minimum time between two requests to a host."),
]
Concurrency = Annotated[
    int | None,
    typer.Option(min=1, max=256, metavar="N", help="Maximum number of concurrent requests."),
]
Timeout = Annotated[
    float | None,
    typer.Option(min=0.1, metavar="SECONDS", help="Time limit of a document, with its retries."),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the result with charts to this HTML file, too."),
]
NewBaseline = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write all findings to this file, for --baseline."),
]
RecheckAfter = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Wait before the second visit of a page that answers 403, 429, 5xx or not at all.  "
        "[default: 60]",
    ),
]
IgnoreRobots = Annotated[
    bool,
    typer.Option(
        "--ignore-robots",
        help="Search sitemaps also at URLs that robots.txt disallows. Sitemaps that it declares "
        "are always read; pages that it disallows are never visited.",
    ),
]


class NetworkOptions(NamedTuple):
    """Arguments of :func:`urlset.read` for HTTP; None for the defaults."""

    policy: Policy | None = None
    auth: str | tuple[str, str] | None = None

    def __repr__(self) -> str:
        auth = None if self.auth is None else "hidden"
        return f"NetworkOptions(policy={self.policy!r}, auth={auth})"

    @classmethod
    def of(
        cls,
        *,
        user_agent: UserAgent = None,
        header: Headers = None,
        auth_file: AuthFile = None,
        delay: Delay = None,
        concurrency: Concurrency = None,
        timeout: Timeout = None,
        ignore_robots: IgnoreRobots = False,
    ) -> NetworkOptions:
        """Return the arguments for the values of options; read the credentials.

        Raises:
            UsageError: A header, the file of credentials or another value is invalid.
        """
        auth = _credentials(auth_file)
        changes: dict[str, object] = {}
        if user_agent is not None:
            changes["user_agent"] = user_agent
        if header:
            changes["headers"] = dict(map(_header, header))
        if delay is not None:
            # An explicit delay is kept, however long it is.
            changes |= {"delay_s": delay, "max_delay_s": max(delay, 60.0)}
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
            return cls(None, auth)
        from urlset.http import Policy

        with as_usage_error("--header"):
            return cls(Policy(**changes), auth)  # type: ignore[arg-type]

    def with_logins(self, values: dict[str, Any]) -> NetworkOptions:
        """Return the options with the users and passwords in URLs of sites; remove these there.

        A command never sees them, so that no message, file or report can show one.

        Args:
            values: Arguments of the command; URLs in :data:`_SITES` are changed.
        """
        found = self
        for name in _SITES & values.keys():
            value = values[name]
            several = value if isinstance(value, list) else [value]
            if not any(isinstance(each, str) and "@" in each for each in several):
                continue
            from urlset.http import Policy
            from urlset.reader.site import with_login

            plain: list[Any] = []
            for each in several:
                policy, url = with_login(found.policy or Policy(), each, None)
                if url != each:
                    found = found._replace(policy=policy)
                plain.append(url)
            values[name] = plain if isinstance(value, list) else plain[0]
        return found


_SITES = frozenset({"after", "base_url", "before", "site", "source", "sources"})
"""Parameters of commands that may be the URL of a site."""

NETWORK_DEFAULTS = NetworkOptions()


def add_options(
    options: Sequence[Option] = (), order: str = "", *, network: str | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds options to a command that are declared elsewhere.

    These are the declared options, in place of ``**options``; the options of
    :meth:`NetworkOptions.of`, in place of the parameter ``network``; and ``--verbose``, which
    starts the logging.

    Args:
        options: The declarations; those that the command line does not have are ignored.
        order: Names of parameters in the order of the help, separated by spaces; the other
            parameters follow, first those of the function.
        network: Names of the network options that the command has; by default all of them.
    """
    places = {name: place for place, name in enumerate(order.split())}
    all_network = inspect.signature(NetworkOptions.of, eval_str=True).parameters
    chosen = [all_network[name] for name in (network or " ".join(all_network)).split()]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        has_network = "network" in signature.parameters
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            if parameter.name == "network":
                parameters += chosen
            elif parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                parameters.append(parameter)
        parameters.append(_VERBOSE)
        parameters += [_parameter(option) for option in options if option.is_allowed("command")]
        parameters.sort(key=lambda parameter: places.get(parameter.name, len(places)))

        @wraps(command)
        def run(*, verbose: int, **values: Any) -> None:
            start_logging(verbose)
            if has_network:
                given = {parameter.name: values.pop(parameter.name) for parameter in chosen}
                values["network"] = NetworkOptions.of(**given).with_logins(values)
            command(**values)

        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[parameter.replace(kind=_ANY_KIND) for parameter in parameters]
        )
        return run

    return decorated


_ANY_KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD
_VERBOSE = inspect.Parameter("verbose", _ANY_KIND, default=0, annotation=Verbose)


def _parameter(option: Option) -> inspect.Parameter:
    """Convert an option to a function parameter that typer reads."""
    info: Any
    if option.name == "sources":
        info = typer.Argument(metavar=option.metavar, help=option.help, show_default=False)
    else:
        # Without names, typer adds the opposite of a flag: --gzip / --no-gzip.
        has_opposite = option.type is bool and not option.is_switch
        info = typer.Option(
            *(() if has_opposite else option.flags),
            metavar=option.metavar,
            min=option.minimum,
            max=option.maximum,
            help=option.help,
            rich_help_panel=option.group,
        )
    kind: Any = option.type
    if get_origin(kind) is list:
        kind = list[str]
    elif get_origin(kind) is Union:
        kind = str
    return inspect.Parameter(
        option.name,
        _ANY_KIND,
        default=False if option.is_switch else None,
        annotation=Annotated[kind if option.is_switch else kind | None, info],
    )


def given_options(values: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """Return the options that the command line sets, as arguments for Python."""
    return {
        option.name: option.value(values[option.name])
        for option in options
        if option.is_allowed("command")
        and values.get(option.name) not in (None, [])
        and not (option.is_switch and not values[option.name])
    }


def time_limit(seconds: float | None, default: float) -> float | None:
    """Return the time limit for the value of an option: 0 disables it, None is the default.

    >>> time_limit(None, 60.0), time_limit(0, 60.0), time_limit(5, 60.0)
    (60.0, None, 5)
    """
    return default if seconds is None else seconds or None


@contextmanager
def as_usage_error(option: str) -> Iterator[None]:
    """Convert a ``ValueError`` in a ``with`` block to a :class:`UsageError` about an option."""
    try:
        yield
    except UrlsetError:
        raise
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        raise UsageError(f"--header: expected a line like 'Accept-Language: de', found {line!r}")
    return name.strip(), value.strip()


def _credentials(file: Path | None) -> str | tuple[str, str] | None:
    """Read a token, or user and password, from a file or an environment variable.

    Other users can see the arguments of a process.
    """
    origin = f"${AUTH_VARIABLE}" if file is None else f"--auth-file {file}"
    if file is None:
        text = os.environ.get(AUTH_VARIABLE)
    else:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{origin}: cannot be read: {error}") from error
    if text is None or not text.strip():
        if file is not None:
            raise UsageError(f"{origin}: expected `user:password` or `Bearer TOKEN`, found nothing")
        return None
    kind, _, token = text.strip().partition(" ")
    if kind.lower() == "bearer" and token:
        return token.strip()
    user, colon, password = text.strip().partition(":")
    if not colon:
        # Note: the text may be a secret, so the message does not contain it.
        raise UsageError(f"{origin}: expected `user:password` or `Bearer TOKEN`")
    return user, password
