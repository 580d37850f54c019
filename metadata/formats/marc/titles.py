"""Titles of a MARC record: its own with volumes, alternatives, series, the works that it contains."""

from metadata.formats.common.base import Draft
from metadata.formats.marc.fields import Field, Forms, MarcRecord, pair
from metadata.formats.marc.names import name
from metadata.record import Relation, Title

_PARALLEL = "parallel"
_ANALYTICAL = "2"  # second indicator of an added entry: what the resource contains
BETWEEN_LINES = " -- "


def settle_titles(marc: MarcRecord, draft: Draft) -> None:
    for forms in marc.forms("245"):
        if not draft.fields["titles"]:
            _own_title(forms, draft)
    _alternatives(marc, draft.fields["alternatives"])


def _own_title(forms: Forms, draft: Draft) -> None:
    fields, value = draft.fields, title(forms.main)
    if not value:
        return
    reading = title(forms.reading) if forms.reading else ""
    fields["titles"].append(Title(value=value, transcription=reading))
    for code, target in (("n", "volumes"), ("p", "volume_titles")):
        fields[target] += [Title(value=text, transcription=said) for text, said in forms.paired(code)]
    fields["responsibility"] += forms.main.bare_all("c")
    parallel = _parallel(forms.main)
    if parallel:
        fields["alternatives"].append(Title(value=parallel, kind=_PARALLEL))
    if forms.other and forms.main.first("a") != forms.other.first("a") and not forms.reading:
        fields["alternatives"].append(Title(value=title(forms.other)))


def title(field: Field) -> str:
    """Title proper and other title information, as NDL joins them; a parallel title stands apart."""
    proper = field.first("a")
    rest = "" if _is_parallel(field) else field.bare(field.first("b"))
    return " : ".join(filter(None, (field.bare(proper), rest)))


def _parallel(field: Field) -> str:
    return field.bare(field.first("b")) if _is_parallel(field) else ""


def _is_parallel(field: Field) -> bool:
    return field.isbd and field.first("a").endswith("=")


def _alternatives(marc: MarcRecord, found: list[Title]) -> None:
    """Uniform, translated, varying, abbreviated, key and former titles."""
    for forms in marc.forms("130", "210", "222", "240", "242", "246", "247", "740"):
        if forms.main.tag == "740" and _is_part(forms.main, marc):
            continue
        made = _title(forms, "abnp")
        if made and made.value not in [each.value for each in found]:
            is_parallel = forms.main.tag == "246" and forms.main.ind2 == "1"
            kind = _PARALLEL if is_parallel else ""
            found.append(Title(value=made.value, transcription=made.transcription, kind=kind))


def _title(forms: Forms, codes: str) -> Title | None:
    value = forms.main.bare(forms.main.join(codes))
    reading = forms.reading.bare(forms.reading.join(codes)) if forms.reading else ""
    return Title(value=value, transcription=reading) if value else None


def _is_part(field: Field, marc: MarcRecord) -> bool:
    return marc.is_ndl or field.ind2 == _ANALYTICAL


def settle_series(marc: MarcRecord, draft: Draft) -> None:
    """490 as printed; the controlled forms only where it is missing."""
    tags = ("490",) if marc.has("490") else ("440", "800", "810", "811", "830")
    for forms in marc.forms(*tags):
        readings = _series_names(forms.reading) if forms.reading else []
        draft.fields["series"] += [
            Title(value=text, transcription=said) for text, said in pair(_series_names(forms.main), readings)
        ]
        draft.fields["relations"] += [
            Relation(type="isPartOf", label=forms.main.bare(forms.main.first("a")), scheme="ISSN", number=number)
            for number in forms.main.bare_all("x")
        ]


def _series_names(field: Field) -> list[str]:
    """Each name with the number behind it: "見本叢書 ; 12"."""
    wanted, found = "t" if field.first("t") else "a", list[str]()
    for code, sent in field.subfields:
        text = field.bare(sent)
        if code == wanted and text:
            found.append(text)
        elif code == "v" and text and found:
            found[-1] += f" ; {text}"
    return found


def settle_parts(marc: MarcRecord, draft: Draft) -> None:
    """What the resource contains: enhanced contents, then added entries, which may have readings."""
    parts: dict[str, Title] = {}
    for field in marc.each("505"):
        draft.fields["contents"] += _lines(field, parts)
    for forms in marc.forms("700", "710", "711"):
        if forms.main.first("t") and forms.main.ind2 == _ANALYTICAL:
            made = _title(forms, "tnp")
            _put(parts, made, name(forms.main) or (name(forms.other) if forms.other else ""))
    for forms in marc.forms("740"):
        if _is_part(forms.main, marc):
            _put(parts, _title(forms, "anp"), "")
    draft.fields["parts"] += parts.values()


def _put(parts: dict[str, Title], made: Title | None, responsibility: str) -> None:
    if made is None:
        return
    known = parts.get(made.value, made)
    parts[made.value] = Title(
        value=made.value,
        transcription=known.transcription or made.transcription,
        responsibility=known.responsibility or responsibility,
    )


def _lines(field: Field, parts: dict[str, Title]) -> list[str]:
    """Enhanced contents have each title in $t and its responsibility in $r; others one text with dashes."""
    lines: list[str] = []
    last = ""
    for code, sent in field.subfields:
        text = field.bare(sent.removesuffix("--").rstrip())
        if not text:
            continue
        if code == "t":
            last = text
            lines.append(text)
            _put(parts, Title(value=text), "")
        elif code == "r" and lines:
            lines[-1] += f" / {text}"
            if last:
                _put(parts, Title(value=last), text)
        elif code == "a":
            last = ""
            lines += filter(None, map(field.bare, sent.split(BETWEEN_LINES)))
    return lines
