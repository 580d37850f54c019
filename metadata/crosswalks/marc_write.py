"""A record as MARC 21 in MARCXML, readings in 880 as NDL writes them. Reading is in marc."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from metadata.crosswalks.dcndl_write import hyphenated
from metadata.crosswalks.marc_codes import COUNTRY_CODES, leader_codes
from metadata.namespaces import MARC
from metadata.record import Agent, BibliographicRecord, Identifier, Subject, Title
from metadata.xml import legal, serialise

SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
_NSMAP: Any = {None: MARC}  # the stubs know no default namespace
Subfields = list[tuple[str, str]]

_NUMBERS = {
    "ISBN": ("020", "  ", "a", "{}"),
    "SetISBN": ("020", "  ", "a", "{} (set)"),
    "ISSN": ("022", "  ", "a", "{}"),
    "ISSNL": ("022", "  ", "l", "{}"),
    "OCLCNO": ("035", "  ", "a", "(OCoLC){}"),
    "TOHANMARCNO": ("035", "  ", "a", "(JP-ToTOH){}"),
    "TRCMARCNO": ("035", "  ", "a", "(JP-ToTRC){}"),
    "NDLBibID": ("035", "  ", "a", "(JTNDL){}"),
}
_SOURCED = {"JPNO": ("015", "  ", "jnb"), "DOI": ("024", "7 ", "doi")}
_CLASSES = {"NDLC": "kktb", "NDC": "njb", "NDC8": "njb/08", "NDC9": "njb/09", "NDC10": "njb/10"}
_CLASS_TAGS = {"DDC": "082", "UDC": "080", "LCC": "050"}
_RELATIONS = {
    "isPartOf": "760",
    "hasPart": "774",
    "isVersionOf": "765",
    "hasVersion": "775",
    "replaces": "780",
    "isReplacedBy": "785",
}


def write(record: BibliographicRecord) -> bytes:
    """A standalone marc:record."""
    return serialise(_Writer(record).write())


class _Writer:
    """One record element, and the number of the next pair with 880."""

    def __init__(self, record: BibliographicRecord) -> None:
        self._record = record
        self._root = etree.Element(f"{{{MARC}}}record", nsmap=_NSMAP)
        # NDL's own number is that of its records; others have it among those of other systems.
        first = record.identifiers[0] if record.identifiers else Identifier(value="")
        self._own_number = first.value if first.scheme == "NDLBibID" else ""
        self._readings: list[tuple[str, Subfields]] = []

    def write(self) -> etree._Element:
        record = self._record
        self._element("leader", f"00000n{leader_codes(record)} a22000007a 4500")
        number = next((each.value for each in record.source_identifiers if not each.scheme), "")
        if self._own_number or number:
            self._element("controlfield", self._own_number or number, tag="001")
        if self._own_number:
            self._element("controlfield", "JTNDL", tag="003")
        self._fixed()
        self._numbers()
        self._field("040", "  ", [("e", record.cataloging_rule)])
        self._languages()
        self._subjects(classes=True)
        self._names()
        self._titles()
        self._imprint()
        self._descriptions()
        self._subjects(classes=False)
        self._links()
        for link, subfields in self._readings:
            self._field("880", "  ", [("6", link), *subfields])
        return self._root

    def _element(self, name: str, text: str, **attributes: str) -> etree._Element:
        element = etree.SubElement(self._root, f"{{{MARC}}}{name}", attributes)
        element.text = legal(text)
        return element

    def _field(self, tag: str, indicators: str, subfields: Subfields) -> None:
        filled = [(code, legal(text)) for code, text in subfields if legal(text)]
        if not any(code not in "26" for code, _text in filled):
            return
        attributes = {"tag": tag, "ind1": indicators[0], "ind2": indicators[1]}
        field = etree.SubElement(self._root, f"{{{MARC}}}datafield", attributes)
        for code, text in filled:
            etree.SubElement(field, f"{{{MARC}}}subfield", {"code": code}).text = text

    def _paired(self, tag: str, indicators: str, subfields: Subfields, reading: Subfields) -> None:
        """A field, and its reading as a field 880 at the end."""
        if any(text for _code, text in reading):
            number = f"{len(self._readings) + 1:02}"
            self._readings.append((f"{tag}-{number}/$1", reading))
            subfields = [("6", f"880-{number}"), *subfields]
        self._field(tag, indicators, subfields)

    def _fixed(self) -> None:
        """008: the year, the country and the language, all other positions unknown."""
        record = self._record
        places = (COUNTRY_CODES[each] for each in record.publication_places if each in COUNTRY_CODES)
        language = next((each for each in record.languages if len(each) == 3 and each.isascii()), "   ")
        country = next(places, "xx").ljust(3)
        year = record.year if record.year.isdigit() else "    "
        self._element("controlfield", f"      s{year:4}    {country}{' ' * 17}{language}  ", tag="008")

    def _numbers(self) -> None:
        record = self._record
        for each in record.identifiers:
            self._number(each)
        for each in record.invalid_identifiers:
            self._field("022" if each.scheme.startswith("ISSN") else "020", "  ", [("z", each.value)])
        for price in record.prices:
            self._field("020", "  ", [("c", price)])

    def _number(self, each: Identifier) -> None:
        if each.scheme == "NDLBibID" and each.value == self._own_number:
            return
        if each.scheme in _NUMBERS:
            tag, indicators, code, form = _NUMBERS[each.scheme]
            self._field(tag, indicators, [(code, form.format(each.printed or hyphenated(each)))])
        elif each.scheme in _SOURCED:
            tag, indicators, source = _SOURCED[each.scheme]
            self._field(tag, indicators, [("a", each.value), ("2", source)])
        else:
            self._field("024", "8 ", [("a", each.value)])

    def _languages(self) -> None:
        record = self._record
        codes = [("a", each) for each in record.languages] + [("h", each) for each in record.original_languages]
        self._field("041", "1 " if record.original_languages else "0 ", codes)

    def _names(self) -> None:
        """All in 7XX, as NDL does: which of them is the main entry is not known."""
        for each in self._record.creators:
            self._name(each, "aut" if self._record.contributors else "")
        for each in self._record.contributors:
            self._name(each, "")

    def _name(self, each: Agent, relator: str) -> None:
        uri = each.uri if each.uri.startswith("http") else ""
        role = [("e", each.role)] if each.role else [("4", relator)]
        self._paired("700", "1 ", [("a", each.name), *role, ("0", uri)], [("a", each.transcription)])

    def _titles(self) -> None:
        record = self._record
        main = record.titles[0] if record.titles else Title()
        parts = [("n", each) for each in record.volumes] + [("p", each) for each in record.volume_titles]
        self._paired(
            "245",
            "00",
            [
                ("a", main.value),
                *((code, each.value) for code, each in parts),
                *(("c", each) for each in record.responsibility),
            ],
            [("a", main.transcription), *((code, each.transcription) for code, each in parts)],
        )
        for each in (*record.titles[1:], *record.alternatives):
            self._paired("246", "3 ", [("a", each.value)], [("a", each.transcription)])
        for edition in record.editions:
            self._field("250", "  ", [("a", edition)])

    def _imprint(self) -> None:
        record = self._record
        printed = record.dates or ((record.issued,) if record.issued else ())
        names = [part for each in record.publishers for part in (("a", each.location), ("b", each.name))]
        readings = [("b", each.transcription) for each in record.publishers]
        self._paired("264", " 1", [*names, *(("c", each) for each in printed)], readings)
        for extent in record.extents:
            self._field("300", "  ", [("a", extent)])
        for each in record.series:
            self._paired("490", "0 ", [("a", each.value)], [("a", each.transcription)])

    def _descriptions(self) -> None:
        record = self._record
        for tag, texts in (
            ("500", record.notes),
            ("506", record.access_rights),
            ("520", record.abstracts),
            ("521", record.audiences),
            ("540", record.rights),
        ):
            for text in texts:
                self._field(tag, "  ", [("a", text)])
        for each in record.parts:
            self._field("505", "00", [("t", each.value)])
        for line in record.contents:
            if line not in [each.value for each in record.parts]:
                self._field("505", "0 ", [("a", line)])

    def _subjects(self, *, classes: bool) -> None:
        for each in self._record.subjects:
            if (each.scheme in _CLASSES or each.scheme in _CLASS_TAGS) is classes:
                self._subject(each)
        if not classes:
            for each in self._record.genres:
                self._paired("655", " 4", [("a", each.value)], [("a", each.transcription)])

    def _subject(self, each: Subject) -> None:
        if each.scheme in _CLASSES:
            self._field("084", "  ", [("a", each.value), ("2", _CLASSES[each.scheme])])
        elif each.scheme in _CLASS_TAGS:
            self._field(_CLASS_TAGS[each.scheme], "04", [("a", each.value)])
        elif not each.scheme and not each.transcription and not each.uri:
            self._field("653", "  ", [("a", each.value)])
        else:
            main = [("a", each.value), ("0", each.uri if each.uri.startswith("http") else "")]
            source = [("2", each.scheme.lower())] if each.scheme else []
            self._paired("650", " 7" if source else " 4", [*main, *source], [("a", each.transcription)])

    def _links(self) -> None:
        record, host = self._record, self._record.host
        where = [f"vol. {host.volume}" if host.volume else "", f"no. {host.number}" if host.number else ""]
        where.append(f"p. {host.pages}" if host.pages else "")
        self._field(
            "773",
            "0 ",
            [("t", host.title), ("g", ", ".join(filter(None, where))), *(("x", each) for each in host.issn)],
        )
        for tag, indicators, subfields in self._addresses():
            self._field(tag, indicators, subfields)
        for item in record.items:
            self._field("852", "  ", [("a", item.holding_agent), ("b", item.location), ("h", item.call_number)])

    def _addresses(self) -> Iterator[tuple[str, str, Subfields]]:
        for uri in self._record.see_also:
            yield "856", "40", [("u", uri)]
        for each in self._record.relations:
            if each.uri:
                file = each.type == "hasFormat"
                yield "856", "40" if file else "42", [("u", each.uri), ("3", "" if file else each.label)]
            else:
                yield _RELATIONS.get(each.type, "787"), "0 ", [("t", each.label)]
