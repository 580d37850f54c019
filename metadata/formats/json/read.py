"""Reads records as JSON: the canonical record itself. This project exports it, and turns rows of tables into it. Pure.

Correct values stay unchanged. Numbers, dates and languages as people type them are normalised to the forms that every
other format is read into.
"""

import re
from typing import Any

import msgspec

from metadata.formats.common.base import Conversion, Draft
from metadata.formats.common.codes import identifier_as_sent
from metadata.formats.common.format import UnreadableRecord
from metadata.identifiers import normalise
from metadata.issue import Issue
from metadata.record import BibliographicRecord, Identifier, Value
from metadata.text.dates import read_date, w3cdtf
from metadata.vocabularies.dcndl import language_code
from metadata.xml.parsing import strip_illegal

MAX_RECORD_BYTES = 16 * 1024 * 1024

_decoder = msgspec.json.Decoder(BibliographicRecord)
_encoder = msgspec.json.Encoder()
_PLACE = re.compile(r"(?P<reason>.*?) - at `\$\.?(?P<place>[^`]*)`\Z", re.DOTALL)
# Characters that no XML document may contain: escaped, or (the last two of the BMP) unescaped.
_UNPRINTABLE = re.compile(rb"\\u00[01][0-9a-fA-F]|\\[bf]|\\u[fF]{3}[eEfF]|\xef\xbf[\xbe\xbf]")
_CHECKED = frozenset({"ISBN", "SetISBN", "ISSN", "ISSNL", "DOI"})


def is_json(payload: bytes) -> bool:
    return payload.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read(payload: bytes) -> Conversion:
    """Read the record of one JSON object. Raises UnreadableRecord."""
    if len(payload) > MAX_RECORD_BYTES:
        raise UnreadableRecord(Issue(code="json.E001", field="-", value=f"{len(payload)} bytes"))
    record, unknown = _decode(payload.removeprefix(b"\xef\xbb\xbf"))
    draft = Draft()
    for name in unknown:
        draft.note("json.W002", name)
    if _UNPRINTABLE.search(payload):
        record = _without_illegal_characters(record)
        draft.note("json.E004")
    return Conversion(_settled(record, draft), draft.issues)


def write(record: BibliographicRecord) -> bytes:
    """Return the record as one JSON object, without the fields that have their default value."""
    return _encoder.encode(record)


def _decode(payload: bytes) -> tuple[BibliographicRecord, list[str]]:
    """Return the record, and the names in the JSON that it has no field for."""
    try:
        return _decoder.decode(payload), _unknown_names(msgspec.json.decode(payload), BibliographicRecord())
    except msgspec.ValidationError as error:
        match = _PLACE.match(str(error))
        place, reason = (match["place"], match["reason"]) if match else ("-", str(error))
        raise UnreadableRecord(Issue(code="json.E003", field=place or "-", value=reason[:300])) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableRecord(Issue(code="json.E001", field="-", value=str(error)[:300])) from error


# Record field → type of its values or list members, whose fields are the known names.
_MEMBERS: dict[str, type[Value]] = {
    name: kind
    for name, hint in BibliographicRecord.__annotations__.items()
    for kind in getattr(hint, "__args__", (hint,))
    if isinstance(kind, type) and issubclass(kind, Value)
}


def _unknown_names(value: dict[str, Any], record: BibliographicRecord) -> list[str]:
    """Return the names that are no fields of the record or of its values, at most 20.

    Deeper values are not searched.
    """
    names = [name for name in value if name not in record.__struct_fields__]
    for name, kind in _MEMBERS.items():
        members = value.get(name, ())
        for member in members if isinstance(members, list) else [members] if members else []:
            names += [f"{name}.{key}" for key in member if key not in kind.__struct_fields__]
    return list(dict.fromkeys(names))[:20]


def _without_illegal_characters(value: Any) -> Any:
    """Return the value with all its texts cleared of characters that XML output must not contain."""
    if isinstance(value, str):
        return strip_illegal(value)
    if isinstance(value, tuple):
        return tuple(map(_without_illegal_characters, value))
    if isinstance(value, Value):
        return type(value)(
            **{name: _without_illegal_characters(getattr(value, name)) for name in value.__struct_fields__}
        )
    return value


def _settled(record: BibliographicRecord, draft: Draft) -> BibliographicRecord:
    changes: dict[str, Any] = {}
    valid, wrong = _identifiers(record, draft)
    if valid != record.identifiers:
        changes |= {"identifiers": valid, "invalid_identifiers": (*record.invalid_identifiers, *wrong)}
    for name in ("languages", "original_languages"):
        codes = tuple(dict.fromkeys(_language(value, name, draft) for value in getattr(record, name)))
        if codes != getattr(record, name):
            changes[name] = codes
    if record.issued and w3cdtf(record.issued) != record.issued:
        changes |= _date(record, draft)
    return msgspec.structs.replace(record, **changes) if changes else record


def _identifiers(record: BibliographicRecord, draft: Draft) -> tuple[tuple[Identifier, ...], tuple[Identifier, ...]]:
    valid: list[Identifier] = []
    wrong: list[Identifier] = []
    for identifier in record.identifiers:
        value = (
            normalise(identifier.scheme, identifier.value)
            if identifier.scheme in _CHECKED
            else identifier.value.strip()
        )
        if value == identifier.value:
            valid.append(identifier)
        elif value:
            valid.append(identifier_as_sent(identifier.scheme, value, identifier.printed or identifier.value))
        elif identifier.value.strip():
            draft.note("json.E009", f"identifiers[{identifier.scheme}]", identifier.value)
            wrong.append(identifier)
    return tuple(valid), tuple(wrong)


def _language(value: str, name: str, draft: Draft) -> str:
    code = language_code(value) or value
    if code != value:
        draft.note("json.N010", name, value, code)
    return code


def _date(record: BibliographicRecord, draft: Draft) -> dict[str, Any]:
    """Return the fields to change for a date that is not W3CDTF: `issued` as read from it, `dates` with its text."""
    issued = read_date(record.issued)
    draft.note("json.N018" if issued else "json.E018", "issued", record.issued, issued)
    return {"issued": issued, "dates": tuple(dict.fromkeys((*record.dates, record.issued)))}
