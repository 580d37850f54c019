"""A search of our catalogue as a question that other catalogues can be asked. Pure: no HTTP, no database access.

Other catalogues have words, fields, years and boolean operators in common with ours, but few of our facets. Whatever
the question cannot carry is named in `Asked.left_out`, so that the page can say so. What a single catalogue cannot take
of the question is found out later, when the request to it is made.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from aggregator.search import tree
from aggregator.search.base import CHOICES, FLAGS, Query
from aggregator.search.query.language import parse
from harvesting.live.types import AllOf, AnyOf, Not, Question, Word, Years

# Field of our search -> field of a question. Other fields (journal, identifier …) have no counterpart.
FIELDS = {
    "": "any",
    "title": "title",
    "creator": "creator",
    "publisher": "publisher",
    "subject": "subject",
    "description": "description",
    "isbn": "isbn",
    "issn": "issn",
    "ndc": "ndc",
}
NUMBERS = ("isbn", "issn")
TYPED = ("q", "title", "creator", "publisher", "subject", *NUMBERS)
# Conditions with whole values -> field of a question. The values are asked for as phrases.
CHOSEN = {
    "language": "language",
    "ndc": "ndc",
    "subject_is": "subject",
    "creator_is": "creator",
    "publisher_is": "publisher",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A search converted for live sources. question: None if they support no part of it.

    left_out: names of the conditions that no live source is asked for: keys of
    `aggregator.query.parameters.LABELS`, fields of the search box ("identifier", "jpno"), "masked" (the beginning of a
    number), "date", "excluded" (an alternative that only excludes). narrowed: one of them was an alternative, so hits
    may also be missing.
    """

    question: Question | None
    left_out: tuple[str, ...] = ()
    narrowed: bool = False


def ask(query: Query) -> Asked:
    """Convert a search into a question for live sources. Raises QueryError like the search itself."""
    made = _Conversion()
    parts = [*made.all_of(_typed(query)), *made.chosen(query)]
    if query.from_year or query.until_year:
        parts.append(Years(query.from_year or None, query.until_year or None))
    parts += [Not(part) for name, value in query.excluded for part in made.condition(name, value)]
    question = _combined(parts)
    # A question that only excludes would ask for everything else in the other catalogue.
    return Asked(question if _has_something(question) else None, tuple(made.left_out), any(made.left_out.values()))


def _typed(query: Query) -> Iterator[tree.Node]:
    """Yield the query tree of each text that was typed, and the tree of conditions that only programs can give."""
    for name in (*TYPED, "journal"):
        if text := getattr(query, name):
            yield _parsed(name, text)
    if query.tree != tree.NOTHING:
        yield query.tree


def _parsed(name: str, text: str) -> tree.Node:
    if name in NUMBERS:
        return tree.Word(text, cast(tree.Field, name))
    return parse(text, cast(tree.Field, "" if name == "q" else name))


@dataclass(slots=True)
class _Conversion:
    """Converts the parts of one search to parts of a question.

    left_out: name of a part without a counterpart (see `Asked.left_out`) -> whether it was one of several alternatives.
    Most methods return a list: of one part, or empty if the part is left out.
    """

    left_out: dict[str, bool] = field(default_factory=dict)

    def chosen(self, query: Query) -> Iterator[Question]:
        """Yield the counterparts of the values that were chosen in facets and forms."""
        for name, column in CHOICES.items():
            values: tuple[str, ...] = getattr(query, column)
            if values and name in CHOSEN:
                yield _alternatives([_whole(name, value) for value in values])
            elif values:
                self._leave_out(name)
        for name in FLAGS:
            if getattr(query, name):
                self._leave_out(name)

    def condition(self, name: str, value: str) -> list[Question]:
        """Return the counterpart of one condition. name: as in `aggregator.search.base.CONDITIONS`."""
        if name in TYPED:
            return self._part(_parsed(name, value))
        return [_whole(name, value)] if name in CHOSEN else self._leave_out(name)

    def all_of(self, nodes: Iterable[tree.Node], *, optional: bool = False) -> list[Question]:
        """Return the counterparts of nodes of the query tree. optional: the nodes are alternatives of each other."""
        return [part for node in nodes for part in self._part(node, optional=optional)]

    def _part(self, node: tree.Node, *, optional: bool = False) -> list[Question]:
        match node:
            case tree.Not():
                return [part.part if isinstance(part, Not) else Not(part) for part in self._part(node.of)]
            case tree.All():
                together = _combined(self.all_of(node.of, optional=optional))
                return [] if together is None else [together]
            case tree.Either():
                return self._either(node)
            case tree.Years():
                return [Years(node.first or None, node.last or None)]
        return self._leaf(node, optional)

    def _leaf(self, node: tree.Node, optional: bool) -> list[Question]:
        match node:
            case tree.Word() | tree.Phrase() if node.field in FIELDS:
                return [Word(FIELDS[node.field], node.text, phrase=isinstance(node, tree.Phrase))]
            case tree.Whole():
                return [Word("title", node.text, phrase=True)]
            case tree.Choice() if node.name in CHOSEN:
                return [_whole(node.name, node.value)]
        return self._leave_out(_name_of(node), optional)

    def _either(self, node: tree.Either) -> list[Question]:
        found = self.all_of(node.of, optional=True)
        # Hardly any catalogue supports "A or (not B)".
        alternatives = [part for part in found if not _only_excludes(part)]
        if len(alternatives) < len(found):
            self._leave_out("excluded", optional=True)
        return [_alternatives(alternatives)] if alternatives else []

    def _leave_out(self, name: str, optional: bool = False) -> list[Question]:
        self.left_out[name] = self.left_out.get(name, False) or optional
        return []


def _whole(name: str, value: str) -> Word:
    return Word(CHOSEN[name], value, phrase=name.endswith("_is"))


def _name_of(node: tree.Node) -> str:
    """Return the name in `left_out` of a part without a counterpart."""
    match node:
        case tree.Word() | tree.Phrase():
            return node.field
        case tree.Choice():
            return node.name
        case tree.Masked():
            return "masked"
        case tree.Days() | tree.Changed():
            return "date"
    return "identifier"


def _combined(parts: Sequence[Question]) -> Question | None:
    return None if not parts else parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _alternatives(parts: Sequence[Question]) -> Question:
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _only_excludes(question: Question) -> bool:
    return isinstance(question, Not) or isinstance(question, AllOf) and all(map(_only_excludes, question.parts))


def _has_something(question: Question | None) -> bool:
    """Whether a question contains words to search for, and not only exclusions or years."""
    match question:
        case None | Not() | Years():
            return False
        case AllOf():
            return any(map(_has_something, question.parts))
        case AnyOf():
            return all(map(_has_something, question.parts))
    return True
