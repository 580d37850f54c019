"""MARC 21 as fields and subfields: found by tag, paired with their readings in 880, without ISBD punctuation. Pure.

880 holds a field in another script; its $6 "245-01/$1" names the tag, the number and the script (MARC 21, appendix
A). NDL writes readings in katakana and in Latin letters there. Other libraries write the original script there, and a
romanisation in 245.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

_LINK = re.compile(r"(?P<tag>[0-9]{3})-(?P<number>[0-9]{2,})(?:/(?P<script>[^/]*))?")
_CJK = re.compile("[\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_NOT_LATIN = re.compile("[\u0370-\u1dff\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_KATAKANA = re.compile("[\u30a1-\u30fa]")
_NOT_A_READING = re.compile("[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
CJK_SCRIPT, LATIN_SCRIPT = "$1", "(B"  # codes of scripts in $6; CJK: Chinese, Japanese, Korean
# ISBD marks at the end. Some count only after a blank: names and titles end in them too (C++, Google+, .hack//).
_MARKS = re.compile(r"(?:[ \t\r\n\u3000]+[/=+]|[:;,]|[ \t\r\n\u3000]+)\Z")
_BLANKS_AND_MARKS = " \t\r\n\u3000/:;,=+"
# Non-sorting parts: German libraries write <<>>; the others are MARC's control characters.
_NOT_SORTED = re.compile("<<([^<>]*)>>|[\x88\x89\x98\x9c]")
_NOT_SORTED_BEGINS = re.compile("<<|[\x88\x98]")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]{1,3}|\.)\.\Z")
_WITHOUT_MARKS = frozenset("cn")  # leader/18: ISBD punctuation is omitted
_NO_TITLES = {"200": "UNIMARC (200)", "251": "JAPAN/MARC(M) (251)"}


@dataclass(frozen=True, slots=True)
class Field:
    """A data field. subfields: in order, with trimmed texts. isbd: whether its texts end in ISBD punctuation."""

    tag: str
    ind1: str
    ind2: str
    subfields: tuple[tuple[str, str], ...]
    isbd: bool = True

    def first(self, codes: str) -> str:
        """Return the first subfield with one of the codes, or "" if there is none."""
        return next((text for code, text in self.subfields if text and code in codes), "")

    def all(self, codes: str) -> list[str]:
        return [text for code, text in self.subfields if text and code in codes]

    def join(self, codes: str, by: str = " ") -> str:
        return by.join(self.all(codes))

    def clean(self, text: str) -> str:
        """Return a text of this field without ISBD punctuation, if the field has any."""
        return without_isbd_marks(text) if self.isbd else text

    def clean_all(self, codes: str) -> list[str]:
        return list(filter(None, map(self.clean, self.all(codes))))

    def clean_by_position(self, codes: str) -> list[str]:
        """As `clean_all`, but with empty subfields, so that readings find their values by position."""
        return [self.clean(text) for code, text in self.subfields if code in codes]


@dataclass(frozen=True, slots=True)
class Forms:
    """One field in its scripts.

    main: the field in the script of the publication. reading: in katakana. other: romanised.
    """

    main: Field
    reading: Field | None = None
    other: Field | None = None

    def with_readings(self, codes: str) -> list[tuple[str, str]]:
        """Return (value, reading) of subfields; all readings are "" unless there are as many as values, because pairing
        them would be a guess.
        """
        return pair_readings(self.main.clean_all(codes), self.reading.clean_by_position(codes) if self.reading else [])


def pair_readings(values: list[str], readings: list[str]) -> list[tuple[str, str]]:
    if len(readings) != len(values):
        readings = [""] * len(values)
    return list(zip(values, readings, strict=True))


class MarcRecord:
    """One record. leader: 24 characters, padded with blanks. control: tag → text of the control fields."""

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
        self._add_unlinked()

    def _add(self, position: int, field: Field) -> None:
        link = _LINK.match(field.first("6")) if field.tag == "880" else None
        if link:
            self._linked[link["tag"], link["number"]].append(field)
        else:
            self._fields[field.tag].append((position, field))

    def _add_unlinked(self) -> None:
        """Add an 880 without a partner (number 00, or a missing one) under the tag in its $6, unless there is such a
        field.
        """
        used = {(tag, _number(field)) for tag, fields in self._fields.items() for _, field in fields}
        for (tag, number), fields in list(self._linked.items()):
            if (tag, number) not in used and tag not in self._fields:
                self._fields[tag] += [(0, replace(field, tag=tag)) for field in fields]

    def fields(self, *tags: str) -> Iterator[Field]:
        """Yield the fields with these tags, in the order of the record."""
        positioned = [entry for tag in tags for entry in self._fields.get(tag, ())]
        if len(tags) > 1:
            positioned.sort(key=lambda entry: entry[0])
        return (field for _, field in positioned)

    def forms(self, *tags: str) -> Iterator[Forms]:
        """Yield the fields with these tags, with their other scripts from 880."""
        for field in self.fields(*tags):
            yield _forms(field, self._linked.get((field.tag, _number(field)), []))

    def has(self, *tags: str) -> bool:
        return any(tag in self._fields for tag in tags)

    def fixed(self, start: int, end: int) -> str:
        """Return positions of field 008, "" if it is too short. Fill characters count as blanks."""
        return self.control.get("008", "")[start:end].replace("|", " ").replace("#", " ").strip()

    @property
    def is_ndl(self) -> bool:
        return self.agency == "JTNDL"

    @property
    def dialect(self) -> str:
        """The name of the format if it is not MARC 21, which a title in another field than 245 shows; else ""."""
        if self.has("245"):
            return ""
        known = next(
            (name for tag, name in _NO_TITLES.items() if any(field.first("a") for field in self.fields(tag))), ""
        )
        return known and (self._format or known)


def without_isbd_marks(text: str) -> str:
    """Remove ISBD punctuation from the end: "東京 :" → "東京", "2019.2." → "2019.2"."""
    text = _without_marks(text.lstrip(_BLANKS_AND_MARKS))
    if text.endswith(".") and not _ABBREVIATION.search(text):
        text = _without_marks(text[:-1])
    return without_unpaired_bracket(text)


def without_unpaired_bracket(text: str) -> str:
    """Remove a bracket whose other half is missing.

    ISBD puts supplied text into brackets that may span several subfields: "[New York :" and "Knopf]".
    """
    rest = text
    while rest.endswith("]") and "[" not in rest:
        rest = rest[:-1].rstrip(_BLANKS_AND_MARKS)
    if rest.startswith("[") and "]" not in rest:
        rest = rest.lstrip(f"[{_BLANKS_AND_MARKS}")
    return rest or text  # a text that is only a bracket stays


def is_latin(text: str) -> bool:
    """Whether no character of the text is in another script."""
    return not _NOT_LATIN.search(text)


def is_kana(text: str) -> bool:
    """Whether the text can only be a reading: it has katakana, and neither kanji nor hiragana."""
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
            subfields.append((code, _without_sorting_marks(text.strip())))
    tag, first, second = (element.get("tag") or "").strip(), element.get("ind1") or " ", element.get("ind2") or " "
    return Field(tag, first, second, tuple(subfields), isbd)


def _without_sorting_marks(text: str) -> str:
    """Remove the marks around non-sorting parts ("<<Le>> chat"), because the record has no sorting form."""
    return _NOT_SORTED.sub(r"\1", text) if _NOT_SORTED_BEGINS.search(text) else text


def _number(field: Field) -> str:
    """Return the number that links a field with its 880: "880-01" → "01"."""
    link = _LINK.match(field.first("6"))
    return link["number"] if link else "00"


def _forms(field: Field, linked: list[Field]) -> Forms:
    if not linked:
        return Forms(field)
    is_cjk = bool(_CJK.search(_text(field)))
    reading = next((linked_field for linked_field in linked if _is_reading(linked_field, is_cjk)), None)
    others = [linked_field for linked_field in linked if linked_field is not reading]
    if is_cjk:
        return Forms(
            field,
            reading,
            next((linked_field for linked_field in others if not _CJK.search(_text(linked_field))), None),
        )
    if _NOT_LATIN.search(_text(field)):
        return Forms(
            field,
            reading,
            next((linked_field for linked_field in others if not _NOT_LATIN.search(_text(linked_field))), None),
        )
    original = next((linked_field for linked_field in others if _NOT_LATIN.search(_text(linked_field))), None)
    if original is None:
        return Forms(field, reading)
    return Forms(replace(field, subfields=(*original.subfields, *_script_independent(field, original))), reading, field)


def _script_independent(field: Field, original: Field) -> list[tuple[str, str]]:
    """Return the links and roles of a romanised field that the 880 with its original script lacks.

    They belong to no script, so catalogues give them in one of the two fields only.
    """
    codes = "0124e" if field.tag[0] in "17" and field.tag[1:] != "11" else "0124"
    present = {code for code, _ in original.subfields}
    return [(code, text) for code, text in field.subfields if code in codes and code not in present]


def _is_reading(field: Field, of_cjk: bool) -> bool:
    """Whether an 880 is the reading of the field that it is linked to.

    field: the 880. of_cjk: the linked field is in Chinese, Japanese or Korean (CJK). If $6 names a script, the script
    decides: where both are in CJK, the 880 can only be the reading.
    """
    link = _LINK.match(field.first("6"))
    script, text = (link["script"] or "") if link else "", _text(field)
    if script == CJK_SCRIPT:
        return of_cjk or not _NOT_A_READING.search(text)
    return not script and is_kana(text)


def _text(field: Field) -> str:
    return " ".join(text for code, text in field.subfields if code.isalpha())
