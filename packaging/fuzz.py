"""Run the fuzz targets of the native engine under AddressSanitizer; print what each of them did.

python packaging/fuzz.py [--seconds 60] [--runs N] [TARGET...]

Seeds are the texts of the tests, the rules and the docs. The corpora, which grow from run to run,
are in build/fuzz, as are inputs that fail: `… TARGET --input FILE` repeats one. Each run is a line
of build/fuzz/history.jsonl; `--history` prints the sums.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CRATE = ROOT / "rust" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
HISTORY = BUILD / "history.jsonl"

# The flags of cargo-fuzz: counters and compared values of each edge, as libFuzzer reads them.
_COVERAGE = (
    "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 "
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters "
    "-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares "
    "--cfg fuzzing"
)
# Where the seeds of each target are, and how they look.
_MARKUP = r"\s*(\ufeff)?<"
_SEEDS = {
    "parse": ("tests/engine tests/checker src/urlset/checker/rules docs", rf"{_MARKUP}|https?:|/"),
    "render": ("tests/engine tests/writer tests/checker src/urlset/checker/rules docs", _MARKUP),
    "html": ("tests/html tests/live tests/hostile tests/engine docs", _MARKUP),
    "json": ("tests/sources tests/arrow", r"\s*[\[{]"),
    "logs": ("tests/sources docs", r"\S+ \S+ \S+ \[|GET |\d+/\w{3}/\d{4}"),
    "gzip": ("tests/engine", _MARKUP),
    "urls": ("tests/test_urls.py tests/engine tests/live src/urlset/checker/rules", r"\S*[:/.]"),
    "dates": ("tests/test_dates.py tests/engine docs", r".*\d"),
}
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MOST = 20_000
# Objects of JSON columns and log lines are made by code in the tests.
_MORE = {
    "json": [
        '[{"loc": "https://e.com/i.png", "caption": "a\\u00e9\\ud83d\\ude00", "title": null}, "u"]',
        '{"name": "N", "language": "en", "publication_date": "2026-01-01", "title": "\\n\\"x"}',
        '{"access": true, "genres": -12}',
    ],
    "logs": [
        '1.2.3.4 - - [10/Oct/2026:13:55:36 -0700] "GET /a?b HTTP/1.1" 200 2 "-" "Mozilla"\n'
        'www.e.com:443 1.2.3.4 - - [10/Oct/2026:13:55:37 +0000] "GET /a HTTP/1.0" 304 0\n'
        '::1 - u [10/Oct/2026:13:55:38 +0000] "POST /c HTTP/2" 404 0\n'
    ],
}


def targets() -> list[str]:
    """Return the names of the targets."""
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text(encoding="utf-8"))
    return [target["name"] for target in manifest["bin"]]


def texts(file: Path) -> Iterator[str]:
    """Yield the texts of a Python file, or the code blocks of a page."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        yield from _FENCE.findall(source)
    else:
        for node in ast.walk(ast.parse(source)):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, bytes):
                value = value.decode("utf-8", "replace")
            if isinstance(value, str):
                yield value


def seeds(target: str) -> dict[str, bytes]:
    """Return the seeds of a target, by name."""
    places, form = _SEEDS[target]
    found = list(_MORE.get(target, ()))
    for place in map(ROOT.joinpath, places.split()):
        files = [place] if place.is_file() else [*place.rglob("*.py"), *place.rglob("*.md")]
        for file in sorted(files):
            found += [text for text in texts(file) if re.match(form, text) and len(text) < _MOST]
    data = [text.encode("utf-8", "replace") for text in found]
    if target == "gzip":
        data += [gzip.compress(seed, mtime=0) for seed in data]
    return {hashlib.sha256(seed).hexdigest()[:16]: seed for seed in data}


def write_seeds(target: str, folder: Path) -> None:
    """Write the seeds of a target to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in seeds(target).items():
        (folder / name).write_bytes(seed)


def build() -> Path:
    """Build all targets; return their folder. The stable compiler needs RUSTC_BOOTSTRAP."""
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    triple = re.search(r"host: (\S+)", host)
    assert triple, host
    folder = BUILD / "target"
    environment = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": f"-Zsanitizer=address {_COVERAGE}",
        "CARGO_TARGET_DIR": str(folder),
    }
    # With a named target, build scripts are compiled without these flags.
    command = ["cargo", "build", "--quiet", "--release", "--bins", "--target", triple[1]]
    subprocess.run(command, cwd=CRATE, env=environment, check=True)
    return folder / triple[1] / "release"


def run(binary: Path, arguments: list[str]) -> tuple[int, str]:
    """Run a target; return its exit code and the summary that libFuzzer prints at the end."""
    target = binary.name
    corpus, artifacts = BUILD / "corpus" / target, BUILD / "artifacts" / target
    artifacts.mkdir(parents=True, exist_ok=True)
    write_seeds(target, corpus)
    start, start_cpu = time.monotonic(), cpu_seconds()
    command = [
        str(binary), str(corpus), f"-artifact_prefix={artifacts}/", f"-dict={CRATE}/tokens.dict",
        "-max_len=8192", "-timeout=25", "-rss_limit_mb=4096", "-print_final_stats=1", *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    log = done.stderr.decode("utf-8", "replace")
    (BUILD / f"{target}.log").write_text(log, encoding="utf-8")
    progress = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", log)
    executions = re.findall(r"number_of_executed_units: (\d+)", log)
    edges = re.findall(r"INFO: Loaded 1 modules\s+\((\d+) inline", log)
    coverage, features, inputs = map(int, progress[-1] if progress else (0, 0, 0))
    record = {
        "target": target,
        "sources": subprocess.run(
            ["git", "log", "-1", "--format=%h", "--", "rust"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        ).stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
        "exit_code": done.returncode,
        "executions": int(executions[-1]) if executions else 0,
        "seconds": round(time.monotonic() - start),
        "cpu_seconds": round(cpu_seconds() - start_cpu),
        "edges": coverage,
        "all_edges": int(edges[0]) if edges else 0,
        "features": features,
        "inputs": inputs,
    }  # fmt: skip
    with HISTORY.open("a", encoding="utf-8") as history:
        history.write(json.dumps(record) + "\n")
    summary = row(record)
    if done.returncode:
        summary += f"\n{log[-4000:]}\n{target}: failed; the input is in {artifacts}"
    return done.returncode, summary


def cpu_seconds() -> float:
    """Return the CPU time of the processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def row(record: dict[str, Any]) -> str:
    """Return what one run or several did, as one line."""
    return (
        f"{record['target']:8} {record['executions']:12,} executions {record['seconds']:6} s "
        f"{record['cpu_seconds']:6} s CPU {record['edges']:>6} of {record['all_edges']} edges "
        f"{record['features']:>6} features {record['inputs']:>5} inputs"
    )


def sums() -> Iterator[dict[str, Any]]:
    """Yield the sum of all runs of each target. Their edges are those of the last run."""
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    runs = [json.loads(line) for line in lines]
    for target in targets():
        if of_target := [run for run in runs if run["target"] == target]:
            summed = ["executions", "seconds", "cpu_seconds"]
            yield of_target[-1] | {key: sum(run[key] for run in of_target) for key in summed}


def main() -> int:
    """Run the targets that the command line names; return 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*targets(), []], metavar="TARGET")
    parser.add_argument("--seconds", type=int, help="for each target; 60, without --runs")
    parser.add_argument("--runs", type=int, default=-1, help="stop after as many inputs")
    parser.add_argument("--input", help="run this input only")
    parser.add_argument("--write-seeds", type=Path, help="only write the seeds to this folder")
    parser.add_argument("--history", action="store_true", help="only print the sums of all runs")
    options = parser.parse_args()
    if options.history:
        print("\n".join(map(row, sums())))
        return 0
    if options.write_seeds:
        for target in options.targets or targets():
            write_seeds(target, options.write_seeds)
        return 0
    folder = build()
    failed = False
    for target in options.targets or targets():
        if options.input:
            failed |= bool(subprocess.run([folder / target, options.input], check=False).returncode)
            continue
        seconds = options.seconds or (60 if options.runs < 0 else 0)
        limits = [f"-max_total_time={seconds}", f"-runs={options.runs}"]
        code, summary = run(folder / target, limits)
        print(summary, flush=True)
        failed |= code != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
