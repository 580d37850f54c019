"""HTML inside a plain text: told from mere angle brackets, and taken out. Pure; linear in time."""

import re

# Names of HTML that no title or note means as a word; those of blocks part words.
_BLOCKS = frozenset(
    "br div dd dl dt h1 h2 h3 h4 h5 h6 hr iframe img li object ol p script style table td th tr ul".split()
)
_INLINE = frozenset("a b em font form i small span strong sub sup svg u".split())
_EMPTY = frozenset("br hr img p".split())  # no closing tag, or one that is often left out
_NAMES = "|".join(sorted(_BLOCKS | _INLINE, key=len, reverse=True))
_TAG = re.compile(rf"<(/?)({_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_RUN = re.compile(" {2,}")


def has_markup(text: str) -> bool:
    return _TAG.search(text) is not None


def strip_markup(text: str) -> str:
    """The text without its tags, if it is HTML: a pair of tags, or one that needs no pair. Else the text itself."""
    opened: set[str] = set()
    closed: set[str] = set()
    for end, name in _TAG.findall(text):
        (closed if end else opened).add(name.lower())
    if not (opened & closed or opened & _EMPTY):
        return text
    return _RUN.sub(" ", _TAG.sub(_gap, text)).strip()


def _gap(tag: re.Match[str]) -> str:
    return " " if tag[2].lower() in _BLOCKS else ""
