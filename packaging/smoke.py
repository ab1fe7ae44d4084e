"""Use an installed urlset once from end to end.

    python packaging/smoke.py native|reference|any

Needs nothing but urlset and its requirements. Reads, writes, builds, checks, fixes and compares,
from Python and by the command. The argument is the engine that is expected.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from arro3.core import Table

import urlset
from urlset.engine import available

SITE = "https://example.com/"
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2026-01-31</lastmod></url>
<url><loc>https://example.com/b c</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
FIRST = "https://example.com/?a=1&b=2"


def command(*arguments: str, code: int = 0) -> str:
    """Run the command urlset of this interpreter; return its output."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    expect(
        done.returncode == code, f"urlset {arguments[0]} ended with {done.returncode}", done.stdout
    )
    return done.stdout


def expect(is_met: bool, what: str, found: object = "") -> None:
    """End with a message if an expectation is not met."""
    if not is_met:
        sys.exit(f"smoke: {what}\n{found}".rstrip())


def main() -> int:
    """Run all steps."""
    engine = sys.argv[1] if len(sys.argv) == 2 else "any"
    expect(engine in ("native", "reference", "any"), "usage: smoke.py native|reference|any")
    if engine != "any":
        expect(("native" in available()) == (engine == "native"), f"expected {engine}", available())
        expect(f"{engine} engine" in command("--version"), f"--version names no {engine} engine")
    expect(urlset.__version__ == version("urlset"), "the version differs from the metadata")
    expect(files("urlset").joinpath("py.typed").is_file(), "py.typed is missing")

    document = urlset.parse(SITEMAP.encode())
    expect(document.entries[0].loc == FIRST, "parse: another URL", document.entries[0])
    with tempfile.TemporaryDirectory(prefix="urlset-smoke-") as folder:
        os.chdir(folder)
        Path("sitemap.xml").write_text(SITEMAP, encoding="utf-8")
        Path("sitemap.xml.gz").write_bytes(gzip.compress(SITEMAP.encode()))
        use_library()
        use_command()
        os.chdir(Path(folder).parent)
    print(f"urlset {urlset.__version__} works, with the engines {', '.join(available())}")
    return 0


def use_library() -> None:
    """Call the functions that need no network."""
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        locs = [entry.loc for entry in urlset.read(name)]
        expect(locs[0] == FIRST and len(locs) == 2, f"read {name}: other URLs", locs)
    rows = Table.from_arrow(urlset.read("sitemap.xml"))
    expect(rows.num_rows == 2, "Arrow stream: other rows", rows)
    codes = {finding.code for finding in urlset.check("sitemap.xml", base_url=SITE)}
    expect(bool(codes), "check found nothing in a damaged sitemap")
    urlset.write([urlset.Entry(loc=FIRST)], "written", base_url=SITE)
    expect(Path("written", "sitemap.xml").is_file(), "write wrote no sitemap.xml")
    Path("urls.txt").write_text(f"{FIRST}\n{SITE}c\n", encoding="utf-8")
    urlset.build("urls.txt", "built", base_url=SITE)
    locs = [entry.loc for entry in urlset.read("built/sitemap.xml")]
    expect(f"{SITE}c" in locs, "build lost a URL", locs)


def use_command() -> None:
    """Run the commands that need no network."""
    expect(FIRST in command("read", "sitemap.xml"), "read printed no URL")
    report = command("check", "sitemap.xml", "--base-url", SITE, "--format", "json", code=1)
    expect(bool(json.loads(report)["findings"]), "check reported nothing")
    command("check", "sitemap.xml", "--base-url", SITE, "--fix")
    expect("b%20c" in Path("sitemap.xml").read_text(encoding="utf-8"), "--fix changed nothing")
    expect("added" in command("diff", "written", "built"), "diff reported nothing")
    expect("U012" in command("rules"), "rules printed no rule")


if __name__ == "__main__":
    sys.exit(main())
