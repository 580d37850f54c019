"""The fields of a record that enrichment rules read and change, by the names that rules are stored with. Pure.

Identifiers and what a record says about itself (its number, its registrations) are not among them: they tell which book
and which record it is.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from metadata.links import safe_href
from metadata.record import Agent, BibliographicRecord, MaterialType, Subject, Title
from metadata.vocabularies.dcndl import MATERIAL_TYPES, language_code, material_type_uri
from metadata.vocabularies.terms import LANGUAGES

MOST_TEXTS = 200  # of a field
LONGEST_TITLE = 4_000  # characters
LONGEST_TEXT = 20_000  # characters

_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?")
_CLASS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

type Entries = tuple[Any, ...]  # of a column of the record: texts, or values with a text


def is_storable(text: str) -> bool:
    """Whether XML can carry every character of a text."""
    return _NOT_IN_XML.search(text) is None


def _is_text(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and is_storable(text)


def _is_title(text: str) -> bool:
    return len(text) <= LONGEST_TITLE and is_storable(text)


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None


def _is_class(text: str) -> bool:
    return _CLASS.fullmatch(text) is not None


def _is_language(text: str) -> bool:
    return text in LANGUAGES or language_code(text) == text != ""


def _is_link(text: str) -> bool:
    return len(text) <= LONGEST_TITLE and is_storable(text) and safe_href(text) == text != ""


def _every(_entry: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of the record as rules see it: a list of texts.

    column: of BibliographicRecord. text, with_text: the text of an entry, and the entry with another one. make: a new
    entry; None if the texts belong to entries of another field (the reading of a title): they can be changed, but
    neither added nor removed. single: the column is one text. takes: whether a text is valid in the field. concerns:
    the entries of the column that belong to the field.
    """

    column: str
    text: Callable[[Any], str]
    with_text: Callable[[Any, str], Any]
    make: Callable[[str], Any] | None
    single: bool = False
    takes: Callable[[str], bool] = _is_text
    concerns: Callable[[Any], bool] = _every

    def texts(self, record: BibliographicRecord) -> tuple[str, ...]:
        """Return the texts of the field, without empty ones."""
        return tuple(text for entry in self._entries(record) if self.concerns(entry) and (text := self.text(entry)))

    def changed(self, record: BibliographicRecord, change: Callable[[str], Iterable[str]]) -> BibliographicRecord:
        """Return the record with every text replaced by the texts that `change` gives for it; () removes it."""
        entries: list[Any] = []
        for entry in self._entries(record):
            text = self.text(entry) if self.concerns(entry) else ""
            entries += self._replaced(entry, text, tuple(change(text))) if text else [entry]
        return self._with_entries(record, tuple(entries))

    def put(self, record: BibliographicRecord, texts: tuple[str, ...]) -> BibliographicRecord:
        """Return the record with exactly these texts in the field. Entries that have one of them already are kept."""
        entries = self._entries(record)
        if self.make is None:
            text = texts[0] if texts else ""
            return self._with_entries(record, tuple(self.with_text(entry, text) for entry in entries))
        own = {self.text(entry): entry for entry in entries if self.concerns(entry)}
        others = tuple(entry for entry in entries if not self.concerns(entry))
        return self._with_entries(
            record, (*(own[text] if text in own else self.make(text) for text in dict.fromkeys(texts)), *others)
        )

    def accepts(self, texts: tuple[str, ...], before: tuple[str, ...] = ()) -> bool:
        """Whether these may be all texts of the field. before: texts that a provider sent are not judged here."""
        most = 1 if self.single else max(MOST_TEXTS, len(before))
        return len(texts) <= most and all(text in before or self.takes(text) for text in texts)

    def _replaced(self, entry: Any, text: str, texts: tuple[str, ...]) -> list[Any]:
        if texts == (text,):
            return [entry]
        if self.make is None:
            return [self.with_text(entry, "".join(texts[:1]))]
        return [self.with_text(entry, texts[0]), *map(self.make, texts[1:])] if texts else []

    def _entries(self, record: BibliographicRecord) -> Entries:
        value = getattr(record, self.column)
        if self.single:
            return (value,) if value else ()
        return tuple(value)

    def _with_entries(self, record: BibliographicRecord, entries: Entries) -> BibliographicRecord:
        if entries == self._entries(record):
            return record
        value: Any = "".join(entries[:1]) if self.single else entries
        return msgspec.structs.replace(record, **{self.column: value})


def _plain(column: str, *, single: bool = False, takes: Callable[[str], bool] = _is_text) -> Field:
    """A field whose entries are texts."""
    return Field(column=column, text=str, with_text=lambda _entry, text: text, make=str, single=single, takes=takes)


def _part(
    column: str,
    part: str,
    make: Callable[[str], Any] | None = None,
    *,
    takes: Callable[[str], bool] = _is_text,
    concerns: Callable[[Any], bool] = _every,
) -> Field:
    """A field whose entries have their text in a part."""

    def with_text(entry: Any, text: str) -> Any:
        return msgspec.structs.replace(entry, **{part: text})

    return Field(
        column=column, text=lambda entry: str(getattr(entry, part)), with_text=with_text, make=make, takes=takes,
        concerns=concerns,
    )  # fmt: skip


def _title(text: str) -> Title:
    return Title(value=text)


def _agent(text: str) -> Agent:
    return Agent(name=text)


def _keyword(text: str) -> Subject:
    return Subject(value=text)


def _class(text: str) -> Subject:
    return Subject(value=text, scheme="NDC10")


def _is_keyword(subject: Subject) -> bool:
    return not subject.scheme


def _is_ndc(subject: Subject) -> bool:
    return subject.scheme.startswith("NDC") and not subject.scheme.startswith("NDCNDL")


def _type_text(entry: MaterialType) -> str:
    """Return the words of the provider, else the name of the type in Japanese, else its URI."""
    known = MATERIAL_TYPES.get(entry.uri)
    return entry.label or (known.ja if known else entry.uri)


def _material_type(text: str) -> MaterialType:
    """Return the type that a URI, a name of the NDL's list or a word of another vocabulary stands for."""
    uri = material_type_uri(text)
    return MaterialType(uri=uri, label=MATERIAL_TYPES[uri].ja if uri in MATERIAL_TYPES else text)


FIELDS: dict[str, Field] = {
    "title": _part("titles", "value", _title, takes=_is_title),
    "title_reading": _part("titles", "transcription", takes=_is_title),
    "alternative": _part("alternatives", "value", _title, takes=_is_title),
    "volume": _part("volumes", "value", _title, takes=_is_title),
    "volume_title": _part("volume_titles", "value", _title, takes=_is_title),
    "series": _part("series", "value", _title, takes=_is_title),
    "edition": _plain("editions"),
    "creator": _part("creators", "name", _agent, takes=_is_title),
    "creator_reading": _part("creators", "transcription", takes=_is_title),
    "creator_role": _part("creators", "role", takes=_is_title),
    "contributor": _part("contributors", "name", _agent, takes=_is_title),
    "responsibility": _plain("responsibility"),
    "publisher": _part("publishers", "name", _agent, takes=_is_title),
    "publisher_place": _part("publishers", "location", takes=_is_title),
    "issued": _plain("issued", single=True, takes=_is_date),
    "date": _plain("dates"),
    "extent": _plain("extents"),
    "material_type": Field(
        column="material_types", text=_type_text, with_text=lambda _entry, text: _material_type(text),
        make=_material_type, takes=_is_title,
    ),
    "form": _plain("formats"),
    "language": _plain("languages", takes=_is_language),
    "original_language": _plain("original_languages", takes=_is_language),
    "price": _plain("prices"),
    "audience": _plain("audiences"),
    "subject": _part("subjects", "value", _keyword, takes=_is_title, concerns=_is_keyword),
    "ndc": _part("subjects", "value", _class, takes=_is_class, concerns=_is_ndc),
    "genre": _part("genres", "value", _keyword, takes=_is_title),
    "spatial": _plain("spatial"),
    "temporal": _plain("temporal"),
    "abstract": _plain("abstracts"),
    "contents": _plain("contents"),
    "note": _plain("notes"),
    "rights": _plain("rights"),
    "access_rights": _plain("access_rights"),
    "link": _plain("see_also", takes=_is_link),
    "item_library": _part("items", "holding_agent", takes=_is_title),
    "item_library_code": _part("items", "library_code", takes=_is_title),
    "item_call_number": _part("items", "call_number", takes=_is_title),
    "item_location": _part("items", "location", takes=_is_title),
}  # fmt: skip
