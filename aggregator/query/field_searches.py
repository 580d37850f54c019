"""The searches that values of a record lead to, as query strings. Knows parameters; no HTTP, no database."""

import re

from aggregator.query.parameters import TEXT_LIMIT, address
from aggregator.search.base import Query
from aggregator.search.documents import without_dates
from metadata.citations.facts import split_series
from metadata.record import Subject


def by_creator(name: str) -> str:
    """The query string that looks for a name, cut where the search box would refuse it."""
    return address(Query(creator=without_dates(_typed(name))), "")


def as_spoken(name: str) -> str:
    """A name without the dates and the comma of a heading: "夏目, 漱石, 1867-1916" is 夏目漱石.

    Names in other scripts keep the comma: it says which is the family name.
    """
    return _BETWEEN_KANJI.sub("", without_dates(name))


def by_publisher(name: str) -> str:
    return address(Query(publisher=_typed(_LEGAL_FORM.sub("", name)) or _typed(name)), "")


def by_subject(subject: Subject) -> str:
    """A class of NDC by its number with all below it; a heading or a keyword by its words."""
    if subject.scheme.startswith("NDC") and _NDC.fullmatch(subject.value):
        return address(Query(ndcs=(subject.value,)), "")
    return address(Query(subject=_typed(subject.value)), "")


def by_series(title: str) -> str:
    """The series without its number, as a phrase of the search box."""
    return by_word(split_series(title)[0])


def by_word(text: str) -> str:
    return address(Query(q=_typed(text)), "")


def _typed(text: str) -> str:
    """On one line and no longer than the search box takes."""
    return " ".join(_CONTROL.sub(" ", text).split())[:TEXT_LIMIT].strip()


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BETWEEN_KANJI = re.compile(r"(?<=[\u3400-\u9fff々〆ヶ])\s*[,，]\s*(?=[\u3040-\u30ff\u3400-\u9fff々])")
_LEGAL_FORM = re.compile(r"株式会社|有限会社|[(（](?:株|有|発売|発行|制作|販売)[)）]")
_NDC = re.compile(r"[0-9]{1,3}|[0-9]{3}\.[0-9]{1,10}")
