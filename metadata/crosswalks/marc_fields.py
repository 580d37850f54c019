"""MARC 21 as fields and subfields: found by tag, paired with their readings in 880, freed of ISBD marks. Pure.

880 holds a field in another script; $6 "245-01/$1" says whose it is (MARC 21, appendix A). NDL writes the reading
in katakana and in Latin letters there; other libraries write the original script there and a romanisation in 245.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

_LINK = re.compile(r"(?P<tag>[0-9]{3})-(?P<number>[0-9]{2,})")
_CJK = re.compile("[\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_NOT_LATIN = re.compile("[\u0370-\u1dff\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_KATAKANA = re.compile("[\u30a1-\u30fa]")
_NOT_A_READING = re.compile("[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_MARKS = " \t\r\n\u3000/:;,=+"
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]{1,3}|\.)\.\Z")


@dataclass(frozen=True, slots=True)
class Field:
    """A data field; subfields in their order, texts trimmed, empty ones left out."""

    tag: str
    ind1: str
    ind2: str
    subfields: tuple[tuple[str, str], ...]

    def first(self, codes: str) -> str:
        """The first subfield with one of the codes, "" if there is none."""
        return next((text for code, text in self.subfields if code in codes), "")

    def all(self, codes: str) -> list[str]:
        return [text for code, text in self.subfields if code in codes]

    def join(self, codes: str, by: str = " ") -> str:
        return by.join(self.all(codes))


@dataclass(frozen=True, slots=True)
class Forms:
    """One field in its scripts. main: what the publication itself has. reading: in katakana. other: romanised."""

    main: Field
    reading: Field | None = None
    other: Field | None = None


class MarcRecord:
    """One record. leader: 24 characters, blank-filled. control: tag → text of the control fields."""

    def __init__(self, root: etree._Element) -> None:
        self.leader = ""
        self.control: dict[str, str] = {}
        self._fields: defaultdict[str, list[Field]] = defaultdict(list)
        self._linked: defaultdict[tuple[str, str], list[Field]] = defaultdict(list)
        for child in root:
            name = child.tag[child.tag.rfind("}") + 1 :]
            if name == "datafield":
                self._add(_field(child))
            elif name == "controlfield":
                self.control.setdefault((child.get("tag") or "").strip(), child.text or "")
            elif name == "leader":
                self.leader = child.text or ""
        self.leader = self.leader.ljust(24)
        self._keep_orphans()

    def _add(self, field: Field) -> None:
        link = _LINK.match(field.first("6")) if field.tag == "880" else None
        if link:
            self._linked[link["tag"], link["number"]].append(field)
        else:
            self._fields[field.tag].append(field)

    def _keep_orphans(self) -> None:
        """880 without a partner (number 00, or one that is missing) is the field itself."""
        used = {(tag, _number(each)) for tag, fields in self._fields.items() for each in fields}
        for (tag, number), fields in list(self._linked.items()):
            if (tag, number) not in used and tag not in self._fields:
                self._fields[tag] += [Field(tag, each.ind1, each.ind2, each.subfields) for each in fields]

    def each(self, *tags: str) -> Iterator[Field]:
        for tag in tags:
            yield from self._fields.get(tag, ())

    def forms(self, *tags: str) -> Iterator[Forms]:
        """The fields of these tags with what stands for them in 880."""
        for field in self.each(*tags):
            yield _forms(field, self._linked.get((field.tag, _number(field)), []))

    def has(self, *tags: str) -> bool:
        return any(tag in self._fields for tag in tags)

    def fixed(self, start: int, end: int) -> str:
        """Positions of field 008, "" where it is too short; fill characters count as blanks."""
        return self.control.get("008", "")[start:end].replace("|", " ").replace("#", " ").strip()


def bare(text: str) -> str:
    """Without the ISBD marks that MARC carries at the end: "東京 :" → "東京", "2019.2." → "2019.2"."""
    text = text.strip(_MARKS)
    if text.endswith(".") and not _ABBREVIATION.search(text):
        text = text[:-1]
    return text.strip(_MARKS)


def bare_all(texts: Iterable[str]) -> list[str]:
    return list(filter(None, map(bare, texts)))


def _field(element: etree._Element) -> Field:
    subfields = []
    for child in element:
        text = "".join(map(str, child.itertext())).strip()
        code = child.get("code")
        if text and code:
            subfields.append((code, text))
    return Field(
        (element.get("tag") or "").strip(), element.get("ind1") or " ", element.get("ind2") or " ", tuple(subfields)
    )


def _number(field: Field) -> str:
    """The number that links a field with its 880: "880-01" → "01"."""
    link = _LINK.match(field.first("6"))
    return link["number"] if link else "00"


def _forms(field: Field, linked: list[Field]) -> Forms:
    if not linked:
        return Forms(field)
    reading = next((each for each in linked if _is_reading(each)), None)
    others = [each for each in linked if each is not reading]
    if _CJK.search(_text(field)):
        return Forms(field, reading, next((each for each in others if not _CJK.search(_text(each))), None))
    original = next((each for each in others if _NOT_LATIN.search(_text(each))), None)
    if original is None or _NOT_LATIN.search(_text(field)):
        return Forms(field, reading)
    return Forms(Field(field.tag, field.ind1, field.ind2, original.subfields), reading, field)


def _is_reading(field: Field) -> bool:
    text = _text(field)
    return bool(_KATAKANA.search(text)) and not _NOT_A_READING.search(text)


def _text(field: Field) -> str:
    return " ".join(text for code, text in field.subfields if code.isalpha())
