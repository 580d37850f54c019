"""The searches that values of a record link to, as query strings. No HTTP, no database access."""

import re

from aggregator.query.parameters import TEXT_LIMIT, address_of
from aggregator.search.names import without_dates
from metadata.citations.facts import split_series
from metadata.record import BibliographicRecord, Subject


def by_creator(name: str) -> str:
    """Return the query string of a search for a name, cut to the length that the search box accepts."""
    return address_of("creator", without_dates(_as_typed(name)))


def display_name(name: str) -> str:
    """Return a name without the dates and the comma of a heading: 夏目漱石 for "夏目, 漱石, 1867-1916".

    Names in other scripts keep the comma, which tells the family name from the given name.
    """
    return _BETWEEN_KANJI.sub("", without_dates(name))


def by_publisher(name: str) -> str:
    """Return the query string of a search for a publisher, without "株式会社" and the like."""
    return address_of("publisher", _as_typed(_LEGAL_FORM.sub("", name)) or _as_typed(name))


def by_subject(subject: Subject) -> str:
    """Return the query string of a search for a subject: for an NDC class with narrower ones, or for the words."""
    if subject.scheme.startswith("NDC") and _NDC.fullmatch(subject.value):
        return address_of("ndc", subject.value)
    return address_of("subject", _as_typed(subject.value))


def by_series(title: str) -> str:
    """Return the query string of a search for the series title without its number."""
    return by_word(split_series(title)[0])


def by_journal(record: BibliographicRecord) -> str:
    """Return the query string of a search for the articles in the same journal or book; "" for what is in none."""
    return address_of("journal", _as_typed(record.host.title))


def by_word(text: str) -> str:
    return address_of("q", _as_typed(text))


def _as_typed(text: str) -> str:
    """Return the text on one line, cut to the length that the search box accepts."""
    return " ".join(_CONTROL.sub(" ", text).split())[:TEXT_LIMIT].strip()


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BETWEEN_KANJI = re.compile(r"(?<=[\u3400-\u9fff々〆ヶ])\s*[,，]\s*(?=[\u3040-\u30ff\u3400-\u9fff々])")
_LEGAL_FORM = re.compile(r"株式会社|有限会社|[(（](?:株|有|発売|発行|制作|販売)[)）]")
_NDC = re.compile(r"[0-9]{1,3}|[0-9]{3}\.[0-9]{1,10}")
