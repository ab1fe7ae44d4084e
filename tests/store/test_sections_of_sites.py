"""Sections: the folders in which the URLs of a site branch, a bounded number of them."""

from collections import Counter
from itertools import product

import pytest

from urlset.store import Store, branches_sql, section_sql
from urlset.store.sections import MAX_BRANCHES


def sections(paths: list[str]) -> dict[str, int]:
    """Sections of the paths, each with its number of URLs."""
    with Store.open() as store, store.session() as session:
        session.run("CREATE TABLE paths (path VARCHAR)")
        values = ", ".join(f"('{path}')" for path in paths)
        session.run(f"INSERT INTO paths VALUES {values}")
        session.run(f"CREATE TABLE branches AS {branches_sql('SELECT path FROM paths')}")
        section = section_sql("path", "(SELECT folders FROM branches)")
        return dict(session.rows(f"SELECT {section}, count(*) FROM paths GROUP BY 1"))


def files(folder: str, count: int) -> list[str]:
    return [f"{folder}page-{n}.html" for n in range(count)]


def test_versions_below_one_folder_are_sections():
    paths = ["/", "/docs/", "/about.html", *files("/docs/17/", 40), *files("/docs/16/", 30)]

    assert sections(paths) == {"/docs/17/": 40, "/docs/16/": 30, "/": 2, "/docs/": 1}


def test_files_at_the_root_are_one_section():
    """The shape of PostgreSQL's documentation in a package."""
    assert sections(["/", *files("/", 1_168)]) == {"/": 1_169}


def test_first_folders_are_sections():
    """The shape of Python's documentation: no folder has most of the pages of several folders."""
    sizes = {"/library/": 317, "/c-api/": 64, "/": 40, "/whatsnew/": 21, "/howto/": 20}

    paths = [path for folder, size in sizes.items() for path in files(folder, size)]

    assert sections(paths) == sizes


def test_a_large_folder_is_divided_level_by_level():
    """The shape of Rust's documentation: most pages are in /core/, most of these in /core/arch/."""
    machines = {f"/core/arch/{name}/": 900 for name in ("x86", "x86_64", "arm", "aarch64")}
    modules = {f"/core/{name}/": 30 for name in ("iter", "str", "ops", "cell")}
    rest = {"/std/": 0, "/book/": 260, "/core/": 25, "/": 5}

    sizes = Counter(machines | modules | rest)
    paths = [path for folder, size in sizes.items() for path in files(folder, size)]
    paths += [path for n in range(40) for path in files(f"/std/module-{n}/", 10)]
    sizes["/std/"] += 400

    assert sections(paths) == sizes


def test_pages_with_a_folder_each_are_no_sections():
    posts = [f"/blog/post-{n}/" for n in range(90)]

    assert sections([*posts, "/", "/about/"]) == {"/blog/": 90, "/": 1, "/about/": 1}


@pytest.mark.parametrize(("folders", "is_divided"), [(MAX_BRANCHES, True), (101, False)])
def test_a_folder_is_divided_into_a_bounded_number_of_folders(folders, is_divided):
    paths = [path for n in range(folders) for path in files(f"/docs/{n}/", 6)]

    assert len(sections(paths)) == (folders if is_divided else 1)


def test_levels_are_bounded():
    paths = [path for end in ("x", "y") for path in files(f"/a/b/c/d/e/f/{end}/", 20)]

    assert sections(paths) == {"/a/b/c/d/e/f/": 40}


def test_half_of_the_urls_are_not_most_of_them():
    paths = [path for a, b in product("ab", "xy") for path in files(f"/{a}/{b}/", 10)]

    assert sections(paths) == {"/a/": 20, "/b/": 20}


@pytest.mark.parametrize("path", ["", "no-slash", "//", "/a//b", "/../x/y", "/%2F/a", "/\u30c6/x"])
def test_unusual_paths_have_a_section(path):
    [section] = sections([path])

    assert section.startswith("/")
    assert section.endswith("/")


def test_no_url_has_no_section():
    with Store.open() as store, store.session() as session:
        rows = session.rows(branches_sql("SELECT '/' AS path WHERE false"))
        assert [list(row[0]) for row in rows] == [["/"]]
