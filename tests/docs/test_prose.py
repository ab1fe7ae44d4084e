"""The hand-written documents use plain words, and what they point to exists."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = "<!-- Generated"
ALL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
ALL += [ROOT / "skills" / "urlset" / "SKILL.md"]
ALL += [ROOT / "benches" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = [path for path in ALL if not path.read_text(encoding="utf-8").startswith(GENERATED)]

FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")

# Metaphors and odd verbs, each with the standard term. Words with a plain use are not here.
PRIVATE_WORDS = {
    r"told|tells?|telling": "report, say, print, detect",
    r"rooms?|roof|floors?|house|doors?": "package, layer, buffer, interface",
    r"shel(?:f|ves)|neighbours?": "cache, next to",
    r"besides?": "next to, also",
    r"familiar|strangers?": "unchanged, unknown",
    r"nobody knows|only you know": "is unknown",
    r"twins?": "duplicate, counterpart",
    r"gives|gave": "returns, yields, has",
    r"left out|leaves? (?:it |them )?out|leaving out": "excluded, omitted, skipped",
    r"lies|lay": "is, is stored, is in",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"forgiv(?:e|es|en|ing)": "repair, tolerate",
    r"stands? (?:in|at|on|there|beside|below|above|behind|between)": "is",
    r"he|his|him|she|her": "the user, they",
    r"speaks?|judged?|judges|judging|believed?|disbelieved?": "support, validate, accept, ignore",
    r"unasked|in silence|without a word": "without a report, unless requested",
    r"beware": "Note:",
}
FORBIDDEN = re.compile(rf"\b(?:{'|'.join(PRIVATE_WORDS)})\b", re.IGNORECASE)


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def standard_term(word: str) -> str:
    return next(t for words, t in PRIVATE_WORDS.items() if re.fullmatch(words, word, re.I))


def prose(text: str) -> str:
    """The text without code and comments, with the same number of lines."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    return CODE.sub("", COMMENT.sub(blank, FENCE.sub(blank, text)))


def inline_code(path: Path) -> Iterator[tuple[str, str]]:
    """Each piece of inline code, and where it is."""
    text = path.read_text(encoding="utf-8")
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        for found in CODE.finditer(line):
            yield found[1], f"{ids(path)}:{number}"


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            is_host_missing = str(error.name).partition(".")[0] != "urlset"
            if is_host_missing and module_file(parts[:length]).exists():
                return is_defined_in_file(parts[:length], parts[length:])
            continue
        for part in parts[length:]:
            fields = getattr(value, "__annotations__", {}) | getattr(value, "__dict__", {})
            if not hasattr(value, part) and part not in fields:
                return False
            value = getattr(value, part, None)
        return True
    return False


def module_file(module: list[str]) -> Path:
    path = ROOT / "src" / Path(*module)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def is_defined_in_file(module: list[str], names: list[str]) -> bool:
    """Whether the file of a module that cannot be imported defines a name."""
    text = module_file(module).read_text(encoding="utf-8")
    forms = r"^(?:class|def) {0}\b", r'^__all__ = \[[^\]]*"{0}"'
    return len(names) <= 1 and all(
        any(re.search(form.format(name), text, re.M) for form in forms) for name in names
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_prose_has_no_private_words(path: Path):
    text = prose(path.read_text(encoding="utf-8"))

    found = [
        f"{ids(path)}:{number}: {word[0]!r}: {standard_term(word[0])}"
        for number, line in enumerate(text.splitlines(), 1)
        for word in FORBIDDEN.finditer(line)
    ]

    assert not found, "use a standard term:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "sentence",
    [
        "What it had to forgive, it tells, with line and column.",
        "Modules are rooms of a house.",
        "An index is followed to the children that lie beside it.",
        "It gives entries while they are fetched.",
        "Nine pages are listed; the others are left out.",
        "`--fix` mends what it can.",
        "A time without a zone is refused, for nobody knows whose clock it was.",
        "The file lies in the same folder.",
    ],
)
def test_private_words_are_found(sentence: str):
    assert FORBIDDEN.search(prose(sentence))


def test_code_is_no_prose():
    text = "Run `tell` now.\n\n```sh\ntell\n```\n\n<!-- told\n-->\nend\n"

    assert not FORBIDDEN.search(prose(text))
    assert prose(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("path", ALL, ids=ids)
def test_links_lead_somewhere(path: Path):
    missing = []
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        page = path.parent / name if name else path
        if not page.exists() or (
            anchor and anchor not in anchors(page.read_text(encoding="utf-8"))
        ):
            missing.append(target)

    assert not missing, f"{ids(path)} links to {', '.join(missing)}"


def anchors(page: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page), re.M)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_files_exist(path: Path):
    missing = []
    for code, where in inline_code(path):
        is_file = re.fullmatch(r"(?:src|tests|docs|rust|benches|examples)/[\w./-]+\.[a-z]+", code)
        is_folder = re.fullmatch(r"(?:src/urlset|tests|rust)/[\w/-]+", code)
        if (is_file or is_folder) and not (ROOT / code).exists():
            missing.append(f"{where}: {code}")

    assert not missing, "these files do not exist:\n" + "\n".join(missing)


def test_every_package_is_described():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `src/urlset/([\w/]+)` \|", text, re.M)

    package = ROOT / "src" / "urlset"
    found = [*package.glob("*/__init__.py"), *package.glob("live/*/__init__.py")]
    assert sorted(described) == sorted(str(path.parent.relative_to(package)) for path in found)


def recipes() -> list[str]:
    """The items and table rows of the recipes in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a rule")[2]
    text = text.partition("## Write a test")[0]
    return [part.strip() for part in re.split(r"\n(?=\||\d+\. |- |\n)", text) if part.strip()]


def test_file_names_of_the_recipes_exist():
    """A name without a folder, as ``given.rs``, is in a folder that the same row or item names."""
    missing = []
    for part in recipes():
        cell = part.strip("| ").rpartition(" | ")[2] if part.startswith("|") else ""
        folders = [ROOT / code for code in CODE.findall(part) if (ROOT / code).is_dir()]
        for name in CODE.findall(part):
            is_file = re.fullmatch(r"\w+\.(?:py|rs)", name)
            is_in_table = re.fullmatch(r"\w+", name) and f"`{name}`" in cell
            if (is_file or is_in_table) and not any((folder / name).exists() for folder in folders):
                missing.append(f"{name} in {part[:60]}")

    assert len(recipes()) > 30
    assert not missing, "\n".join(missing)


def test_names_of_the_recipes_exist():
    """A class or a constant is in a file or a folder that the same item names."""
    checked, missing = 0, []
    for part in recipes():
        files: list[Path] = []
        for code in CODE.findall(part):
            path = ROOT / code
            if "/" in code:
                files += path.rglob("*.py") if path.is_dir() else [path]
        for name in re.findall(r"`([A-Z]\w+|test_\w+)`", part):
            checked += 1
            if not any(
                re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")) for path in files
            ):
                missing.append(f"{name} in {part[:60]}")

    assert checked >= 6
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("path", DOCUMENTS, ids=ids)
def test_names_resolve(path: Path):
    unknown = []
    for code, where in inline_code(path):
        found = re.match(r"urlset(?:\.[A-Za-z_]\w*)+", code)
        if found and found[0] != "urlset.toml" and not resolves(found[0]):
            unknown.append(f"{where}: {found[0]}")

    assert not unknown, "these names do not exist:\n" + "\n".join(unknown)


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *(p for p in DOCUMENTS if p.parent.name == "docs")], ids=ids
)
def test_options_exist(path: Path):
    """Every option in the text is one of a command; docs/commands.md has the help of each."""
    known = set(re.findall(r"--[a-z][a-z-]+", (ROOT / "docs" / "commands.md").read_text()))
    unknown = [
        f"{where}: {option}"
        for code, where in inline_code(path)
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)
        if option not in known
    ]

    assert not unknown, "these options do not exist:\n" + "\n".join(unknown)


def test_pointers_can_be_stale():
    assert resolves("urlset.Store.fill")
    assert resolves("urlset.sources")
    assert not resolves("urlset.Store.nothing")
    assert not resolves("urlset.nothing")
    assert "the-ledger" in anchors((ROOT / "docs" / "building.md").read_text())
    assert "nothing" not in anchors((ROOT / "docs" / "building.md").read_text())
