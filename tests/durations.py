"""Record how long the tests take: ``python tests/durations.py REPORT`` writes ``durations.json``.

REPORT is the XML of ``pytest --junitxml REPORT`` on a machine that does nothing else. ``--scale F``
multiplies its times, for a run beside other work. Tests that were skipped or not selected keep the
time that is recorded, so ``-m 'not slow'`` is enough to find those that should be marked as well.
"""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LEAST_S = 0.2
"""Seconds from which a test is recorded."""


def main() -> None:
    """Write the file and print how much time the tests below each duration take."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    target = Path(__file__).with_name("durations.json")
    times, skipped = {}, set()
    for case in ElementTree.parse(options.report).iter("testcase"):
        times[_node(case)] = float(case.get("time", "0")) * options.scale
        if case.find("skipped") is not None:
            skipped.add(_node(case).partition("[")[0])
    for node, seconds in json.loads(target.read_text("utf-8")).items():
        if node.partition("[")[0] in skipped:
            times[node] = max(seconds, times.get(node, 0))
        elif node not in times and _exists(node):
            times[node] = seconds
    slow = {node: round(seconds, 1) for node, seconds in times.items() if seconds >= LEAST_S}
    target.write_text(json.dumps(slow, indent=0, sort_keys=True) + "\n", "utf-8")
    for limit in (0.2, 0.25, 0.5, 1, 2, 5, 10, 1e9):
        found = [seconds for seconds in times.values() if seconds < limit]
        print(f"below {limit:g} s: {len(found):,} tests, {sum(found):,.0f} s")


def _exists(node: str) -> bool:
    """Return whether the file of a test still has a function or a docstring of this name."""
    file, _, rest = node.partition("::")
    path = Path(__file__).parents[1] / file
    function = rest.partition("[")[0].replace("::", ".").rpartition(".")[2]
    return path.is_file() and function in path.read_text("utf-8")


def _node(case: ElementTree.Element) -> str:
    """Return the identifier of a test: JUnit has the module and the class separated by dots."""
    parts = case.get("classname", "").split(".")
    root = Path(__file__).parents[1]
    for end in range(len(parts), 0, -1):
        path = Path("/".join(parts[:end]) + ".py")
        if (root / path).is_file():
            return "::".join([path.as_posix(), *parts[end:], case.get("name", "")])
    return f"{'.'.join(parts)}::{case.get('name')}"


if __name__ == "__main__":
    main()
