"""Reads the JSON of any catalogue by what a library has declared: where the values are, what its words mean. Pure."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from aggregator.availability.answers import (
    MOST_COPIES,
    Availability,
    State,
    UnreadableAnswer,
    date_of,
    link_of,
    number_of,
    text_of,
    together,
)
from aggregator.availability.json_values import decode, value_at, values_at

# Words that many catalogues use, in the form of `_fold`; what a library declares takes precedence.
KNOWN_WORDS: Mapping[State, tuple[str, ...]] = MappingProxyType(
    {
        State.AVAILABLE: ("貸出可", "貸出可能", "在架", "在庫", "available", "on shelf", "in", "true", "yes"),
        State.IN_HOUSE: ("館内のみ", "館内", "禁帯出", "貸出禁止", "館内閲覧", "in library use only", "reference only"),
        State.ON_LOAN: ("貸出中", "on loan", "checked out", "lent", "out"),
        State.RESERVED: ("予約中", "予約あり", "reserved", "on hold"),
        State.NOT_LENT: ("貸出不可", "修理中", "製本中", "整理中", "unavailable", "not available", "false", "no"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Where the values are, as paths (`json_values`); "" = not in the answer.

    items: the copies; "" = the answer is about one. The other paths begin at a copy. count: how many can be borrowed
    now. place: call number or location.
    words: state -> the library's words for it, beside those of KNOWN_WORDS.
    """

    items: str = ""
    status: str = ""
    due: str = ""
    count: str = ""
    queue: str = ""
    place: str = ""
    href: str = ""
    words: Mapping[State, tuple[str, ...]] = MappingProxyType({})


PATHS = tuple(field.name for field in fields(Declared) if field.name != "words")


def read_declared(body: bytes, declared: Declared) -> Availability:
    """Return what an answer says. Raises UnreadableAnswer, also where none of the declared values is there."""
    copies = [node for node in values_at(decode(body), declared.items)[:MOST_COPIES] if isinstance(node, dict)]
    meanings = _meanings(declared.words)
    read = [_copy(node, declared, meanings) for node in copies]
    if copies and not any(_is_told(node, declared) for node in copies):
        raise UnreadableAnswer("availability.no_fields", ", ".join(map(str, list(copies[0])[:10])))
    return together(read)


def _is_told(node: object, declared: Declared) -> bool:
    return any(values_at(node, path) for path in (declared.status, declared.count) if path)


def _copy(node: object, declared: Declared, meanings: Mapping[str, State]) -> Availability:
    word = _word(value_at(node, declared.status))
    count, queue = value_at(node, declared.count), number_of(value_at(node, declared.queue))
    state = _state(meanings.get(_fold(word)) if declared.status else None, count, queue)
    lendable = number_of(count) if count is not None else 1
    return Availability(
        state=state,
        copies=max(lendable, 1),
        lendable=lendable if state is State.AVAILABLE else 0,
        due=date_of(value_at(node, declared.due)),
        queue=queue,
        place=text_of(value_at(node, declared.place)),
        note=word if state is State.UNKNOWN else "",
        href=link_of(value_at(node, declared.href)),
    )


def _state(said: State | None, count: object, queue: int) -> State:
    """The state by the library's word; without one by the count of what can be borrowed."""
    if said is None and count is not None:
        said = State.AVAILABLE if number_of(count) else State.ON_LOAN
    if said is State.ON_LOAN and queue:
        return State.RESERVED
    return said or State.UNKNOWN


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else text_of(value)


def _meanings(words: Mapping[State, tuple[str, ...]]) -> dict[str, State]:
    """Return word -> its state: what the library has declared goes before KNOWN_WORDS."""
    return {_fold(word): state for source in (KNOWN_WORDS, words) for state, own in source.items() for word in own}


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().strip()
