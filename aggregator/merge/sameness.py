"""Keys by which two values of a field count as the same, however they are written. Independent of the merge rules."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from aggregator.matching.features.names import person_form, publisher_form, split_names
from aggregator.matching.features.numbering import edition_form, volume_form
from aggregator.matching.features.row import title_form
from aggregator.matching.features.titles import TitleParts, split_title
from metadata.citations.facts import split_series
from metadata.record import Agent, Conference, Identifier, MaterialType, Subject, Title
from metadata.text.folding import fold, fold_tight
from metadata.text.romaji import romanise

Key = Callable[[Any], Hashable]
KeyFactory = Callable[[Sequence[Any]], Key]  # made from all values of a group, since some values explain others

_TITLE_LENGTH = 500  # characters, as in matching: no volume, edition or series is looked for beyond them
_KANA_ONLY = re.compile(r"[\u3041-\u30ff\uff66-\uff9f\W]+\Z")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]")
_LONG_VOWEL = re.compile(r"(?<=[aiueo])[hu](?![aiueoy])|(?<=o)o|(?<=u)u")
_PAGES = re.compile(r"([0-9]+) ?(?:p(?![a-oq-z])|頁|ページ|pages)", re.IGNORECASE)


def independent(key: Key) -> KeyFactory:
    """A key factory for keys that do not depend on the other values."""
    return lambda _values: key


def tight(value: str) -> str:
    """`fold_tight`, cached: the members of a group share many texts, and several rules fold the same ones."""
    return _tight(value) if len(value) <= _TITLE_LENGTH else fold_tight(value)


_tight = lru_cache(maxsize=4096)(fold_tight)


def text(value: str) -> Hashable:
    return tight(value) or value


def texts(values: Sequence[str]) -> Hashable:
    """The key of a whole list of texts, which is taken from one record only."""
    return tuple(map(text, values))


def titled(title: Title) -> Hashable:
    return tight(title.value)


def main_title(titles: Sequence[Title]) -> str:
    """The core of the main title, without subtitle, volume, edition and series, which only some providers give."""
    return _core(titles[0].value)


@lru_cache(maxsize=1024)  # the members of a group are compared several times
def _core(title: str) -> str:
    return title_form(parts(title).core)


@lru_cache(maxsize=1024)
def parts(title: str) -> TitleParts:
    return split_title(title[:_TITLE_LENGTH])


def volumes(titles: Sequence[Title]) -> Hashable:
    return tuple(volume_form(title.value) for title in titles)


def editions(statements: Sequence[str]) -> Hashable:
    return edition_form(statements[0]) or tight(statements[0])


def extents(statements: Sequence[str]) -> Hashable:
    """The number of pages where there is one; height and illustrations are given only by some providers."""
    joined = unicodedata.normalize("NFKC", " ; ".join(statements))
    pages = _PAGES.findall(joined)
    return pages[-1] if pages else tight(joined)


def series(title: Title) -> str:
    """The name of the series; records without its number do not contradict those with it."""
    return tight(split_series(title.value)[0])


def subject(value: Subject) -> Hashable:
    """The heading or class number, from whichever list."""
    return tight(value.value) or value.uri


def identifier(value: Identifier) -> Hashable:
    return value.scheme, value.value


def material_type(value: MaterialType) -> Hashable:
    return value.uri or tight(value.label)


def publisher(agent: Agent) -> str:
    return publisher_form(agent.name) or agent.name


def conference(meeting: Conference) -> Hashable:
    """The first name of a conference, and its date."""
    names = meeting.names
    return (tight(names[0].value), meeting.start or meeting.date.value) if names else meeting


def several_persons(agent: Agent) -> Sequence[Agent]:
    """Split several persons in one name: "Bill Willingham ; Mark Buckingham", "三好達治／著 ; 安西水丸／絵"."""
    names = split_names(agent.name)
    return [agent] if len(names) < 2 else [msgspec.structs.replace(agent, name=name) for name in names]


def persons(agents: Sequence[Agent]) -> Key:
    """A key for persons: the name without role and dates.

    A name in Latin letters gets the key of the person whose reading it spells, or whose name has the same words
    ("Guido van Rossum", "Van Rossum, Guido").
    """
    keys_by_spelling: dict[Hashable, str] = {}
    for agent in agents if len(agents) > 1 and any(map(in_latin, agents)) else ():
        for form in _spellings(romanise(agent.transcription)) if not in_latin(agent) else (_words(agent.name),):
            key = keys_by_spelling.setdefault(form, person_form(agent.name))
            if not in_latin(agent) and key != person_form(agent.name):
                keys_by_spelling[form] = ""  # two persons share this spelling: it belongs to neither
    return lambda agent: _alias(agent, keys_by_spelling) or person_form(agent.name) or agent.name


def _alias(agent: Agent, keys_by_spelling: dict[Hashable, str]) -> str:
    if not keys_by_spelling or not in_latin(agent):
        return ""
    forms: tuple[Hashable, ...] = (*_spellings(agent.name), _words(agent.name))
    return next(filter(None, (keys_by_spelling.get(form, "") for form in forms)), "")


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in fold(name).split() if word.isalpha() and word not in _ROLE_WORDS)


_ROLE_WORDS = frozenset(("author", "editor", "translator", "illustrator", "著", "訳", "編"))


def in_latin(agent: Agent) -> bool:
    return is_latin(agent.name)


def is_latin(name: str) -> bool:
    return name.isascii() or _has_no_other_script(name)


@lru_cache(maxsize=1024)
def _has_no_other_script(name: str) -> bool:
    return not _OTHER_SCRIPT.search(unicodedata.normalize("NFKC", name))


_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2e80-\uabff\uf900-\ufaff]")


@lru_cache(maxsize=1024)
def _spellings(name: str) -> tuple[str, ...]:
    """Normalised spellings, with long vowels shortened: "Murakami, Haruki" and "Haruki Murakami" are both "murakami
    h" and "murakamiharuki".
    """
    family, comma, given = name.lower().partition(",")
    if not comma:
        given, _blank, family = name.lower().rpartition(" ")
    family, given = _short(family), _short(given.partition(",")[0])
    if family and given:
        return f"{family} {given[0]}", family + given
    return (family or given,)


def _short(word: str) -> str:
    return _LONG_VOWEL.sub("", tight(word))


def is_reading(title: str) -> bool:
    """Whether a title is in kana only: beside a form with kanji, it is only its reading."""
    return bool(_KANA_ONLY.match(title)) and not _HAN.search(title)
