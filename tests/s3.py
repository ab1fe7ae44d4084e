"""An S3 server on loopback, for the tests that publish into a bucket."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest

__all__ = ["KEY", "SECRET", "ask", "s3", "s3_server"]

KEY, SECRET = "AKIAOFTHETESTS", "sekrit/sekrit/sekrit"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a prefix in an empty bucket."""
    pytest.importorskip("obstore", reason="obstore is not installed (urlset[cloud])")
    for name, value in (
        ("AWS_ENDPOINT_URL", s3_server),
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_REGION", "us-east-1"),
        ("NO_PROXY", "127.0.0.1"),
    ):
        monkeypatch.setenv(name, value)
    ask(f"{s3_server}/moto-api/reset", "POST")
    ask(f"{s3_server}/shop", "PUT")
    return "s3://shop/maps"


def ask(url: str, method: str = "GET"):
    claim = f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/s3/aws4_request, "
    headers = {"Authorization": f"{claim}SignedHeaders=host, Signature=0"}
    with urllib.request.urlopen(
        urllib.request.Request(url, method=method, headers=headers)
    ) as answer:
        return answer.headers, answer.read()
