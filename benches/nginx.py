"""Serve sites with nginx on free ports of loopback, and stop it at the end.

It is the nginx on the PATH, or else Debian's package, unpacked under ``.cache`` and not
installed, so that no service is started and nothing else on the machine changes.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from environment import debian_package, run, say

PATIENCE_S = 10.0

CONFIGURATION = """\
daemon off;
master_process off;  # one process, which ends when it is told to
pid {folder}/nginx.pid;
# At the level "error", nginx logs every missing file. Nobody reads the pipe after the start: it
# would fill, and nginx would wait forever to write the next line.
error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000;
    index index.html;
    types {{ text/html html; application/xml xml; application/gzip gz; text/plain txt; }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{servers}}}
"""
SERVER = "    server {{ listen 127.0.0.1:{port}; root {root}; }}\n"


class Layout(Protocol):
    """A site that can write its files into a root folder of the server."""

    def lay_out(self, root: Path, url: str) -> None:
        """Create the folder, with robots.txt and index, for a server at a URL."""


def nginx() -> str | None:
    """Return the path of nginx, downloaded on Debian and its derivatives, or None."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found:
        return found
    package = debian_package("nginx")
    if package is None:
        say("The sites are left out: nginx is not there.")
        return None
    unpacked = package / "usr" / "sbin" / "nginx"
    if not run(str(unpacked), "-v"):
        say("The sites are left out: a library that Debian's nginx needs is not there.")
        return None
    return str(unpacked)


@contextmanager
def serving(program: str, sites: Sequence[Layout]) -> Iterator[list[str]]:
    """Serve each site on its own port and yield their URLs."""
    with tempfile.TemporaryDirectory(prefix="urlset-bench-") as name:
        folder = Path(name)
        ports = _free_ports(len(sites))
        servers = []
        for number, (site, port) in enumerate(zip(sites, ports, strict=True)):
            root = folder / f"site-{number}"
            site.lay_out(root, f"http://127.0.0.1:{port}")
            servers.append(SERVER.format(port=port, root=root))
        file = folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(folder=folder, servers="".join(servers)))
        # -p: the folder for logs and modules; -e: the error log until the configuration is read.
        argv = [program, "-p", str(folder), "-c", str(file), "-e", "stderr"]
        process = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
        try:
            _wait_for(process, ports[-1])
            yield [f"http://127.0.0.1:{port}" for port in ports]
        finally:
            process.terminate()
            process.communicate()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _wait_for(process: subprocess.Popen[str], port: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError as error:
            if process.poll() is not None or time.monotonic() > end:
                process.terminate()
                words = process.communicate()[1].strip()
                raise RuntimeError(f"nginx does not serve: {words or error}") from error
            time.sleep(0.05)
        else:
            return
