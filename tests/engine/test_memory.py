"""Limits on the memory that the native engine retains after parsing documents."""

from __future__ import annotations

import subprocess
import sys

import pytest

from urlset.engine import available

MANY = """
import re, sys
import urlset

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) >> 10

entry = "<url><loc>https://example.com/{}</loc><lastmod>2026-11-21</lastmod></url>"
head = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
document = lambda size: (head + entry.format("a" * 900) * size + "</urlset>").encode()
urlset.parse(b"")
before = resident()
for size in range(10_000, 50_000, 2_500):
    assert len(urlset.parse(document(size)).entries) == size
print(resident() - before)
"""


@pytest.mark.skipif("native" not in available(), reason="the native engine is not installed")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status exists on Linux only")
def test_retained_memory_is_bounded():
    ran = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 64 + 32  # retained by the allocator, plus other growth of the process
