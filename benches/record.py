"""Record the results of a benchmark with the commit, the machine and the sources they belong to.

``results/GROUP.json`` has the last recorded run of each group of works. The figures of README.md
and docs/performance.md are generated from these files. A record has a fingerprint of the sources on
the measured path; ``tests/docs/test_figures.py`` fails if they changed since, other than in
comments and docstrings.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
import re
import statistics
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "GROUPS",
    "RESULTS",
    "commit",
    "figure",
    "fingerprint",
    "missed",
    "read_record",
    "write_record",
]

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benches" / "results"

_PACKAGE = "src/urlset"
_DOCUMENTS = (
    "rust/core/src", "rust/binding/src", "rust/Cargo.toml", "rust/binding/Cargo.toml",
    "rust/core/Cargo.toml", f"{_PACKAGE}/engine", f"{_PACKAGE}/formats", f"{_PACKAGE}/arrow",
    f"{_PACKAGE}/document.py", f"{_PACKAGE}/model.py", f"{_PACKAGE}/dates.py",
    f"{_PACKAGE}/urls.py", f"{_PACKAGE}/inflate.py", f"{_PACKAGE}/writer",
)  # fmt: skip
_SITE = (*_DOCUMENTS, f"{_PACKAGE}/reader", f"{_PACKAGE}/http", f"{_PACKAGE}/robots")
GROUPS: dict[str, tuple[str, ...]] = {
    "documents": _DOCUMENTS,
    "site": _SITE,
    "check": (*_SITE, f"{_PACKAGE}/checker", f"{_PACKAGE}/store"),
    "build": (
        *_DOCUMENTS, f"{_PACKAGE}/builder", f"{_PACKAGE}/sources", f"{_PACKAGE}/publisher",
        f"{_PACKAGE}/store",
    ),
    "pages": (
        *_SITE, f"{_PACKAGE}/live/crawl", f"{_PACKAGE}/live/audit", f"{_PACKAGE}/live/visits",
        f"{_PACKAGE}/html", f"{_PACKAGE}/store", f"{_PACKAGE}/checker",
    ),
    "jobs": (
        *_SITE, f"{_PACKAGE}/builder", f"{_PACKAGE}/sources", f"{_PACKAGE}/publisher",
        f"{_PACKAGE}/html", f"{_PACKAGE}/store", f"{_PACKAGE}/checker",
    ),
}  # fmt: skip
"""Sources on the measured path, by group of works."""

_RUST_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*+', re.DOTALL)


def fingerprint(paths: Iterable[str]) -> str:
    """Return a hash of source files that comments, docstrings and spacing do not change."""
    digest = hashlib.sha256()
    for name in paths:
        path = ROOT / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix in (".py", ".rs", ".toml") and "target" not in file.parts:
                digest.update(f"{file.relative_to(ROOT).as_posix()}\n{_code(file)}\n".encode())
    return digest.hexdigest()[:16]


@cache
def _code(file: Path) -> str:
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        tree = ast.parse(text)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                # Also the texts below assignments, which document them.
                node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]  # only some nodes have a body
        return ast.dump(tree)
    if file.suffix == ".rs":
        text = _RUST_COMMENT.sub(lambda found: found[1] or "", text)
    else:
        text = re.sub(r"(?m)^\s*#.*$", "", text)
    return " ".join(text.split())


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def figure(values: Sequence[float]) -> dict[str, float | int]:
    """Return the median of measurements, their interval, and their number.

    The interval is that of the middle half, or of all if there are fewer than eight.
    """
    if len(values) < 8:
        low, high = min(values), max(values)
    else:
        low, _, high = statistics.quantiles(values, n=4)
    median = statistics.median(values)
    numbers = {"median": median, "low": low, "high": high}
    return {**{key: float(f"{value:.4g}") for key, value in numbers.items()}, "runs": len(values)}


def write_record(group: str, rows: list[dict[str, Any]], goals: list[dict[str, Any]]) -> Path:
    """Write the results of a group; return the path.

    Raises:
        RuntimeError: The sources on the measured path are not those of the commit.
    """
    if changed := _git("status", "--porcelain", "--", *GROUPS[group]):
        raise RuntimeError(f"expected committed sources, found changes: {changed.split()[-1]}")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{group}.json"
    record = {
        "commit": commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": _processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "load": round(os.getloadavg()[0], 1),
        },
        "sources": fingerprint(GROUPS[group]),
        "rows": rows,
        "goals": goals,
    }
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def read_record(group: str) -> dict[str, Any] | None:
    """Return the last recorded run of a group; None if there is none."""
    path = RESULTS / f"{group}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def missed(group: str, goals: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the goals that the last recorded run met, and that these results do not meet.

    A goal that was raised since is not compared.
    """
    record = read_record(group)
    met = {goal["text"]: goal for goal in record["goals"] if goal["is_met"]} if record else {}
    for goal in goals:
        before = met.get(goal["text"])
        if before and before["goal"] == goal["goal"] and not goal["is_met"]:
            was = before["measured"]
            yield f"{goal['text']}: {goal['measured']}, was {was} (goal {goal['goal']})"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.machine()


def commit() -> str:
    """Return the commit of the checkout."""
    return _git("rev-parse", "--short=10", "HEAD")


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return ran.stdout.strip()
