"""CQL 1.2 as a tree of clauses: the whole grammar. Pure; knows no index, no relation and no engine.

Source: CQL, the Contextual Query Language, version 1.2, BNF. Booleans bind from the left, all alike. A term keeps its
backslashes: what is masked and what is meant as it stands, who reads it decides.
"""

import re
from collections.abc import Iterator
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
    """The name of an index, relation or modifier. uri: of its context set, where the query itself has told it."""

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
    """index relation term. index, relation: "" where only a term was given. place: of the term, from 1."""

    index: Name
    relation: Name
    term: str
    modifiers: tuple[Modifier, ...] = ()
    place: int = 1


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts with a boolean between them: one of BOOLEANS."""

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


def parse(text: str) -> Query:
    """The query as a tree. Raises Diagnostic 10, 12, 13, 14, 27 or 38, with the place in `details`."""
    if len(text) > MAX_QUERY:
        raise Diagnostic(12, str(MAX_QUERY))
    return _Parser(list(_tokens(text))).whole()


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind, place = match.lastgroup or "", match.start() + 1
        if kind == "other":  # only a quote that nothing closes is left
            raise Diagnostic(14, _at(place))
        if kind == "quoted":
            yield _Token("quoted", match[0][1:-1], place)
        elif kind != "blank":
            yield _Token(kind, match[0], place)


def _at(place: int) -> str:
    return f"character {place}"


class _Parser:
    """Reads tokens from the left; one method for each rule of the grammar."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self._clauses = 0

    def whole(self) -> Query:
        prefixes: Prefixes = {}
        root = self._query(prefixes)
        sort = tuple(self._sort_keys(prefixes)) if self._is_word("sortby") else ()
        if self._next < len(self._tokens):
            left = self._tokens[self._next]
            raise Diagnostic(13 if left.kind == "close" else 10, _at(left.place))
        return Query(root, sort)

    def _query(self, prefixes: Prefixes) -> Clause | Joined:
        """prefixes: in force around it; what it assigns is added."""
        while self._is("symbol", ">"):
            self._take()
            first = self._text()
            if self._is("symbol", "="):
                self._take()
                prefixes[first.lower()] = self._text()
            else:
                prefixes[""] = first
        found = self._clause(prefixes)
        while (boolean := self._boolean()) in BOOLEANS:
            self._take()
            modifiers = self._modifiers(prefixes)
            found = Joined(boolean, found, self._clause(prefixes), modifiers)
        return found

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
        relation = _name(self._take().text, prefixes)
        modifiers = self._modifiers(prefixes)
        place = self._place()
        return Clause(_name(first, prefixes), relation, self._text(), modifiers, place)

    def _in_parentheses(self, prefixes: Prefixes) -> Clause | Joined:
        opened = self._take()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Diagnostic(13, _at(opened.place))
        inside = self._query(dict(prefixes))
        self._depth -= 1
        if not self._is("close"):
            raise Diagnostic(13, _at(opened.place))
        self._take()
        return inside

    def _sort_keys(self, prefixes: Prefixes) -> Iterator[SortKey]:
        self._take()
        while True:
            yield SortKey(_name(self._text(), prefixes), self._modifiers(prefixes))
            if self._next == len(self._tokens):
                return

    def _modifiers(self, prefixes: Prefixes) -> tuple[Modifier, ...]:
        found = []
        while self._is("slash"):
            self._take()
            name = _name(self._text(), prefixes)
            if self._is("symbol"):
                comparison = self._take().text
                found.append(Modifier(name, comparison, self._text()))
            else:
                found.append(Modifier(name))
        return tuple(found)

    def _boolean(self) -> str:
        """The boolean that comes next, "" for anything else."""
        token = self._tokens[self._next] if self._next < len(self._tokens) else None
        return token.text.lower() if token and token.kind == "word" else ""

    def _is_relation(self) -> bool:
        """Whether a named relation comes next."""
        return self._is("word") and self._boolean() not in (*BOOLEANS, "sortby")

    def _is_word(self, word: str) -> bool:
        return self._is("word") and self._tokens[self._next].text.lower() == word

    def _is(self, kind: str, text: str = "") -> bool:
        if self._next >= len(self._tokens):
            return False
        token = self._tokens[self._next]
        return token.kind == kind and text in ("", token.text)

    def _text(self) -> str:
        """A term: a word or what stands in quotes."""
        if not (self._is("word") or self._is("quoted")):
            raise Diagnostic(10, _at(self._place()))
        return self._take().text

    def _place(self) -> int:
        if self._next < len(self._tokens):
            return self._tokens[self._next].place
        return self._tokens[-1].place + len(self._tokens[-1].text) if self._tokens else 1

    def _take(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]


def _name(text: str, prefixes: Prefixes) -> Name:
    """Names of prefixes and indexes are the same in any case."""
    prefix, dot, local = text.lower().partition(".")
    if not dot:
        prefix, local = "", prefix
    return Name(prefix, local, prefixes.get(prefix, ""))
