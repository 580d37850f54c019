"""The official mapping of junii2 to JPCOAR: every element is converted as JPCOAR's own list says."""

import csv

import pytest
from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.junii2.pairs import NAMES, ROWS, Source
from metadata.vocabularies.namespaces import JUNII2, expand

TABLE = "junii2_to_jpcoar_official.csv"
# Texts for elements that need a certain form.
TEXTS = {
    "NIItype": "Book",
    "textversion": "author",
    "URI": "https://repo.example.jp/1",
    "selfDOI": "info:doi/10.1234/1",
    "doi": "info:doi/10.1234/1",
    "pmid": "info:pmid/1",
    "isbn": "978-4-10-101001-4",
    "issn": "0488-7484",
    "NCID": "AN00000001",
    "format": "application/pdf",
    "fullTextURL": "https://repo.example.jp/1.pdf",
    "grantid": "12601甲第1号",
    "NDC": "913",
}
# The list maps NCID to two elements; here it is the number of the journal.
CONVERTED_OTHERWISE = {("NCID", "jpcoar:relation/jpcoar:relatedIdentifier")}
ATTRIBUTES = {"creator id": ("creator", "id", "0000-0002-1825-0097"), "contributor id": ("contributor", "id", "1")}
ATTRIBUTES |= {"ra": ("selfDOI", "ra", "JaLC")}


def official(samples):
    path = samples.parent / "reference" / "tables" / TABLE
    if not path.is_file():
        pytest.skip("no table of official pairs")
    with path.open(encoding="utf-8") as rows:
        return [(row["junii2_element"], row["jpcoar_path"]) for row in csv.DictReader(rows)]


def converted(element: str) -> etree._Element:
    """Return the jpcoar:jpcoar that one element of junii2 is converted to."""
    name, attribute, value = ATTRIBUTES.get(element, (element, "", ""))
    sent = etree.Element(f"{{{JUNII2}}}{name}")
    sent.text = TEXTS.get(name, "見本")
    if attribute:
        sent.set(attribute, value)
    elif name == "selfDOI":
        sent.set("ra", "JaLC")
    root = etree.Element(expand("jpcoar:jpcoar"))
    source = Source({name: [sent]}, Draft())
    for row in ROWS:
        row.read(source, root)
    return root


def test_every_official_pair_is_converted(samples):
    missed = []
    for element, path in official(samples):
        *names, last = path.split("/")
        steps = [*names, *([] if last.startswith("@") else [last])]
        nodes = converted(element).findall("/".join(map(expand, steps)))
        matches = [node for node in nodes if not last.startswith("@") or node.get(last[1:])]
        if not matches and (element, path) not in CONVERTED_OTHERWISE:
            missed.append((element, path))
    assert missed == []


def test_every_element_of_the_official_list_is_known(samples):
    names = {ATTRIBUTES.get(element, (element,))[0] for element, _ in official(samples)}
    assert len(names) > 50
    assert names <= NAMES
