"""The representation of options shows no credentials."""

from urlset import Policy
from urlset.cli.options import NetworkOptions


def test_representations_hide_headers_proxies_and_credentials() -> None:
    policy = Policy(
        headers={"X-Team": "s3cret"},
        site_headers={"https://example.com": {"Authorization": "Bearer s3cret"}},
        proxies={"https": "http://user:s3cret@proxy.example:8080"},
    )
    options = NetworkOptions(policy=policy, auth=("user", "s3cret"))
    assert "s3cret" not in repr(policy)
    assert "s3cret" not in repr(options)
    assert "concurrency=8" in repr(options)
