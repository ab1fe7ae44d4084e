"""A PostgreSQL of our own for tests: in a new folder, on a free port of this machine."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "s3cret/Of@urs"


def _program(name: str) -> str | None:
    """Debian keeps them away from PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return shutil.which(name) or (found[-1] if found else None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a database that nobody else has; skips where there is none to be had."""
    initdb, server, control = _program("initdb"), _program("postgres"), _program("pg_ctl")
    if not (initdb and server and control) or sys.platform == "win32":
        pytest.skip("initdb and postgres are not installed (Debian: postgresql)")
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # it does not run as root
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user `nobody`")
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    folder = Path(tempfile.mkdtemp(prefix="urlset-pg-", dir="/tmp"))
    try:
        secret = folder / "secret"
        secret.write_text(PASSWORD)
        if who:
            for path in (folder, secret):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
        data, port = folder / "data", _free_port()

        def run(*command: str) -> None:
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **who)

        run(initdb, "-D", str(data), "-U", "ann", "-A", "scram-sha-256", "--pwfile", str(secret),
            "-N", "-E", "UTF8", "--locale=C")  # fmt: skip
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -k {folder}"
        run(control, "-D", str(data), "-w", "-o", options, "-l", str(folder / "log"), "start")
        try:
            yield f"postgresql://ann:s3cret%2FOf%40urs@127.0.0.1:{port}/postgres"
        finally:
            run(control, "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)
