"""Measure urlset and its peers side by side: ``make bench``, or ``python benches/run.py``.

The first run makes the documents and installs the peers under ``benches/.cache``. Progress goes
to stderr, the table to stdout. It is a benchmark, not a test: missed goals do not make it fail.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import environment
import report
from data import documents
from environment import say
from goals import judge
from race import race
from works import Tools, works

HERE = Path(__file__).parent


def main() -> int:
    options = _options()
    # In a process of its own: its peak memory would count as that of everybody after it.
    subprocess.run([sys.executable, HERE / "data.py"], check=True, stdout=subprocess.DEVNULL)
    tools = Tools(environment.python(), environment.node(), environment.scanner())
    listed = works(documents(), tools)
    listed = [work for work in listed if options.only in (None, work.side)]
    if options.match:
        listed = [work for work in listed if options.match in work.name]
    say(f"Measuring {len(listed)} works …")
    if options.quick:
        results = race(listed, rounds=1, seconds=0.5, budget=10)
    else:
        results = race(listed, rounds=5, seconds=1.0, budget=25)
    verdicts = list(judge(results))
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
    for line in report.text(listed, results, verdicts):
        print(line)
    if options.json:
        data = report.plain_data(results, verdicts)
        options.json.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    if options.markdown:
        _write(options.markdown, report.markdown(listed, results, verdicts))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round: a glance")
    parser.add_argument("--only", choices=("READ", "WRITE"), help="one side of the works")
    parser.add_argument("--match", metavar="TEXT", help="only works whose name has this text")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all times here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the tables here")
    return parser.parse_args()


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
