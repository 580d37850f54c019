"""Address templates of OpenSearch, JSON services and links: which placeholders mean what, and filling them. Pure.

OpenSearch 1.1, "OpenSearch URL template syntax": {name}, or {name?} if it may be empty; {prefix:name} of an extension.
"""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from harvesting.live.options import Options
from harvesting.live.types import (
    ANY,
    CREATOR,
    DESCRIPTION,
    FIELDS,
    ISBN,
    ISSN,
    LANGUAGE,
    NDC,
    PUBLISHER,
    SUBJECT,
    TITLE,
    AllOf,
    Question,
    Refused,
    Request,
    Word,
    Years,
)
from metadata.links import encode, fill_template, split_url

COUNT, START, PAGE_NUMBER, FIRST_YEAR, LAST_YEAR = "count", "start", "page", "first_year", "last_year"
EVERY_LANGUAGE, ENCODING = "*", "encoding"
# Placeholder in lower case → what it stands for.
MEANINGS: dict[str, str] = {
    "searchterms": ANY,
    "words": ANY,
    "title": TITLE,
    "creator": CREATOR,
    "author": CREATOR,
    "publisher": PUBLISHER,
    "subject": SUBJECT,
    "isbn": ISBN,
    "issn": ISSN,
    "ndc": NDC,
    "description": DESCRIPTION,
    "count": COUNT,
    "startindex": START,
    "start": START,
    "startpage": PAGE_NUMBER,
    "page": PAGE_NUMBER,
    "first_year": FIRST_YEAR,
    "last_year": LAST_YEAR,
    "language": EVERY_LANGUAGE,
    "inputencoding": ENCODING,
    "outputencoding": ENCODING,
}
OWN_PLACEHOLDERS = ("words", "title", "creator", "publisher", "subject", "isbn", "issn", "ndc", "description")
PLACES = (*OWN_PLACEHOLDERS, FIRST_YEAR, LAST_YEAR, COUNT, START, PAGE_NUMBER)  # for people who write a template
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
_LONGEST = 2000  # characters


def check(template: str) -> str:
    """Return what is wrong with a template, as a code of `harvesting.validators.template_fault`; "" if nothing is."""
    if len(template) > _LONGEST or _FORBIDDEN.search(template):
        return "template.character"
    if not {"{", "}"}.isdisjoint(_PLACEHOLDER.sub("", template)):
        return "template.braces"
    if split_url(template) is None:
        return "template.address"
    if "{" in urlsplit(template).netloc:
        return "template.host"
    meanings = meanings_of(template)
    if any(not meaning and not place.endswith("?") for place, meaning in meanings.items()):
        return "template.place"
    return "" if set(FIELDS) & set(meanings.values()) else "template.no_words"


def meanings_of(template: str) -> dict[str, str]:
    """Return what each placeholder stands for, "" = unknown. One with a prefix can only stand for a field."""
    return {place: _meaning(place) for place in _PLACEHOLDER.findall(template)}


def _meaning(place: str) -> str:
    prefix, _colon, name = place.removesuffix("?").lower().rpartition(":")
    if prefix and name == LANGUAGE:
        return LANGUAGE
    meaning = MEANINGS.get(name, "")
    return meaning if not prefix or (meaning in FIELDS and meaning != ANY) else ""


def request_by_template(template: str, options: Options, question: Question, start: int, limit: int) -> Request:
    """Return the request for a question by filling a template, with the page where readers can continue the search."""
    filler = Filler(template, options)
    filler.take(question)
    url = filler.url(start, min(limit, options.page_size))
    return Request(
        url=url, refused=tuple(dict.fromkeys(filler.refused)), empty=not url, follow=page_for_readers(options, question)
    )


def page_for_readers(options: Options, question: Question) -> str:
    """Return the address of the page where the source shows its own hits; "" if it is not known."""
    if not options.search_page:
        return ""
    filler = Filler(options.search_page, options)
    filler.take(question)
    return filler.url(1, options.page_size)


class Filler:
    """Fills a template with one question. refused: the parts of the question that the template has no place for."""

    def __init__(self, template: str, options: Options) -> None:
        self.template = template
        self.refused: list[Refused] = []
        self._options = options
        self._meanings = meanings_of(template)
        self._words: dict[str, list[str]] = {}
        self._years: dict[str, str] = {}

    def take(self, question: Question) -> None:
        """Take the parts of the question that the template has a place for; add the others to `refused`."""
        parts = question.parts if isinstance(question, AllOf) else (question,)
        for part in parts:
            match part:
                case Word():
                    self._take_word(part)
                case Years(first, last):
                    self._take_years(first, last)
                case AllOf():
                    self.take(part)
                case _:
                    self.refused.append(Refused("not" if type(part).__name__ == "Not" else "or"))

    def url(self, start: int, limit: int) -> str:
        """Return the address; "" if nothing of the question is left."""
        if not self._words:
            return ""
        values = {
            **{field: " ".join(words) for field, words in self._words.items()},
            **self._years,
            COUNT: str(limit),
            START: str(start - 1 + self._options.index_offset),
            PAGE_NUMBER: str((start - 1) // limit + self._options.page_offset),
            EVERY_LANGUAGE: "*",
            ENCODING: self._options.encoding.upper(),
        }
        encoded = self._encoded(values)
        asked = any(encoded[place] for place, meaning in self._meanings.items() if meaning in FIELDS)
        return fill_template(self.template, encoded) if asked else ""

    def _encoded(self, values: Mapping[str, str]) -> dict[str, bytes]:
        encoded = {}
        for place, meaning in self._meanings.items():
            value = encode(values.get(meaning, ""), self._options.encoding)
            if value is None:
                self.refused.append(Refused("characters", meaning if meaning in FIELDS else ""))
            encoded[place] = value or b""
        return encoded

    def _take_word(self, word: Word) -> None:
        has_place = set(self._meanings.values())
        field = word.field
        if field not in has_place:
            if ANY not in has_place or field in (LANGUAGE, NDC):
                self.refused.append(Refused("field", field))
                return
            self.refused.append(Refused("anywhere", field))
            field = ANY
        if word.phrase and " " in word.text.strip():
            self.refused.append(Refused("phrase", word.field))
        self._words.setdefault(field, []).append(word.text)

    def _take_years(self, first: int | None, last: int | None) -> None:
        wanted = {FIRST_YEAR: first, LAST_YEAR: last}
        asked = {name: f"{year:04}" for name, year in wanted.items() if year is not None}
        if not _all_in(asked, self._meanings.values()):
            self.refused.append(Refused("range", "year"))
            return
        self._years |= asked


def _all_in(names: Iterable[str], known: Iterable[str]) -> bool:
    return set(names) <= set(known)
