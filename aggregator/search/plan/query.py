"""Convert a Query to a plan. User text never reaches the query parser of an engine."""

from collections.abc import Sequence

from aggregator.search.analysis.fields import HEADED, HOLDS, MARKED, WORDED, YEARS, marked_code, value_field, value_key
from aggregator.search.base import CHOICES, CHOSEN_WITH, FLAGS, TEXTS, Query
from aggregator.search.plan.nodes import (
    Between,
    Both,
    Constant,
    Everything,
    Nothing,
    OneOf,
    Plan,
    Term,
    all_of,
    best_of,
    without,
)
from aggregator.search.plan.ranking import preferred, whole_title
from aggregator.search.plan.words import (
    class_query,
    held_by,
    is_empty,
    leaf_query,
    masked_query,
    number_query,
)
from aggregator.search.query.language import check_length, parse
from aggregator.search.query.limits import count_words
from aggregator.search.query.words import codes, number_tree
from aggregator.search.tree import (
    NOTHING,
    All,
    Changed,
    Choice,
    Days,
    Either,
    Field,
    Masked,
    Node,
    Not,
    Numbered,
    Phrase,
    Whole,
    Word,
    Years,
)

_FACET_OF = {condition: facet for facet, condition in CHOSEN_WITH.items()} | {f"{name}_is": name for name in HEADED}
_FIELDS: dict[str, Field] = {"q": "", "title": "title", "creator": "creator", "publisher": "publisher"}
_FIELDS |= {"subject": "subject", "journal": "journal", "isbn": "isbn", "issn": "issn"}


def plan_of(query: Query, *, scored: bool = True) -> Plan:
    """The plan for everything that must hold and nothing that is excluded. Raises QueryError.

    scored: whether the scores of the books matter. A plan without scores finds the same books with fewer terms.
    """
    must = [_text(name, text, scored) for name in TEXTS if (text := getattr(query, name)).strip()]
    if query.tree != NOTHING:
        must.append(tree_plan(query.tree, scored=scored))
    must += [_unscored(clause) for clause in _filters(query)]
    excluded = [_excluded(name, value) for name, value in query.excluded if value.strip()]
    return without(all_of(must) if must else Everything(), excluded)


def _text(name: str, text: str, scored: bool) -> Plan:
    """The plan for a form field's text; titles that equal the typed text come first."""
    check_length(text, name)
    field = _FIELDS[name]
    tree = number_tree(text, field) if name in ("isbn", "issn") else parse(text, field)
    matching = tree_plan(tree, name, scored=scored)
    if name not in ("q", "title"):
        return matching
    if not isinstance(tree, Word | Phrase):
        # The text may also be a whole title with signs that were parsed as operators, or a number or the name of a
        # library with spaces in it.
        anywhere = [*map(number_query, codes(text)), *held_by(text)] if name == "q" else []
        matching = best_of([matching, whole_title(text), *anywhere])
    return Both(must=(matching,), should=tuple(preferred(text, tree))) if scored else matching


def _excluded(name: str, value: str) -> Plan:
    if name in CHOICES:
        return _choice(name, (value,))
    return _flag(name) if name in FLAGS else _text(name, value, scored=False)


def tree_plan(tree: Node, name: str = "", *, scored: bool = True) -> Plan:
    """The plan for the conditions of a tree. name: of the form's field that they come from. scored: as in `plan_of`."""
    is_one_word = count_words(tree, name) == 1
    return _node(tree, alone=scored and is_one_word) or Nothing()


def _node(node: Node, alone: bool) -> Plan | None:
    """The plan for a node; None if it has nothing to search for, so that it is ignored beside others."""
    match node:
        case Word() | Phrase() | Masked() | Whole():
            return _leaf(node, alone)
        case Years() | Days() | Changed() | Choice() | Numbered():
            return _unscored(_condition(node))
        case Not():
            unwanted = _node(node.of, alone)
            return without(Everything(), [unwanted]) if unwanted else None
        case Either():
            alternatives = [clause for child in node.of if (clause := _node(child, alone))]
            return best_of(alternatives) if alternatives else None
        case All():
            return _all(node, alone)


def _leaf(node: Word | Phrase | Masked | Whole, alone: bool) -> Plan | None:
    match node:
        case Masked():
            return masked_query(node)
        case Whole():
            return whole_title(node.text)
    return None if is_empty(node) else leaf_query(node, alone)


def _condition(node: Years | Days | Changed | Choice | Numbered) -> Plan:
    """A condition that holds or not, without influence on the score."""
    match node:
        case Years():
            return _years(node.first, node.last)
        case Days():
            return _days(node.first, node.last)
        case Changed():
            return _changed(node.first, node.last)
        case Choice():
            return _flag(node.name) if node.name in FLAGS else _choice(node.name, (node.value,))
        case Numbered():
            return Term("id", node.number)


def _all(node: All, alone: bool) -> Plan | None:
    wanted = [clause for child in node.of if not isinstance(child, Not) and (clause := _node(child, alone))]
    unwanted = [clause for child in node.of if isinstance(child, Not) and (clause := _node(child.of, alone))]
    if not wanted and not unwanted:
        return None
    return without(all_of(wanted) if wanted else Everything(), unwanted)


def _filters(query: Query) -> list[Plan]:
    filters = [_choice(name, values) for name, field in CHOICES.items() if (values := getattr(query, field))]
    filters += [_flag(name) for name in FLAGS if getattr(query, name)]
    if query.from_year or query.until_year:
        filters.append(_years(query.from_year, query.until_year))
    if query.changed_from or query.changed_until:
        filters.append(_changed(query.changed_from, query.changed_until))
    return filters


def _choice(name: str, values: Sequence[str]) -> Plan:
    """One of the values must hold."""
    values = [value.encode("utf-8", "ignore").decode() for value in values]
    if name == "ndc":
        return best_of([class_query(value) for value in values])
    if name in MARKED:
        return OneOf("code", tuple(marked_code(name, value) for value in values))
    facet = _FACET_OF[name]
    keys = [value_key(value) for value in values] if facet in (*WORDED, *HEADED) else values
    return OneOf(value_field(facet), tuple(keys))


def _flag(name: str) -> Plan:
    return Term(value_field(name), HOLDS)


def _years(first: int, last: int) -> Plan:
    """0 leaves an end open."""
    first, last = max(first, YEARS[0]), min(last or YEARS[-1], YEARS[-1])
    if first > last:
        return Nothing()
    return Between("year", first, last)


def _days(first: int, last: int) -> Plan:
    """0 leaves an end open. Books without a date are not found."""
    if last and first > last:
        return Nothing()
    ends = Between("issued_last", max(first, 1))
    if not last:
        return ends
    return all_of([ends, Between("issued_first", 1, last)])


def _changed(first: int, last: int) -> Plan:
    """0 leaves an end open."""
    if last and first > last:
        return Nothing()
    return Between("changed", max(first, 0), last or None)


def _unscored(clause: Plan) -> Plan:
    return Constant(clause)
