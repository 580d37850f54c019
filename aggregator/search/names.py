"""What is searched of a person or body: its names as readers type them, and what comes with them. Pure; independent of
the search engine.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from metadata.record import Agent, Title

# Dates of an authority record, which readers do not type: "夏目, 漱石, 1867-1916", "Smith, John (1950- )".
_DATES = re.compile(
    r"[\s,，]*[(（]?(?:\b(?:b|d|ca)\.\s*)?(?:\d{3,4}\??\s*[-\u2010-\u2015〜～~]\s*(?:\d{3,4}\??)?"
    r"|[-\u2010-\u2015]\s*\d{3,4})\s*[)）]?\s*\Z"
)
_YEAR = re.compile(r"\d{3}").search  # cheap check before _DATES: most names have no year
_PLAIN_DATES = re.compile(r", ?[0-9]{3,4}-(?:[0-9]{3,4})?\Z").search  # the form of nearly all dates


class Names(NamedTuple):
    """name, reading: both without dates. stated_reading: as in the record. dates: those beside the name.

    others: names in other languages and scripts and variant names, with their readings. bodies: the names of the
    institutions that a person belongs to. numbers: identifiers.
    """

    name: str
    reading: str
    stated_reading: str
    dates: str
    others: tuple[str, ...]
    bodies: tuple[str, ...]
    numbers: tuple[str, ...]


@lru_cache(maxsize=16_384)  # the same persons recur
def names_of(agent: Agent) -> Names:
    """Return what is searched of a person or body."""
    name, dates = _name_and_dates(agent.name)
    return Names(
        name=name,
        reading=without_dates(agent.transcription),
        stated_reading=agent.transcription,
        dates=dates,
        others=tuple([text for name in agent.other_names for text in (without_dates(name.value), name.transcription)]),
        bodies=tuple([text for body in agent.affiliations for text in (body.name, *_values(body.other_names))]),
        numbers=tuple([identifier.value for identifier in agent.identifiers]),
    )


def _values(titles: Iterable[Title]) -> list[str]:
    return [title.value for title in titles]


def without_dates(name: str) -> str:
    """A name as readers type it: "夏目, 漱石, 1867-1916" is "夏目, 漱石"."""
    return _name_and_dates(name)[0]


@lru_cache(maxsize=8192)  # called several times per name
def _name_and_dates(name: str) -> tuple[str, str]:
    """The name without dates, and the dates."""
    end = _end_of_name(name)
    return name[:end].rstrip(" ,，"), name[end:].strip(" ,，()（）")


def _end_of_name(name: str) -> int:
    plain = _PLAIN_DATES(name)
    if plain and name.isprintable():  # isprintable: the name has no spaces but ordinary ones
        return plain.start()
    dates = _DATES.search(name) if _YEAR(name) else None
    return dates.start() if dates else len(name)
