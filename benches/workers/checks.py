"""Check a folder by all default rules: ``checks.py FOLDER``."""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Print the numbers of documents, entries and findings, and the seconds of the work."""
    import urlset
    import urlset.checker
    import urlset.store

    assert urlset.store
    began = time.perf_counter()
    findings = urlset.check(sys.argv[1], base_url="https://www.example.com/")
    shown = sum(1 for _ in findings)
    seconds = time.perf_counter() - began
    records = findings.documents
    facts = {
        "seconds": seconds,
        "documents": len(records),
        "entries": sum(record.entries for record in records),
        "shown": shown,
        "findings": findings.count,
        "rules": len(urlset.checker.CATALOGUE),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
