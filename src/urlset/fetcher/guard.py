"""The address guard: what a URL may lead to, judged by the address that is really connected to.

A document from the public network must not make us ask a server on this machine or in the
networks around it (server-side request forgery). Names are not judged, addresses are, each time
a socket is made: so neither a redirect nor a name that changes its address helps.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, Literal

from urlset.fetcher.messages import Reach

__all__ = ["BlockedError", "address_class", "may_reach", "reach_of", "socket_factory"]

AddressClass = Literal["public", "private", "special"]

# RFC 6890 and its registry, https://www.iana.org/assignments/iana-ipv4-special-registry
_PRIVATE = [
    ipaddress.ip_network(text)
    for text in """10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 127.0.0.0/8
    0.0.0.0/32 ::/127 fc00::/7""".split()  # to connect to 0.0.0.0 is to connect to oneself
]
_SPECIAL_V4 = [
    IPv4Network(text)
    for text in """0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
    198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4""".split()
]
_GLOBAL_V6 = IPv6Network("2000::/3")  # all that IANA has given out; what is outside is not global
_SPECIAL_V6 = [IPv6Network(text) for text in "2001::/23 2001:db8::/32 3fff::/20".split()]
_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = [IPv6Network(text) for text in "64:ff9b::/96 ::/96 ::ffff:0:0:0/96".split()]
_6TO4 = IPv6Network("2002::/16")


class BlockedError(OSError):
    """An address that may not be reached from where its URL was found."""


def address_class(address: str) -> AddressClass:
    """Tell a public address from those of private networks and of this machine, and from the rest.

    ``special`` are link-local (where clouds keep their secrets), multicast, reserved and
    unspecified ones. An IPv4 address inside an IPv6 one (mapped, 6to4, NAT64) counts as itself.

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


def may_reach(reach: Reach, address: str) -> bool:
    """Tell whether a request may be sent to an address, given who named its URL."""
    if reach == "anywhere":
        return True
    found = address_class(address)
    return found == "public" or (found == "private" and reach == "private")


def reach_of(asked: Reach, address: str | None) -> Reach:
    """What the URLs in a document may lead to, given where it was fetched from.

    A private document may lead into private networks; one from elsewhere never, and what it
    led to does not either.
    """
    is_private = address is not None and address_class(address) == "private"
    return "private" if is_private and asked != "public" else "public"


def socket_factory(reach: Reach) -> Callable[[Any], socket.socket]:
    """Make what makes the sockets: it refuses those to an address out of reach."""

    def make(info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = info
        if not may_reach(reach, str(address[0])):
            # Beware: without the address in it, as aiohttp joins errors that differ to a new one.
            raise BlockedError("its address is in a private network or a special one")
        return socket.socket(family=family, type=kind, proto=protocol)

    return make
