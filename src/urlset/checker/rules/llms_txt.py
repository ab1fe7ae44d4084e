"""Rules about llms.txt: its title, sections and links (codes M…)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule

_SOURCE = "https://llmstxt.org/"
_LIST = "## Teas\n\n- [Sencha](https://example.com/sencha): a green tea\n"
_GOOD = {"llms.txt": f"# Tea\n\n> All about tea.\n\n{_LIST}"}

RULES = (
    engine_rule(
        "M001",
        why="The title is the only required part. It names the site or the project that the links "
        "belong to.",
        fix_hint="Begin the file with a line such as # Name of the site",
        source=_SOURCE,
        bad={"llms.txt": _LIST},
        good=_GOOD,
    ),
    engine_rule(
        "M002",
        why="The file has one title. A second one is usually a section, or a second file that was "
        "appended.",
        fix_hint="Write sections with ##, and keep one line with #",
        source=_SOURCE,
        bad={"llms.txt": f"# Tea\n\n# Coffee\n\n{_LIST}"},
        good=_GOOD,
    ),
    engine_rule(
        "M003",
        why="The file is often read apart from its site: pasted, or taken from an index. A "
        "relative link then leads nowhere.",
        fix_hint="Write the full URL, with https:// and the host",
        source=_SOURCE,
        bad={"llms.txt": "# Tea\n\n## Teas\n\n- [Sencha](/sencha)\n"},
        good=_GOOD,
    ),
    engine_rule(
        "M004",
        why="Programs that read the file fetch pages over HTTP. They cannot fetch other URLs, and "
        "a script is never a page.",
        fix_hint="Link to a page with https://, or remove the link",
        source=_SOURCE,
        bad={"llms.txt": "# Tea\n\n## Teas\n\n- [Sencha](javascript:open())\n"},
        good=_GOOD,
    ),
    engine_rule(
        "M005",
        why="A program that follows all links reads the page twice, which takes space from other "
        "pages.",
        fix_hint="Keep one link to each page",
        source=_SOURCE,
        bad={"llms.txt": f"# Tea\n\n{_LIST}- [Green](https://example.com/sencha)\n"},
        good=_GOOD,
    ),
    engine_rule(
        "M006",
        why="A section is a list of links. An empty one is usually the result of a generator "
        "that found no pages.",
        fix_hint="Add links to the section, or remove its heading",
        source=_SOURCE,
        bad={"llms.txt": f"# Tea\n\n{_LIST}\n## Optional\n"},
        good=_GOOD,
    ),
)
