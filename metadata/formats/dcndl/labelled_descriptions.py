"""Labelled descriptions: what DC-NDL has no element for, written to dcterms:description and read back.

NDL itself writes "type : book" and "配置場所 : 自動出納書庫" into dcterms:description, so values that only other
formats have are written there with a label too, and ISBNs with a qualifier, which go out in their normal form without
it. Conferences and funding are also written as nodes; their descriptions are for people only, and reading drops them
again. Pure; does not handle XML.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from metadata.formats.common.base import Draft
from metadata.identifiers import normalise
from metadata.record import BibliographicRecord, Conference, Date, Funding, Identifier, Title
from metadata.vocabularies.dcndl import DATE_TYPES

VERSION_TYPE, RESOURCE_VERSION, DATASET_SERIES = "出版タイプ", "バージョン情報", "データセットシリーズ"
_SINGLE = {VERSION_TYPE: "version_type", RESOURCE_VERSION: "resource_version", DATASET_SERIES: "dataset_series"}
_DATE, _REGISTRATION = "日付", "識別子登録"
_ISBN = ("ISBN", "SetISBN")
_CONFERENCE, _FUNDING = "会議", "助成"
_LABELLED = re.compile(
    rf"(?P<single>{'|'.join(_SINGLE)}) : (?P<value>.+)"
    rf"|(?P<list>{_DATE}|{_REGISTRATION})（(?P<kind>[^（）]*)） : (?P<text>.+)"
    rf"|(?P<isbn>{'|'.join(_ISBN)}) : (?P<qualified>.+)",
    re.DOTALL,
)
# KAKENHI numbers, alone or as a Japan Grant Number ("JP15H02781"). Other Japan Grant Numbers have another form.
_KAKENHI = re.compile(r"(?:JP)?[0-9]{2}[A-Z0-9][0-9]{5}")


def labelled_descriptions(record: BibliographicRecord) -> Iterator[str]:
    """Yield the descriptions for values without an element, then those that repeat a node for people."""
    for label, field in _SINGLE.items():
        if getattr(record, field):
            yield f"{label} : {getattr(record, field)}"
    for date in record.other_dates:
        if date.type not in DATE_TYPES:
            yield f"{_DATE}（{date.type}） : {date.value}"
    for registration in record.registrations:
        yield f"{_REGISTRATION}（{registration.scheme}） : {registration.value}"
    for number in record.identifiers:
        if number.scheme in _ISBN and ("(" in number.printed or "（" in number.printed):
            yield f"{number.scheme} : {number.printed}"
    yield from _summaries(record.conferences, record.fundings)


def editions(record: BibliographicRecord) -> Iterator[str]:
    """The values of dcndl:edition: the version of a data set counts as its edition."""
    yield from record.editions
    if record.resource_version:
        yield record.resource_version


def kakenhi_numbers(fundings: Iterable[Funding]) -> list[str]:
    """The numbers of the awards that DC-NDL has a datatype for (KAKENHINO)."""
    return [
        funding.award.value
        for funding in fundings
        if funding.award.scheme in {"JGN", "KAKEN"} and _KAKENHI.fullmatch(funding.award.value)
    ]


def settle_labelled_descriptions(draft: Draft) -> None:
    """Move labelled values from the notes to their fields, and drop notes and numbers that repeat a node."""
    fields, single = draft.fields, draft.single
    fundings = fields.get("fundings", ())
    if "conferences" in fields or fundings:
        for text in _summaries(fields.get("conferences", ()), fundings):
            _drop_last(fields["notes"], text)
    for number in kakenhi_numbers(fundings):
        _drop_last(fields["identifiers"], ("KAKENHINO", number))
    notes = fields.pop("notes", [])
    other_notes = [note for note in notes if not (" : " in note and _extract_value(note, draft))]
    if other_notes:
        fields["notes"] = other_notes
    if single.get("resource_version"):
        _drop_last(fields["editions"], single["resource_version"])


def _extract_value(note: str, draft: Draft) -> bool:
    """Move the value of a labelled note to its field. Returns False for any other note."""
    match = _LABELLED.fullmatch(note)
    if match is None:
        return False
    if match["isbn"]:
        return _qualify(match["isbn"], match["qualified"], draft)
    if match["single"]:
        field = _SINGLE[match["single"]]
        if field in draft.single:
            return False
        draft.single[field] = match["value"]
    elif match["list"] == _DATE:
        draft.fields["other_dates"].append(Date(type=match["kind"], value=match["text"]))
    else:
        draft.fields["registrations"].append(Identifier(scheme=match["kind"], value=match["text"]))
    return True


def _qualify(scheme: str, text: str, draft: Draft) -> bool:
    """Put an ISBN with its qualifier, "978-4-… (large print)", in place of the bare one. Returns False without one."""
    known = draft.fields.get("identifiers", [])
    value = normalise(scheme, text)
    for position, (kind, number) in enumerate(known):
        if value and kind == scheme and normalise(scheme, number) == value:
            known[position] = (scheme, text)
            return True
    return False


def _drop_last(values: list[object], value: object) -> None:
    for position in range(len(values) - 1, -1, -1):
        if values[position] == value:
            del values[position]
            return


def _summaries(conferences: Collection[Conference], fundings: Collection[Funding]) -> Iterator[str]:
    if not (conferences or fundings):
        return
    for label, texts in ((_CONFERENCE, map(conference_text, conferences)), (_FUNDING, map(funding_text, fundings))):
        yield from (f"{label} : {text}" for text in texts if text)


def conference_text(conference: Conference) -> str:
    """Return the conference on one line: name, number, date, place."""
    date = conference.date.value or "-".join(filter(None, (conference.start, conference.end)))
    return "; ".join(
        filter(
            None,
            (
                _first(conference.names),
                conference.sequence,
                date,
                _first(conference.venues),
                _first(conference.places),
                conference.country,
            ),
        )
    )


def funding_text(funding: Funding) -> str:
    """Return the funding on one line: funder, programme, award and its number."""
    return "; ".join(
        filter(None, (funding.funder.name, _first(funding.streams), _first(funding.titles), funding.award.value))
    )


def _first(titles: tuple[Title, ...]) -> str:
    return titles[0].value if titles else ""
