"""Writes a question as CQL (Contextual Query Language 1.1 to 2.0), as far as a source can take it. Pure.

All booleans of CQL have the same precedence, so every part that is joined itself is in parentheses. Terms are always in
quotation marks; the characters that would mean something in them are escaped.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harvesting.live.types import (
    ANY,
    LANGUAGE,
    NDC,
    YEAR,
    AllOf,
    AnyOf,
    Not,
    Question,
    Refused,
    Word,
    Years,
)

INDEX = re.compile(r"[A-Za-z][\w-]{0,60}(?:\.[A-Za-z][\w-]{0,60})?\Z", re.ASCII)  # a name that is safe in a query
_SPECIAL = re.compile(r'(["\\*?^])')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_WORD_RELATIONS = ("=", "all", "any", "scr")  # for a word; the first that the index has
_PHRASE_RELATIONS = ("adj", "=", "==", "exact")


@dataclass(slots=True)
class CqlWriter:
    """Writes one question. indexes, relations: see `Options`. refused: what was left out of what has been written."""

    indexes: Mapping[str, str]
    relations: Mapping[str, Sequence[str]]
    refused: list[Refused] = field(default_factory=list)

    def write(self, question: Question) -> str:
        """Return the query; "" if nothing of the question is left."""
        match question:
            case Word():
                return self._word(question)
            case Years():
                return self._years(question)
            case AllOf(parts):
                return self._all(parts)
            case AnyOf(parts):
                return _joined("or", [self.write(part) for part in parts])
            case Not():
                self.refused.append(Refused("not"))  # CQL has no negation without something to subtract from
                return ""

    def _all(self, parts: Sequence[Question]) -> str:
        wanted = _joined("and", [self.write(part) for part in parts if not isinstance(part, Not)])
        for part in parts:
            if isinstance(part, Not):
                wanted = self._without(wanted, part.part)
        return wanted

    def _without(self, wanted: str, unwanted: Question) -> str:
        """Exclude a part from a query; not if only some of it can be written, which would exclude too much."""
        inside = CqlWriter(self.indexes, self.relations)
        query = inside.write(unwanted)
        if not wanted or not query or inside.refused:
            self.refused += inside.refused or [Refused("not")]
            return wanted
        return f"{_enclosed(wanted)} not {_enclosed(query)}"

    def _word(self, word: Word) -> str:
        name = word.field
        if name not in self.indexes:
            if ANY not in self.indexes or name in (LANGUAGE, NDC):
                self.refused.append(Refused("field", name))
                return ""
            self.refused.append(Refused("anywhere", name))
            name = ANY
        term, index = quoted(word.text), self.indexes[name]
        if not index:
            return term
        relation = self._relation(name, _PHRASE_RELATIONS if word.phrase else _WORD_RELATIONS)
        if word.phrase and relation not in _PHRASE_RELATIONS:
            self.refused.append(Refused("phrase", word.field))
        return f"{index} {relation} {term}"

    def _relation(self, name: str, preferred: Sequence[str]) -> str:
        """The best relation of those that the index has. "=" is the one that every server must know."""
        declared = self.relations.get(name, ())
        return next((relation for relation in preferred if relation in declared), declared[0] if declared else "=")

    def _years(self, years: Years) -> str:
        index, declared = self.indexes.get(YEAR, ""), self.relations.get(YEAR, ())
        first, last = years.first, years.last
        if index and first is not None and first == last:
            return f'{index} = "{first:04}"'
        bounds = [(">=", first), ("<=", last)]
        asked = [(sign, year) for sign, year in bounds if year is not None]
        if index and (not declared or all(sign in declared for sign, _year in asked)):
            return _joined("and", [f'{index} {sign} "{year:04}"' for sign, year in asked])
        if index and "within" in declared and first is not None and last is not None:
            return f'{index} within "{first:04} {last:04}"'
        self.refused.append(Refused("range", YEAR))
        return ""


def quoted(text: str) -> str:
    """Return a term in quotation marks. Masking characters (* ? ^) of the reader's words stand for themselves."""
    return '"' + _SPECIAL.sub(r"\\\1", _CONTROL.sub(" ", text).strip()) + '"'


def _joined(boolean: str, parts: Sequence[str]) -> str:
    written = [part for part in parts if part]
    return written[0] if len(written) == 1 else f" {boolean} ".join(map(_enclosed, written))


def _enclosed(query: str) -> str:
    """Return the query in parentheses if a boolean joins it."""
    return f"({query})" if _JOINED.search(_TERM.sub("", query)) else query


_TERM = re.compile(r'"(?:[^"\\]|\\.)*"')
_JOINED = re.compile(r" (?:and|or|not) ")
