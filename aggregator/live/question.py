"""A search of our catalogue as a question that other catalogues can be asked. Pure: no HTTP, no database access.

Other catalogues have words, fields, years and boolean operators in common with ours; facets of ours mostly not. Whatever
the question cannot carry is named in `Asked.left_out`, so that the page can say so. What a single catalogue cannot take
of the question is found out later, when the request to it is made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
TYPED = ("q", "title", "creator", "publisher", "subject", "isbn", "issn")
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
    """question: None if nothing of the search can be asked elsewhere. left_out: names of conditions that no catalogue is
    asked for: keys of `aggregator.query.parameters.LABELS`, fields of the search box ("identifier", "jpno"), "masked"
    (the beginning of a number), "date", "excluded" (an alternative that only excludes). narrowed: one of them was an alternative, so that other catalogues may also find less.
    """

    question: Question | None
    left_out: tuple[str, ...] = ()
    narrowed: bool = False


def ask(query: Query) -> Asked:
    """Return what other catalogues are asked for a search. Raises QueryError like the search itself."""
    left_out: dict[str, bool] = {}
    parts = [part for node in _typed(query) if (part := _converted(node, left_out, False)) is not None]
    parts += list(_chosen(query, left_out))
    if query.from_year or query.until_year:
        parts.append(Years(query.from_year or None, query.until_year or None))
    for name, value in query.excluded:
        if (part := _condition(name, value, left_out)) is not None:
            parts.append(Not(part))
    question = _combined(parts)
    # A question that only excludes would ask for everything else in the other catalogue.
    return Asked(question if _has_something(question) else None, tuple(left_out), any(left_out.values()))


def _typed(query: Query) -> Iterator[tree.Node]:
    """Return the tree of every text that was typed, and of a program's own conditions."""
    for name in TYPED:
        if text := getattr(query, name):
            yield parse(text) if name == "q" else _in_field(name, text)
    if query.journal:
        yield parse(query.journal, "journal")
    if query.tree != tree.NOTHING:
        yield query.tree


def _in_field(name: str, text: str) -> tree.Node:
    return tree.Word(text, "isbn" if name == "isbn" else "issn") if name in ("isbn", "issn") else parse(text, name)  # type: ignore[arg-type]


def _chosen(query: Query, left_out: dict[str, bool]) -> Iterator[Question]:
    for name, column in CHOICES.items():
        values: tuple[str, ...] = getattr(query, column)
        if values and name not in CHOSEN:
            left_out.setdefault(name, False)
        elif values:
            yield _alternatives([_whole(name, value) for value in values])
    for name in FLAGS:
        if getattr(query, name):
            left_out.setdefault(name, False)


def _condition(name: str, value: str, left_out: dict[str, bool]) -> Question | None:
    """Return one condition by its name in `CONDITIONS`; None, and its name in `left_out`, if it cannot be asked."""
    if name in TYPED:
        return _converted(parse(value) if name == "q" else _in_field(name, value), left_out, False)
    if name in CHOSEN:
        return _whole(name, value)
    left_out.setdefault(name, False)
    return None


def _whole(name: str, value: str) -> Word:
    return Word(CHOSEN[name], value, phrase=name.endswith("_is"))


def _converted(node: tree.Node, left_out: dict[str, bool], optional: bool) -> Question | None:
    """Return the counterpart of a part of a search; None if it has none. optional: the part is an alternative."""
    match node:
        case tree.Word() | tree.Phrase():
            if node.field in FIELDS:
                return Word(FIELDS[node.field], node.text, phrase=isinstance(node, tree.Phrase))
            return _left_out(node.field, left_out, optional)
        case tree.Whole():
            return Word("title", node.text, phrase=True)
        case tree.Years():
            return Years(node.first or None, node.last or None)
        case tree.Choice() if node.name in CHOSEN:
            return _whole(node.name, node.value)
        case tree.Not():
            inner = _converted(node.of, left_out, False)
            return None if inner is None else inner.part if isinstance(inner, Not) else Not(inner)
        case tree.All():
            return _combined(_children(node.of, left_out, optional))
        case tree.Either():
            found = list(_children(node.of, left_out, True))
            # "Everything without …" as an alternative is what hardly any catalogue can be asked.
            alternatives = [part for part in found if not _only_excludes(part)]
            if len(alternatives) < len(found):
                _left_out("excluded", left_out, True)
            return _alternatives(alternatives) if alternatives else None
    return _left_out(_name_of(node), left_out, optional)


def _children(nodes: Iterable[tree.Node], left_out: dict[str, bool], optional: bool) -> Iterator[Question]:
    return (part for node in nodes if (part := _converted(node, left_out, optional)) is not None)


def _left_out(name: str, left_out: dict[str, bool], optional: bool) -> None:
    left_out[name] = left_out.get(name, False) or optional


def _name_of(node: tree.Node) -> str:
    """Return under which name a part without a counterpart is left out."""
    if isinstance(node, tree.Choice):
        return node.name
    if isinstance(node, tree.Masked):
        return "masked"
    return "date" if isinstance(node, tree.Days | tree.Changed) else "identifier"


def _combined(parts: Iterable[Question]) -> Question | None:
    several = tuple(parts)
    return None if not several else several[0] if len(several) == 1 else AllOf(several)


def _alternatives(parts: list[Question] | list[Word]) -> Question:
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _only_excludes(question: Question) -> bool:
    return isinstance(question, Not) or isinstance(question, AllOf) and all(map(_only_excludes, question.parts))


def _has_something(question: Question | None) -> bool:
    """Whether a question asks for something, and does not only exclude or limit to years."""
    match question:
        case None | Not() | Years():
            return False
        case AllOf():
            return any(map(_has_something, question.parts))
        case AnyOf():
            return all(map(_has_something, question.parts))
    return True
