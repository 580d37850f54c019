"""robots.txt (RFC 9309): which addresses of a host a program may request. Pure.

A matcher of our own, because the one of Python ignores wildcards and takes the first rule instead of the longest, and
matchers that turn rules into regular expressions can be kept busy for hours by a hostile file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

PRODUCT = "library-aggregator"  # as in the User-Agent of `harvesting.http.fetch`
MOST_BYTES = 100_000  # of the file; the rest is ignored
MOST_RULES = 300
LONGEST_RULE = 300  # characters
ALLOW, DISALLOW = "allow", "disallow"
_SAFE = "/*$?&=:;,@!'()+~-._%"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for us. path: a prefix, in which * stands for any characters, and $ at the end for the end."""

    allows: bool
    path: str


def parse(content: bytes) -> tuple[Rule, ...]:
    """Return the rules of the groups for us; without one, those for all programs."""
    groups: dict[bool, list[Rule]] = {True: [], False: []}
    ours = others = in_agents = named = False
    for name, value in _lines(content[:MOST_BYTES].decode("utf-8", "replace")):
        if name == "user-agent":
            if not in_agents:
                ours = others = False
            in_agents = True
            ours = ours or value.lower().split("/")[0] == PRODUCT
            others = others or value == "*"
            named = named or ours
        elif name in (ALLOW, DISALLOW):
            in_agents = False
            if value:
                rule = Rule(name == ALLOW, _encoded(value[:LONGEST_RULE]))
                for is_ours in [True] * ours + [False] * others:
                    groups[is_ours].append(rule)
    return tuple(groups[named][:MOST_RULES])


def allows(rules: Iterable[Rule], url: str) -> bool:
    """Return whether an address may be requested: the longest rule decides, and of equally long ones the one that
    allows.
    """
    parts = urlsplit(url)
    path = _encoded(f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}")
    found = [(len(rule.path), rule.allows) for rule in rules if _matches(rule.path, path)]
    return max(found, default=(0, True))[1]


def as_text(rules: Iterable[Rule]) -> str:
    """Return rules as a file that `parse` reads."""
    lines = [f"{ALLOW if rule.allows else DISALLOW}: {rule.path}" for rule in rules]
    return "\n".join(["user-agent: *", *lines])


def _lines(text: str) -> Iterable[tuple[str, str]]:
    for line in text.lstrip("\ufeff").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _encoded(path: str) -> str:
    """A path in one spelling, whichever of its characters were percent-encoded."""
    return quote(unquote(path), safe=_SAFE)


def _matches(pattern: str, path: str) -> bool:
    """Whether the path begins as the pattern. Each part is looked for once, so the time is linear."""
    is_whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    if not is_whole:
        return _found_in_order(rest, path, position) >= 0
    if not rest:
        return position == len(path)
    *middle, last = rest
    position = _found_in_order(middle, path, position)
    return 0 <= position <= len(path) - len(last) and path.endswith(last)


def _found_in_order(parts: Sequence[str], path: str, position: int) -> int:
    """Return where the last of these parts ends if they follow each other in the path; -1 if they do not."""
    for part in parts:
        found = path.find(part, position)
        if found < 0:
            return -1
        position = found + len(part)
    return position
