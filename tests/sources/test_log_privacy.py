"""Request targets of a log that may identify a person are no pages; names and slugs are."""

import pytest

from tests.cpu_time import growth
from urlset.sources.logs.privacy_filter import TargetFilter

TARGETS = TargetFilter("https://example.com/")


@pytest.mark.parametrize(
    "target",
    [
        "/tel/+4915112345678",
        "/x/+49(151)12345678",
        "/contact/004915112345678",
        "/t/AbCdEfGhIjKlMnOpQrStUv",
        "/share/xYzAbCDeFgHiJkLm",
        "/account/12345",
        "/accounts/en/12345/edit",
        "/my-orders/10023",
        "/order/1234567890123",
        "/invoice/INV-2024-001",
        "/customers/de/10023",
        "/verify/123456",
        "/p/192.168.1.4",
        "/4111111111111111",
        "/card/4111-1111-1111-1111",
        "/card/3782-822463-10005/edit",
        "/ip/2001:db8::1",
        "/2001:DB8:0:0:0:0:0:1/",
        "/::ffff:192.0.2.1",
        "/device/aa:bb:cc:dd:ee:ff",
        "/~ann/",
    ],
)
def test_a_target_that_may_identify_a_person_is_refused(target):
    assert TARGETS.clean(target.encode()) == (None, "private")


@pytest.mark.parametrize(
    "target",
    [
        "/tea",
        "/products/12345",
        "/2026/01/02/post",
        "/news/20260102-opening",
        "/p/iPhone15ProMaxCaseWithMagSafe",
        "/JavaScriptTutorialForBeginners",
        "/w/McDonaldsAndOConnorsPub",
        "/USATodayNewsroomReport",
        "/docs/v1.2.3.html",
        "/users/guide",
        "/user/alice",
        "/orders/",
        "/isbn/9783161484",
        "/sessions/2026-opening-keynote",
        "/blog/how-to-call-911",
        "/ticket/2024",
        "/1234-5678-9012",
        "/std::vector",
        "/at/10:30:00",
    ],
)
def test_a_name_or_a_slug_is_a_page(target):
    assert TARGETS.clean(target.encode()) == (target, None)


@pytest.mark.parametrize(
    "part",
    ["Ab", "1", "1.", "+0", "aA1", "A", "-1", "ab:", "/account/1", "a::", "/1111-1111"],
)
def test_a_long_target_costs_linear_time(part):
    def clean(size: int) -> None:
        TARGETS.clean(("/" + part * (size // len(part))).encode())

    assert growth(clean, 500, 4_000) < 24
