"""Make docs/images/report.png: `python -m tests.reporter.picture docs/images/report.png`."""

import base64
import sys
import tempfile
from pathlib import Path

from tests import browsers
from tests.reporter.chromium import drive
from tests.reporter.live_site import BASE, fill, findings
from tests.reporter.test_html_report import report_of
from urlset.html_report import ExampleLog, take_figures
from urlset.store import Store

WIDTH, HEIGHT = 1200, 1150


def main(destination: str) -> None:
    """Write a picture of the start of a report."""
    log = ExampleLog()
    with Store.open() as store:
        fill(store, 48_000)
        for found in findings(store):
            log.add(found)
        with store.session() as session:
            figures = take_figures(session, BASE)

    async def use(page):
        await page.open(report.as_uri(), width=WIDTH)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
        return await page.send("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.html")
        report.write_text(report_of(log, [figures]), "utf-8")
        path = browsers.found("chromium")
        if path is None:
            sys.exit("expected chromium on PATH")
        found = drive(path, Path(folder, "profile"), use)
    Path(destination).write_bytes(base64.b64decode(found["data"]))


if __name__ == "__main__":
    main(sys.argv[1])
