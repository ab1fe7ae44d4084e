"""A synthetic migration of a site: its URLs before and after, and which of them are one page."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from urlset import Entry

SITE = "https://www.example.com"
SYLLABLES = (
    "ba be bo da de do fa fe fi ga go ka ke ko la le li lo ma me mi mo na ne no pa pe po ra re ri "
    "ro sa se si so ta te ti to va ve vi vo"
).split()
FILLERS = "guide best simple review modern complete".split()


@dataclass
class Migration:
    """Entries of both states, and the truth: old URL → new URL."""

    before: list[Entry] = field(default_factory=list)
    after: list[Entry] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)


class Words:
    """Words that few pages share, as names of products and topics do, and common ones."""

    def __init__(self, draw: random.Random):
        self._draw = draw
        self.common = [self._word(2) for _ in range(300)]
        self.rare = [self._word(3) for _ in range(2_000)]

    def _word(self, syllables: int) -> str:
        return "".join(self._draw.choice(SYLLABLES) for _ in range(syllables))

    def slug(self) -> list[str]:
        """Return two to four words, one or two of them rare."""
        words = self._draw.sample(self.rare, self._draw.choice([1, 2, 2]))
        words += self._draw.sample(self.common, self._draw.choice([1, 1, 2]))
        self._draw.shuffle(words)
        return words


def migrate(seed: int, pages: int = 10_000, *, keeps_dates: bool) -> Migration:
    """Return a migration of ``pages`` pages.

    Folders are renamed, merged and split; slugs change; pages vanish and appear, many of them with
    names like those of pages that vanish.

    Args:
        seed: Number that selects the names.
        pages: Pages before the migration.
        keeps_dates: Whether pages keep their ``lastmod``; otherwise it is the day of the migration.
    """
    draw = random.Random(seed)
    words = Words(draw)
    made = Migration()
    start, end = datetime(2019, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    used_before: set[str] = set()
    used_after: set[str] = set()

    def date() -> datetime:
        return start + timedelta(seconds=draw.randrange(7 * 365 * 86_400))

    def add(path: str | None, target: str | None, moment: datetime) -> None:
        """Add a page, unless another one has its URL."""
        taken = path in used_before or target in used_after
        if taken or (path is None and target in used_before):
            return
        if target is None and path in used_after:
            return
        if path is not None:
            used_before.add(path)
            made.before.append(Entry(SITE + path, lastmod=moment))
        if target is not None:
            used_after.add(target)
            made.after.append(Entry(SITE + target, lastmod=moment if keeps_dates else end))
        if path is not None and target is not None and path != target:
            made.moved[SITE + path] = SITE + target

    for number in range(pages):
        kind = draw.random()
        slug, moment = words.slug(), date()
        name = "-".join(slug)
        year = moment.year
        changed = "-".join(rewritten(draw, slug)) if draw.random() < 0.12 else name
        if kind < 0.30:  # renamed, and years dropped
            add(f"/blog/{year}/{name}", f"/articles/{changed}", moment)
        elif kind < 0.42:  # two sections merged
            section = draw.choice(["news", "press"])
            add(f"/{section}/{name}/", f"/stories/{changed}/", moment)
        elif kind < 0.56:  # one section split
            section = draw.choice(["men", "women", "kids"])
            add(f"/shop/{name}.html", f"/{section}/{changed}", moment)
        elif kind < 0.66:  # ids in the path; the names change, too
            new = "-".join(words.slug())
            add(f"/item.php?id={100_000 + number}", f"/products/{100_000 + number}-{new}", moment)
        elif kind < 0.72:  # deep folders, with names that are in each of them
            page = draw.choice(["overview", "install", "api", "faq", name])
            folder = f"mod-{draw.randrange(120)}"
            add(f"/docs/v1/{folder}/{page}", f"/handbook/{folder}/{page}", moment)
        elif kind < 0.76:  # slugs change in a folder that stays
            add(f"/wiki/{name}", f"/wiki/{'-'.join(rewritten(draw, slug))}", moment)
        elif kind < 0.90:  # stays
            add(f"/help/{name}", f"/help/{name}", moment)
        else:  # vanishes
            folder = draw.choice([f"/blog/{year}/", "/news/", "/shop/", "/wiki/"])
            end_ = {"/news/": "/", "/shop/": ".html"}.get(folder, "")
            add(f"{folder}{name}{end_}", None, moment)
            if draw.random() < 0.5:  # and another page, with a similar name, appears
                target = {"/news/": "/stories/", "/shop/": "/men/", "/wiki/": "/wiki/"}.get(
                    folder, "/articles/"
                )
                end_ = "/" if target == "/stories/" else ""
                add(None, f"{target}{'-'.join(decoy(draw, words, slug))}{end_}", date())
    for _ in range(pages // 20):  # new pages
        folder = draw.choice(["/articles/", "/men/", "/women/", "/wiki/", "/new-section/"])
        add(None, f"{folder}{'-'.join(words.slug())}", date())
    draw.shuffle(made.before)
    draw.shuffle(made.after)
    return made


def rewritten(draw: random.Random, slug: list[str]) -> list[str]:
    """Return the slug of the same page as an editor would change it."""
    changed = list(slug)
    how = draw.randrange(5)
    if how == 0:  # a word is added
        changed.append(draw.choice(FILLERS))
    elif how == 1 and len(changed) > 2:  # one is dropped
        changed.pop(draw.randrange(len(changed)))
    elif how == 2:  # the order changes
        changed = changed[1:] + changed[:1]
    elif how == 3:  # a typing error is corrected
        place = max(range(len(changed)), key=lambda n: len(changed[n]))
        word = changed[place]
        at = draw.randrange(2, len(word) - 1)
        changed[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    else:  # stop words
        changed.insert(1, "the")
    return changed


def decoy(draw: random.Random, words: Words, slug: list[str]) -> list[str]:
    """Return the slug of another page with a similar name."""
    how = draw.randrange(12)
    if how < 4:  # another number of a series
        return [*slug, str(draw.randrange(2, 9))]
    changed = list(slug)
    if how == 4:  # a word more, as a changed slug may have
        changed.append(draw.choice(words.rare))
    elif how < 9:  # another word
        changed[draw.randrange(len(changed))] = draw.choice(words.rare)
    else:
        changed[-1] = draw.choice(words.common)
        changed.append(draw.choice(words.rare))
    return changed


def score(found: dict[str, str], truth: dict[str, str]) -> tuple[float, float]:
    """Return precision and recall."""
    right = sum(truth.get(old) == new for old, new in found.items())
    return right / max(len(found), 1), right / max(len(truth), 1)
