"""When two values of a field say the same, however they are printed. Pure; knows values, no record and no rule."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from aggregator.matching.features.names import names_in, person_form, publisher_form
from aggregator.matching.features.numbering import edition_form, volume_form
from aggregator.matching.features.row import title_form
from aggregator.matching.features.titles import TitleParts, split_title
from metadata.citations.facts import split_series
from metadata.record import Agent, Conference, Identifier, MaterialType, Subject, Title
from metadata.text.folding import fold, fold_tight
from metadata.text.romaji import romanise

Key = Callable[[Any], Hashable]
Judge = Callable[[Sequence[Any]], Key]  # made from all the values of a group, since some tell about others

_TITLE_LENGTH = 500  # characters, as in matching: beyond them no statement is looked for
_KANA_ONLY = re.compile(r"[\u3041-\u30ff\uff66-\uff9f\W]+\Z")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]")
_LONG_VOWEL = re.compile(r"(?<=[aiueo])[hu](?![aiueoy])|(?<=o)o|(?<=u)u")
_PAGES = re.compile(r"([0-9]+) ?(?:p(?![a-oq-z])|頁|ページ|pages)", re.IGNORECASE)


def plainly(key: Key) -> Judge:
    """A key that needs to know nothing of the other values."""
    return lambda _values: key


def tight(value: str) -> str:
    """`fold_tight`, remembered: the members of one group say the same texts, and several rules ask for them."""
    return _tight(value) if len(value) <= _TITLE_LENGTH else fold_tight(value)


_tight = lru_cache(maxsize=4096)(fold_tight)


def text(value: str) -> Hashable:
    return tight(value) or value


def texts(values: Sequence[str]) -> Hashable:
    """A whole list of texts that is taken from one record only."""
    return tuple(map(text, values))


def titled(title: Title) -> Hashable:
    return tight(title.value)


def main_title(titles: Sequence[Title]) -> str:
    """The core of the main title: subtitle, volume, edition and series are given by some and not by others."""
    return _core(titles[0].value)


@lru_cache(maxsize=1024)  # the members of one group are asked several times
def _core(title: str) -> str:
    return title_form(parts(title).core)


@lru_cache(maxsize=1024)
def parts(title: str) -> TitleParts:
    return split_title(title[:_TITLE_LENGTH])


def volumes(found: Sequence[Title]) -> Hashable:
    return tuple(volume_form(each.value) for each in found)


def editions(found: Sequence[str]) -> Hashable:
    return edition_form(found[0]) or tight(found[0])


def extents(found: Sequence[str]) -> Hashable:
    """The number of pages, where there is one; height and illustrations are given by some and not by others."""
    whole = unicodedata.normalize("NFKC", " ; ".join(found))
    pages = _PAGES.findall(whole)
    return pages[-1] if pages else tight(whole)


def series(title: Title) -> str:
    """The name alone; who gives no number does not contradict."""
    return tight(split_series(title.value)[0])


def subject(value: Subject) -> Hashable:
    """The words or the class number, from whichever list."""
    return tight(value.value) or value.uri


def identifier(value: Identifier) -> Hashable:
    return value.scheme, value.value


def material_type(value: MaterialType) -> Hashable:
    return value.uri or tight(value.label)


def publisher(agent: Agent) -> str:
    return publisher_form(agent.name) or agent.name


def conference(meeting: Conference) -> Hashable:
    """Its first name and when it was."""
    names = meeting.names
    return (tight(names[0].value), meeting.start or meeting.date.value) if names else meeting


def several_persons(agent: Agent) -> Sequence[Agent]:
    """ "Bill Willingham ; Mark Buckingham" and "三好達治／著 ; 安西水丸／絵", sent as one name, are two persons."""
    names = names_in(agent.name)
    return [agent] if len(names) < 2 else [msgspec.structs.replace(agent, name=name) for name in names]


def persons(agents: Sequence[Agent]) -> Key:
    """By name without role and dates; a name in Latin letters is that of the one whose reading it spells, or whose
    name has the same words ("Guido van Rossum", "Van Rossum, Guido").
    """
    spelled: dict[Hashable, str] = {}
    for agent in agents if len(agents) > 1 and any(map(in_latin, agents)) else ():
        for form in _spellings(romanise(agent.transcription)) if not in_latin(agent) else (_words(agent.name),):
            known = spelled.setdefault(form, person_form(agent.name))
            if not in_latin(agent) and known != person_form(agent.name):
                spelled[form] = ""  # of two persons: of neither
    return lambda agent: _alias(agent, spelled) or person_form(agent.name) or agent.name


def _alias(agent: Agent, spelled: dict[Hashable, str]) -> str:
    if not spelled or not in_latin(agent):
        return ""
    forms: tuple[Hashable, ...] = (*_spellings(agent.name), _words(agent.name))
    return next(filter(None, (spelled.get(form, "") for form in forms)), "")


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
    """ "Murakami, Haruki", "Haruki Murakami": "murakami h", "murakamiharuki". Long vowels are short."""
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
    """Kana alone: beside a form in kanji, only its reading."""
    return bool(_KANA_ONLY.match(title)) and not _HAN.search(title)
