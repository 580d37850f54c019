"""Extent, notes, rights and degrees of a MARC record: fields that are read one by one."""

from metadata.formats.common.base import Draft, Row
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.record import Agent, Date, License

# Notes of all kinds without a field of their own in the record.
NOTES = (
    "255 500 501 502 504 507 508 510 511 513 515 516 518 524 525 526 530 533 534 535 536 538 544 545 546 547 550 555 "
    "556 561 562 563 580 581 585 586 588"
).split()
# Subfields that fill a field of the record, and so are no part of the note.
_NOT_IN_NOTES = {"502": "bcdo", "513": "b", "255": "c"}
LETTERS = "3abcdefghijklmnopqrstuvwxyz"
_EXTENT_MARKS = {"b": " : ", "c": " ; ", "e": " + "}


def joined(name: str, tag: str, codes: str) -> Row[MarcRecord, Draft]:
    """Return the row for subfields that together are one text."""

    def read(marc: MarcRecord, draft: Draft) -> None:
        draft.fields[name] += filter(None, (field.join(codes) for field in marc.fields(tag)))

    return Row(f"{tag}${codes}", name, "the text", read)


def listed(name: str, tag: str, code: str) -> Row[MarcRecord, Draft]:
    """Return the row for a subfield whose texts are values."""

    def read(marc: MarcRecord, draft: Draft) -> None:
        draft.fields[name] += [text for field in marc.fields(tag) for text in field.clean_all(code)]

    return Row(f"{tag}${code}", name, "every text, without the punctuation of ISBD", read)


def read_extents(marc: MarcRecord, draft: Draft) -> None:
    draft.fields["extents"] += filter(None, map(_extent, marc.fields("300")))


def read_notes(marc: MarcRecord, draft: Draft) -> None:
    draft.fields["notes"] += filter(None, map(_note, marc.fields(*NOTES)))


def read_cataloging_rule(marc: MarcRecord, draft: Draft) -> None:
    draft.single["cataloging_rule"] = next((field.first("e") for field in marc.fields("040")), "")


def _extent(field: Field) -> str:
    """Join the parts of the extent, with the ISBD punctuation that they have or, if it is omitted, with added
    punctuation.
    """
    parts = [(code, text) for code, text in field.subfields if text and code in "abcef"]
    if field.isbd:
        return field.clean(" ".join(text for _, text in parts))
    joined = "".join(f"{_EXTENT_MARKS.get(code, ' ')}{text}" for code, text in parts)
    return joined.lstrip(" :;+")


def _note(field: Field) -> str:
    left_out = _NOT_IN_NOTES.get(field.tag, "")
    return " ".join(text for code, text in field.subfields if text and code in LETTERS and code not in left_out)


def read_degrees(marc: MarcRecord, draft: Draft) -> None:
    for field in marc.fields("502"):
        draft.fields["degree_grantors"] += [Agent(name=text) for text in field.clean_all("c")]
        draft.fields["other_dates"] += [Date(type="dateGranted", value=text) for text in field.clean_all("d")]


def read_rights(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    for field in marc.fields("540", "542"):
        text, uri = field.first("a" if field.tag == "540" else "n"), field.first("u")
        if text or uri:
            fields["rights"].append(text or uri)
        if uri:
            fields["licenses"].append(License(uri=uri, label=text))
