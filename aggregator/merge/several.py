"""Rules for fields of which every value stands once, in its fullest form. Pure; shapes as in `single`."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec

from aggregator.matching.names import person_form, publisher_form
from aggregator.merge import sameness
from aggregator.merge.single import Records, Take
from metadata.crosswalks.citation import split_series
from metadata.record import Agent, Subject, Title

_SHORTEST = 20  # characters of a text that may be a part of another by more than chance


def as_sent(_asked: Records, said: Records, field: str) -> tuple[Any, ...]:
    """Links, copies and the like: every one once, by its exact form."""
    return tuple(dict.fromkeys(_values(said, field)))


def union(key: sameness.Key) -> Take:
    """Every value once, in the order of the records; the fullest form of what says the same."""

    def take(_asked: Records, said: Records, field: str) -> tuple[Any, ...]:
        return tuple(max(same, key=_size) for same in _gathered(_values(said, field), key))

    return take


def _values(records: Records, field: str) -> Iterable[Any]:
    return chain.from_iterable(getattr(record, field) for record in records)


def _gathered[T](values: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    found: dict[Hashable, list[T]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return list(found.values())


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
        kept += [max(each, key=_size) for each in _gathered(numbered or same, sameness.titled)]
    return tuple(kept)


def subjects(_asked: Records, said: Records, field: str) -> tuple[Subject, ...]:
    """Every heading and class by its list; a free keyword only where it is no heading."""
    found = [max(same, key=_size) for same in _gathered(_values(said, field), _listed)]
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
    best = min(same, key=lambda agent: (_in_other_script(agent, same), _unlike(agent.name, form)))
    known: dict[str, Any] = {
        name: next(filter(None, (getattr(each, name) for each in (best, *same))), "")
        for name in ("transcription", "uri", "kind", "role", "location")
    }
    for name in ("other_names", "identifiers", "affiliations"):
        known[name] = tuple(dict.fromkeys(chain.from_iterable(getattr(each, name) for each in (best, *same))))
    spelled = (each.name for each in same if _in_other_script(each, same) and not _in_other_script(best, same))
    known["other_names"] = tuple(dict.fromkeys((*known["other_names"], *(Title(value=name) for name in spelled))))
    return msgspec.structs.replace(best, **known)


def _in_other_script(agent: Agent, same: Sequence[Agent]) -> bool:
    """In Latin letters, where others give the name in its own script."""
    return sameness.in_latin(agent) and not all(map(sameness.in_latin, same))


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
