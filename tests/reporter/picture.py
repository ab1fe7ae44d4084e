"""Make docs/images/report.png: `python -m tests.reporter.picture docs/images/report.png`."""

import base64
import sys
import tempfile
from pathlib import Path

from examples.box.server import Box

import urlset
from tests import browsers
from tests.reporter.chromium import drive

WIDTH, HEIGHT = 1200, 1180


def main(destination: str) -> None:
    """Write a picture of the start of the report of an audit of the shop in the box."""
    path = browsers.found("chromium")
    if path is None:
        sys.exit("expected chromium on PATH")

    async def use(page):
        await page.open(report.as_uri(), width=WIDTH)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
        return await page.send("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.html")
        with (
            Box() as box,
            urlset.audit(box.origin("shop"), crawl=True, policy=urlset.Policy(proxies={})) as found,
        ):
            found.report(report)
        picture = drive(path, Path(folder, "profile"), use)
    Path(destination).write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    main(sys.argv[1])
