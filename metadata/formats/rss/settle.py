"""Sorts the values of feed elements that can fill several fields: authors, texts, categories, dates.

The form of a value decides which field it fills.
"""

import re

from metadata.formats.common.base import Draft
from metadata.formats.dcndl_simple.literals import LIST_TAG, Typed
from metadata.record import Agent, MaterialType, Subject
from metadata.text.dates import read_date, w3cdtf
from metadata.vocabularies.dcndl import CARRIER_WORDS, material_type_uri

ABSTRACT_LENGTH = 200  # a longer description is an abstract, a shorter one a note

# "佐藤俊樹 著", "井山弘幸, 城戸淳 訳": statements of responsibility, as printed on the title page.
_STATEMENT = re.compile(
    r"(?P<name>\S.*?)(?:\s+(?P<role>[共編原]?著|[共監]?訳|[共監]?修|編[集纂著]?|[文絵画作]|写真|述)|(?P<end>[共編]?著|[共監]?訳|共?編))\Z"
)
_MAIL = re.compile(r"\S+@\S+\s*(?:\((?P<name>[^()]+)\))?\Z")  # RSS 2.0: a mail address, followed by the name
# Labels in NDL's feeds → labels in NDL's list of types.
_TYPES = {"本": "図書", "児童書": "図書"}


def settle_creators(draft: Draft) -> None:
    fields = draft.fields
    creators: list[Agent] = fields.pop("creators", [])
    statements = [creator.name for creator in creators if _STATEMENT.fullmatch(creator.name)]
    headings = [creator for creator in creators if creator.name not in statements]
    _add_readings(headings, fields.pop("creator_readings", []), draft)
    for author in fields.pop("authors", ()):
        statements += _statements(author, [creator.name for creator in creators])
        if not creators:
            headings += _authors(author, draft)
    fields["creators"] = headings or [person for statement in statements for person in _people(statement)]
    fields["responsibility"] = list(dict.fromkeys(statements))


def _add_readings(headings: list[Agent], readings: list[str], draft: Draft) -> None:
    if readings and headings and len(readings) != len(headings):
        draft.note("rss.W111", "dcndl:creatorTranscription", " | ".join(readings))
    if len(readings) == len(headings):
        headings[:] = [
            Agent(name=heading.name, transcription=heading.transcription or reading, uri=heading.uri)
            for heading, reading in zip(headings, readings, strict=True)
        ]


def _statements(author: str, names: list[str]) -> list[str]:
    """Return the statements of responsibility in the author element, without the headings repeated from dc:creator.

    NDL joins headings and statements by commas.
    """
    rest = author.strip().strip(",").strip()
    joined = ",".join(names)
    if joined:
        rest = rest.removeprefix(joined).removesuffix(joined).strip(",").strip()
    if joined and rest not in ("", *names) and not _MAIL.fullmatch(rest):
        return [rest]
    return [rest] if rest and _STATEMENT.fullmatch(rest) else []


def _authors(author: str, draft: Draft) -> list[Agent]:
    """Return the names of an author element, where dc:creator is missing.

    Guideline table 2-4: commas separate several authors, but also the parts of one name.
    """
    mail = _MAIL.fullmatch(author.strip())
    if mail:
        return [Agent(name=mail["name"].strip())] if mail["name"] else []
    rest = author.strip().strip(",").strip()
    if not rest or _STATEMENT.fullmatch(rest):
        return []
    if ", " in rest:
        return [Agent(name=rest)]
    names = [name.strip() for name in rest.split(",") if name.strip()]
    if len(names) > 1:
        draft.note("rss.I013", "author", author, " | ".join(names))
    return [Agent(name=name) for name in names]


def _people(statement: str) -> list[Agent]:
    """Return the people whom a statement names, all with its role. Used where there are no headings."""
    match = _STATEMENT.fullmatch(statement)
    if match is None:
        return [Agent(name=statement)]
    names = re.split(r"\s*[,、]\s*", match["name"])  # on title pages names are not inverted
    return [Agent(name=name, role=match["role"] or match["end"]) for name in names if name]


def drop_lists(draft: Draft) -> None:
    descriptions = draft.fields.get("descriptions", ())
    if descriptions and "titles" in draft.fields:
        draft.fields["descriptions"] = [value for value in descriptions if LIST_TAG not in value]


def settle_texts(draft: Draft) -> None:
    fields = draft.fields
    notes: list[str] = fields.pop("notes", [])
    for value in fields.pop("descriptions", ()):
        if LIST_TAG in value:
            value = re.sub(r"\s+", " ", re.sub(r"<[^<>]*>", " ", value)).strip()
        if value and value not in notes:
            notes.insert(0, value)
    long = next((note for note in notes if len(note) > ABSTRACT_LENGTH), None)
    if long is not None and "abstracts" not in fields:
        notes.remove(long)
        fields["abstracts"] = [long]
    fields["notes"] = notes


def settle_categories(draft: Draft) -> None:
    fields = draft.fields
    for value in fields.pop("categories", ()):
        uri = material_type_uri(_TYPES.get(value, value))
        if uri:
            fields["material_types"].append(MaterialType(uri=uri, label=value))
        elif value in CARRIER_WORDS:
            fields["material_types"].append(MaterialType(label=value))
        else:
            keywords = [Subject(value=word) for word in map(str.strip, value.split(",")) if word]
            fields["subjects"] += [keyword for keyword in keywords if keyword not in fields["subjects"]]


def settle_dates(draft: Draft) -> None:
    """Choose the date of publication. NDL writes both the year and "2022.2", in any of the elements for dates. A time
    of day shows when the item was written, not when the book was published.
    """
    dates: list[Typed] = [date for date in draft.fields.pop("dates", ()) if "T" not in date.value[10:11]]
    chosen = next((date for date in dates if date.scheme == "W3CDTF" and w3cdtf(date.value)), None)
    chosen = chosen or next((date for date in dates if w3cdtf(date.value)), None)
    issued = chosen.value if chosen else _issued_from(dates, draft)
    for date in dates:
        if date.scheme == "W3CDTF" and not read_date(date.value):
            draft.note("rss.E109", "dcterms:issued", date.value)
    draft.fields["dates"] = list(dict.fromkeys(date.value for date in dates if date.value != issued))
    draft.single["issued"] = issued


def _issued_from(dates: list[Typed], draft: Draft) -> str:
    for date in dates:
        issued = read_date(date.value)
        if issued:
            draft.note("rss.N009", "dcterms:issued", date.value, issued)
            return issued
    return ""
