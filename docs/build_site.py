"""Build the documentation site from docs/*.md: ``make site``. It is written to ``build/site``.

The pages are those of docs/, with CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and the benchmarks as
further ones. A page that no section of `SECTIONS` names is listed under "Integrations", so a new
guide is on the site as soon as it is in docs/. Zensical turns them into HTML; the sitemap is built
by urlset itself, with dates from git and from the ledger of earlier builds.

``--check`` serves the result on a free port of loopback, and fails if `urlset check` or
`urlset audit --crawl` finds anything, if a link or an anchor leads nowhere, or if a page loads
anything from another host.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import urlset
from urlset.output_schemas import SITE_URL

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SECTIONS = {
    "Tutorial": "tutorial",
    "Guides": "reading checking building writing crawling auditing report comparing watching "
    "submitting agents",
    "Integrations": "",
    "Concepts": "concepts security departures comparison performance testing",
    "Reference": "commands options api sources rules tables ledger schemas",
    "Project": "faq stability changelog contributing security-policy",
}
"""Pages of each section in their order; those of docs/ that are missing here are integrations."""

# Page of the site to a file of the repository outside of docs/.
ELSEWHERE = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "security-policy": "SECURITY.md",
}
PAGE_OF = {file: page for page, file in ELSEWHERE.items()}
PAGE_OF |= {"README.md": "index", "benches/README.md": "performance"}
CODE = re.compile(r"`[^`\n]+`")
MARKDOWN_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)

CONFIG = """\
site_name: urlset
site_url: {site_url}
site_description: Read, build, check, fix, crawl, audit and watch sitemaps of any size.
docs_dir: pages
site_dir: site
use_directory_urls: true
theme:
  name: material
  variant: classic
  custom_dir: theme
  font: false
  icon:
    logo: material/sitemap
  features: [navigation.sections, navigation.prune, navigation.top, navigation.footer,
             content.code.copy, toc.follow, search.highlight]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: custom
      accent: custom
      toggle: {{icon: material/weather-night, name: Dark colours}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: custom
      accent: custom
      toggle: {{icon: material/weather-sunny, name: Light colours}}
extra:
  generator: false{version}
extra_css: [assets/site.css]
extra_javascript: [assets/site.js]
plugins: [search]
markdown_extensions:
  - tables
  - attr_list
  - md_in_html
  - pymdownx.highlight
  - pymdownx.superfences
  - toc:
      permalink: true
      slugify: !!python/object/apply:pymdownx.slugs.slugify {{kwds: {{case: lower}}}}
nav:
{nav}"""


def main() -> int:
    """Build the site, or build it for loopback and check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--site-url", default=os.environ.get("SITE_URL") or SITE_URL)
    parser.add_argument("--check", action="store_true", help="build for loopback, and check it")
    parser.add_argument(
        "--versions", action="store_true", help="have a menu of the versions next to this one"
    )
    options = parser.parse_args()
    work = ROOT / "build"
    if not options.check:
        site = build(work, options.site_url, has_versions=options.versions)
        print(f"built {sum(1 for _ in site.rglob('index.html'))} pages in {site.relative_to(ROOT)}")
        return 0
    with served(work / "check" / "site") as address:
        site = build(work / "check", address)
        return check(site, address, work / "check")


def build(work: Path, site_url: str, *, has_versions: bool = False) -> Path:
    """Build the site below a folder, and return the folder of its pages."""
    source, site = work / "site-source", work / "site"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(DOCS / "theme", source / "theme")
    shutil.copytree(DOCS / "images", source / "pages" / "images")
    shutil.move(source / "theme" / "assets", source / "pages" / "assets")
    shutil.copytree(DOCS / "schemas", source / "pages" / "schemas")
    for path in (source / "pages" / "schemas").iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(SITE_URL, site_url), encoding="utf-8")
    for name, text in pages().items():
        path = source / "pages" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    version = "\n  version: {provider: mike}" if has_versions else ""
    config = CONFIG.format(site_url=site_url, nav="".join(nav_lines(nav())), version=version)
    (source / "mkdocs.yml").write_text(config, encoding="utf-8")
    program = zensical()
    if program is None:
        sys.exit(
            "zensical is not installed; `make site` installs it, or pip install 'urlset[site]'"
        )
    run([program, "build", "--clean", "--strict", "--config-file", "mkdocs.yml"], source)
    shutil.move(source / "site", site)
    (site / "sitemap.xml").unlink(missing_ok=True)
    (site / "sitemap.xml.gz").unlink(missing_ok=True)
    build_sitemap(work, site, site_url)
    set_times(site, site_url)
    return site


def zensical() -> str | None:
    """Return the path of the program: that of `make site`, or one on PATH."""
    folders = [ROOT / ".venv" / "site" / "bin", Path(sys.executable).parent]
    path = os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])
    return shutil.which("zensical", path=path)


def build_sitemap(work: Path, site: Path, site_url: str) -> None:
    """Build the sitemap with urlset: dates from git, without them from the ledger."""
    ledger = ["--ledger", str(work / "site-ledger.duckdb")]
    dates = ["--lastmod", "git,content"]
    if (ROOT / ".git").exists():
        dates += ["--git-root", str(ROOT), "--git-path", "docs/{page}.md"]
    words = [
        str(site),
        "--base-url",
        site_url,
        "--output",
        str(site),
        "--trailing-slash",
        "--quiet",
    ]
    run([sys.executable, "-P", "-m", "urlset", "build", *words, *dates, *ledger], ROOT)
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {site_url}sitemap.xml\n"
    (site / "robots.txt").write_text(robots, encoding="utf-8")


def set_times(site: Path, site_url: str) -> None:
    """Set the time of each page to its lastmod: servers derive Last-Modified from it."""
    for entry in urlset.read(str(site / "sitemap.xml")):
        if entry.lastmod is not None:
            file = site / entry.loc.removeprefix(site_url) / "index.html"
            os.utime(file, (entry.lastmod.timestamp(), entry.lastmod.timestamp()))


def run(command: list[Any], folder: Path) -> None:
    """Run a program; print its output and end if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(words)} ended with {done.returncode}")


# ── pages ──


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its name; names have no suffix."""
    found = {}
    for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("rules/*.md")]):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        found[name] = relinked(path.read_text(encoding="utf-8"), path, name)
    for name, file in ELSEWHERE.items():
        found[name] = relinked((ROOT / file).read_text(encoding="utf-8"), ROOT / file, name)
    return found


def relinked(text: str, path: Path, name: str) -> str:
    """Return Markdown whose links lead to pages of the site; links to other files become text."""
    fences: list[str] = []

    def hide(found: re.Match[str]) -> str:
        fences.append(found[0])
        return f"\0{len(fences) - 1}\0"

    def link(found: re.Match[str]) -> str:
        target, hash_, anchor = found["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        file = Path(os.path.normpath(path.parent / target)).relative_to(ROOT).as_posix()
        if file.startswith("docs/schemas/"):
            return found[0]
        page = PAGE_OF.get(file, file.removeprefix("docs/").removesuffix(".md"))
        if file not in PAGE_OF and not (file.startswith("docs/") and file.endswith(".md")):
            return found["text"]
        here = os.path.dirname(name)
        if file == "README.md":  # the first page has other headings
            hash_ = anchor = ""
        return f"[{found['text']}]({os.path.relpath(page, here or '.')}.md{hash_}{anchor})"

    def row(found: re.Match[str]) -> str:
        # GitHub needs a backslash before | in a table also in code; Python-Markdown would show it.
        return CODE.sub(lambda code: code[0].replace("\\|", "|"), found[0])

    text = re.sub(r"(?m)^\|.*$", row, FENCE.sub(hide, text))
    linked = MARKDOWN_LINK.sub(link, CODE.sub(hide, text))
    return re.sub("\0(\\d+)\0", lambda found: fences[int(found[1])], linked)


def nav() -> dict[str, list[str]]:
    """Return the names of the pages of each section."""
    sections = {title: names.split() for title, names in SECTIONS.items()}
    listed = {name for names in sections.values() for name in names} | {"index"}
    sections["Integrations"] = sorted(
        path.stem for path in DOCS.glob("*.md") if path.stem not in listed
    )
    return {title: names for title, names in sections.items() if names}


def nav_lines(sections: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the navigation as YAML."""
    yield "  - Start: index.md\n"
    for title, names in sections.items():
        yield f"  - {title}:\n"
        yield from (f"      - {name}.md\n" for name in names)


# ── check ──


class Page(NamedTuple):
    """What a page of the site refers to."""

    anchors: set[str]
    links: list[str]
    loaded: list[str]
    """URLs that a browser requests by itself."""


class PageReader(HTMLParser):
    """Collect the anchors and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page(set(), [], [])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes of an element."""
        found = {name: value or "" for name, value in attrs}
        self.page.anchors.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and "href" in found:
            self.page.links.append(found["href"])
        is_loaded = tag != "link" or found.get("rel") in ("stylesheet", "icon", "preload")
        if tag in ("script", "img", "iframe", "source", "link", "video") and is_loaded:
            self.page.loaded.extend(found[name] for name in ("src", "href") if name in found)


def check(site: Path, address: str, work: Path) -> int:
    """Check the sitemap, the pages and the links; return 1 if something is found."""
    faults = [*link_faults(site, address)]
    for fault in faults:
        print(fault)
    print(f"links and anchors: {len(faults)} faults")
    store = work / "site-audit.duckdb"
    store.unlink(missing_ok=True)
    codes = []
    for words in (
        ["check", f"{address}sitemap.xml", "--fail-level", "warning"],
        ["audit", address, "--crawl", "--fail-level", "warning", "--store", store, "--delay", "0"],
    ):
        print(f"$ urlset {' '.join(map(str, words[:2]))} …", flush=True)
        command = [sys.executable, "-P", "-m", "urlset", *map(str, words), "--quiet"]
        codes.append(subprocess.run(command, cwd=work, check=False).returncode)
    return 1 if faults or any(codes) else 0


def link_faults(site: Path, address: str) -> Iterator[str]:
    """Yield links and anchors that lead nowhere, and what is loaded from other hosts."""
    found: dict[str, Page] = {}
    for path in site.rglob("*.html"):
        reader = PageReader()
        reader.feed(path.read_text(encoding="utf-8"))
        url = f"{address}{path.relative_to(site).as_posix()}".removesuffix("index.html")
        found[url] = reader.page
    files = {f"{address}{path.relative_to(site).as_posix()}" for path in site.rglob("*.*")}
    for url, page in sorted(found.items()):
        shown = url.removeprefix(address) or "/"
        base = address if url.endswith("404.html") else url
        for target in page.loaded:
            whole = urljoin(base, target).partition("#")[0]
            if not target.startswith("data:") and whole.partition("?")[0] not in files:
                yield f"{shown}: loads {target}, which is not on this site"
        for target in page.links:
            whole, _, anchor = urljoin(base, target).partition("#")
            if urlsplit(whole).netloc != urlsplit(address).netloc:
                continue
            if whole not in found and whole not in files:
                yield f"{shown}: {target} leads nowhere"
            elif anchor and whole in found and unquote(anchor) not in found[whole].anchors:
                yield f"{shown}: {target} leads to an anchor that does not exist"


class Handler(SimpleHTTPRequestHandler):
    """Serve files without logging requests; a missing one is the page 404.html."""

    protocol_version = "HTTP/1.1"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the page for errors."""
        page = Path(self.directory, "404.html")
        if code != 404 or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on a free port of loopback, and yield its URL."""
    handler = partial(Handler, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    sys.exit(main())
