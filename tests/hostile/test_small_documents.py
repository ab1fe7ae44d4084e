"""Small documents that cost far more than their size: memory, joins, statements without an end."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

import urlset
from tests.cpu_time import growth
from urlset.checker import custom_rule, evaluate
from urlset.engine import available
from urlset.errors import EngineError, QueryError, panics_as_errors

pytestmark = pytest.mark.guard

ROOT = "http://www.sitemaps.org/schemas/sitemap/0.9"


def with_comments(size: int) -> bytes:
    text = b"<!--a-->x" * (size // 9)
    return (
        f'<urlset xmlns="{ROOT}"><url><loc>https://example.com/'.encode()
        + text
        + b"</loc></url></urlset>"
    )


MEASURE = """
import json, sys
import urlset
from tests.hostile.test_small_documents import with_comments
size, engine = int(sys.argv[1]), sys.argv[2]
found = urlset.check(with_comments(size), engine=engine)
codes = [finding.code for finding in found]
longest = max(len(finding.loc or "") for finding in found)
# Not ru_maxrss, which begins with that of the process that started this one.
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(json.dumps([len(codes), longest, int(peak[0].split()[1])]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("engine", available())
def test_a_thousand_comments_in_a_loc_take_little_memory(engine):
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", MEASURE, str(size), engine],
                capture_output=True, check=True, timeout=300,
            ).stdout
        )
        for size in (20_000, 1_000_000)
    ]  # fmt: skip

    assert found[1][0] > 10_000
    assert found[1][1] <= 2_500
    assert found[1][2] - found[0][2] < 300_000  # KB


def test_a_url_that_is_repeated_on_one_line_takes_linear_time():
    def read(count: int) -> None:
        list(urlset.check(b"https://example.com/a " * count + b"\n"))

    assert growth(read, 2_000, 32_000) < 100  # 16 times as long; quadratic is 256


def test_duplicates_on_one_line_are_found():
    found = list(urlset.check(b"https://example.com/a https://example.com/a\n"))

    assert "duplicate-loc" in {finding.rule for finding in found}


class PanicException(BaseException):
    pass


def test_a_panic_of_a_library_is_an_error():
    expected = "a native library failed: byte array offset overflow"
    with pytest.raises(EngineError, match=expected), panics_as_errors():
        raise PanicException("byte array offset overflow")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
def test_other_exceptions_pass(error):
    with pytest.raises(error), panics_as_errors():
        raise error


def test_the_rules_of_urlset_have_a_time_limit(monkeypatch):
    monkeypatch.setattr(evaluate, "OWN_RULE_S", 0.0)
    text = "".join(f"https://example.com/{n % 5000}\n" for n in range(30_000)).encode()

    with pytest.raises(QueryError, match=r"the SQL of .*rule.*\(.*\): the query was ended: it ran"):
        list(urlset.check(text, rule_timeout_s=0.000_1))


def test_the_search_for_disallowed_urls_has_a_time_limit(monkeypatch, tmp_path):
    monkeypatch.setattr(evaluate, "OWN_RULE_S", 0.0)
    rules = "".join(f"Disallow: /*a*a*a*a*b{n}$\n" for n in range(5_000))
    (tmp_path / "robots.txt").write_text(f"User-agent: *\n{rules}")
    urls = "".join(f"https://example.com/{'a' * 1_000}{n}\n" for n in range(500))
    (tmp_path / "sitemap.txt").write_text(urls)

    base = "https://example.com/"
    with pytest.raises(QueryError, match=r"R009 \(.*ended: it ran longer than"):
        list(urlset.check(tmp_path, base_url=base, select=["R009"], rule_timeout_s=0.000_1))


def test_a_custom_rule_without_a_limit_removes_that_of_others(monkeypatch):
    monkeypatch.setattr(evaluate, "OWN_RULE_S", 0.0)
    rule = custom_rule(1, {"name": "x", "message": "{loc}", "view": "urls", "where": "true"})

    assert list(urlset.check(b"https://example.com/a\n", rules=[rule], rule_timeout_s=None))


def test_custom_rules_have_a_time_limit_together(monkeypatch):
    slow = "(SELECT count(*) FROM range(300000000) t(n) WHERE n % 7 = 3) > 0"
    rules = [
        custom_rule(n, {"name": f"x{n}", "message": "a", "view": "urls", "where": slow})
        for n in range(1, 4)
    ]
    monkeypatch.setattr(evaluate, "CUSTOM_RULES_FACTOR", 0.000_1)

    with pytest.raises(QueryError, match=r"rule Z00\d .*(?:ran longer than .* seconds)"):
        list(urlset.check(b"https://example.com/a\n", rules=rules, rule_timeout_s=60.0))


def test_rules_after_the_limit_of_all_are_not_run():
    budget = evaluate._Budget(0.000_01)
    with budget.spending():
        time.sleep(0.001)

    message = "not run: the rules of the configuration ran longer than 0.0001 seconds together"
    with pytest.raises(QueryError, match=message), budget.spending():
        pass


def test_rules_without_a_limit_have_none_together():
    budget = evaluate._Budget(None)
    for _ in range(3):
        with budget.spending() as seconds:
            assert seconds is None
