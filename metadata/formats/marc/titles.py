"""Titles of a MARC record: the main title with volumes, alternatives, series, contained works."""

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, Forms, MarcRecord, pair_readings
from metadata.formats.marc.names import heading_of_name
from metadata.record import Relation, Title

_PARALLEL = "parallel"
_ANALYTICAL = "2"  # second indicator of an added entry for a work that the resource contains
BETWEEN_LINES = " -- "
OTHER_TITLES = ("130", "210", "222", "240", "242", "246", "247")  # uniform, abbreviated, key, translated, former …


def read_main_title(marc: MarcRecord, draft: Draft) -> None:
    fields = draft.fields
    forms, value = next(((forms, value) for forms in marc.forms("245") if (value := title(forms.main))), (None, ""))
    if forms is None:
        return
    draft.single["display_title"] = value
    reading = title(forms.reading) if forms.reading else ""
    fields["titles"].append(Title(value=value, transcription=reading))
    for code, target in (("n", "volumes"), ("p", "volume_titles")):
        fields[target] += [
            Title(value=text, transcription=reading_of_part) for text, reading_of_part in forms.with_readings(code)
        ]
    fields["responsibility"] += forms.main.clean_all("c")
    parallel = _parallel(forms.main)
    if parallel:
        fields["alternatives"].append(Title(value=parallel, kind=_PARALLEL))
    if forms.other and forms.main.first("a") != forms.other.first("a") and not forms.reading:
        fields["alternatives"].append(Title(value=title(forms.other)))


def title(field: Field) -> str:
    """Return title proper and other title information, as NDL joins them. A parallel title is left out."""
    proper = field.first("a")
    rest = "" if _is_parallel(field) else field.clean(field.first("b"))
    return " : ".join(filter(None, (field.clean(proper), rest)))


def _parallel(field: Field) -> str:
    return field.clean(field.first("b")) if _is_parallel(field) else ""


def _is_parallel(field: Field) -> bool:
    return field.isbd and field.first("a").endswith("=")


def read_alternatives(marc: MarcRecord, draft: Draft) -> None:
    alternatives = draft.fields["alternatives"]
    for forms in marc.forms(*OTHER_TITLES, "740"):
        if forms.main.tag == "740" and _is_part(forms.main, marc):
            continue
        alternative = _title(forms, "abnp")
        if alternative and alternative.value not in [other.value for other in alternatives]:
            is_parallel = forms.main.tag == "246" and forms.main.ind2 == "1"
            kind = _PARALLEL if is_parallel else ""
            alternatives.append(Title(value=alternative.value, transcription=alternative.transcription, kind=kind))


def _title(forms: Forms, codes: str) -> Title | None:
    value = forms.main.clean(forms.main.join(codes))
    reading = forms.reading.clean(forms.reading.join(codes)) if forms.reading else ""
    return Title(value=value, transcription=reading) if value else None


def _is_part(field: Field, marc: MarcRecord) -> bool:
    return marc.is_ndl or field.ind2 == _ANALYTICAL


def read_series(marc: MarcRecord, draft: Draft) -> None:
    tags = ("490",) if marc.has("490") else ("440", "800", "810", "811", "830")
    for forms in marc.forms(*tags):
        readings = _series_names(forms.reading) if forms.reading else []
        draft.fields["series"] += [
            Title(value=text, transcription=reading)
            for text, reading in pair_readings(_series_names(forms.main), readings)
        ]
        draft.fields["relations"] += [
            Relation(type="isPartOf", label=forms.main.clean(forms.main.first("a")), scheme="ISSN", number=number)
            for number in forms.main.clean_all("x")
        ]


def _series_names(field: Field) -> list[str]:
    """Return the names, each with the number after it: "見本叢書 ; 12"."""
    name_code, names = "t" if field.first("t") else "a", list[str]()
    for code, sent in field.subfields:
        text = field.clean(sent)
        if code == name_code and text:
            names.append(text)
        elif code == "v" and text and names:
            names[-1] += f" ; {text}"
    return names


def read_parts(marc: MarcRecord, draft: Draft) -> None:
    parts: dict[str, Title] = {}
    for field in marc.fields("505"):
        draft.fields["contents"] += _lines(field, parts)
    for forms in marc.forms("700", "710", "711"):
        if forms.main.first("t") and forms.main.ind2 == _ANALYTICAL:
            part = _title(forms, "tnp")
            _add_part(parts, part, heading_of_name(forms.main) or (heading_of_name(forms.other) if forms.other else ""))
    for forms in marc.forms("740"):
        if _is_part(forms.main, marc):
            _add_part(parts, _title(forms, "anp"), "")
    draft.fields["parts"] += parts.values()


def _add_part(parts: dict[str, Title], part: Title | None, responsibility: str) -> None:
    if part is None:
        return
    known = parts.get(part.value, part)
    parts[part.value] = Title(
        value=part.value,
        transcription=known.transcription or part.transcription,
        responsibility=known.responsibility or responsibility,
    )


def _lines(field: Field, parts: dict[str, Title]) -> list[str]:
    """Return the lines of the contents. Enhanced contents have titles in $t with responsibility in $r; others have
    one text with dashes.
    """
    lines: list[str] = []
    last = ""
    for code, sent in field.subfields:
        text = field.clean(sent.removesuffix("--").rstrip())
        if not text:
            continue
        if code == "t":
            last = text
            lines.append(text)
            _add_part(parts, Title(value=text), "")
        elif code == "r" and lines:
            lines[-1] += f" / {text}"
            if last:
                _add_part(parts, Title(value=last), text)
        elif code == "a":
            last = ""
            lines += filter(None, map(field.clean, sent.split(BETWEEN_LINES)))
    return lines
