"""Parser of CQL 1.2 (Contextual Query Language) into a tree of clauses; independent of indexes and search engine.

Implements the whole BNF of version 1.2. All booleans have the same precedence and associate to the left. Terms keep
their backslashes, because only the code that reads a term can tell masking characters from escaped ones.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aggregator.provision.sru.diagnostics import Diagnostic

MAX_QUERY = 4_000  # characters
MAX_DEPTH = 30  # parentheses inside parentheses
MAX_CLAUSES = 100
BOOLEANS = ("and", "or", "not", "prox")
_TOKEN = re.compile(
    r"""(?P<quoted>  "(?:[^"\\]|\\.)*" )
      | (?P<symbol>  == | <> | <= | >= | = | < | > )
      | (?P<slash>   / )
      | (?P<open>    \( )
      | (?P<close>   \) )
      | (?P<blank>   \s+ )
      | (?P<word>    [^\s()=<>"/]+ )
      | (?P<other>   . )""",
    re.VERBOSE | re.DOTALL,
)
Prefixes = dict[str, str]  # prefix ("" = of names without one) -> URI of a context set


class Name(NamedTuple):
    """The name of an index, relation or modifier. uri: of its context set, if the query itself assigns the prefix."""

    prefix: str
    local: str
    uri: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}.{self.local}" if self.prefix else self.local


class Modifier(NamedTuple):
    name: Name
    comparison: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A search clause. index, relation: "" if the clause is only a term. place: position of the term, from 1."""

    index: Name
    relation: Name
    term: str
    modifiers: tuple[Modifier, ...] = ()
    place: int = 1


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts joined by a boolean, one of BOOLEANS."""

    boolean: str
    left: "Clause | Joined"
    right: "Clause | Joined"
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class SortKey:
    index: Name
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    root: Clause | Joined
    sort: tuple[SortKey, ...] = field(default=())


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def parse(text: str, several_words: Sequence[str] = ()) -> Query:
    """Return the query as a tree. Raises Diagnostic 10, 13 or 14 with the position, 12 or 38 with the limit.

    several_words: relations after which several words without quotation marks are one term, beyond the grammar.
    """
    if len(text) > MAX_QUERY:
        raise Diagnostic(12, str(MAX_QUERY))
    return _Parser(list(_tokens(text)), several_words).query()


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind, place = match.lastgroup or "", match.start() + 1
        if kind == "other":  # can only be an unclosed quote
            raise Diagnostic(14, _at(place))
        if kind == "quoted":
            yield _Token("quoted", match[0][1:-1], place)
        elif kind != "blank":
            yield _Token(kind, match[0], place)


def _at(place: int) -> str:
    return f"character {place}"


class _Parser:
    """A recursive descent parser, with one method per rule of the grammar."""

    def __init__(self, tokens: list[_Token], several_words: Sequence[str]) -> None:
        self._tokens = tokens
        self._several_words = several_words
        self._next = 0
        self._depth = 0
        self._clauses = 0

    def query(self) -> Query:
        prefixes: Prefixes = {}
        root = self._query(prefixes)
        sort = tuple(self._sort_keys(prefixes)) if self._is_word("sortby") else ()
        if self._next < len(self._tokens):
            rest = self._tokens[self._next]
            raise Diagnostic(13 if rest.kind == "close" else 10, _at(rest.place))
        return Query(root, sort)

    def _query(self, prefixes: Prefixes) -> Clause | Joined:
        """Parse a query or subquery. prefixes: those in force; assignments in the query are added."""
        while self._is("symbol", ">"):
            self._advance()
            first = self._text()
            if self._is("symbol", "="):
                self._advance()
                prefixes[first.lower()] = self._text()
            else:
                prefixes[""] = first
        node = self._clause(prefixes)
        while (boolean := self._boolean()) in BOOLEANS:
            self._advance()
            modifiers = self._modifiers(prefixes)
            node = Joined(boolean, node, self._clause(prefixes), modifiers)
        return node

    def _clause(self, prefixes: Prefixes) -> Clause | Joined:
        if self._is("open"):
            return self._in_parentheses(prefixes)
        self._clauses += 1
        if self._clauses > MAX_CLAUSES:
            raise Diagnostic(38, str(MAX_CLAUSES))
        place = self._place()
        first = self._text()
        if not (self._is("symbol") or self._is_relation()):
            return Clause(Name("", ""), Name("", ""), first, place=place)
        relation = _name(self._advance().text, prefixes)
        modifiers = self._modifiers(prefixes)
        place = self._place()
        term = self._text()
        while relation.local in self._several_words and self._is_relation():
            term = f"{term} {self._text()}"
        return Clause(_name(first, prefixes), relation, term, modifiers, place)

    def _in_parentheses(self, prefixes: Prefixes) -> Clause | Joined:
        opened = self._advance()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Diagnostic(13, _at(opened.place))
        inside = self._query(dict(prefixes))
        self._depth -= 1
        if not self._is("close"):
            raise Diagnostic(13, _at(opened.place))
        self._advance()
        return inside

    def _sort_keys(self, prefixes: Prefixes) -> Iterator[SortKey]:
        self._advance()
        while True:
            yield SortKey(_name(self._text(), prefixes), self._modifiers(prefixes))
            if self._next == len(self._tokens):
                return

    def _modifiers(self, prefixes: Prefixes) -> tuple[Modifier, ...]:
        modifiers = []
        while self._is("slash"):
            self._advance()
            name = _name(self._text(), prefixes)
            if self._is("symbol"):
                comparison = self._advance().text
                modifiers.append(Modifier(name, comparison, self._text()))
            else:
                modifiers.append(Modifier(name))
        return tuple(modifiers)

    def _boolean(self) -> str:
        """Return the next token in lower case if it is a word, which may be a boolean; else ""."""
        token = self._tokens[self._next] if self._next < len(self._tokens) else None
        return token.text.lower() if token and token.kind == "word" else ""

    def _is_relation(self) -> bool:
        """Return whether a word comes next that is no boolean: a named relation, or one more word of a term."""
        return self._is("word") and self._boolean() not in (*BOOLEANS, "sortby")

    def _is_word(self, word: str) -> bool:
        return self._is("word") and self._tokens[self._next].text.lower() == word

    def _is(self, kind: str, text: str = "") -> bool:
        if self._next >= len(self._tokens):
            return False
        token = self._tokens[self._next]
        return token.kind == kind and text in ("", token.text)

    def _text(self) -> str:
        """Read a term: a word or a quoted string."""
        if not (self._is("word") or self._is("quoted")):
            raise Diagnostic(10, _at(self._place()))
        return self._advance().text

    def _place(self) -> int:
        if self._next < len(self._tokens):
            return self._tokens[self._next].place
        return self._tokens[-1].place + len(self._tokens[-1].text) if self._tokens else 1

    def _advance(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]


def _name(text: str, prefixes: Prefixes) -> Name:
    """Return a name; prefixes and index names are case-insensitive."""
    prefix, dot, local = text.lower().partition(".")
    if not dot:
        prefix, local = "", prefix
    return Name(prefix, local, prefixes.get(prefix, ""))
