"""What a feed item says in one element for several fields: authors, texts, categories, dates. Decided by their form."""

import re

from metadata.formats.common.base import Draft
from metadata.formats.common.dates import read_date, w3cdtf
from metadata.formats.dcndl_simple.literals import LIST_MARK, Typed
from metadata.record import Agent, MaterialType, Subject
from metadata.vocabularies.dcndl import CARRIER_WORDS, material_type_uri

ABSTRACT_LENGTH = 200  # a longer description is an abstract, a shorter one a note

# "佐藤俊樹 著", "井山弘幸, 城戸淳 訳": who did what, as printed on the title page.
_STATEMENT = re.compile(
    r"(?P<name>\S.*?)(?:\s+(?P<role>[共編原]?著|[共監]?訳|[共監]?修|編[集纂著]?|[文絵画作]|写真|述)|(?P<end>[共編]?著|[共監]?訳|共?編))\Z"
)
_MAIL = re.compile(r"\S+@\S+\s*(?:\((?P<name>[^()]+)\))?\Z")  # RSS 2.0: an address, and the name behind it
# What NDL's feeds call the types that its list names otherwise.
_TYPES = {"本": "図書", "児童書": "図書"}


def settle_creators(draft: Draft) -> None:
    """Headings and statements of responsibility stand in the same elements (DC-NDL (Simple)); part them."""
    fields = draft.fields
    creators: list[Agent] = fields.pop("creators", [])
    statements = [each.name for each in creators if _STATEMENT.fullmatch(each.name)]
    headings = [each for each in creators if each.name not in statements]
    _give_readings(headings, fields.pop("creator_readings", []), draft)
    for author in fields.pop("authors", ()):
        statements += _statements(author, [each.name for each in creators])
        if not creators:
            headings += _authors(author, draft)
    fields["creators"] = headings or [each for name in statements for each in _people(name)]
    fields["responsibility"] = list(dict.fromkeys(statements))


def _give_readings(headings: list[Agent], readings: list[str], draft: Draft) -> None:
    if readings and headings and len(readings) != len(headings):
        draft.note("rss.W111", "dcndl:creatorTranscription", " | ".join(readings))
    if len(readings) == len(headings):
        headings[:] = [
            Agent(name=each.name, transcription=each.transcription or reading, uri=each.uri)
            for each, reading in zip(headings, readings, strict=True)
        ]


def _statements(author: str, names: list[str]) -> list[str]:
    """What the author element has beside the headings that dc:creator repeats; NDL joins all by commas."""
    rest = author.strip().strip(",").strip()
    joined = ",".join(names)
    if joined:
        rest = rest.removeprefix(joined).removesuffix(joined).strip(",").strip()
    if joined and rest not in ("", *names) and not _MAIL.fullmatch(rest):
        return [rest]
    return [rest] if rest and _STATEMENT.fullmatch(rest) else []


def _authors(author: str, draft: Draft) -> list[Agent]:
    """An author element on its own (guideline table 2-4: several are joined by commas, and so are the parts of one)."""
    mail = _MAIL.fullmatch(author.strip())
    if mail:
        return [Agent(name=mail["name"].strip())] if mail["name"] else []
    rest = author.strip().strip(",").strip()
    if not rest or _STATEMENT.fullmatch(rest):
        return []
    if ", " in rest:
        return [Agent(name=rest)]
    names = [each.strip() for each in rest.split(",") if each.strip()]
    if len(names) > 1:
        draft.note("rss.I013", "author", author, " | ".join(names))
    return [Agent(name=each) for each in names]


def _people(statement: str) -> list[Agent]:
    """The names in a statement, where nothing better is known; the role is that of all of them."""
    match = _STATEMENT.fullmatch(statement)
    if match is None:
        return [Agent(name=statement)]
    names = re.split(r"\s*[,、]\s*", match["name"])  # on title pages names are not inverted
    return [Agent(name=name, role=match["role"] or match["end"]) for name in names if name]


def settle_texts(draft: Draft, has_modules: bool) -> None:
    """The item's description: a note or an abstract; the HTML list of NDL's feeds only repeats the modules."""
    fields = draft.fields
    notes: list[str] = fields.pop("notes", [])
    for value in fields.pop("descriptions", ()):
        if LIST_MARK in value:
            if has_modules:
                continue
            value = re.sub(r"\s+", " ", re.sub(r"<[^<>]*>", " ", value)).strip()
        if value and value not in notes:
            notes.insert(0, value)
    long = next((each for each in notes if len(each) > ABSTRACT_LENGTH), None)
    if long is not None and "abstracts" not in fields:
        notes.remove(long)
        fields["abstracts"] = [long]
    fields["notes"] = notes


def settle_categories(draft: Draft) -> None:
    """Types where they are known as such, keywords otherwise (guideline: a subject; NDL's feeds: the type)."""
    fields = draft.fields
    for value in fields.pop("categories", ()):
        uri = material_type_uri(_TYPES.get(value, value))
        if uri:
            fields["material_types"].append(MaterialType(uri=uri, label=value))
        elif value in CARRIER_WORDS:
            fields["material_types"].append(MaterialType(label=value))
        else:
            keywords = [Subject(value=each) for each in map(str.strip, value.split(",")) if each]
            fields["subjects"] += [each for each in keywords if each not in fields["subjects"]]


def settle_dates(draft: Draft) -> str:
    """The date of publication; the values that it was not taken from stay in `dates`.

    Declared W3CDTF first, then by the form: NDL has both the year and "2022.2", under either name. A time of day
    marks when the item was written, not when the book was published.
    """
    found: list[Typed] = [each for each in draft.fields.pop("dates", ()) if "T" not in each.value[10:11]]
    chosen = next((each for each in found if each.scheme == "W3CDTF" and w3cdtf(each.value)), None)
    chosen = chosen or next((each for each in found if w3cdtf(each.value)), None)
    issued = chosen.value if chosen else _read_from(found, draft)
    for each in found:
        if each.scheme == "W3CDTF" and not read_date(each.value):
            draft.note("rss.E109", "dcterms:issued", each.value)
    draft.fields["dates"] = list(dict.fromkeys(each.value for each in found if each.value != issued))
    return issued


def _read_from(found: list[Typed], draft: Draft) -> str:
    for each in found:
        date = read_date(each.value)
        if date:
            draft.note("rss.N009", "dcterms:issued", each.value, date)
            return date
    return ""
