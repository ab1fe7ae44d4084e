"""SSRF protection: allow or block connections by the IP address of the peer.

A document from the public network must not make urlset send requests to this machine or to
private networks (server-side request forgery). The check applies to the address of each socket,
not to the host name, so that neither redirects nor DNS rebinding circumvent it.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, Literal

from urlset.http.models import NetworkScope

AddressClass = Literal["public", "private", "special"]

# RFC 6890 and its registry, https://www.iana.org/assignments/iana-ipv4-special-registry
_PRIVATE = [
    ipaddress.ip_network(text)
    for text in """10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 127.0.0.0/8
    0.0.0.0/32 ::/127 fc00::/7""".split()  # a connection to 0.0.0.0 goes to this machine
]
# 168.63.129.16 is public, but in Azure it is the host of the machine, which serves its secrets.
_SPECIAL_V4 = [
    IPv4Network(text)
    for text in """0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
    168.63.129.16/32
    198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4""".split()
]
_GLOBAL_V6 = IPv6Network("2000::/3")  # all that IANA has assigned; other addresses are not global
_SPECIAL_V6 = [IPv6Network(text) for text in "2001::/23 2001:db8::/32 3fff::/20".split()]
_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = [IPv6Network(text) for text in "64:ff9b::/96 ::/96 ::ffff:0:0:0/96".split()]
_6TO4 = IPv6Network("2002::/16")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+", re.ASCII)
_LOOPBACK_NAMES = ("localhost", "localhost6", "ip6-localhost", "ip6-loopback")
# Domains without public names: RFC 6761, RFC 6762, RFC 8375; ICANN reserves .internal.
_PRIVATE_NAMES = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa")


class BlockedError(OSError):
    """Error for a connection to an address that the network scope of a request forbids."""


@lru_cache(maxsize=1024)
def address_class(address: str) -> AddressClass:
    """Classify an IP address as ``public``, ``private`` or ``special``.

    ``private`` includes this machine. ``special`` are link-local (which cloud metadata services
    use), multicast, reserved and unspecified addresses. An IPv4 address that is embedded in an
    IPv6 one (mapped, 6to4, NAT64) is classified as the IPv4 address.

    >>> address_class("8.8.8.8"), address_class("::ffff:10.0.0.1"), address_class("169.254.1.1")
    ('public', 'private', 'special')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "special"
    if any(found in network for network in _PRIVATE):
        return "private"
    if isinstance(found, IPv4Address):
        return "special" if any(found in network for network in _SPECIAL_V4) else "public"
    return _class_v6(found)


def _class_v6(address: IPv6Address) -> AddressClass:
    bits = int(address)
    if address in _MAPPED or any(address in network for network in _TRANSLATED):
        return address_class(str(IPv4Address(bits & 0xFFFF_FFFF)))
    if address in _6TO4:
        return address_class(str(IPv4Address(bits >> 80 & 0xFFFF_FFFF)))
    if address not in _GLOBAL_V6 or any(address in network for network in _SPECIAL_V6):
        return "special"
    return "public"


def literal_address(host: str) -> str | None:
    """Return the IP address that a host denotes, in standard notation; None for a name.

    Systems accept other notations: decimal, octal and hexadecimal numbers, fewer than four of
    them, a dot at the end (https://url.spec.whatwg.org/#concept-ipv4-parser). For a host that
    ends in a number but is not an address, return the empty string: no request to it is allowed.

    >>> [literal_address(host) for host in ("0x7f.1", "2130706433", "::1", "e.com", "1.2.3.4.5")]
    ['127.0.0.1', '127.0.0.1', '::1', None, '']
    """
    if ":" in host:
        return host.strip("[]")
    parts = host.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    numbers = [_number(part) for part in parts]
    if len(parts) > 4 or any(number < 0 or number > 255 for number in numbers[:-1]):
        return ""
    if not 0 <= numbers[-1] < 256 ** (5 - len(parts)):
        return ""
    last = numbers.pop()
    return str(IPv4Address(sum(n << 8 * (3 - i) for i, n in enumerate(numbers)) + last))


def is_allowed_via_proxy(scope: NetworkScope, host: str) -> bool:
    """Return whether a request to a host may be sent through a proxy.

    The proxy resolves names itself, so only the form of a name can be checked: names of this
    machine are refused, and in the scope ``public`` also names of private domains.
    """
    if scope == "anywhere":
        return True
    address = literal_address(host)
    if address is not None:
        return is_allowed(scope, address)
    name = host.rstrip(".").lower()
    if name in _LOOPBACK_NAMES or name.endswith(".localhost"):
        return False
    return scope == "private" or ("." in name and not name.endswith(_PRIVATE_NAMES))


def _number(text: str) -> int:
    """Parse a number as ``inet_aton`` does; -1 if it is not one."""
    if not _NUMBER.fullmatch(text) or len(text) > 30:
        return -1
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    try:
        return int(text, 8 if text.startswith("0") else 10)
    except ValueError:  # 08
        return -1


def is_allowed(scope: NetworkScope, address: str) -> bool:
    """Return whether a request with this scope may be sent to an address."""
    if scope == "anywhere":
        return True
    found = address_class(address)
    return found == "public" or (found == "private" and scope == "private")


def scope_after(asked: NetworkScope, address: str | None) -> NetworkScope:
    """Return the network scope for URLs in a document that was fetched from ``address``.

    A document from a private network may link to private addresses. A public document may not,
    and neither may the documents that it leads to.
    """
    is_private = address is not None and address_class(address) == "private"
    return "private" if is_private and asked != "public" else "public"


def socket_factory(scope: NetworkScope) -> Callable[[Any], socket.socket]:
    """Return a function that creates sockets and refuses addresses outside a network scope."""

    def open_socket(info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = info
        if not is_allowed(scope, str(address[0])):
            # Note: no address in the message, since aiohttp merges errors with equal messages only.
            raise BlockedError("its address is private or special")
        return socket.socket(family=family, type=kind, proto=protocol)

    return open_socket
