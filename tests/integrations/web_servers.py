"""Real servers on loopback, uvicorn and gunicorn, on sockets that already listen."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


Ask = Callable[..., Answer]


def _asker(port: int) -> Ask:
    def ask(path: str, method: str = "GET", **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            response = connection.getresponse()
            fields = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, fields, response.read())
        finally:
            connection.close()

    return ask


@contextlib.contextmanager
def uvicorn_server(app: Any) -> Iterator[Ask]:
    """Serve an ASGI application with uvicorn in a thread."""
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="critical", lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield _asker(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(30)


@contextlib.contextmanager
def gunicorn_server(module: str, *options: str, **environ: str) -> Iterator[Ask]:
    """Serve a WSGI application, named as ``module:name``, with gunicorn as a process."""
    pytest.importorskip("gunicorn", reason="gunicorn is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "gunicorn", "--bind", f"fd://{listener.fileno()}",
                   "--log-level", "critical", *options, module]  # fmt: skip
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environ},
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield _asker(listener.getsockname()[1])
        finally:
            process.terminate()
            process.wait(30)
