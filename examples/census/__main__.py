"""Ask the questions of a census: python -m examples.census [ARCHIVE ...] [--into FOLDER]."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from examples.census.census import answers, collect, questions
from examples.census.fixture import write_archives

import urlset


def main() -> None:
    """Read archives, by default made-up ones, and print a table for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*", type=Path, help="WARC files; none: made-up ones")
    parser.add_argument("--into", type=Path, help="folder for the facts, as Parquet")
    parser.add_argument("--processes", type=int, help="number of processes; all cores")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archives = given.archives or write_archives(Path(folder) / "archives")
        facts = given.into or Path(folder) / "facts"
        try:
            collect(archives, facts, processes=given.processes)
        except urlset.UrlsetError as error:
            parser.error(str(error))
        for name in questions():
            table = answers(facts, name)
            print(f"\n{name}: {table.title}\n{table.text}")


if __name__ == "__main__":
    main()
