"""Measure urlset and its peers side by side: ``make bench``, or ``python benches/run.py``.

The first run makes the documents and installs the peers under ``benches/.cache``. Progress goes
to stderr, the table to stdout. It fails if a goal is missed that the last recorded run met.
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import build_data
import build_race
import check_race
import crawl_data
import crawl_race
import environment
import job_data
import job_race
import record
import report
import site_data
import site_report
from data import documents
from environment import say
from goals import Verdict, judge
from measured import Measured
from race import race
from site_race import SiteResult, race_site, readers
from works import Tools, works

HERE = Path(__file__).parent
SITE = "whole site"
CHECK = "check of a folder"
BUILD = "build of a list"
PAGES = "pages of a site"
JOBS = "jobs"
SHARE = 8
"""Documents that the peers read: the slowest one would take five minutes for all of them."""
SECTIONS_OF_PEERS = 10
"""Sections of 1,000 pages that the peers visit: the slowest one needs minutes for them."""


def main() -> int:
    options = _options()
    # In a separate process: its peak memory would count for every process after it.
    subprocess.run([sys.executable, HERE / "data.py"], check=True, stdout=subprocess.DEVNULL)
    tools = Tools(environment.python(), environment.node(), environment.scanner())
    listed = works(documents(), tools) if _is_wanted(options, "documents") else []
    listed = [work for work in listed if options.only in (None, work.side)]
    if options.match:
        listed = [work for work in listed if options.match in work.name]
    # SIGTERM acts like Ctrl-C, so that the server is stopped too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if listed:
        say(f"Measuring {len(listed)} works …")
    if options.quick:
        results = race(listed, rounds=1, seconds=0.5, budget=10)
    else:
        results = race(listed, rounds=options.rounds or 5, seconds=1.0, budget=25)
    sites = _site(options, tools) if _is_wanted(options, "site") else []
    checks = _checks(options) if _is_wanted(options, "check") else []
    builds = _builds(options, tools) if _is_wanted(options, "build") else []
    crawls = _crawls(options, tools) if _is_wanted(options, "pages") else []
    jobs = _jobs(options) if _is_wanted(options, "jobs") else []
    by_group = {
        "documents": [*judge(results)],
        "site": [*site_report.judge(sites)],
        "check": [*check_race.judge(checks)],
        "build": [*build_race.judge(builds)],
        "pages": [*crawl_race.judge(crawls)],
        "jobs": [*job_race.judge(jobs)],
    }
    verdicts = [verdict for found in by_group.values() for verdict in found]
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    site_lines = [*(site_report.text(sites) if sites else ())]
    site_lines += check_race.text(checks) if checks else ()
    site_lines += build_race.text(builds) if builds else ()
    site_lines += crawl_race.text(crawls) if crawls else ()
    site_lines += job_race.text(jobs) if jobs else ()
    for line in (*report.text(listed, results), *site_lines, *report.goals(verdicts)):
        print(line)
    if options.json:
        data = report.plain_data(results, verdicts) | {
            "site": site_report.plain_data(sites),
            "check": [check.plain() for check in checks],
            "build": [build.plain() for build in builds],
            "pages": [crawl.plain() for _, crawl in crawls],
            "jobs": [job.result.plain() for job in jobs],
        }
        options.json.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    if options.markdown:
        site_lines = [*(site_report.markdown(sites) if sites else ())]
        site_lines += check_race.markdown(checks) if checks else ()
        site_lines += build_race.markdown(builds) if builds else ()
        site_lines += crawl_race.markdown(crawls) if crawls else ()
        site_lines += job_race.markdown(jobs) if jobs else ()
        lines = (*report.markdown(listed, results), *site_lines)
        _write(options.markdown, (*lines, *report.goals_markdown(verdicts)))
    if options.quick or options.only or options.match:
        return 0
    rows = {
        "documents": report.rows(results),
        "site": site_report.rows(sites),
        "check": [result.row() for result in checks],
        "build": [result.row() for result in builds],
        "pages": [result.row() for _, result in crawls],
        "jobs": [job.row() for job in jobs],
    }
    return _record(rows, by_group, is_recorded=options.record)


def _record(
    rows: dict[str, list[dict[str, Any]]], goals: dict[str, list[Verdict]], *, is_recorded: bool
) -> int:
    """Record each group that was measured; return 1 if a goal that was met is missed."""
    failures = []
    for group, found in rows.items():
        if not found:
            continue
        judged = [verdict._asdict() for verdict in goals[group]]
        failures += record.missed(group, judged)
        if is_recorded:
            say(f"{record.write_record(group, found, judged)} written")
    for failure in failures:
        say(f"missed, and met before: {failure}")
    return bool(failures)


def _is_wanted(options: argparse.Namespace, group: str) -> bool:
    return not options.group or group in options.group


def _site(options: argparse.Namespace, tools: Tools) -> list[SiteResult]:
    """Measure reading of a whole site, if selected and nginx is available."""
    if options.only == "WRITE" or (options.match and options.match not in SITE):
        return []
    count, share = (20, 1) if options.quick else (site_data.DOCUMENTS, SHARE)
    say(f"Making a site of {count} documents, unless it exists …")
    make = [sys.executable, HERE / "site_data.py", str(count)]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    whole = site_data.site(count)
    listed = readers(whole, whole.share(share), tools.python)
    return race_site(listed, rounds=_rounds(options))


def _checks(options: argparse.Namespace) -> list[Measured]:
    """Measure checks of folders of growing size, if selected."""
    if options.only == "WRITE" or (options.match and options.match not in CHECK):
        return []
    count = 10 if options.quick else site_data.DOCUMENTS
    make = [sys.executable, HERE / "site_data.py", str(count)]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    return check_race.race_checks(site_data.site(count), rounds=_rounds(options))


def _builds(options: argparse.Namespace, tools: Tools) -> list[Measured]:
    """Measure builds of lists, if selected."""
    if options.only == "READ" or (options.match and options.match not in BUILD):
        return []
    few = build_race.PEERS_SHARE
    counts = (few, few) if options.quick else (build_race.MILLION, 10 * build_race.MILLION, few)
    build_race.make_lists(*counts)
    lists = [build_data.listed(count) for count in counts]
    return build_race.race_builds(lists, tools, rounds=_rounds(options))


def _crawls(options: argparse.Namespace, tools: Tools) -> list[tuple[crawl_race.Crawler, Measured]]:
    """Measure visits of all pages of a site, if selected and nginx is available."""
    if options.only == "WRITE" or (options.match and options.match not in PAGES):
        return []
    count, share = (2, 1) if options.quick else (crawl_data.SECTIONS, SECTIONS_OF_PEERS)
    say(f"Making a site of {count * crawl_data.PAGES:,} pages, unless it exists …")
    whole = crawl_data.pages(count)
    listed = crawl_race.crawlers(whole, crawl_data.Pages(whole.folder, share), tools.python)
    return crawl_race.race_crawls(listed, rounds=_rounds(options))


def _jobs(options: argparse.Namespace) -> list[job_race.Job]:
    """Measure jobs of one kind of input each, if selected."""
    if options.only or (options.match and options.match not in JOBS):
        return []
    say("Making the inputs of the jobs, unless they exist …")
    make = [sys.executable, HERE / "job_data.py"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    return job_race.race_jobs(job_data.inputs(), rounds=_rounds(options))


def _rounds(options: argparse.Namespace) -> int:
    return 1 if options.quick else options.rounds or 3


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", choices=("READ", "WRITE"), help="one side of the works")
    parser.add_argument("--match", metavar="TEXT", help="only works whose name contains this text")
    parser.add_argument(
        "--group", action="append", choices=record.GROUPS, help="one group of works"
    )
    parser.add_argument("--record", action="store_true", help="write the results to results/")
    rounds = "rounds; by default 5 of documents, and 3 of whole jobs"
    parser.add_argument("--rounds", type=int, metavar="N", help=rounds)
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all times here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the tables here")
    return parser.parse_args()


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
