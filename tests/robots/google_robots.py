"""A slow and literal model of Google's robots.txt parser, as an oracle for the fast one.

One decision reads the whole file, line by line, as the published program does:
https://github.com/google/robotstxt/blob/master/robots.cc
"""

from __future__ import annotations

import re

__all__ = ["google_allows"]

SPACE = " \t\n\v\f\r"
DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")


def google_allows(robots: str, agent: str, url: str) -> bool:
    path = path_params_query(url)
    best = {("allow", True): 0, ("disallow", True): 0, ("allow", False): 0, ("disallow", False): 0}
    is_global = is_specific = ever_specific = is_separated = False
    for line in re.split(r"\r\n|\r|\n", robots):
        field, value = key_and_value(line)
        if field.startswith(("user-agent", "useragent", "user agent")):
            if is_separated:
                is_global = is_specific = is_separated = False
            if value[:1] == "*" and (len(value) == 1 or value[1] in SPACE):
                is_global = True
            elif re.match("[A-Za-z_-]*", value)[0].lower() == agent.lower():  # type: ignore[index]
                ever_specific = is_specific = True
        elif field.startswith(("allow", *DISALLOW)) and (is_global or is_specific):
            is_separated = True
            kind = "allow" if field.startswith("allow") else "disallow"
            pattern = escaped(value)
            if not matches(path, pattern) and kind == "allow":
                folder, slash, page = pattern.rpartition("/")
                if slash and page.startswith("index.htm"):
                    pattern = f"{folder}/$"
            if matches(path, pattern):
                best[kind, is_specific] = max(best[kind, is_specific], len(pattern))
    if best["allow", True] or best["disallow", True]:
        return best["disallow", True] <= best["allow", True]
    return ever_specific or best["disallow", False] <= best["allow", False]


def key_and_value(line: str) -> tuple[str, str]:
    line = line.encode()[:16_663].decode(errors="ignore").partition("#")[0].strip(SPACE)
    if ":" in line:
        field, _, value = line.partition(":")
        return field.strip(SPACE).lower(), value.strip(SPACE)
    words = re.split(r"[ \t]+", line)
    return (words[0].lower(), words[1]) if len(words) == 2 else ("", "")


def path_params_query(url: str) -> str:
    start = 2 if url.startswith("//") else 0
    early = re.compile("[/?;]").search(url, start)
    protocol = url.find("://", start)
    if protocol < 0 or (early is not None and early.start() < protocol):
        protocol = start
    else:
        protocol += 3
    found = re.compile("[/?;]").search(url, protocol)
    if found is None or 0 <= url.find("#", start) < found.start():
        return "/"
    path = url[found.start() :].partition("#")[0]
    return path if path.startswith("/") else f"/{path}"


def escaped(value: str) -> str:
    value = re.sub("%[0-9A-Fa-f]{2}", lambda found: found[0].upper(), value)
    return "".join(
        char if char.isascii() else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in value
    )


def matches(path: str, pattern: str) -> bool:
    """Keep all the places up to which the path may have been matched."""
    places = {0}
    for number, char in enumerate(pattern):
        if char == "$" and number == len(pattern) - 1:
            return len(path) in places
        if char == "*":
            places = set(range(min(places), len(path) + 1))
        else:
            places = {place + 1 for place in places if path[place : place + 1] == char}
        if not places:
            return False
    return True
