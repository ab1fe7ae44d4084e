"""Control a headless Chromium over its debugging protocol."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import aiohttp


class Page:
    """Page of a browser; the methods send commands of the protocol and wait for their result.

    https://chromedevtools.github.io/devtools-protocol/
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, session: str):
        self._socket = socket
        self._session = session
        self._number = 0
        self.events: list[dict[str, Any]] = []

    async def send(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its result; events that arrive meanwhile are kept."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        await self._socket.send_json({**command, "sessionId": self._session})
        while True:
            message = await self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    async def wait_for(self, event: str) -> None:
        """Wait for an event."""
        while not any(found["method"] == event for found in self.events):
            await self._receive()

    async def run(self, script: str) -> Any:
        """Return the value of a script; a promise is awaited."""
        found = await self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def open(
        self, url: str, *, width: int = 1280, scheme: str = "light", has_script: bool = True
    ) -> None:
        """Open a URL in a window of this width and wait until it is loaded."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.send(f"{domain}.enable")
        await self.send("Emulation.setScriptExecutionDisabled", value=not has_script)
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        await self.emulate(scheme=scheme)
        await self.send("Page.navigate", url=url)
        await self.wait_for("Page.loadEventFired")

    async def emulate(self, *, scheme: str = "light", media: str = "") -> None:
        """Emulate a color scheme and a medium."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.send("Emulation.setEmulatedMedia", media=media, features=features)

    async def _receive(self) -> Any:
        message = json.loads(await self._socket.receive_str(timeout=60))
        if "method" in message:
            self.events.append(message)
        return message


async def with_page(path: str, folder: Path, use: Any) -> Any:
    """Start Chromium with a fresh profile, call ``use`` with a page, and return its result."""
    options = "--headless=new --no-sandbox --disable-gpu --no-first-run --remote-debugging-port=0"
    with subprocess.Popen(
        [path, *options.split(), f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            address = next(
                line.split()[-1] for line in process.stderr if "DevTools listening" in line
            )
            async with (
                aiohttp.ClientSession() as client,
                client.ws_connect(address, max_msg_size=0) as socket,
            ):
                browser = Page(socket, "")
                await socket.send_json({"id": 0, "method": "Target.getTargets"})
                targets = json.loads(await socket.receive_str())["result"]["targetInfos"]
                target = next(found["targetId"] for found in targets if found["type"] == "page")
                parameters = {"targetId": target, "flatten": True}
                attach = {"id": 1, "method": "Target.attachToTarget", "params": parameters}
                await socket.send_json(attach)
                while "sessionId" not in (found := await browser._receive()).get("result", {}):
                    pass
                return await use(Page(socket, found["result"]["sessionId"]))
        finally:
            process.kill()
            process.stderr.read()


def axe_source() -> str | None:
    """Source of axe-core, which finds violations of WCAG; None if it is not installed."""
    node = shutil.which("node")
    script = "console.log(require.resolve('axe-core/axe.min.js'))"
    run = node and subprocess.run([node, "-e", script], capture_output=True, text=True, check=False)
    return Path(run.stdout.strip()).read_text("utf-8") if run and run.returncode == 0 else None


def drive(path: str, folder: Path, use: Any) -> Any:
    """Run :func:`with_page` to its end."""
    return asyncio.run(with_page(path, folder, use))
