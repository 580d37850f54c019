"""Extent, notes, rights and degrees of a MARC record: fields that are read one by one."""

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, MarcRecord
from metadata.record import Agent, Date, License

# Notes of all kinds without a field of their own in the record.
NOTES = (
    "255 500 501 502 504 507 508 510 511 513 515 516 518 524 525 526 530 533 534 535 536 538 544 545 546 547 550 555 "
    "556 561 562 563 580 581 585 586 588"
).split()
# Subfields that fill a field of the record, and so are no part of the note.
_NOT_IN_NOTES = {"502": "bcdo", "513": "b", "255": "c"}
_LETTERS = "3abcdefghijklmnopqrstuvwxyz"
# Record field ← MARC field and subfields, unchanged.
PLAIN = (
    ("abstracts", ("520", "ab")),
    ("access_rights", ("506", "a")),
    ("spatial", ("522", "a")),
    ("spatial", ("255", "c")),
    ("temporal", ("513", "b")),
    ("volume_ranges", ("362", "a")),
)
_EXTENT_MARKS = {"b": " : ", "c": " ; ", "e": " + "}


def settle_texts(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    fields["extents"] += filter(None, map(_extent, marc.fields("300")))
    fields["notes"] += filter(None, map(_note, marc.fields(*NOTES)))
    fields["prices"] += [text for field in marc.fields("020") for text in field.clean_all("c")]
    for name, (tag, codes) in PLAIN:
        fields[name] += filter(None, (field.join(codes) for field in marc.fields(tag)))
    fields["audiences"] += [text for field in marc.fields("521") for text in field.clean_all("a")]
    fields["periodicities"] += [text for field in marc.fields("310") for text in field.clean_all("a")]
    _degrees(marc, draft)
    _rights(marc, draft)


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
    return " ".join(text for code, text in field.subfields if text and code in _LETTERS and code not in left_out)


def _degrees(marc: MarcRecord, draft: Draft) -> None:
    """Read the parts of 502. A degree given as one text ($a) is a note."""
    fields = draft.fields
    for field in marc.fields("502"):
        fields["degree_names"] += field.clean_all("b")
        fields["degree_grantors"] += [Agent(name=text) for text in field.clean_all("c")]
        fields["other_dates"] += [Date(type="dateGranted", value=text) for text in field.clean_all("d")]
        fields["dissertation_numbers"] += field.clean_all("o")


def _rights(marc: MarcRecord, draft: Draft) -> None:
    """Read 540 (what may be done, with the URI of the licence) and 542 (the rights holder)."""
    fields = draft.fields
    for field in marc.fields("540", "542"):
        text, uri = field.first("a" if field.tag == "540" else "n"), field.first("u")
        if text or uri:
            fields["rights"].append(text or uri)
        if uri:
            fields["licenses"].append(License(uri=uri, label=text))
        fields["rights_holders"] += field.clean_all("d") if field.tag == "542" else []
