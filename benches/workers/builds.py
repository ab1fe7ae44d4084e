"""Build sitemaps from Parquet: ``builds.py PARQUET FOLDER LEDGER gzip|plain``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Print the result of the build and the seconds of the work."""
    import urlset.builder
    import urlset.store
    from urlset.sources import Table

    assert urlset.store
    source, folder, ledger, packing = sys.argv[1:]
    began, cpu = time.perf_counter(), time.process_time()
    built = urlset.builder.build(
        Table(source),
        folder,
        base_url="https://www.example.com/",
        ledger=Path(ledger),
        gzip=packing == "gzip",
    )
    facts = {
        "seconds": time.perf_counter() - began,
        "work_cpu_s": time.process_time() - cpu,
        "entries": built.urls,
        "written": len(built.changed_files),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
