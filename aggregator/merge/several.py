"""Rules for fields of which every value stands once, in its fullest form. Pure; shapes as in `single`."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from aggregator.matching.features.names import person_form, publisher_form
from aggregator.merge import sameness
from aggregator.merge.single import Records, Take
from metadata.citations.facts import split_series
from metadata.record import Agent, Subject, Title

_SHORTEST = 20  # characters of a text that may be a part of another by more than chance


def as_sent(_asked: Records, said: Records, field: str) -> tuple[Any, ...]:
    """Links, copies and the like: every one once, by its exact form."""
    return tuple(dict.fromkeys(_values(said, field)))


def union(key: sameness.Key) -> Take:
    """Every value once, in the order of the records; the fullest form of what says the same."""

    def take(_asked: Records, said: Records, field: str) -> tuple[Any, ...]:
        return tuple([_fullest(same) for same in _gathered(_values(said, field), key)])

    return take


def _values(records: Records, field: str) -> Iterable[Any]:
    return chain.from_iterable(getattr(record, field) for record in records)


def _gathered[T](values: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    found: dict[Hashable, list[T]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return list(found.values())


def _fullest[T](same: Sequence[T]) -> T:
    return same[0] if len(same) == 1 else max(same, key=_size)


def _size(value: Any) -> int:
    """How much a value has beside its text: a reading, a URI, a place. Plain texts are all alike."""
    return 0 if isinstance(value, str) else sum(bool(getattr(value, name)) for name in value.__struct_fields__)


def long_texts(_asked: Records, said: Records, field: str) -> tuple[str, ...]:
    """Every text once; one that is the beginning or a part of another, cut short by its provider, is left out."""
    found = [max(same, key=len) for same in _gathered(_values(said, field), sameness.text)]
    folded = [sameness.tight(each) for each in found]
    return tuple(each for each, form in zip(found, folded, strict=True) if not _swallowed(form, folded))


def _swallowed(form: str, others: Sequence[str]) -> bool:
    return len(form) >= _SHORTEST and any(form in other and len(form) < len(other) for other in others)


def languages(_asked: Records, said: Records, field: str) -> tuple[str, ...]:
    """Every language; "undetermined" only where nobody knows it."""
    found = tuple(dict.fromkeys(_values(said, field)))
    return tuple(each for each in found if each != "und") or found


def series(_asked: Records, said: Records, field: str) -> tuple[Title, ...]:
    """Every series with each of its numbers; without a number only where nobody gives one."""
    kept: list[Title] = []
    for same in _gathered(_values(said, field), sameness.series):
        numbered = [each for each in same if split_series(each.value)[1]]
        kept += [_fullest(each) for each in _gathered(numbered or same, sameness.titled)]
    return tuple(kept)


def subjects(_asked: Records, said: Records, field: str) -> tuple[Subject, ...]:
    """Every heading and class by its list; a free keyword only where it is no heading."""
    found = [_fullest(same) for same in _gathered(_values(said, field), _listed)]
    headings = {sameness.subject(each) for each in found if each.scheme}
    return tuple(each for each in found if each.scheme or sameness.subject(each) not in headings)


def _listed(subject: Subject) -> Hashable:
    return subject.scheme, sameness.subject(subject)


def persons(_asked: Records, said: Records, field: str) -> tuple[Agent, ...]:
    """Every person and body once, whether or not the name comes with a role and dates, or in Latin letters."""
    agents = [person for agent in _values(said, field) for person in sameness.several_persons(agent)]
    return tuple(whole_agent(same, person_form) for same in _gathered(agents, sameness.persons(agents)))


def publishers(_asked: Records, said: Records, field: str) -> tuple[Agent, ...]:
    """Every publisher once, with or without 株式会社."""
    return tuple(whole_agent(same, publisher_form) for same in _gathered(_values(said, field), sameness.publisher))


def whole_agent(same: Sequence[Agent], form: Callable[[str], str]) -> Agent:
    """One of several descriptions of a person or body: the plainest name, and with it all that anybody knows."""
    same = list(dict.fromkeys(same))
    if len(same) == 1:
        return same[0]
    latin = [sameness.in_latin(each) for each in same]
    several_scripts = True in latin and False in latin
    ranks = [(several_scripts and other, _unlike(each.name, form)) for each, other in zip(same, latin, strict=True)]
    best = same[ranks.index(min(ranks))]
    ordered = (best, *same)
    known: dict[str, Any] = {
        name: next(filter(None, values), "")
        for name, values in zip(_TOLD, zip(*map(_told, ordered), strict=True), strict=True)
    }
    for name, lists in zip(_LISTED, zip(*map(_lists, ordered), strict=True), strict=True):
        known[name] = tuple(dict.fromkeys(chain.from_iterable(lists)))
    if several_scripts:  # the best is in the name's own; those in Latin letters are other names of it
        spelled = [Title(value=each.name) for each, other in zip(same, latin, strict=True) if other]
        known["other_names"] = tuple(dict.fromkeys((*known["other_names"], *spelled)))
    return msgspec.structs.replace(best, **known)


_TOLD = ("transcription", "uri", "kind", "role", "location")
_LISTED = ("other_names", "identifiers", "affiliations")
_told, _lists = attrgetter(*_TOLD), attrgetter(*_LISTED)


def _unlike(name: str, form: Callable[[str], str]) -> tuple[bool, bool, int]:
    """How far a name is from what a catalogue prints: in capitals, with more than itself, with initials only.

    More than itself: a role (福澤諭吉著), a legal form (株式会社岩波書店). Dates belong to it. Of Latin names those are
    fuller that have the family name apart, and more of the other names.
    """
    if sameness.is_latin(name):
        _family, _comma, given = name.partition(",")
        return name.isupper(), bool(_LATIN_ROLE.search(name)), -len(given.partition(",")[0])
    return False, not any(map(str.isdigit, name)) and sameness.tight(name) != form(name), 0


_LATIN_ROLE = re.compile(r",\s*(?:author|editor|translator|illustrator)\b", re.IGNORECASE)
