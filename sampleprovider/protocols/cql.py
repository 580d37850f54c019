"""The small part of CQL that the sample catalogue understands: terms, three relations, booleans, parentheses. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

type Fields = Mapping[str, str]  # the texts of a record in lower case, by index; "" = all of them
type Condition = Callable[[Fields], bool]

INDEXES = ("dc.title", "dc.creator", "dc.publisher", "dc.date", "bath.isbn")
RELATIONS = ("=", "adj", ">=", "<=")
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(>=|<=|[=()])|([^\s="()<>]+)|(\S))')


class CqlError(Exception):
    """A query that is not understood. number: of the diagnostic of SRU."""

    def __init__(self, number: int, detail: str) -> None:
        super().__init__(detail)
        self.number = number
        self.detail = detail


def condition(query: str) -> Condition:
    """Return what the query asks of a record. Raises CqlError."""
    tokens = list(_tokens(query))
    found, rest = _joined(tokens)
    if rest:
        raise CqlError(10, rest[0])
    return found


def _tokens(query: str) -> Iterator[str]:
    for match in _TOKEN.finditer(query):
        quoted, symbol, word, other = match.groups()
        if other:
            raise CqlError(10, other)
        yield quoted or symbol or word


def _joined(tokens: Sequence[str]) -> tuple[Condition, Sequence[str]]:
    """Read clauses and booleans, which associate to the left."""
    found, tokens = _clause(tokens)
    while tokens and tokens[0] != ")":
        boolean = tokens[0].lower()
        if boolean not in ("and", "or", "not"):
            raise CqlError(37 if boolean == "prox" else 10, tokens[0])
        other, tokens = _clause(tokens[1:])
        found = _both(boolean, found, other)
    return found, tokens


def _both(boolean: str, one: Condition, other: Condition) -> Condition:
    return {
        "and": lambda fields: one(fields) and other(fields),
        "or": lambda fields: one(fields) or other(fields),
        "not": lambda fields: one(fields) and not other(fields),
    }[boolean]


def _clause(tokens: Sequence[str]) -> tuple[Condition, Sequence[str]]:
    if not tokens:
        raise CqlError(10, "end")
    if tokens[0] == "(":
        found, rest = _joined(tokens[1:])
        if not rest:
            raise CqlError(13, ")")
        return found, rest[1:]
    if len(tokens) > 2 and tokens[1] in RELATIONS:
        index = tokens[0].lower()
        if index not in INDEXES:
            raise CqlError(16, tokens[0])
        return _compared(index, tokens[1], _term(tokens[2])), tokens[3:]
    return _compared("", "=", _term(tokens[0])), tokens[1:]


def _term(token: str) -> str:
    if token in (*RELATIONS, ")"):
        raise CqlError(10, token)
    return re.sub(r"\\(.)", r"\1", token[1:-1] if token.startswith('"') else token).lower()


def _compared(index: str, relation: str, term: str) -> Condition:
    if relation == ">=":
        return lambda fields: bool(fields[index]) and fields[index] >= term
    if relation == "<=":
        return lambda fields: bool(fields[index]) and fields[index] <= term
    return lambda fields: term in fields[index]
