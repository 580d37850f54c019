"""What DC-NDL has no element for but a labelled description can say, in both directions. Pure; knows no XML.

NDL itself writes "type : book" and "配置場所 : 自動出納書庫" into dcterms:description, so labels stand there for what
only other formats have. Conferences and funding stand as nodes beside; for them the description is for people, and
reading drops it again.
"""

import re
from collections.abc import Iterable, Iterator

from metadata.formats.common.base import Draft
from metadata.record import BibliographicRecord, Conference, Date, Funding, Identifier, Title
from metadata.vocabularies.dcndl import DATE_TYPES

VERSION_TYPE, RESOURCE_VERSION, DATASET_SERIES = "出版タイプ", "バージョン情報", "データセットシリーズ"
_SINGLE = {VERSION_TYPE: "version_type", RESOURCE_VERSION: "resource_version", DATASET_SERIES: "dataset_series"}
_DATE, _REGISTRATION = "日付", "識別子登録"
_CONFERENCE, _FUNDING = "会議", "助成"
_MARK = re.compile(
    rf"(?P<single>{'|'.join(_SINGLE)}) : (?P<value>.+)"
    rf"|(?P<list>{_DATE}|{_REGISTRATION})（(?P<kind>[^（）]*)） : (?P<text>.+)",
    re.DOTALL,
)
# KAKENHI numbers as JPCOAR's schemes name them, and as Japan Grant Numbers begin that are KAKENHI's.
_KAKENHI = re.compile(r"(?:JP)?[0-9]{2}[A-Z0-9][0-9]{5}")


def marked(record: BibliographicRecord) -> Iterator[str]:
    """The descriptions that say what has no element, then those that say a node again for people."""
    for label, field in _SINGLE.items():
        if getattr(record, field):
            yield f"{label} : {getattr(record, field)}"
    for date in record.other_dates:
        if date.type not in DATE_TYPES:
            yield f"{_DATE}（{date.type}） : {date.value}"
    for each in record.registrations:
        yield f"{_REGISTRATION}（{each.scheme}） : {each.value}"
    yield from _for_people(record.conferences, record.fundings)


def editions(record: BibliographicRecord) -> Iterator[str]:
    """dcndl:edition: the version of a data set is its edition."""
    yield from record.editions
    if record.resource_version:
        yield record.resource_version


def kakenhi_numbers(fundings: Iterable[Funding]) -> list[str]:
    """The awards whose number is a datatype of DC-NDL (KAKENHINO)."""
    return [
        each.award.value
        for each in fundings
        if each.award.scheme in {"JGN", "KAKEN"} and _KAKENHI.fullmatch(each.award.value)
    ]


def settle_marks(draft: Draft) -> dict[str, str]:
    """Take what labels say out of the notes; the fields that the record holds once are given back."""
    fields = draft.fields
    single: dict[str, str] = {}
    fundings = fields.get("fundings", ())
    if "conferences" in fields or fundings:
        for text in _for_people(fields.get("conferences", ()), fundings):
            _drop_last(fields["notes"], text)
    for number in kakenhi_numbers(fundings):
        _drop_last(fields["identifiers"], ("KAKENHINO", number))
    notes = fields.pop("notes", [])
    kept = [note for note in notes if not (" : " in note and _take(note, draft, single))]
    if kept:
        fields["notes"] = kept
    if single.get("resource_version"):
        _drop_last(fields["editions"], single["resource_version"])
    return single


def _take(note: str, draft: Draft, single: dict[str, str]) -> bool:
    """Whether the note is one of ours; if so its value has gone to its field."""
    match = _MARK.fullmatch(note)
    if match is None:
        return False
    if match["single"]:
        field = _SINGLE[match["single"]]
        if field in single:
            return False
        single[field] = match["value"]
    elif match["list"] == _DATE:
        draft.fields["other_dates"].append(Date(type=match["kind"], value=match["text"]))
    else:
        draft.fields["registrations"].append(Identifier(scheme=match["kind"], value=match["text"]))
    return True


def _drop_last(values: list[object], value: object) -> None:
    for position in range(len(values) - 1, -1, -1):
        if values[position] == value:
            del values[position]
            return


def _for_people(conferences: Iterable[Conference], fundings: Iterable[Funding]) -> Iterator[str]:
    for label, texts in ((_CONFERENCE, map(conference_text, conferences)), (_FUNDING, map(funding_text, fundings))):
        yield from (f"{label} : {text}" for text in texts if text)


def conference_text(each: Conference) -> str:
    """One line: name, number, date, place."""
    date = each.date.value or "-".join(filter(None, (each.start, each.end)))
    return "; ".join(
        filter(None, (_first(each.names), each.sequence, date, _first(each.venues), _first(each.places), each.country))
    )


def funding_text(each: Funding) -> str:
    """One line: funder, programme, award and its number."""
    return "; ".join(filter(None, (each.funder.name, _first(each.streams), _first(each.titles), each.award.value)))


def _first(titles: tuple[Title, ...]) -> str:
    return titles[0].value if titles else ""
