"""MARC 21 as fields and subfields: found by tag, paired with their readings in 880, freed of ISBD marks. Pure.

880 holds a field in another script; $6 "245-01/$1" says whose it is (MARC 21, appendix A). NDL writes the reading
in katakana and in Latin letters there; other libraries write the original script there and a romanisation in 245.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lxml import etree

_LINK = re.compile(r"(?P<tag>[0-9]{3})-(?P<number>[0-9]{2,})(?:/(?P<script>[^/]*))?")
_CJK = re.compile("[\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_NOT_LATIN = re.compile("[\u0370-\u1dff\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_KATAKANA = re.compile("[\u30a1-\u30fa]")
_NOT_A_READING = re.compile("[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
CJK_SCRIPT, LATIN_SCRIPT = "$1", "(B"  # in $6; the first is Chinese, Japanese, Korean
# Marks at the end: some stand after a blank only, for names and titles end in them too (C++, Google+, .hack//).
_MARKS = re.compile(r"(?:[ \t\r\n\u3000]+[/=+]|[:;,]|[ \t\r\n\u3000]+)\Z")
_BLANKS_AND_MARKS = " \t\r\n\u3000/:;,=+"
# German libraries write the first; the second are the control characters of MARC for it.
_NOT_SORTED = re.compile("<<([^<>]*)>>|[\x88\x89\x98\x9c]")
_NOT_SORTED_BEGINS = re.compile("<<|[\x88\x98]")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]{1,3}|\.)\.\Z")
_WITHOUT_MARKS = frozenset("cn")  # leader/18: punctuation omitted
_NO_TITLES = {"200": "UNIMARC (200)", "251": "JAPAN/MARC(M) (251)"}


@dataclass(frozen=True, slots=True)
class Field:
    """A data field; subfields in their order, texts trimmed. isbd: whether its texts carry marks at their ends."""

    tag: str
    ind1: str
    ind2: str
    subfields: tuple[tuple[str, str], ...]
    isbd: bool = True

    def first(self, codes: str) -> str:
        """The first subfield with one of the codes, "" if there is none."""
        return next((text for code, text in self.subfields if text and code in codes), "")

    def all(self, codes: str) -> list[str]:
        return [text for code, text in self.subfields if text and code in codes]

    def join(self, codes: str, by: str = " ") -> str:
        return by.join(self.all(codes))

    def bare(self, text: str) -> str:
        """A text of this field without the marks of ISBD, where it has any."""
        return bare(text) if self.isbd else text

    def bare_all(self, codes: str) -> list[str]:
        return list(filter(None, map(self.bare, self.all(codes))))

    def places(self, codes: str) -> list[str]:
        """As bare_all; an empty subfield keeps its place, so that readings find their values."""
        return [self.bare(text) for code, text in self.subfields if code in codes]


@dataclass(frozen=True, slots=True)
class Forms:
    """One field in its scripts. main: what the publication itself has. reading: in katakana. other: romanised."""

    main: Field
    reading: Field | None = None
    other: Field | None = None

    def paired(self, codes: str) -> list[tuple[str, str]]:
        """(value, reading) of subfields; readings only where there are as many, or it would be guessing."""
        return pair(self.main.bare_all(codes), self.reading.places(codes) if self.reading else [])


def pair(values: list[str], readings: list[str]) -> list[tuple[str, str]]:
    if len(readings) != len(values):
        readings = [""] * len(values)
    return list(zip(values, readings, strict=True))


class MarcRecord:
    """One record. leader: 24 characters, blank-filled. control: tag → text of the control fields."""

    def __init__(self, root: etree._Element) -> None:
        self.leader = ""
        self.control: dict[str, str] = {}
        self._format = root.get("format", "")
        self._fields: defaultdict[str, list[tuple[int, Field]]] = defaultdict(list)
        self._linked: defaultdict[tuple[str, str], list[Field]] = defaultdict(list)
        isbd = _leader(root)[18] not in _WITHOUT_MARKS
        for position, child in enumerate(root):
            name = child.tag[child.tag.rfind("}") + 1 :]
            if name == "datafield":
                self._add(position, _field(child, isbd))
            elif name == "controlfield":
                self.control.setdefault((child.get("tag") or "").strip(), child.text or "")
        self.leader = _leader(root)
        self.agency = self.control.get("003", "").strip()
        self._keep_orphans()

    def _add(self, position: int, field: Field) -> None:
        link = _LINK.match(field.first("6")) if field.tag == "880" else None
        if link:
            self._linked[link["tag"], link["number"]].append(field)
        else:
            self._fields[field.tag].append((position, field))

    def _keep_orphans(self) -> None:
        """880 without a partner (number 00, or one that is missing) is the field itself."""
        used = {(tag, _number(each)) for tag, fields in self._fields.items() for _, each in fields}
        for (tag, number), fields in list(self._linked.items()):
            if (tag, number) not in used and tag not in self._fields:
                self._fields[tag] += [(0, replace(each, tag=tag)) for each in fields]

    def each(self, *tags: str) -> Iterator[Field]:
        """The fields of these tags in the order of the record."""
        found = [each for tag in tags for each in self._fields.get(tag, ())]
        if len(tags) > 1:
            found.sort(key=lambda each: each[0])
        return (field for _, field in found)

    def forms(self, *tags: str) -> Iterator[Forms]:
        """The fields of these tags with what stands for them in 880."""
        for field in self.each(*tags):
            yield _forms(field, self._linked.get((field.tag, _number(field)), []))

    def has(self, *tags: str) -> bool:
        return any(tag in self._fields for tag in tags)

    def fixed(self, start: int, end: int) -> str:
        """Positions of field 008, "" where it is too short; fill characters count as blanks."""
        return self.control.get("008", "")[start:end].replace("|", " ").replace("#", " ").strip()

    @property
    def is_ndl(self) -> bool:
        return self.agency == "JTNDL"

    @property
    def dialect(self) -> str:
        """What the record is where it is no MARC 21: its title stands in another field than 245. "" where it is."""
        if self.has("245"):
            return ""
        known = next((name for tag, name in _NO_TITLES.items() if any(each.first("a") for each in self.each(tag))), "")
        return known and (self._format or known)


def bare(text: str) -> str:
    """Without the ISBD marks that MARC carries at the end: "東京 :" → "東京", "2019.2." → "2019.2"."""
    text = _without_marks(text.lstrip(_BLANKS_AND_MARKS))
    if text.endswith(".") and not _ABBREVIATION.search(text):
        text = _without_marks(text[:-1])
    return without_half_a_bracket(text)


def without_half_a_bracket(text: str) -> str:
    """ISBD puts what was supplied into brackets, over several subfields: "[New York :" and "Knopf]"."""
    rest = text
    while rest.endswith("]") and "[" not in rest:
        rest = rest[:-1].rstrip(_BLANKS_AND_MARKS)
    if rest.startswith("[") and "]" not in rest:
        rest = rest.lstrip(f"[{_BLANKS_AND_MARKS}")
    return rest or text  # nothing but a bracket is kept


def bare_all(texts: Iterable[str]) -> list[str]:
    return list(filter(None, map(bare, texts)))


def is_latin(text: str) -> bool:
    """Whether nothing in it is of another script."""
    return not _NOT_LATIN.search(text)


def is_kana(text: str) -> bool:
    """Whether it can only be a reading: katakana, and neither kanji nor hiragana."""
    return bool(_KATAKANA.search(text)) and not _NOT_A_READING.search(text)


def _without_marks(text: str) -> str:
    while match := _MARKS.search(text):
        text = text[: match.start()]
    return text


def _leader(root: etree._Element) -> str:
    leader = next((child.text or "" for child in root if child.tag[child.tag.rfind("}") + 1 :] == "leader"), "")
    return leader.ljust(24)


def _field(element: etree._Element, isbd: bool) -> Field:
    subfields = []
    for child in element:
        text = (child.text or "") if not len(child) else "".join(map(str, child.itertext()))
        code = child.get("code")
        if code:
            subfields.append((code, _plain(text.strip())))
    tag, first, second = (element.get("tag") or "").strip(), element.get("ind1") or " ", element.get("ind2") or " "
    return Field(tag, first, second, tuple(subfields), isbd)


def _plain(text: str) -> str:
    """Without the marks around what is not sorted by: "<<Le>> chat". The record has no form for sorting."""
    return _NOT_SORTED.sub(r"\1", text) if _NOT_SORTED_BEGINS.search(text) else text


def _number(field: Field) -> str:
    """The number that links a field with its 880: "880-01" → "01"."""
    link = _LINK.match(field.first("6"))
    return link["number"] if link else "00"


def _forms(field: Field, linked: list[Field]) -> Forms:
    if not linked:
        return Forms(field)
    is_cjk = bool(_CJK.search(_text(field)))
    reading = next((each for each in linked if _is_reading(each, is_cjk)), None)
    others = [each for each in linked if each is not reading]
    if is_cjk:
        return Forms(field, reading, next((each for each in others if not _CJK.search(_text(each))), None))
    if _NOT_LATIN.search(_text(field)):
        return Forms(field, reading, next((each for each in others if not _NOT_LATIN.search(_text(each))), None))
    original = next((each for each in others if _NOT_LATIN.search(_text(each))), None)
    if original is None:
        return Forms(field, reading)
    return Forms(replace(field, subfields=(*original.subfields, *_said_once(field, original))), reading, field)


def _said_once(field: Field, original: Field) -> list[tuple[str, str]]:
    """Links and roles are in no script: catalogues give them in one of the two fields only."""
    codes = "0124e" if field.tag[0] in "17" and field.tag[1:] != "11" else "0124"
    given = {code for code, _ in original.subfields}
    return [(code, text) for code, text in field.subfields if code in codes and code not in given]


def _is_reading(field: Field, of_cjk: bool) -> bool:
    """By its script where $6 names one: what is CJK already has no other form in CJK than its reading."""
    link = _LINK.match(field.first("6"))
    script, text = (link["script"] or "") if link else "", _text(field)
    if script == CJK_SCRIPT:
        return of_cjk or not _NOT_A_READING.search(text)
    return not script and is_kana(text)


def _text(field: Field) -> str:
    return " ".join(text for code, text in field.subfields if code.isalpha())
