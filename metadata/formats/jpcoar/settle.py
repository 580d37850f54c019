"""Decides what depends on several elements of JPCOAR, or on the form of a value: main title, publishers, dates, terms.

The table of these steps is in `read`.
"""

import re
from collections import defaultdict
from functools import lru_cache

from metadata.formats.common.base import Draft, Step, unique
from metadata.formats.dcndl.rules import is_made_up
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
LONGEST_DATE = 100  # characters of a single date, with brackets and spaces


def coding_languages(name: str, element: str) -> Step:
    """Return the step that replaces the languages of an element by the codes that DC-NDL has for them."""
    words = "languages become codes of ISO 639-2; a language that is not understood becomes `und`"
    return Step(name, name, words, lambda draft: _code_languages(draft, name, element))


def _code_languages(draft: Draft, name: str, element: str) -> None:
    """Replace languages, with an issue for each change except from ISO 639-3, which JPCOAR requires."""
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
        elif is_made_up(code):
            draft.note("jpcoar.I018", element, value)
        settled[code] = None
    draft.fields[name] = list(settled)


def choose_title(draft: Draft) -> None:
    fields = draft.fields
    titles: list[Title] = fields.pop("titles", [])
    preferred = [*filter(None, map(_TWO_LETTERS.get, fields["languages"])), "ja", "en"]
    kana_title = next((title for title in titles if title.language.lower() == "ja-kana"), None)
    candidates = [title for title in titles if not is_reading(title.language)] or titles[:1]
    if not candidates:
        return
    main = next((title for code in preferred for title in candidates if _is_in_language(title, code)), candidates[0])
    japanese = next((title for title in candidates if is_japanese(title.language)), main)
    reading = kana_title.value if kana_title and kana_title is not japanese else ""
    draft.single["display_title"] = main.value
    fields["titles"] = [_with_reading(main, reading if japanese is main else "")]
    fields["alternatives"][:0] = [
        _with_reading(title, reading if title is japanese else "", "parallel")
        for title in titles
        if title is not main and not (reading and title is kana_title)
    ]


def _is_in_language(title: Title, code: str) -> bool:
    return title.language.lower().partition("-")[0] == code and not is_reading(title.language)


def _with_reading(title: Title, reading: str, kind: str = "") -> Title:
    return Title(value=title.value, transcription=reading, language=title.language, kind=kind)


def giving_readings(name: str) -> Step:
    """Return the step that gives the readings of a field to the texts before them."""
    words = "a value in kana (`ja-Kana`) is the reading of the Japanese value before it"
    return Step(name, name, words, lambda draft: _give_readings(draft, name))


def _give_readings(draft: Draft, name: str) -> None:
    settled: list[Title] = []
    for title in draft.fields.get(name, ()):
        last = settled[-1] if settled else Title()
        if title.language.lower() == "ja-kana" and is_japanese(last.language) and not last.transcription:
            settled[-1] = _with_reading(last, title.value)
        else:
            settled.append(title)
    draft.fields[name] = settled


def join_publishers(draft: Draft) -> None:
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


def settle_types(draft: Draft) -> None:
    """Choose the terms of the resource types by their texts, because a URI may stand for several terms."""
    types = [_type(value, code, draft) for value, code in draft.fields.pop("material_types", ())]
    for other in types[1:]:
        draft.note("jpcoar.E107", "dc:type", other.label)
    draft.fields["material_types"] = types[:1]


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


def settle_access(draft: Draft) -> None:
    """Take the term that the text names, as IRDB does, else that of the URI. `checks.terms` reports differences."""
    terms = [(value.lower(), code) for value, code in draft.fields.pop("access_rights", ())]
    known = (term if term in ACCESS_RIGHTS else ACCESS_BY_URI.get(code, "") for term, code in terms)
    draft.fields["access_rights"] = list(filter(None, known))


def settle_version(draft: Draft) -> None:
    """Take the first version type, of the URI or else of the text. `checks.terms` reports differences."""
    terms = draft.fields.pop("version_type", ())
    known = (VERSION_BY_URI.get(code, "") or (value if value in VERSION_TYPES else "") for value, code in terms)
    draft.single["version_type"] = next(filter(None, known), "")


def settle_dates(draft: Draft) -> None:
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
    draft.single["issued"] = issued or next(filter(None, map(read_date, fields["dates"])), "")


@lru_cache(maxsize=4096)
def plain_date(value: str) -> str:
    """Return W3CDTF of a text that is just one date in any notation ("© 1979", "2017/3/25"), else ""."""
    if w3cdtf(value):
        return value
    is_one = len(value) <= LONGEST_DATE and _ONLY_A_DATE.fullmatch(value)
    normal = read_date(value) if is_one else ""
    if not normal:
        return ""
    has_same_numbers = list(map(int, _DIGITS.findall(value))) == list(map(int, _DIGITS.findall(normal)))
    return normal if has_same_numbers else ""


def is_date(value: str) -> bool:
    """Whether this is YYYY, YYYY-MM or YYYY-MM-DD, or two of them with a slash between."""
    start, _, end = value.partition("/")
    return bool(_DATE.match(start) and (not end or _DATE.match(end)))


def sort_descriptions(draft: Draft) -> None:
    for kind, value in draft.fields.pop("descriptions", ()):
        draft.fields[DESCRIPTION_TYPES.get(kind, "notes")].append(value)


def separate_licences(draft: Draft) -> None:
    statements = draft.fields.pop("rights", [])
    draft.fields["rights"] = [value for value, _ in statements]
    draft.fields["licenses"] = [licence for _, licence in statements if licence]


def name_rights_holders(draft: Draft) -> None:
    draft.fields["rights_holders"] = [agent.name for agent in draft.fields.get("rights_agents", ())]


def join_places(draft: Draft) -> None:
    draft.fields["spatial"] = [place for places in draft.fields.get("spatial", ()) for place in places]


def count_pages(draft: Draft) -> None:
    pages = [f"{value}p" if value.isdecimal() else value for value in draft.fields.pop("pages", ())[:1]]
    draft.fields["extents"][:0] = pages
