"""The MCP server, driven by the client of the SDK over stdio."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from tests.live_sites import put_page, put_sitemap

NO_SDK = (
    "import sys; sys.modules['mcp'] = None; from urlset.cli import main; "
    "sys.exit(main(sys.argv[1:]))"
)


def test_only_the_command_mcp_loads_the_sdk():
    run = partial(subprocess.run, capture_output=True, text=True, check=False)

    others = run([sys.executable, "-c", NO_SDK, "rules", "U012"])
    without = run([sys.executable, "-c", NO_SDK, "mcp"])

    assert others.returncode == 0
    assert (without.returncode, without.stdout) == (2, "")
    assert "pip install 'urlset[mcp]'" in without.stderr


def test_another_missing_package_is_not_taken_for_mcp():
    script = NO_SDK.replace("'mcp'", "'duckdb'")

    ran = subprocess.run(
        [sys.executable, "-c", script, "mcp"], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("urlset: expected the package 'duckdb', which urlset needs")


mcp = pytest.importorskip("mcp", reason="urlset[mcp] is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

TOOLS = {
    "sites", "read_sitemap", "check", "audit", "audit_result", "query", "explain_rule", "why",
}  # fmt: skip


def session(folder: Any, run: Callable[[Any], Awaitable[Any]], *options: str) -> Any:
    """Start `urlset mcp` as a process, run a function with a client, and return its result."""

    async def main() -> Any:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "urlset", "mcp", "--root", str(folder), *options],
            env={"no_proxy": "*"},
            cwd=str(folder),
        )
        async with mcp.Client(server, read_timeout_seconds=100) as client:
            return await run(client)

    return asyncio.run(main())


async def call(client: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, and return its answer, whose two forms are the same."""
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert len(content.text.encode()) <= 8_000
    answer = json.loads(content.text)
    assert result.structured_content == answer
    assert result.is_error == (answer["state"] == "failed")
    return dict(answer)


def test_tools_only_read(tmp_path):
    async def run(client):
        return (await client.list_tools()).tools, client.server_info

    tools, info = session(tmp_path, run)

    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations.read_only_hint is True
        fetches = tool.name in ("read_sitemap", "check", "audit")
        assert tool.annotations.open_world_hint is fetches
        assert tool.description
        assert tool.output_schema["properties"].keys() >= {"counts", "data", "next", "notice"}
    assert info.name == "urlset"
    described = json.dumps([tool.model_dump(mode="json") for tool in tools])
    assert len(described) < 20_000


def test_which_listed_urls_are_not_indexable_and_why(tmp_path, box):
    """At most five calls and 30 kB."""
    put_page(box, "/", "/good")
    put_page(box, "/good")
    put_page(box, "/hidden", head='<meta name="robots" content="noindex">')
    put_sitemap(box, ["/", "/good", "/hidden", "/gone"])
    answers = []

    async def run(client):
        started = await call(client, "audit", source=box.site)
        answers.append(started)
        done = await call(client, "audit_result", result=started["result"], wait_s=50)
        answers.append(done)
        sql = done["next"][0].partition('sql="')[2].removesuffix('")')
        rows = await call(client, "query", result=started["result"], sql=sql)
        answers.append(rows)
        urls = [row["url"] for row in rows["data"]]
        answers.extend([await call(client, "why", result="audit-1", url=url) for url in urls])

    session(tmp_path, run, "--allow-private")

    assert [row["url"] for row in answers[2]["data"]] == [box.url("/gone"), box.url("/hidden")]
    assert "HTTP status 404" in answers[3]["text"]
    assert "it forbids indexing" in answers[4]["text"]
    assert len(answers) <= 5
    assert sum(len(json.dumps(answer)) for answer in answers) <= 30_000


def test_errors_are_answers(tmp_path, box):
    async def run(client):
        return [
            await call(client, "read_sitemap", source="/etc/passwd"),
            await call(client, "read_sitemap", source=box.site),
            await call(client, "query", result="read-9", sql="SELECT 1"),
            await call(client, "explain_rule", rule="nonsense"),
        ]

    answers = session(tmp_path, run)

    assert {answer["state"] for answer in answers} == {"failed"}
    assert "root folder" in answers[0]["data"][0]
    assert box.paths == []


def test_arguments_that_a_tool_does_not_have_are_errors(tmp_path, box):
    put_sitemap(box, [put_page(box, "/tea")])

    async def run(client):
        answers = [
            await call(client, "audit", source=box.site, max_request=1),
            await call(client, "check", source=box.site, limit=5),
            await call(client, "sites", folder="."),
            await call(client, "query", result="read-1"),
        ]
        schemas = [tool.input_schema for tool in (await client.list_tools()).tools]
        return answers, schemas

    answers, schemas = session(tmp_path, run, "--allow-private")

    assert [answer["data"] for answer in answers] == [
        [
            "audit: expected the arguments source, sample, crawl, max_requests, base_url, "
            "found 'max_request'; write 'max_requests'"
        ],
        ["check: expected the arguments source, rule, offset, found 'limit'; leave it out"],
        ["sites: expected no arguments, found 'folder'; leave it out"],
        ["query: expected the arguments result, sql, offset, found no 'sql'; add it"],
    ]
    assert {answer["state"] for answer in answers} == {"failed"}
    assert all(schema["additionalProperties"] is False for schema in schemas)
    assert box.paths == []


def test_calls_run_at_the_same_time(tmp_path):
    (tmp_path / "urls.txt").write_text("".join(f"https://e.com/{n}\n" for n in range(1_000)))

    async def run(client):
        await call(client, "read_sitemap", source="urls.txt")
        sql = "SELECT count(*) AS n FROM entries"
        return await asyncio.gather(
            *(call(client, "query", result="read-1", sql=sql) for _ in range(8)),
            call(client, "check", source="urls.txt"),
        )

    answers = session(tmp_path, run)

    assert all(answer["data"] == [{"n": 1_000}] for answer in answers[:8])


def test_the_end_of_the_session_ends_a_running_audit(tmp_path, box):
    put_sitemap(box, [f"/{n}" for n in range(500)])

    async def run(client):
        return await call(client, "audit", source=box.site)

    assert session(tmp_path, run, "--allow-private")["state"] == "running"
