"""Dates from git: commits that change a file, and commits that only seem to."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.waits import SOON_S
from urlset.errors import ConfigurationError, SourceError
from urlset.sources import CandidateRows, HtmlFolder
from urlset.sources.candidates import Candidate
from urlset.sources.git import GitDatedSource
from urlset.sources.git import repository as git_history
from urlset.sources.git.dates import GitDates, git_dates

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    """A repository of the test's own, in which each commit has the date it is given."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, date: str = "2026-01-01T00:00:00+00:00") -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        dates = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": "2001-01-01T00:00:00+00:00"}
        ran = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.folder,
            env=kept | who | quiet | dates,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, date: str, **files: str) -> str:
        for path, text in files.items():
            self.write(path.replace("__", "/").replace("_md", ".md"), text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--allow-empty", date=date)
        return self.git("rev-parse", "HEAD")

    def dates(self, **options) -> GitDates:
        return git_dates(str(self.folder), **options)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "site")


def test_date_is_the_committers_of_the_last_change_with_its_zone(repository):
    repository.commit("2026-01-01T10:00:00+00:00", a_md="1", b_md="1")
    repository.commit("2026-02-01T10:00:00+05:30", a_md="2")

    found = repository.dates()

    assert found.date_of("a.md") == "2026-02-01T10:00:00+05:30"
    assert found.date_of("b.md") == "2026-01-01T10:00:00Z"
    assert found.notes == ()


def test_rename_alone_is_no_change(repository):
    repository.commit("2026-01-01T10:00:00Z", a_md="one\ntwo\nthree\nfour\n", b_md="b\n" * 9)
    repository.git("mv", "a.md", "moved.md")
    repository.commit("2026-02-01T10:00:00Z")
    repository.git("mv", "moved.md", "again.md")
    repository.git("mv", "b.md", "changed.md")
    repository.write("changed.md", "b\n" * 8 + "c\n")
    repository.commit("2026-03-01T10:00:00Z")

    found = repository.dates()

    assert found.date_of("again.md") == "2026-01-01T10:00:00Z"
    assert found.date_of("changed.md") == "2026-03-01T10:00:00Z"


def test_name_taken_by_another_file_has_the_date_of_that(repository):
    repository.commit("2026-01-01T10:00:00Z", a_md="a" * 50)
    repository.git("mv", "a.md", "b.md")
    repository.commit("2026-02-01T10:00:00Z")
    repository.commit("2026-03-01T10:00:00Z", a_md="another")

    found = repository.dates()

    assert found.date_of("b.md") == "2026-01-01T10:00:00Z"
    assert found.date_of("a.md") == "2026-03-01T10:00:00Z"


def test_names_of_any_kind_are_found(repository):
    names = ["ü b.md", "a\tb.md", 'q"q.md', "x\ny.md", "M", "\x02abc.md"]
    for name in names:
        repository.write(name, name)
    repository.commit("2026-01-01T10:00:00Z")

    found = repository.dates()

    assert {name: found.date_of(name) for name in names} == dict.fromkeys(
        names, "2026-01-01T10:00:00Z"
    )


def test_file_changed_but_not_committed_has_no_date(repository):
    repository.commit("2026-01-01T10:00:00Z", a_md="1", b_md="1", c_md="1", d_md="1")
    repository.write("a.md", "2")
    repository.write("b.md", "2")
    repository.git("add", "b.md")
    repository.write("new.md", "untracked")
    os.utime(repository.folder / "c.md", (1, 1))

    found = repository.dates()

    assert [found.date_of(f"{name}.md") for name in ("a", "b", "new")] == [None] * 3
    assert found.date_of("c.md") == found.date_of("d.md") == "2026-01-01T10:00:00Z"
    assert found.notes == ("2 files with uncommitted changes, without a date",)


def test_shallow_clone_is_believed_after_its_boundary_only(repository, tmp_path):
    repository.commit("2026-01-01T10:00:00Z", a_md="1", b_md="1")
    repository.commit("2026-02-01T10:00:00Z", c_md="1")
    repository.commit("2026-03-01T10:00:00Z", b_md="2")
    repository.git("clone", "-q", "--depth=2", f"file://{repository.folder}", str(tmp_path / "cut"))

    found = git_dates(str(tmp_path / "cut"))

    assert found.date_of("b.md") == "2026-03-01T10:00:00Z"
    assert found.date_of("a.md") is found.date_of("c.md") is None
    assert "is shallow: 2 files" in found.notes[0]


def test_bulk_commit_is_passed_over(repository):
    pages = {f"p{number}_md": "text" for number in range(8)}
    for number in range(8):
        repository.commit(f"2026-01-0{number + 1}T10:00:00Z", **{f"p{number}_md": "text"})
    bulk = repository.commit("2026-02-01T10:00:00Z", **dict.fromkeys(pages, "licence"))
    repository.commit("2026-03-01T10:00:00Z", p7_md="changed")

    found = repository.dates(bulk_least=5)
    believed = repository.dates(bulk_least=9)

    assert found.date_of("p3.md") == "2026-01-04T10:00:00Z"
    assert found.date_of("p7.md") == "2026-03-01T10:00:00Z"
    assert believed.date_of("p3.md") == "2026-02-01T10:00:00Z"
    assert found.notes == (
        f"git commit {bulk[:7]} of 2026-02-01 touches 8 of 8 pages: ignored as a bulk change",
    )


def test_initial_import_gives_no_dates(repository):
    repository.commit("2026-01-01T10:00:00Z", **{f"p{number}_md": "1" for number in range(8)})
    repository.commit("2026-02-01T10:00:00Z", p0_md="2")

    found = repository.dates(bulk_least=5)

    assert found.date_of("p0.md") == "2026-02-01T10:00:00Z"
    assert found.date_of("p1.md") is None
    assert "7 files changed only by bulk changes, without a date" in found.notes


def test_change_made_in_a_merge_has_the_date_of_the_merge(repository):
    repository.commit("2026-01-01T10:00:00Z", a_md="1", b_md="1")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("2026-02-01T10:00:00Z", a_md="side", b_md="side")
    repository.git("checkout", "-q", "main")
    repository.commit("2026-03-01T10:00:00Z", a_md="main")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "side", date="2026-04-01T10:00:00Z")
    repository.commit("2026-04-01T10:00:00Z", a_md="both")

    found = repository.dates()

    assert found.date_of("a.md") == "2026-04-01T10:00:00Z"
    assert found.date_of("b.md") == "2026-02-01T10:00:00Z"


def test_folder_within_the_repository_and_worktree(repository, tmp_path):
    repository.commit("2026-01-01T10:00:00Z", content__a_md="1", z_md="1")
    repository.git("worktree", "add", "-q", str(tmp_path / "other"))

    for folder in (repository.folder, tmp_path / "other"):
        found = git_dates(str(folder / "content"))

        assert found.known == {"a.md": "2026-01-01T10:00:00Z"}


def test_submodule_is_reported(repository, tmp_path):
    theme = Repository(tmp_path / "theme")
    theme.commit("2026-01-01T10:00:00Z", a_md="1")
    repository.git("submodule", "--quiet", "add", f"file://{theme.folder}", "theme")
    repository.commit("2026-02-01T10:00:00Z", b_md="1")

    found = repository.dates()

    assert found.date_of("theme/a.md") is None
    assert found.date_of("b.md") == "2026-02-01T10:00:00Z"
    assert found.notes == ("'theme' is a submodule: its files have no date",)
    assert git_dates(str(repository.folder / "theme")).date_of("a.md") == "2026-01-01T10:00:00Z"


def test_date_in_the_future_is_not_believed(repository):
    repository.commit("2099-01-01T10:00:00Z", a_md="1")

    found = repository.dates()

    assert found.date_of("a.md") is None
    assert found.notes == ("1 file committed in the future, without a date",)


@pytest.mark.parametrize("made", ["nothing", "folder", "empty repository"])
def test_without_history_there_are_no_dates_and_one_note(tmp_path, monkeypatch, made):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    folder = tmp_path / "site"
    if made != "nothing":
        folder.mkdir()
    if made == "empty repository":
        Repository(folder)

    found = git_dates(str(folder))

    assert found.date_of("index.html") is None
    assert len(found.notes) == 1
    assert ("no commit yet" in found.notes[0]) == (made == "empty repository")


def test_without_git_there_is_one_note(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert git_dates(str(tmp_path)).notes == ("git is not installed: no dates from git",)


def test_git_dir_of_a_hook_leads_nowhere_else(repository, tmp_path, monkeypatch):
    other = Repository(tmp_path / "other")
    other.commit("2026-05-01T10:00:00Z", a_md="1")
    repository.commit("2026-01-01T10:00:00Z", a_md="1")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))

    assert repository.dates().date_of("a.md") == "2026-01-01T10:00:00Z"


def test_repository_of_a_stranger_runs_nothing(repository, tmp_path):
    repository.commit("2026-01-01T10:00:00Z", a_md="1", b_md="1")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    hooks = repository.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        shutil.copy(trap, hooks / hook)
    repository.write(".git/info/attributes", "* filter=evil diff=evil\n")
    for name in (
        "core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.evil.command",
        "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "gpg.program", "gpg.ssh.program", "core.sshCommand", "core.askPass", "core.editor",
        "alias.log", "alias.ls-files", "credential.helper",
    ):  # fmt: skip
        repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")
    os.utime(repository.folder / "a.md", (1, 1))
    repository.write("b.md", "2 changed")

    found = repository.dates()

    assert found.date_of("a.md") == "2026-01-01T10:00:00Z"
    assert found.date_of("b.md") is None
    assert not (tmp_path / "sprung").exists()
    repository.git("status")  # the trap is one
    assert (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("built", "source"),
    [
        ("about/index.html", "content/about.md"),
        ("about/index.html", "about/index.md"),
        ("about/index.html", "content/about/index.md"),
        ("about/index.html", "src/pages/about.astro"),
        ("about.html", "content/about.md"),
        ("about/", "docs/about.md"),
        ("index.html", "content/_index.md"),
        ("index.html", "index.md"),
        ("about/index.html", "about/index.html"),
        ("docs/v1.2/index.html", "docs/v1.2.md"),
    ],
)
def test_source_of_a_built_page_is_found(built, source):
    found = GitDates({source: "2026-01-01", "other.md": "2026-02-02", ".md": "2026-03-03"})

    assert found.date_of(built) == "2026-01-01"
    assert found.date_of("reindex.html") is None


LAYOUTS = {
    "Hugo": ("posts/my-post/index.html", "content/posts/My Post.md"),
    "Hugo, a bundle": ("posts/tea/index.html", "content/posts/Tea/index.md"),
    "Hugo, languages": ("de/about/index.html", "content/de/about.md"),
    "Hugo, languages in lower case": ("zh-cn/about/index.html", "content/zh-CN/about.md"),
    "Hugo, the default language": ("about/index.html", "content/en/about.md"),
    "Hugo, languages as endings": ("de/about/index.html", "content/about.de.md"),
    "Hugo, the first page of a language": ("de/index.html", "content/_index.de.md"),
    "MkDocs": ("user-guide/installation/index.html", "docs/user-guide/installation.md"),
    "MkDocs, README as index": ("guide/index.html", "docs/guide/README.md"),
    "MkDocs, the first page": ("index.html", "docs/README.md"),
    "Sphinx": ("api.html", "docs/api.rst"),
    "Sphinx, source and build": ("tutorial/first.html", "docs/source/tutorial/first.rst"),
    "Sphinx, notebooks": ("plots.html", "doc/plots.ipynb"),
    "mdBook": ("index.html", "src/README.md"),
    "mdBook, a book within": ("ch01/intro.html", "book/src/ch01/intro.md"),
    "Astro Starlight": ("guides/tea/index.html", "src/content/docs/guides/tea.mdx"),
    "VitePress": ("guide/start.html", "docs/guide/start.md"),
    "the readme of a repository": ("index.html", "README.md"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_source_is_found_where_generators_keep_it(layout):
    built, source = LAYOUTS[layout]
    others = ["content/posts/other.md", "docs/other/index.rst", "src/main.rs", "LICENSE"]
    known = {source: "2026-01-01"} | dict.fromkeys(others, "2026-02-02")

    found = GitDates(known, languages=frozenset({"de", "zh-cn"}))

    assert found.source_of(built) == source
    assert found.date_of("nothing/of/that/kind.html") is None


def test_better_known_sources_of_a_page_come_first():
    known = ["README.md", "docs/README.md", "docs/index.md", "content/about.md", "about/README.md"]

    found = GitDates(dict.fromkeys(known, "2026-01-01"))

    assert found.source_of("index.html") == "docs/index.md"
    assert found.source_of("about/index.html") == "content/about.md"


def test_a_page_that_may_be_of_several_languages_has_no_source():
    known = dict.fromkeys(["content/en/a.md", "content/fr/a.md", "content/de/a.md"], "2026-01-01")

    assert GitDates(known).source_of("a/index.html") is None
    assert GitDates(known, languages=frozenset({"de", "fr"})).source_of("a/index.html") == (
        "content/en/a.md"
    )
    two = dict.fromkeys(["Tea.md", "TEA.md"], "2026-01-01")
    assert GitDates(two).source_of("tea/index.html") is None


def test_pages_without_a_source_are_counted_and_named(repository):
    repository.commit("2026-01-01T10:00:00Z", docs__index_md="1", docs__about_md="1")
    repository.write(".gitignore", "site/\n")
    repository.commit("2026-02-01T10:00:00Z")
    pages = ("index", "about/index", "x", "y", "z")
    for page in pages:
        repository.write(f"site/{page}.html", f"<title>{page}</title><p>Text")
    repository.write("site/gone.html", "<meta name=robots content=noindex><title>x</title>")
    folder = str(repository.folder / "site")
    source = GitDatedSource(HtmlFolder(folder, "https://example.com/"), folder)

    rows = [row for batch in source.batches() for row in batch["git_lastmod"].to_pylist()]

    assert rows.count("2026-01-01T10:00:00Z") == 2  # git tracks no file in the folder itself
    assert len(source.notes) == 2
    assert "are searched in" in source.notes[0]
    assert source.notes[1].startswith(
        "3 pages have no source that git tracks (x.html, y.html, …); git_paths="
    )


def test_the_folder_next_above_is_asked_where_git_keeps_nothing(repository):
    repository.commit("2026-01-01T10:00:00Z", index_md="root", web__docs__index_md="web")
    repository.commit("2026-02-01T10:00:00Z", index_md="root again")
    repository.write("web/site/index.html", "<title>A</title><p>B")
    folder = str(repository.folder / "web" / "site")
    source = GitDatedSource(HtmlFolder(folder, "https://example.com/"), folder)

    (batch,) = source.batches()

    assert batch["git_lastmod"].to_pylist() == ["2026-01-01T10:00:00Z"]


@pytest.mark.parametrize("location", ["a", "./a", "b/../a", "b//../a", "/a"])
def test_the_path_of_a_built_file_is_normalized(repository, location):
    repository.commit("2026-01-01T10:00:00Z", a="a")
    folder = str(repository.folder)
    rows = CandidateRows([Candidate("/a", source=f"{folder}/{location}")])

    (batch,) = GitDatedSource(rows, folder).batches()

    assert batch["git_lastmod"].to_pylist() == ["2026-01-01T10:00:00Z"]


def test_source_is_found_by_patterns_of_ones_own():
    found = GitDates({"texts/about.tex": "2026-01-01"}, patterns=("texts/{page}.tex",))

    assert found.date_of("about/index.html") == "2026-01-01"


def test_share_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="found 50"):
        git_dates(str(tmp_path), bulk_share=50)


def test_commits_are_read_from_any_tokens():
    history = [
        b"\x02ab abc 2026-01-01T00:00:00+00:00",
        b"\nM",
        b"a",
        b"R100",
        b"b",
        b"c",
        b"",
        b"A",
    ]

    commits = list(git_history.commits(history))

    assert commits == [
        git_history.Commit(
            "ab",
            "abc",
            "2026-01-01T00:00:00Z",
            [
                git_history.FileChange("M", b"a"),
                git_history.FileChange("R", b"c", b"b"),
                git_history.FileChange("A", b""),
            ],
        )
    ]


@pytest.mark.skipif(os.name == "nt", reason="a program of a shell")
def test_git_ends_if_the_pages_cannot_be_read(tmp_path, monkeypatch):
    Repository(tmp_path / "repository").commit("2026-01-01T00:00:00+00:00", a_md="a")
    programs, pid = tmp_path / "programs", tmp_path / "pid"
    programs.mkdir()
    git = programs / "git"
    log = f"*--name-status*) echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 9999;;"
    git.write_text(f'#!/bin/sh\ncase "$*" in {log} esac\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)

    class LatePages:
        name, failures, notes = "pages", [], []

        def batches(self):
            wait_for(pid.exists)
            raise SourceError("the pages are lost")

    with pytest.raises(SourceError, match="the pages are lost"):
        list(GitDatedSource(LatePages(), str(tmp_path / "repository")).batches())

    number = int(pid.read_text())
    wait_for(lambda: not runs(number))


def runs(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(is_so):
    end = time.monotonic() + SOON_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
