"""A search as a tree: words, phrases, years, and how they are combined. Independent of the query syntax and of the
engine.

Both what readers type (`query.language`) and what programs send become such a tree; it can be stored as JSON.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

# Where a word is searched; "" is anywhere. "digitizer": who digitised the book; "description": notes, contents and
# abstracts; "rest": all words but those of titles and creators; "identifier": a number of any kind; "jpno": a number of
# the Japanese national bibliography; "ndc", "ndlc": the beginning of a class number; "class": the beginning of one of
# NDC, NDLC, DDC, LCC or UDC.
Field = Literal[
    "", "title", "creator", "publisher", "subject", "journal", "digitizer", "description", "rest",
    "isbn", "issn", "jpno", "ndc", "ndlc", "class", "identifier",
]  # fmt: skip
MAX_DEPTH = 10
MAX_NODES = 100


class Word(msgspec.Struct, frozen=True, tag="word"):
    """One word as typed, found in any of its spellings. Every part between punctuation must be found."""

    text: str
    field: Field = ""


class Phrase(msgspec.Struct, frozen=True, tag="phrase"):
    """Words that are adjacent, in this order."""

    text: str
    field: Field = ""


class Years(msgspec.Struct, frozen=True, tag="years"):
    """Published in these years, both included; 0 leaves an end open."""

    first: int = 0
    last: int = 0


class Days(msgspec.Struct, frozen=True, tag="days"):
    """Perhaps published between these days, both included, as numbers (20050301); 0 leaves an end open.

    Of a book whose month or day is unknown, the whole year or month counts.
    """

    first: int = 0
    last: int = 0


class Changed(msgspec.Struct, frozen=True, tag="changed"):
    """Changed between these times, both included: seconds since 1970; 0 leaves an end open."""

    first: int = 0
    last: int = 0


class Choice(msgspec.Struct, frozen=True, tag="choice"):
    """One value of a condition that offers a choice: name as in `base.CHOICES`, or "level"; those of `base.FLAGS` have
    only the value "1".
    """

    name: str
    value: str


class Whole(msgspec.Struct, frozen=True, tag="whole"):
    """The whole title and nothing else, or its reading."""

    text: str


class Masked(msgspec.Struct, frozen=True, tag="masked"):
    """A word, in a script with spaces, that has wildcards: * stands for any letters, ? for one.

    In the fields isbn, issn, jpno and identifier: a number.
    """

    pattern: str
    field: Field = ""


class Numbered(msgspec.Struct, frozen=True, tag="numbered"):
    """The one book with this number."""

    number: int


class Not(msgspec.Struct, frozen=True, tag="not"):
    of: "Node"


class All(msgspec.Struct, frozen=True, tag="all"):
    """All must hold; with no children, no condition."""

    of: tuple["Node", ...] = ()


class Either(msgspec.Struct, frozen=True, tag="either"):
    """One of them must hold."""

    of: tuple["Node", ...] = ()


type Node = Word | Phrase | Years | Days | Changed | Choice | Whole | Masked | Numbered | Not | All | Either
NOTHING = All()
IMPOSSIBLE = Years(2, 1)  # a condition that no book fulfils


def dump(node: Node) -> bytes:
    """Return the tree as JSON."""
    return msgspec.json.encode(node)


def load(plain: bytes | str) -> Node:
    """The inverse of `dump`. Raises msgspec.ValidationError or msgspec.DecodeError. Checks no limits."""
    node: Node = msgspec.json.decode(plain, type=Node)
    return node


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Not():
            return (node.of,)
        case All() | Either():
            return node.of
    return ()


def leaves(node: Node) -> Iterator[Word | Phrase | Years]:
    """The words, phrases and years in order, including excluded ones."""
    if isinstance(node, Word | Phrase | Years):
        yield node
    for child in children(node):
        yield from leaves(child)


def depth(node: Node) -> int:
    return 1 + max(map(depth, children(node)), default=0)


def size(node: Node) -> int:
    """The number of nodes."""
    return 1 + sum(map(size, children(node)))


def combine(nodes: list[Node], kind: type[All] | type[Either] = All) -> Node:
    """One node for several; children of its own kind are inlined."""
    flat = [part for node in nodes for part in (node.of if isinstance(node, kind) else (node,))]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))
