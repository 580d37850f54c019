"""Records as JSON: the canonical record itself, as our own export has it and as rows of tables become. Pure.

What is right already comes back unchanged; numbers, dates and languages as people type them are put into the forms
that every other format is read into.
"""

import re
from typing import Any

import msgspec

from metadata.formats.common.base import Conversion, Draft
from metadata.formats.common.codes import as_sent
from metadata.formats.common.dates import read_date, w3cdtf
from metadata.identifiers import normalise
from metadata.issue import Issue
from metadata.record import BibliographicRecord, Identifier, Value
from metadata.vocabularies.dcndl import language_code
from metadata.xml.parsing import legal

PREFIX = "json"
LARGEST = 16 * 1024 * 1024  # bytes of one record

_decoder = msgspec.json.Decoder(BibliographicRecord)
_encoder = msgspec.json.Encoder()
_PLACE = re.compile(r"(?P<reason>.*?) - at `\$\.?(?P<place>[^`]*)`\Z", re.DOTALL)
# Characters that no XML document may contain, escaped or (the last two of the BMP) as they are.
_UNPRINTABLE = re.compile(rb"\\u00[01][0-9a-fA-F]|\\[bf]|\\u[fF]{3}[eEfF]|\xef\xbf[\xbe\xbf]")
_CHECKED = frozenset({"ISBN", "SetISBN", "ISSN", "ISSNL", "DOI"})


class JsonError(Exception):
    """JSON that is no record. issue: what to store about it."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(f"{issue.code} {issue.field} {issue.value}")
        self.issue = issue


def is_json(payload: bytes) -> bool:
    return payload.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read(payload: bytes) -> Conversion:
    """The record of one JSON object. Raises JsonError."""
    if len(payload) > LARGEST:
        raise JsonError(Issue(code="json.E001", field="-", value=f"{len(payload)} bytes"))
    record, known = _decode(payload.removeprefix(b"\xef\xbb\xbf"))
    draft = Draft()
    for name in known:
        draft.note("json.W002", name)
    if _UNPRINTABLE.search(payload):
        record = _printable(record)
        draft.note("json.E004")
    return Conversion(_settled(record, draft), draft.issues)


def write(record: BibliographicRecord) -> bytes:
    """The record as one JSON object, fields at their default left out."""
    return _encoder.encode(record)


def _decode(payload: bytes) -> tuple[BibliographicRecord, list[str]]:
    """The record, and the names that it has no field for."""
    try:
        return _decoder.decode(payload), _unknown(msgspec.json.decode(payload), BibliographicRecord())
    except msgspec.ValidationError as error:
        match = _PLACE.match(str(error))
        place, reason = (match["place"], match["reason"]) if match else ("-", str(error))
        raise JsonError(Issue(code="json.E003", field=place or "-", value=reason[:300])) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JsonError(Issue(code="json.E001", field="-", value=str(error)[:300])) from error


# An empty value of each type that stands in lists, to see which names it knows.
_MEMBERS: dict[str, type[Value]] = {
    name: kind
    for name, hint in BibliographicRecord.__annotations__.items()
    for kind in getattr(hint, "__args__", (hint,))
    if isinstance(kind, type) and issubclass(kind, Value)
}


def _unknown(value: dict[str, Any], record: BibliographicRecord) -> list[str]:
    """Names that are no field, one level into the values; a deeper one stands in what is unknown itself."""
    found = [name for name in value if name not in record.__struct_fields__]
    for name, kind in _MEMBERS.items():
        each = value.get(name, ())
        for member in each if isinstance(each, list) else [each] if each else []:
            found += [f"{name}.{inner}" for inner in member if inner not in kind.__struct_fields__]
    return list(dict.fromkeys(found))[:20]


def _printable(value: Any) -> Any:
    """The value with every text freed of characters that must not leave again."""
    if isinstance(value, str):
        return legal(value)
    if isinstance(value, tuple):
        return tuple(map(_printable, value))
    if isinstance(value, Value):
        return type(value)(**{name: _printable(getattr(value, name)) for name in value.__struct_fields__})
    return value


def _settled(record: BibliographicRecord, draft: Draft) -> BibliographicRecord:
    changes: dict[str, Any] = {}
    valid, wrong = _identifiers(record, draft)
    if valid != record.identifiers:
        changes |= {"identifiers": valid, "invalid_identifiers": (*record.invalid_identifiers, *wrong)}
    for name in ("languages", "original_languages"):
        codes = tuple(dict.fromkeys(_language(each, name, draft) for each in getattr(record, name)))
        if codes != getattr(record, name):
            changes[name] = codes
    if record.issued and w3cdtf(record.issued) != record.issued:
        changes |= _date(record, draft)
    return msgspec.structs.replace(record, **changes) if changes else record


def _identifiers(record: BibliographicRecord, draft: Draft) -> tuple[tuple[Identifier, ...], tuple[Identifier, ...]]:
    valid: list[Identifier] = []
    wrong: list[Identifier] = []
    for each in record.identifiers:
        value = normalise(each.scheme, each.value) if each.scheme in _CHECKED else each.value.strip()
        if value == each.value:
            valid.append(each)
        elif value:
            valid.append(as_sent(each.scheme, value, each.printed or each.value))
        elif each.value.strip():
            draft.note("json.E009", f"identifiers[{each.scheme}]", each.value)
            wrong.append(each)
    return tuple(valid), tuple(wrong)


def _language(value: str, name: str, draft: Draft) -> str:
    code = language_code(value) or value
    if code != value:
        draft.note("json.N010", name, value, code)
    return code


def _date(record: BibliographicRecord, draft: Draft) -> dict[str, Any]:
    """A date as printed: what can be read of it, and the text among the printed dates."""
    issued = read_date(record.issued)
    draft.note("json.N018" if issued else "json.E018", "issued", record.issued, issued)
    return {"issued": issued, "dates": tuple(dict.fromkeys((*record.dates, record.issued)))}
