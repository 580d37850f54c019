"""Decides what depends on more than one element of JPCOAR: the main title, the publishers, dates, terms."""

import re
from collections import defaultdict

from metadata.formats.common.base import Conversion, Draft, unique
from metadata.formats.jpcoar.identifiers import settle_host, settle_identifiers
from metadata.formats.jpcoar.names import is_japanese, is_reading, names_by_language
from metadata.formats.jpcoar.terms import (
    ACCESS_BY_URI,
    ACCESS_RIGHTS,
    DATE_TYPE_OF,
    DESCRIPTION_TYPES,
    RENAMED_TYPES,
    VERSION_BY_URI,
    VERSION_TYPES,
)
from metadata.issue import where
from metadata.record import Agent, Date, MaterialType, Title
from metadata.text.dates import read_date, w3cdtf
from metadata.vocabularies.countries import ALPHA_2, COUNTRIES
from metadata.vocabularies.dcndl import LANGUAGES, language_code
from metadata.vocabularies.resource_types import RESOURCE_TYPES, TERM_BY_CODE

_TWO_LETTERS = {code: name for name, code in reversed(LANGUAGES.items()) if len(name) == 2}
_DATE = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?(?:/|\Z)")
_THREE_LETTERS = re.compile("[a-z]{3}")
_ONLY_A_DATE, _DIGITS = re.compile(r"[cp]?[\W0-9年月日]+"), re.compile("[0-9]+")


def settle(draft: Draft) -> Conversion:
    """Settle everything that was collected, and return the record."""
    fields = draft.fields
    settle_languages(draft, "languages", "dc:language")
    settle_languages(draft, "original_languages", "dcndl:originalLanguage")
    _titles(draft)
    for name in ("alternatives", "volume_titles"):
        fields[name] = [*fields.pop(f"parallel_{name}", ()), *with_readings(fields.get(name, []))]
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
        version_type=draft.pop_first("version_type"),
        resource_version=draft.pop_first("resource_version"),
        dataset_series=draft.pop_first("dataset_series"),
    )


def settle_languages(draft: Draft, name: str, element: str) -> None:
    """Replace languages by their ISO 639-2 codes, as DC-NDL has them.

    ISO 639-3, which JPCOAR requires, is no issue. Two-letter codes and names are normalised; unknown languages become
    "und".
    """
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
    """Choose the main title: in the language of the resource, else in Japanese, English or any.

    The other titles become parallel titles.
    """
    titles: list[Title] = draft.fields.pop("titles", [])
    preferred = [*filter(None, map(_TWO_LETTERS.get, draft.fields["languages"])), "ja", "en"]
    kana_title = next((title for title in titles if title.language.lower() == "ja-kana"), None)
    candidates = [title for title in titles if not is_reading(title.language)] or titles[:1]
    if not candidates:
        draft.fields["titles"] = []
        return
    main = next((title for code in preferred for title in candidates if _is_in_language(title, code)), candidates[0])
    japanese = next((title for title in candidates if is_japanese(title.language)), main)
    reading = kana_title.value if kana_title and kana_title is not japanese else ""
    draft.fields["titles"] = [_with_reading(main, reading if japanese is main else "")]
    draft.fields["parallel_alternatives"] = [
        _with_reading(title, reading if title is japanese else "", "parallel")
        for title in titles
        if title is not main and not (reading and title is kana_title)
    ]


def _is_in_language(title: Title, code: str) -> bool:
    return title.language.lower().partition("-")[0] == code and not is_reading(title.language)


def _with_reading(title: Title, reading: str, kind: str = "") -> Title:
    return Title(value=title.value, transcription=reading, language=title.language, kind=kind)


def with_readings(titles: list[Title]) -> list[Title]:
    """Give each reading to the Japanese text before it."""
    settled: list[Title] = []
    for title in titles:
        last = settled[-1] if settled else Title()
        if title.language.lower() == "ja-kana" and is_japanese(last.language) and not last.transcription:
            settled[-1] = _with_reading(last, title.value)
        else:
            settled.append(title)
    return settled


def _publishers(draft: Draft) -> None:
    fields = draft.fields
    publishers = group_by_publisher(fields.pop("publishers", []))
    countries: list[str] = []
    for publisher, places in fields.pop("publisher_blocks", ()):
        publishers += [publisher] if publisher else []
        countries += places
    fields["publishers"] = publishers
    fields["publication_places"] = list(unique(map(_alpha_2, countries)))


def _alpha_2(country: str) -> str:
    """Return the two-letter country code (ISO 3166-1 alpha-2) in capitals. A text that is no code is not changed."""
    code = country.upper()
    return ALPHA_2.get(code) or (code if code in COUNTRIES else country)


def group_by_publisher(names: list[Agent]) -> list[Agent]:
    """Join the names of each publisher, because dc:publisher holds one name in one language.

    With equally many names in each language, names in the same position belong together. Otherwise they stay as they
    are.
    """
    by_language: defaultdict[str, list[Title]] = defaultdict(list)
    for name in names:
        by_language[name.language].append(Title(value=name.name, language=name.language))
    columns = list(by_language.values())
    if len(columns) < 2 or "" in by_language or len({len(column) for column in columns}) > 1:
        return names
    publishers = []
    for row in zip(*columns, strict=True):
        forms = names_by_language(list(row))
        if forms:
            publishers.append(
                Agent(
                    name=forms.value,
                    transcription=forms.transcription,
                    language=forms.language,
                    other_names=forms.others,
                )
            )
    return publishers


def _terms(draft: Draft) -> None:
    """Settle the terms of COAR, each a text with its URI."""
    fields = draft.fields
    fields["material_types"] = _types(draft)
    fields["access_rights"] = list(
        filter(None, (_access(value, code) for value, code in fields.pop("access_rights", ())))
    )
    fields["version_type"] = list(
        filter(None, (_version(value, code) for value, code in fields.pop("version_type", ())))
    )


def _types(draft: Draft) -> list[MaterialType]:
    """Return the first resource type. The text decides, because a URI stands for several terms; old terms become new
    ones.
    """
    types = [_type(value, code, draft) for value, code in draft.fields.pop("material_types", ())]
    for other in types[1:]:
        draft.note("jpcoar.E107", "dc:type", other.label)
    return types[:1]


def _type(value: str, code: str, draft: Draft) -> MaterialType:
    term = value if value in RESOURCE_TYPES else value.lower()
    term = RENAMED_TYPES.get(term, term)
    known = RESOURCE_TYPES.get(term)
    if known is None and code in TERM_BY_CODE:
        term = RENAMED_TYPES.get(TERM_BY_CODE[code], TERM_BY_CODE[code])
        known = RESOURCE_TYPES[term]
        draft.note("jpcoar.N207", "dc:type", value, term)
    elif known is None:
        draft.note("jpcoar.E007", "dc:type", value or code)
    elif code and code != known.uri.rpartition("/")[2] and RESOURCE_TYPES.get(value, known).uri[-len(code) :] != code:
        draft.note("jpcoar.N007", "dc:type/@rdf:resource", f"{value} {code}", known.uri)
    return MaterialType(uri=known.ndl if known else "", label=term)


def _access(value: str, code: str) -> str:
    """Return the term that the text names, as IRDB does, else that of the URI. `checks.terms` reports differences."""
    term = value.lower()
    return term if term in ACCESS_RIGHTS else ACCESS_BY_URI.get(code, "")


def _version(value: str, code: str) -> str:
    """Return the version type of the URI, else that of the text. `checks.terms` reports differences."""
    return VERSION_BY_URI.get(code, "") or (value if value in VERSION_TYPES else "")


def _dates(draft: Draft) -> str:
    """Return the date of issue, and settle the other dates. What is not a date stays as it was printed."""
    fields = draft.fields
    issued, others = "", []
    for date in fields.pop("other_dates", ()):
        normal = (w3cdtf(date.value) or read_date(date.value)) if date.type == "issued" else ""
        if not is_date(date.value):
            normal = normal or plain_date(date.value)
            field = where("datacite:date", "dateType", DATE_TYPE_OF.get(date.type, date.type))
            draft.note("jpcoar.N017" if normal else "jpcoar.E017", field, date.value, normal)
        if date.type != "issued":
            others.append(Date(type=date.type, value=normal or date.value))
        elif not normal:
            fields["dates"].append(date.value)
        elif issued or normal != date.value:
            others.append(date)
        issued = issued or (normal if date.type == "issued" else "")
    others += [Date(type="dateGranted", value=value) for value in fields.pop("date_granted", ())[:1]]
    fields["other_dates"] = others
    return issued or next(filter(None, map(read_date, fields["dates"])), "")


def plain_date(value: str) -> str:
    """Return W3CDTF of a text that is just one date in another notation ("© 1979", "2017/3/25"), else ""."""
    normal = read_date(value) if _ONLY_A_DATE.fullmatch(value) else ""
    has_same_numbers = list(map(int, _DIGITS.findall(value))) == list(map(int, _DIGITS.findall(normal)))
    return normal if has_same_numbers else ""


def is_date(value: str) -> bool:
    """Whether this is YYYY, YYYY-MM or YYYY-MM-DD, or two of them with a slash between."""
    start, _, end = value.partition("/")
    return bool(_DATE.match(start) and (not end or _DATE.match(end)))


def _texts(draft: Draft) -> None:
    """Settle texts of elements that serve several fields."""
    fields = draft.fields
    for kind, value in fields.pop("descriptions", ()):
        fields[DESCRIPTION_TYPES.get(kind, "notes")].append(value)
    statements = fields.pop("rights", [])
    fields["rights"] = [value for value, _ in statements]
    fields["licenses"] = [licence for _, licence in statements if licence]
    fields["rights_holders"] = [agent.name for agent in fields.get("rights_agents", ())]
    fields["spatial"] = [place for places in fields.get("spatial", ()) for place in places]
    pages = [f"{value}p" if value.isdecimal() else value for value in fields.pop("pages", ())[:1]]
    fields["extents"] = [*pages, *fields.get("extents", ())]
