"""The Homebrew formula and the conda recipe: current, complete, and written for one sdist."""

import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.packaging.scripts import ROOT, load

recipes = load("recipes")

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
STATED = (
    *("pyproject.toml", "CHANGELOG.md", "CITATION.cff", "rust/Cargo.toml", "requirements/base.txt"),
    *("server.json", recipes.FORMULA, recipes.RECIPE),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that the recipes repeat, and the recipes."""
    for name in STATED:
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "project" / name)
    return tmp_path / "project"


def sdist_of(folder: Path, version: str = VERSION, name: str = f"urlset-{VERSION}") -> Path:
    """Return a small sdist with the metadata of a version."""
    file = folder / f"{name}.tar.gz"
    metadata = f"Metadata-Version: 2.4\nName: urlset\nVersion: {version}\n".encode()
    with tarfile.open(file, "w:gz") as archive:
        member = tarfile.TarInfo(f"urlset-{VERSION}/PKG-INFO")
        member.size = len(metadata)
        archive.addfile(member, io.BytesIO(metadata))
    return file


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_recipes_agree_with_project_and_lock():
    assert recipes.problems() == []


def test_committed_recipes_have_no_hash_of_an_sdist():
    """They are part of the sdist, so its hash cannot be known."""
    for name in (recipes.FORMULA, recipes.RECIPE):
        assert f'"{"0" * 64}"' in (ROOT / name).read_text(encoding="utf-8")


def test_addresses_are_public():
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in (recipes.FORMULA, recipes.RECIPE)
    ]
    hosts = set(re.findall(r"https?://([^/\s\"]+)/", "".join(texts)))

    assert hosts == {"files.pythonhosted.org", "pypi.org", "example.com"}


def test_each_resource_is_a_locked_sdist():
    """The address of a file contains its BLAKE2 hash, so it cannot be guessed."""
    found = recipes.resources((ROOT / recipes.FORMULA).read_text(encoding="utf-8"))
    locked = recipes.locked()

    assert [resource.name for resource in found] == sorted(locked)
    assert {"aiohttp", "duckdb", "selectolax"} <= set(locked)
    assert not recipes.BUILD_ONLY & set(locked)
    assert "colorama" not in locked  # Windows only
    for resource in found:
        assert re.fullmatch(
            r"https://files\.pythonhosted\.org/packages/[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{60}/"
            rf"[\w.-]+-{re.escape(locked[resource.name].version)}\.tar\.gz",
            resource.url,
        )
        assert resource.sha256 in locked[resource.name].hashes


def test_requirements_of_the_build_are_those_that_the_image_removes():
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert set(re.findall(r"uninstall --yes (.*)", dockerfile)[0].split()) == recipes.BUILD_ONLY


@pytest.mark.parametrize("name", [recipes.FORMULA, recipes.RECIPE])
def test_stale_version_is_reported(project, name):
    replace(project / name, VERSION, "9.9.9")

    with pytest.raises(recipes.Refusal, match=rf"{name}: expected version {VERSION}, found 9.9.9"):
        recipes.completed(sdist_of(project), project)


def test_changed_lock_is_reported(project):
    replace(project / "requirements/base.txt", "idna==3.20", "idna==3.21")
    replace(project / "requirements/base.txt", "mdurl==", "mdurl-next==")

    lines = recipes.problems(project)

    assert [re.sub(r"https:\S+/", "", line) for line in lines] == [
        "packaging/homebrew/urlset.rb: mdurl: not in requirements/base.txt (run `make lock`)",
        "packaging/homebrew/urlset.rb: mdurl-next: missing (run `make lock`)",
        "packaging/homebrew/urlset.rb: idna: expected version 3.21, found idna-3.20.tar.gz",
    ]


def test_changed_hash_is_reported(project):
    (first, *_) = recipes.resources((project / recipes.FORMULA).read_text(encoding="utf-8"))
    replace(project / recipes.FORMULA, first.sha256, "1" * 64)

    assert recipes.problems(project) == [
        f"{recipes.FORMULA}: {first.name}: its hash is not in {recipes.LOCK} (run `make lock`)"
    ]


def test_changed_lower_bound_is_reported(project):
    replace(project / "pyproject.toml", '"duckdb>=2.0"', '"duckdb>=2.1"')

    assert recipes.problems(project) == [
        f"{recipes.RECIPE}: expected 'python-duckdb >=2.1', as in pyproject.toml"
    ]


def test_hash_of_the_sdist_is_written_and_nothing_else(project, tmp_path):
    sdist = sdist_of(tmp_path)
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()

    written = recipes.write(sdist, tmp_path / "recipes", project)

    assert [file.name for file in written] == ["urlset.rb", "recipe.yaml"]
    for file, name in zip(written, (recipes.FORMULA, recipes.RECIPE), strict=True):
        template = (ROOT / name).read_text(encoding="utf-8")
        assert file.read_text(encoding="utf-8") == template.replace("0" * 64, digest)
        shutil.copy(file, project / name)
    before = [file.read_bytes() for file in written]
    assert [file.read_bytes() for file in recipes.write(sdist, tmp_path / "2", project)] == before


@pytest.mark.parametrize(
    ("version", "name"),
    [("9.9.9", f"urlset-{VERSION}"), (VERSION, "urlset-9.9.9"), (VERSION, f"other-{VERSION}")],
)
def test_sdist_of_another_version_is_refused(project, tmp_path, version, name):
    with pytest.raises(recipes.Refusal, match="expected"):
        recipes.write(sdist_of(tmp_path, version, name), tmp_path / "recipes", project)

    assert not (tmp_path / "recipes").exists()


def test_update_writes_what_the_lock_says(project, monkeypatch):
    """The index is asked for the address of each sdist; here it is a table."""
    formula = project / recipes.FORMULA
    expected = formula.read_text(encoding="utf-8")
    known = recipes.resources(expected)
    monkeypatch.setattr(recipes, "published", lambda wanted: [r for r in known if r.name in wanted])
    replace(formula, VERSION, "9.9.9")
    replace(formula, str(known[0]), "")
    replace(project / recipes.RECIPE, VERSION, "9.9.9")

    recipes.update(project)

    assert formula.read_text(encoding="utf-8") == expected
    assert recipes.problems(project) == []


def test_formula_is_ruby():
    if (ruby := shutil.which("ruby")) is None:
        pytest.skip("Ruby is not installed")

    done = subprocess.run(
        [ruby, "-wc", str(ROOT / recipes.FORMULA)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "Syntax OK", "")


def test_formula_installs_files_that_exist():
    text = (ROOT / recipes.FORMULA).read_text(encoding="utf-8")
    installed = re.findall(r'\.install "(.+)"', text)

    assert len(installed) == 4
    assert all((ROOT / name).is_file() for name in installed)


def test_commands_of_the_formula_work(tmp_path):
    """What `brew test` runs, with this installation."""
    block = (ROOT / recipes.FORMULA).read_text(encoding="utf-8").partition("  test do\n")[2]
    written = re.findall(r'\(testpath/"(.+)"\)\.write "(.+)"', block)
    systems = re.findall(r'system bin/"urlset", (.+)', block)
    shells = re.findall(r'assert_match "(.+)", shell_output\("#\{bin\}/urlset (.+)"\)', block)
    for name, text in written:
        (tmp_path / name).write_text(text.replace("\\n", "\n"), encoding="utf-8")

    def urlset(*arguments: str) -> str:
        command = [sys.executable, "-m", "urlset", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout

    assert (len(written), len(systems), len(shells)) == (1, 1, 2)
    for words in systems:
        urlset(*re.findall(r'"([^"]*)"', words))
    for expected, words in shells:
        output = urlset(*words.split())
        assert expected in output.replace("reference engine", "native engine")


def test_recipe_is_rendered_by_rattler_build():
    """https://rattler.build: the reader of the format. It refuses unknown keys and wrong types."""
    rattler_build = pytest.importorskip(
        "rattler_build", reason="rattler-build is not installed: pip install py-rattler-build"
    )
    text = (ROOT / recipes.RECIPE).read_text(encoding="utf-8")
    compilers = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "rust_compiler": ["rust"]}

    (rendered,) = rattler_build.Stage0Recipe.from_yaml(text).render(
        rattler_build.VariantConfig(compilers)
    )

    recipe = rendered.recipe.to_dict()
    assert recipe["package"] == {"name": "urlset", "version": VERSION}
    assert f"/urlset-{VERSION}.tar.gz" in str(recipe["source"])
    assert "python-duckdb >=2.0" in str(recipe["requirements"]["run"])
    with pytest.raises(rattler_build.RattlerBuildError):
        rattler_build.Stage0Recipe.from_yaml(text.replace("  license_file:", "  licence_file:"))
