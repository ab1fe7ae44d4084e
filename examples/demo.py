"""Shows the main job: reads a site's sitemaps, checks broken ones, builds new ones, reads those.

Needs no network. Every command is the real one, shown as you would type it; the result lies in
``demo-output/`` afterwards, or in the folder that is given as an argument.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULT = sys.argv[1] if len(sys.argv) > 1 else "demo-output"


def main() -> int:
    """Run the commands one after another; 1 where one does not end as it should."""
    shutil.rmtree(ROOT / "demo-output", ignore_errors=True)
    good = [
        step(
            "Read a sitemap index with the files it lists: XML, gzip, text, RSS.",
            "read examples/site/sitemap.xml",
        ),
        step(
            "The same as data: one JSON object a line, here those of one section.",
            "read examples/site/sitemap.xml --match /blog/ --format jsonl",
        ),
        step(
            "Check a broken sitemap. Exit code 1 says that there are findings.",
            "check examples/site/broken.xml",
            expected=1,
        ),
        step(
            "Build a gzipped sitemap from a list of 2,500 URLs, split, with its index.",
            "build examples/site/urls.txt --base-url https://www.example.com/ "
            f"--gzip --max-urls 1000 --output {RESULT}",
        ),
        step(
            "Read it back: the index, its three files, and all 2,500 URLs.",
            f"read {RESULT}/sitemap.xml.gz --format txt --output {RESULT}/urls.txt",
        ),
        step("And check it: clean.", f"check {RESULT}/sitemap.xml.gz"),
    ]
    print(f"\nThe result lies in {ROOT / RESULT}:")
    for path in sorted((ROOT / RESULT).iterdir()):
        print(f"  {path.name:<20} {path.stat().st_size:>8,} bytes")
    return 0 if all(good) else 1


def step(what: str, arguments: str, *, expected: int = 0) -> bool:
    """Show a command and run it; tell whether it ended with the exit code expected."""
    print(f"\n# {what}\n$ urlset {arguments}", flush=True)
    command = [sys.executable, "-m", "urlset", *shlex.split(arguments)]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code != expected:
        print(f"demo: expected exit code {expected}, found {code}", file=sys.stderr)
    return code == expected


if __name__ == "__main__":
    sys.exit(main())
