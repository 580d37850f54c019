"""What needs more than one element of JPCOAR to decide: the main title, who the publishers are, dates, terms."""

import re
from collections import defaultdict

from metadata.formats.common.base import Conversion, Draft, unique
from metadata.formats.common.dates import read_date, w3cdtf
from metadata.formats.jpcoar.identifiers import settle_host, settle_identifiers
from metadata.formats.jpcoar.names import in_languages, is_japanese, is_reading
from metadata.formats.jpcoar.terms import (
    ACCESS_BY_URI,
    ACCESS_RIGHTS,
    DATE_TYPE_OF,
    DESCRIPTION_TYPES,
    RENAMED_TYPES,
    RESOURCE_TYPES,
    VERSION_BY_URI,
    VERSION_TYPES,
)
from metadata.record import Agent, Date, MaterialType, Title
from metadata.vocabularies.countries import ALPHA_2, COUNTRIES
from metadata.vocabularies.dcndl import LANGUAGES, language_code

_TYPE_BY_CODE = {each.uri.rpartition("/")[2]: term for term, each in reversed(RESOURCE_TYPES.items())}
_TWO_LETTERS = {code: name for name, code in reversed(LANGUAGES.items()) if len(name) == 2}
_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?(?:/|\Z)")
_THREE_LETTERS = re.compile("[a-z]{3}")
_ONLY_A_DATE, _DIGITS = re.compile(r"[cp]?[\W0-9年月日]+"), re.compile("[0-9]+")


def settle(draft: Draft) -> Conversion:
    """The record of what was collected."""
    fields = draft.fields
    settle_languages(draft, "languages", "dc:language")
    settle_languages(draft, "original_languages", "dcndl:originalLanguage")
    _titles(draft)
    for name in ("alternatives", "volume_titles"):
        fields[name] = [*fields.pop(f"parallel_{name}", ()), *paired(fields.get(name, []))]
    _publishers(draft)
    _terms(draft)
    issued = _dates(draft)
    _texts(draft)
    host = settle_host(draft)
    settle_identifiers(draft)
    titles = fields["titles"]
    return draft.convert(
        display_title=titles[0].value if titles else "",
        issued=issued,
        host=host,
        version_type=draft.first("version_type"),
        resource_version=draft.first("resource_version"),
        dataset_series=draft.first("dataset_series"),
    )


def settle_languages(draft: Draft, name: str, element: str) -> None:
    """ISO 639-2 as DC-NDL has it. JPCOAR's own ISO 639-3 is no fault; two letters and names are put right."""
    settled: dict[str, None] = {}
    for value in draft.fields.get(name, ()):
        code = language_code(value)
        if not code:
            code = "und"
            draft.note("jpcoar.E018", element, value, code)
        elif name == "original_languages" and not _THREE_LETTERS.fullmatch(value):
            draft.note("jpcoar.W040", element, value, code)
        elif len(value) != 3:
            draft.note("jpcoar.N018", element, value, code)
        settled[code] = None
    draft.fields[name] = list(settled)


def _titles(draft: Draft) -> None:
    """The title in the language of the resource first, then Japanese, English, any; the others are parallel titles."""
    titles: list[Title] = draft.fields.pop("titles", [])
    wanted = [*filter(None, map(_TWO_LETTERS.get, draft.fields["languages"])), "ja", "en"]
    kana = next((each for each in titles if each.language.lower() == "ja-kana"), None)
    texts = [each for each in titles if not is_reading(each.language)] or titles[:1]
    if not texts:
        draft.fields["titles"] = []
        return
    main = next((each for code in wanted for each in texts if _speaks(each, code)), texts[0])
    japanese = next((each for each in texts if is_japanese(each.language)), main)
    reading = kana.value if kana and kana is not japanese else ""
    draft.fields["titles"] = [_read_aloud(main, reading if japanese is main else "")]
    draft.fields["parallel_alternatives"] = [
        _read_aloud(each, reading if each is japanese else "", "parallel")
        for each in titles
        if each is not main and not (reading and each is kana)
    ]


def _speaks(title: Title, code: str) -> bool:
    return title.language.lower().partition("-")[0] == code and not is_reading(title.language)


def _read_aloud(title: Title, reading: str, kind: str = "") -> Title:
    return Title(value=title.value, transcription=reading, language=title.language, kind=kind)


def paired(titles: list[Title]) -> list[Title]:
    """A reading goes to the Japanese text that it follows."""
    found: list[Title] = []
    for each in titles:
        last = found[-1] if found else Title()
        if each.language.lower() == "ja-kana" and is_japanese(last.language) and not last.transcription:
            found[-1] = _read_aloud(last, each.value)
        else:
            found.append(each)
    return found


def _publishers(draft: Draft) -> None:
    fields = draft.fields
    publishers = one_a_name(fields.pop("publishers", []))
    countries: list[str] = []
    for publisher, places in fields.pop("publisher_blocks", ()):
        publishers += [publisher] if publisher else []
        countries += places
    fields["publishers"] = publishers
    fields["publication_places"] = list(unique(map(_alpha_2, countries)))


def _alpha_2(country: str) -> str:
    """As NDL writes it; what is no code stays as it is."""
    code = country.upper()
    return ALPHA_2.get(code) or (code if code in COUNTRIES else country)


def one_a_name(names: list[Agent]) -> list[Agent]:
    """dc:publisher says one name in one language. As many in each language are the same ones, in their order."""
    by_language: defaultdict[str, list[Title]] = defaultdict(list)
    for each in names:
        by_language[each.language].append(Title(value=each.name, language=each.language))
    columns = list(by_language.values())
    if len(columns) < 2 or "" in by_language or len({len(each) for each in columns}) > 1:
        return names
    found = []
    for row in zip(*columns, strict=True):
        forms = in_languages(list(row))
        if forms:
            found.append(
                Agent(
                    name=forms.value,
                    transcription=forms.transcription,
                    language=forms.language,
                    other_names=forms.others,
                )
            )
    return found


def _terms(draft: Draft) -> None:
    """Terms of COAR, each a text with its URI."""
    fields = draft.fields
    fields["material_types"] = _types(draft)
    fields["access_rights"] = list(
        filter(None, (_access(value, code) for value, code in fields.pop("access_rights", ())))
    )
    fields["version_type"] = list(
        filter(None, (_version(value, code) for value, code in fields.pop("version_type", ())))
    )


def _types(draft: Draft) -> list[MaterialType]:
    """The text decides: one URI stands for several terms. Old terms are read as the new ones."""
    found = [_type(value, code, draft) for value, code in draft.fields.pop("material_types", ())]
    for each in found[1:]:
        draft.note("jpcoar.E107", "dc:type", each.label)
    return found[:1]


def _type(value: str, code: str, draft: Draft) -> MaterialType:
    term = value if value in RESOURCE_TYPES else value.lower()
    term = RENAMED_TYPES.get(term, term)
    known = RESOURCE_TYPES.get(term)
    if known is None and code in _TYPE_BY_CODE:
        term = RENAMED_TYPES.get(_TYPE_BY_CODE[code], _TYPE_BY_CODE[code])
        known = RESOURCE_TYPES[term]
        draft.note("jpcoar.N207", "dc:type", value, term)
    elif known is None:
        draft.note("jpcoar.E007", "dc:type", value or code)
    elif code and code != known.uri.rpartition("/")[2] and RESOURCE_TYPES.get(value, known).uri[-len(code) :] != code:
        draft.note("jpcoar.N007", "dc:type/@rdf:resource", f"{value} {code}", known.uri)
    return MaterialType(uri=known.ndl if known else "", label=term)


def _access(value: str, code: str) -> str:
    """The text decides, as IRDB does; the URI where the text is no term. Told in jpcoar_checks_terms."""
    term = value.lower()
    return term if term in ACCESS_RIGHTS else ACCESS_BY_URI.get(code, "")


def _version(value: str, code: str) -> str:
    """The URI decides; the text where there is none. Told in jpcoar_checks_terms."""
    return VERSION_BY_URI.get(code, "") or (value if value in VERSION_TYPES else "")


def _dates(draft: Draft) -> str:
    """The date of issue; what is no date stays as it was printed."""
    fields = draft.fields
    issued, others = "", []
    for each in fields.pop("other_dates", ()):
        normal = (w3cdtf(each.value) or read_date(each.value)) if each.type == "issued" else ""
        if not is_date(each.value):
            normal = normal or plain_date(each.value)
            field = f"datacite:date[@{DATE_TYPE_OF.get(each.type, each.type)}]"
            draft.note("jpcoar.N017" if normal else "jpcoar.E017", field, each.value, normal)
        if each.type != "issued":
            others.append(Date(type=each.type, value=normal or each.value))
        elif not normal:
            fields["dates"].append(each.value)
        elif issued or normal != each.value:
            others.append(each)
        issued = issued or (normal if each.type == "issued" else "")
    others += [Date(type="dateGranted", value=value) for value in fields.pop("date_granted", ())[:1]]
    fields["other_dates"] = others
    return issued or next(filter(None, map(read_date, fields["dates"])), "")


def plain_date(value: str) -> str:
    """W3CDTF of what is one date and nothing more, in another notation ("© 1979", "2017/3/25"); else ""."""
    normal = read_date(value) if _ONLY_A_DATE.fullmatch(value) else ""
    same = list(map(int, _DIGITS.findall(value))) == list(map(int, _DIGITS.findall(normal)))
    return normal if same else ""


def is_date(value: str) -> bool:
    """YYYY, YYYY-MM, YYYY-MM-DD, or two of them with a slash between."""
    start, _, end = value.partition("/")
    return bool(_DATE.match(start) and (not end or _DATE.match(end)))


def _texts(draft: Draft) -> None:
    """Texts that one element carries for several fields."""
    fields = draft.fields
    for kind, value in fields.pop("descriptions", ()):
        fields[DESCRIPTION_TYPES.get(kind, "notes")].append(value)
    statements = fields.pop("rights", [])
    fields["rights"] = [value for value, _ in statements]
    fields["licenses"] = [each for _, each in statements if each]
    fields["rights_holders"] = [each.name for each in fields.get("rights_agents", ())]
    fields["spatial"] = [place for found in fields.get("spatial", ()) for place in found]
    pages = [f"{value}p" if value.isdecimal() else value for value in fields.pop("pages", ())[:1]]
    fields["extents"] = [*pages, *fields.get("extents", ())]
