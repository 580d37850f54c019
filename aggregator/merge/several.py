"""Merge rules for fields with many values: every value once, in its fullest form. Signatures as in `single`."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from aggregator.matching.features.names import person_form, publisher_form
from aggregator.merge import sameness
from aggregator.merge.single import Combine, Records
from metadata.citations.facts import split_series
from metadata.record import Agent, Subject, Title

_SHORTEST_PART = 20  # characters of a text that is unlikely to be part of another by chance


def distinct(_eligible: Records, filling: Records, field: str) -> tuple[Any, ...]:
    """Links, copies and the like: each exact value once."""
    return tuple(dict.fromkeys(_values(filling, field)))


def words_once(_eligible: Records, filling: Records, field: str) -> str:
    """Codes in one text: each code once."""
    return " ".join(dict.fromkeys(chain.from_iterable(getattr(record, field).split() for record in filling)))


def union(key: sameness.Key) -> Combine:
    """A rule that takes every value once, in the order of the records, and of equal values the fullest."""

    def combine(_eligible: Records, filling: Records, field: str) -> tuple[Any, ...]:
        return tuple([_fullest(equal) for equal in _grouped(_values(filling, field), key)])

    return combine


def _values(records: Records, field: str) -> Iterable[Any]:
    return chain.from_iterable(getattr(record, field) for record in records)


def _grouped[T](values: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    groups: dict[Hashable, list[T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return list(groups.values())


def _fullest[T](same: Sequence[T]) -> T:
    return same[0] if len(same) == 1 else max(same, key=_size)


def _size(value: Any) -> int:
    """How many parts a value has beside its text: a reading, a URI, a place. All plain texts count the same."""
    return 0 if isinstance(value, str) else sum(bool(getattr(value, name)) for name in value.__struct_fields__)


def long_texts(_eligible: Records, filling: Records, field: str) -> tuple[str, ...]:
    """Every text once, without those that are part of another (cut short by their provider)."""
    texts = [max(same, key=len) for same in _grouped(_values(filling, field), sameness.text)]
    folded = [sameness.tight(text) for text in texts]
    return tuple(text for text, form in zip(texts, folded, strict=True) if not _is_part_of_other(form, folded))


def _is_part_of_other(form: str, others: Sequence[str]) -> bool:
    return len(form) >= _SHORTEST_PART and any(form in other and len(form) < len(other) for other in others)


def languages(_eligible: Records, filling: Records, field: str) -> tuple[str, ...]:
    """Every language; "und" (undetermined) only where no record states a language."""
    values = tuple(dict.fromkeys(_values(filling, field)))
    return tuple(language for language in values if language != "und") or values


def series(_eligible: Records, filling: Records, field: str) -> tuple[Title, ...]:
    """Every series with each of its numbers; without a number only where no record has one."""
    result: list[Title] = []
    for same in _grouped(_values(filling, field), sameness.series):
        numbered = [title for title in same if split_series(title.value)[1]]
        result += [_fullest(group) for group in _grouped(numbered or same, sameness.titled)]
    return tuple(result)


def subjects(_eligible: Records, filling: Records, field: str) -> tuple[Subject, ...]:
    """Every heading and class of each list; a free keyword only where it is not also a heading."""
    values = [_fullest(same) for same in _grouped(_values(filling, field), _list_and_heading)]
    headings = {sameness.subject(subject) for subject in values if subject.scheme}
    return tuple(subject for subject in values if subject.scheme or sameness.subject(subject) not in headings)


def _list_and_heading(subject: Subject) -> Hashable:
    return subject.scheme, sameness.subject(subject)


def persons(_eligible: Records, filling: Records, field: str) -> tuple[Agent, ...]:
    """Every person and body once, whether or not the name comes with a role and dates, or in Latin letters."""
    agents = [person for agent in _values(filling, field) for person in sameness.several_persons(agent)]
    return tuple(whole_agent(same, person_form) for same in _grouped(agents, sameness.persons(agents)))


def publishers(_eligible: Records, filling: Records, field: str) -> tuple[Agent, ...]:
    """Every publisher once, with or without 株式会社."""
    return tuple(whole_agent(same, publisher_form) for same in _grouped(_values(filling, field), sameness.publisher))


def whole_agent(same: Sequence[Agent], form: Callable[[str], str]) -> Agent:
    """Combine descriptions of one person or body: the plainest name, with everything that any of them states."""
    same = list(dict.fromkeys(same)) if len(same) > 1 else same
    if len(same) == 1:
        return same[0]
    in_latin = [sameness.in_latin(agent) for agent in same]
    several_scripts = True in in_latin and False in in_latin
    ranks = [
        (several_scripts and is_latin, _distance_from_printed(agent.name, form))
        for agent, is_latin in zip(same, in_latin, strict=True)
    ]
    best = same[ranks.index(min(ranks))]
    ordered = (best, *same)
    known: dict[str, Any] = {
        name: next(filter(None, values), "")
        for name, values in zip(_TEXT_FIELDS, zip(*map(_text_fields, ordered), strict=True), strict=True)
    }
    for name, lists in zip(_LIST_FIELDS, zip(*map(_list_fields, ordered), strict=True), strict=True):
        known[name] = tuple(dict.fromkeys(chain.from_iterable(lists)))
    if several_scripts:  # the best name is not in Latin letters; the names that are become its other names
        latin_names = [Title(value=agent.name) for agent, is_latin in zip(same, in_latin, strict=True) if is_latin]
        known["other_names"] = tuple(dict.fromkeys((*known["other_names"], *latin_names)))
    return msgspec.structs.replace(best, **known)


_TEXT_FIELDS = ("transcription", "uri", "kind", "role", "location")
_LIST_FIELDS = ("other_names", "identifiers", "affiliations")
_text_fields, _list_fields = attrgetter(*_TEXT_FIELDS), attrgetter(*_LIST_FIELDS)


def _distance_from_printed(name: str, form: Callable[[str], str]) -> tuple[bool, bool, int]:
    """How far a name is from the form that a catalogue prints, as a sort key, the nearest first. Farther are names in
    capitals, names with additions, and those with initials only.

    Additions: a role (福澤諭吉著), a legal form (株式会社岩波書店). Dates are part of the name. Among names in Latin
    letters, those with a separate family name and longer other names are fuller.
    """
    if sameness.is_latin(name):
        _family, _comma, given = name.partition(",")
        return name.isupper(), bool(_LATIN_ROLE.search(name)), -len(given.partition(",")[0])
    return False, not any(map(str.isdigit, name)) and sameness.tight(name) != form(name), 0


_LATIN_ROLE = re.compile(r",\s*(?:author|editor|translator|illustrator)\b", re.IGNORECASE)
