"""What a check is asked for: options, and the configuration behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urlset.checker import LEVELS, Rule, own_rule
from urlset.cli.console import print_info
from urlset.config import Configuration, read_configuration
from urlset.errors import ConfigurationError

__all__ = ["CheckConfig", "settings_of"]

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


class CheckConfig(NamedTuple):
    """What a check is asked for; ``baseline`` is a path, None for none."""

    select: Sequence[str] | None
    ignore: Sequence[str]
    extend_select: Sequence[str]
    ignore_in: Mapping[str, Sequence[str]]
    levels: Mapping[str, Any]
    profile: Any
    base: str | None
    fail_level: str
    max_examples: int | None
    baseline: Path | None
    rules: Sequence[Rule]


def settings_of(config: Path | None, **options: Any) -> CheckConfig:
    """Put the options that were given over what the configuration has.

    Raises :class:`urlset.ConfigurationError`.
    """
    found = read_configuration(None if config is None else str(config))
    for words in found.notes:
        print_info(words)
    table = found.section("check", _KEYS)
    given = {name: value for name, value in options.items() if value is not None}

    def wish(name: str, default: Any = None) -> Any:
        return given.get(name, table.get(name.replace("_", "-"), default))

    _one_of(found, wish("profile"), PROFILES, "profile")
    _one_of(found, wish("fail_level"), LEVELS, "fail-level")
    for level in table.get("levels", {}).values():
        _one_of(found, level, LEVELS, "levels")
    examples = wish("max_examples", 20)
    return CheckConfig(
        select=_names(found, wish("select"), "select"),
        ignore=_names(found, wish("ignore"), "ignore") or (),
        extend_select=_names(found, wish("extend_select"), "extend-select") or (),
        ignore_in={
            pattern: _names(found, names, "per-path-ignores") or ()
            for pattern, names in table.get("per-path-ignores", {}).items()
        },
        levels=table.get("levels", {}),
        profile=wish("profile"),
        base=wish("base_url"),
        fail_level=wish("fail_level", "error"),
        max_examples=examples or None,
        baseline=_beside(found, given.get("baseline"), table.get("baseline")),
        rules=_rules(found, table.get("rules", [])),
    )


def _beside(found: Configuration, given: Path | None, configured: str | None) -> Path | None:
    """A path of the configuration begins where that lies."""
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


def _one_of(found: Configuration, value: object, known: Sequence[str], key: str) -> None:
    if value is not None and value not in known:
        raise found.error(f"{key}: expected {', '.join(known)}, found {value!r}")


def _rules(found: Configuration, tables: list[Any]) -> list[Rule]:
    rules = []
    for number, table in enumerate(tables, 1):
        found.expect(table, dict, f"rules[{number}]")
        try:
            rules.append(own_rule(number, table))
        except ConfigurationError:
            raise
        except (TypeError, ValueError, KeyError) as error:
            raise found.error(f"rules[{number}]: {error}") from error
    return rules
