"""Read the whole site with urlset's spider and with Scrapy's, in the same version of Scrapy.

Usage: ``python benches/scrapy_race.py [--documents 200]``. It is not part of ``make bench``, whose
table has Scrapy's spider on a share of the site: here both read all of it, from the same nginx,
each in a fresh process. Both count the entries in the hook ``sitemap_filter``, and request no page.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import site_data
from nginx import nginx, serving
from race import call, gist

WORKER = str(Path(__file__).parent / "workers" / "sites.py")
SPIDERS = {"urlset.integrations.scrapy": "spider", "scrapy.spiders": "scrapy"}
TIMEOUT_S = 3_600.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=site_data.DOCUMENTS, metavar="N",
                        help="sitemaps of 50,000 URLs")  # fmt: skip
    options = parser.parse_args()
    program = nginx()
    if program is None:
        return 1
    site = site_data.site(options.documents)
    problems = 0
    print(f"{site.entries:,} URLs, {site.bytes / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}")
    print("| SitemapSpider of | URLs | CPU s | wall s | peak MB |\n|---|--:|--:|--:|--:|")
    with serving(program, [site]) as (url,):
        for name, task in SPIDERS.items():
            ended = call((sys.executable, WORKER, task, url), TIMEOUT_S)
            try:
                report = json.loads(ended.out.strip().splitlines()[-1])
            except (IndexError, ValueError):
                print(f"| {name} | failed: {gist(ended.words)} | | | |")
                problems += 1
                continue
            problems += report["entries"] != site.entries
            print(
                f"| {name} | {report['entries']:,} | {ended.cpu_s:,.1f} | "
                f"{report['times'][0]:,.1f} | {ended.peak / 1e6:,.0f} |",
                flush=True,
            )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
