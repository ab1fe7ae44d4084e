"""Options that several commands share, and the errors about invalid option values."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from urlset import option_names
from urlset.cli.console import print_info
from urlset.errors import UrlsetError
from urlset.option_names import option
from urlset.option_schema import Option, options_of
from urlset.option_schema.common import AUTH_VARIABLE
from urlset.option_schema.option import COMMAND
from urlset.own_files import expect_own_files

if TYPE_CHECKING:
    from urlset.config import Configuration
    from urlset.http import Policy


class UsageError(UrlsetError, ValueError):
    """Error for an option with an invalid value, or for options that contradict each other."""


class Exit(Exception):
    """End of a command with an exit code.

    Raised inside the context of an output file, it keeps the file as it was.
    """

    def __init__(self, code: int):
        super().__init__(code)
        self.exit_code: int = code


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
        user_agent: str | None = None,
        header: list[str] | None = None,
        auth_file: Path | None = None,
        delay_s: float | None = None,
        concurrency: int | None = None,
        timeout_s: float | None = None,
        ignore_robots: bool = False,
    ) -> NetworkOptions:
        """Return the arguments for the values of options; read the credentials.

        Raises:
            UsageError: A header, the file of credentials or another value is invalid.
        """
        auth = read_login(auth_file)
        changes: dict[str, object] = {}
        if user_agent is not None:
            changes["user_agent"] = user_agent
        if header:
            changes["headers"] = dict(map(_header, header))
        if delay_s is not None:
            # An explicit delay is kept, however long it is.
            changes |= {"delay_s": delay_s, "max_delay_s": max(delay_s, 60.0)}
        if concurrency is not None:
            changes |= {"concurrency": concurrency, "per_host": concurrency}
        if timeout_s is not None:
            changes |= {"total_timeout_s": timeout_s, "read_timeout_s": min(timeout_s, 30.0)}
            changes["connect_timeout_s"] = min(timeout_s, 10.0)
        if ignore_robots:
            changes["obey_robots"] = False
        if not changes:
            return cls(None, auth)
        from urlset.http import Policy

        with as_usage_error():
            return cls(Policy(**changes), auth)  # type: ignore[arg-type]

    def with_logins(self, values: dict[str, Any]) -> NetworkOptions:
        """Return the options with the users and passwords in URLs of sites; remove these there.

        A command never sees them, so that no message, file or report can show one.
        """
        found = self
        for name in _SITES & values.keys():
            value = values[name]
            several = value if isinstance(value, list) else [value]
            if not any(isinstance(each, str) and _MARKS.intersection(each) for each in several):
                continue
            from urlset.http import Policy, with_login

            plain: list[Any] = []
            for each in several:
                policy, url = with_login(found.policy or Policy(), each, None)
                if url != each:
                    found = found._replace(policy=policy)
                plain.append(url)
            values[name] = plain if isinstance(value, list) else plain[0]
        return found


_MARKS = frozenset("@?#;")  # in each URL with a secret
_SITES = frozenset({"after", "base_url", "before", "site", "source", "sources"})
"""Parameters of commands that may be the URL of a site."""


def given_options(
    values: Mapping[str, Any],
    options: Sequence[Option],
    where: Literal["python", "command"] = "command",
) -> dict[str, Any]:
    """Return the options that the command line sets, as arguments for Python.

    With ``where="python"``, only those that the function has, too.
    """
    return {
        option.name: option.value(values[option.name])
        for option in options
        if option.is_allowed("command")
        and option.is_allowed(where)
        and values.get(option.name) not in (None, [])
        and not (option.is_switch and not values[option.name])
    }


def _has_files(sources: Iterable[str]) -> bool:
    from urlset.formats.detect import stored_form
    from urlset.reader import is_url  # every command but a few imports it

    return not all(is_url(each) or stored_form(each) in ("duckdb", "warc") for each in sources)


class Need(NamedTuple):
    """What an option needs: another option with a value that gives it an effect.

    ``is_met`` gets that value, None if it is not set. ``expected`` ends the message.
    """

    option: str
    is_met: Callable[[Any], bool]
    expected: str


_GOOGLE = Need("to", lambda to: "google" in (to or ()), "--to google, too")
_INDEXNOW = Need("to", lambda to: not to or "indexnow" in to, "--to indexnow, too")
_FOLLOW = Need(
    "follow", lambda follow: follow is not False, "no --no-follow, which reads no other sitemap"
)
_FILES = Need(
    "sources",
    _has_files,
    "a file or a folder, too; a URL is the address of its own document, and a store and a WARC "
    "file have those with which they were written",
)
_OF_VISITS = (
    "scope", "include", "exclude", "max_pages", "max_minutes", "read_sitemaps", "follow_links",
    "confirm_after_s", "report",
)  # fmt: skip
_VISITS = Need("why", lambda why: not why, "no --why, which visits nothing")
_NEEDS = {
    ("audit", "seed"): Need("sample", bool, "--sample N, too"),
    ("build", "cache_control"): Need(
        "target", lambda target: "://" in target, "a bucket, such as s3://, as --output"
    ),
    ("check", "base_url"): _FILES,
    **dict.fromkeys(
        [("check", name) for name in ("output", "report", "statistics", "write_baseline")],
        Need("diff", lambda diff: not diff, "no --diff, which shows changes and reports nothing"),
    ),
    **dict.fromkeys([("crawl", name) for name in _OF_VISITS], _VISITS),
    ("crawl", "max_depth"): Need(
        "follow_links", lambda follow: follow is not False, "no --no-links, which follows no link"
    ),
    ("diff", "base_url"): _FILES,
    ("diff", "max_examples"): Need(
        "format", lambda form: form in ("text", "markdown"), "--format text or markdown"
    ),
    ("diff", "max_requests"): Need("live", bool, "--live, too; no page is requested without it"),
    ("diff", "min_confidence"): Need(
        "moves", lambda moves: moves is not False, "no --no-moves, which finds none"
    ),
    ("read", "base_url"): _FILES,
    ("read", "follow_only"): _FOLLOW,
    ("read", "max_documents"): _FOLLOW,
    ("read", "sql_timeout_s"): Need("sql", bool, "--sql QUERY, too"),
    ("watch", "webhook_format"): Need("webhook", bool, "--webhook URL, too"),
    ("submit", "preflight_pages"): Need(
        "preflight", lambda given: given is not False, "no --no-preflight, which visits none"
    ),
    ("submit", "inspect_store"): Need("inspect", bool, "--inspect N, too"),
    **dict.fromkeys(
        [("submit", name) for name in ("keys_file", "endpoints", "announce_all", "preflight")],
        _INDEXNOW,
    ),
    **dict.fromkeys(
        [("submit", name) for name in ("sitemaps", "resubmit", "property", "status", "inspect")],
        _GOOGLE,
    ),
    ("submit", "google_credentials"): _GOOGLE,
}
"""Options that have no effect without another one, by command."""


_NO_DEFAULT = object()


def expect_effect(verb: str, given: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Raise :class:`UsageError` for an option that has no effect without another one.

    Args:
        verb: The command.
        given: Options that the command line sets, and those that only the command has.
        settings: Values of the run, also of the configuration and of the environment.
    """
    unset = {each.name: each.default for each in options_of(verb) if each.allowed == COMMAND}
    for name, value in given.items():
        need = _NEEDS.get((verb, name))
        if need is None or value is None or value == unset.get(name, _NO_DEFAULT):
            continue
        if not need.is_met(settings.get(need.option)):
            raise UsageError(f"{option_names.option(name)}: expected {need.expected}")


def configuration(file: Path | None, *, is_quiet: bool = False) -> Configuration:
    """Load a configuration, by default the one of the working directory, and print its notes."""
    from urlset.config import load_config

    found = load_config(file)
    for note in () if is_quiet else found.notes:
        print_info(note)
    return found


def expect_own_outputs(outputs: Mapping[str, Path | None], sources: Iterable[str | Path]) -> None:
    """Raise :class:`UsageError` if an output is a source or another output, before the work.

    ``outputs`` has paths by the names of the parameters, such as ``write_baseline``.
    """
    expect_paths({name: path for name, path in outputs.items() if name != "output"})
    named = {f"--{name.replace('_', '-')}": path for name, path in outputs.items()}
    with as_usage_error():
        expect_own_files(named, sources)
    expect_html(outputs.get("report"))


def expect_html(report: Path | None, flag: str = "--report") -> None:
    """Raise :class:`UsageError` for a report with the suffix of another format than HTML."""
    if report is None:
        return
    from urlset.html_report import expect_html_suffix

    with as_usage_error():
        expect_html_suffix(report, flag)


def expect_paths(outputs: Mapping[str, Path | None]) -> None:
    """Raise :class:`UsageError` for an output ``-`` that stdout cannot be."""
    for name, path in outputs.items():
        if path is not None and str(path) == "-":
            expected = "a store (.duckdb)" if name == "store" else "a file"
            rest = "" if name == "store" else "; stdout has the result"
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag}: expected the path of {expected}, found -{rest}")


_FORMATS = {
    ".json": ("json", "jsonl", "sarif"),
    ".jsonl": ("jsonl", "json"),
    ".sarif": ("sarif", "json"),
    ".xml": ("junit",),
    ".md": ("markdown",),
    ".html": ("html",),
    ".htm": ("html",),
}
"""Formats that a file may have by its suffix, the usual one first."""

_TABLES = frozenset(".arrow .csv .db .duckdb .parquet .sqlite .tsv .xlsx".split())
"""Suffixes of tables, which no format of a report is."""


def expect_format_of(output: Path | None, form: str, command: str) -> None:
    """Raise :class:`UsageError` if an output has the suffix of another format of the command."""
    expected = () if output is None else _FORMATS.get(output.suffix.lower(), ())
    if output is None or form in expected:
        return
    options = {option.name: option for option in options_of(command)}
    known = [name for name in expected if name in options["format"].choices]
    if known:
        advice = f"--format {known[0]}"
    elif "html" in expected and "report" in options:
        advice = f"--report {shlex.quote(str(output))}"
    elif output.suffix.lower() in _TABLES:
        usual = next((suffix for suffix, forms in _FORMATS.items() if form == forms[0]), ".txt")
        advice = shlex.quote(str(output.with_suffix(usual)))
    else:
        return
    raise UsageError(
        f"--output: expected another suffix for {form}, found {str(output)!r}; use {advice}"
    )


@contextmanager
def as_usage_error(option: str = "") -> Iterator[None]:
    """Convert a ``ValueError`` in a ``with`` block to a :class:`UsageError`.

    ``option`` is what the error is about, unless its text says so.
    """
    try:
        yield
    except UrlsetError:
        raise
    except ValueError as error:
        raise UsageError(f"{option}: {error}" if option else str(error)) from error


def note_ignored_robots(network: NetworkOptions) -> None:
    """Print what ``--ignore-robots`` does not do, for a command that visits pages."""
    if network.policy is not None and not network.policy.obey_robots:
        print_info(
            "--ignore-robots is for the search of sitemaps: pages that robots.txt disallows are "
            "not visited"
        )


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        name = option("header", python="headers")
        raise UsageError(f"{name}: expected a line like 'Accept-Language: de', found {line!r}")
    return name.strip(), value.strip()


def read_secret(file: Path, failure: str) -> str:
    """Return the text of a file without surrounding space; ``failure`` begins the error."""
    try:
        return file.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{failure}: {reason}") from error


def read_login(file: Path | None = None) -> str | tuple[str, str] | None:
    """Read a token, or user and password, from a file or the environment; None without one.

    Other users can see the arguments of a process.
    """
    origin = f"${AUTH_VARIABLE}" if file is None else f"--auth-file {file}"
    if file is None:
        text = os.environ.get(AUTH_VARIABLE, "").strip()
    else:
        text = read_secret(file, f"{origin}: cannot be read")
    if not text:
        if file is not None:
            raise UsageError(f"{origin}: expected `user:password` or `Bearer TOKEN`, found nothing")
        return None
    kind, _, token = text.partition(" ")
    if kind.lower() == "bearer" and token:
        from urlset.http.policy import expect_token

        with as_usage_error(origin):
            expect_token(token.strip(), "`Bearer TOKEN` or `user:password`")
        return token.strip()
    user, colon, password = text.partition(":")
    if not colon or user.lower() == "authorization":
        # Note: the text may be a secret, so the message does not contain it.
        raise UsageError(f"{origin}: expected `user:password` or `Bearer TOKEN`")
    return user, password
