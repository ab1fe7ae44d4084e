"""Merge the options of ``urlset check`` over the ``[check]`` section of the configuration file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urlset.checker import LEVELS, Rule, custom_rule
from urlset.cli.console import print_info
from urlset.config import Configuration, read_configuration
from urlset.errors import ConfigurationError

__all__ = ["PROFILES", "CheckConfig"]

_KEYS: dict[str, type | tuple[type, ...]] = {
    "select": list,
    "ignore": list,
    "extend-select": list,
    "per-path-ignores": dict,
    "levels": dict,
    "profile": str,
    "base-url": str,
    "fail-level": str,
    "max-examples": int,
    "baseline": str,
    "rules": list,
}
PROFILES = ("google", "bing", "yandex", "baidu")
"""Search engines that have rules of their own."""


class CheckConfig(NamedTuple):
    """Options of a check.

    Attributes:
        select: Rules to check; None for the rules that are on by default.
        ignore: Rules not to check.
        extend_select: Rules to check in addition.
        ignore_in: Rules not to check, by pattern of paths.
        levels: Level of rules, by rule.
        profile: Search engine whose own rules are checked; None for none.
        base_url: URL at which the source is published.
        fail_level: The least severe level that makes the exit code 1.
        max_examples: Findings of each rule that a report shows; None for all.
        baseline: File of the known findings; None for none.
        rules: Custom rules.
    """

    select: Sequence[str] | None
    ignore: Sequence[str]
    extend_select: Sequence[str]
    ignore_in: Mapping[str, Sequence[str]]
    levels: Mapping[str, Any]
    profile: Any
    base_url: str | None
    fail_level: str
    max_examples: int | None
    baseline: Path | None
    rules: Sequence[Rule]

    @classmethod
    def load(cls, path: Path | None, **options: Any) -> CheckConfig:
        """Read the configuration at ``path``, or search one, and combine it with options.

        Args:
            path: The file; by default it is searched.
            options: The options of the command line; None if an option is not used. They take
                precedence over the file.

        Raises:
            urlset.ConfigurationError: The configuration is invalid.
        """
        found = read_configuration(None if path is None else str(path))
        for note in found.notes:
            print_info(note)
        table = found.section("check", _KEYS)
        given = {name: value for name, value in options.items() if value is not None}

        def option(name: str, default: Any = None) -> Any:
            return given.get(name, table.get(name.replace("_", "-"), default))

        _expect_one_of(found, option("profile"), PROFILES, "profile")
        _expect_one_of(found, option("fail_level"), LEVELS, "fail-level")
        for level in table.get("levels", {}).values():
            _expect_one_of(found, level, LEVELS, "levels")
        return cls(
            select=_names(found, option("select"), "select"),
            ignore=_names(found, option("ignore"), "ignore") or (),
            extend_select=_names(found, option("extend_select"), "extend-select") or (),
            ignore_in={
                pattern: _names(found, names, "per-path-ignores") or ()
                for pattern, names in table.get("per-path-ignores", {}).items()
            },
            levels=table.get("levels", {}),
            profile=option("profile"),
            base_url=option("base_url"),
            fail_level=option("fail_level", "error"),
            max_examples=option("max_examples", 20) or None,
            baseline=_path(found, given.get("baseline"), table.get("baseline")),
            rules=_rules(found, table.get("rules", [])),
        )


def _path(found: Configuration, given: Path | None, configured: str | None) -> Path | None:
    """Return a path; one of the configuration is relative to the folder of the file."""
    if given is not None or configured is None or found.path is None:
        return given
    return found.path.parent / configured


def _names(found: Configuration, names: Any, key: str) -> list[str] | None:
    if names is None:
        return None
    found.expect(names, list, key)
    for name in names:
        found.expect(name, str, f"each of {key}")
    parts = [part.strip() for name in names for part in name.split(",")]
    return [part for part in parts if part] or None


def _expect_one_of(found: Configuration, value: object, known: Sequence[str], key: str) -> None:
    if value is not None and value not in known:
        raise found.error(f"{key}: expected {', '.join(known)}, found {value!r}")


def _rules(found: Configuration, tables: list[Any]) -> list[Rule]:
    rules = []
    for number, table in enumerate(tables, 1):
        found.expect(table, dict, f"rules[{number}]")
        try:
            rules.append(custom_rule(number, table))
        except ConfigurationError:
            raise
        except (TypeError, ValueError, KeyError) as error:
            raise found.error(f"rules[{number}]: {error}") from error
    return rules
