"""The examples in the catalogue: a record that contains the example gets the code of the rule."""

import pytest

from metadata.catalogue import RULES
from metadata.issue import Reading
from metadata.reading import check_repository_number, read
from metadata.validation.envelope import check_envelope, parts_of
from metadata.xml.parsing import parse
from tests.metadata.documents import ADMIN, HOLDER, ITEM, TITLE, URL, oai_dc, read_dcndl, read_oai_dc

MODULES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
    'xmlns:dcndl="http://ndl.go.jp/dcndl/terms/" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:ndl="urn:example:ndl"'
)
DCTERMS = 'xmlns:dcterms="http://purl.org/dc/terms/"'
NUMBERED = ADMIN.replace("R900000001", "{}")
BARE = ADMIN.partition("<dcndl:bib")[0] + "{}</dcndl:BibAdminResource>"


def simple(extra: str, title: str = "<dc:title>草枕</dc:title>") -> Reading:
    document = f'<s:dc xmlns:s="http://ndl.go.jp/dcndl/dcndl_simple/" {MODULES}>{title}{extra}</s:dc>'
    return read(document.encode(), "dcndl_simple")


def item(extra: str, title: str = "<title>草枕</title>", attributes: str = "") -> Reading:
    link = "" if "<guid>" in extra or "<link>" in extra else f"<link>{URL}</link>"
    return read(f"<item {MODULES} {attributes}>{title}{link}{extra}</item>".encode(), "rss")


def rss1(example: str) -> Reading:
    body = example.replace("<item ", f'<item xmlns="http://purl.org/rss/1.0/" {MODULES} ')
    return read(body.replace("</item>", "<title>草枕</title></item>").encode(), "rss")


def envelope(example: str) -> Reading:
    document = f'<record xmlns="http://www.openarchives.org/OAI/2.0/">{example}</record>'
    return Reading(issues=tuple(check_envelope(parts_of(parse(document.encode())))))


def header(example: str) -> Reading:
    return envelope(f"<header>{example}</header>")


def wrapped(example: str) -> Reading:
    inner = example.replace("<oai_dc:dc>…</oai_dc:dc>", oai_dc().decode())
    return read(
        inner.replace("<metadata>", '<metadata xmlns="http://www.openarchives.org/OAI/2.0/">').encode(), "oai_dc"
    )


def full(example: str) -> str:
    return example.replace('"…/', '"http://ndl.go.jp/dcndl/terms/')


# How to put an example into a record, if it is not an element of the description.
PLACES = {
    "oai.E002": wrapped,
    "oai.E003": wrapped,
    "oai.E004": lambda example: read(example.encode(), "dcndl"),
    "oai.W004": lambda _: read(oai_dc(), "dcndl"),
    "oai.W013": header,
    "oai.I013": header,
    "oai.W016": header,
    "oai.W017": envelope,
    "oai.W117": envelope,
    "oai.I027": lambda example: envelope(f"<about><provenance>{example}</provenance></about>"),
    "xml.E001": read_dcndl,
    "xml.E002": lambda example: read(example.encode() + oai_dc(), "oai_dc"),
    "xml.E003": lambda _: read(b"<a>" * 300 + b"</a>" * 300, "oai_dc"),
    "chars.W020": lambda example: read((example + oai_dc().decode()).encode("utf-16"), "oai_dc"),
    "chars.E015": lambda _: read_dcndl(title=TITLE.replace("坊っちゃん", "外字\ue123のある書名")),
    "chars.W013": lambda _: read_dcndl(title=TITLE.replace("坊っちゃん", "長" * 4_001)),
    "dcndl.E001": lambda _: read_dcndl(admin=""),
    "dcndl.E101": lambda example: read_dcndl(admin=example),
    "dcndl.E002": lambda example: read_dcndl(item=example + ITEM),
    "dcndl.E102": lambda example: read_dcndl(item=example + ITEM),
    "dcndl.E003": lambda example: read_dcndl(title=example),
    "dcndl.N003": lambda example: read_dcndl(title=example),
    "dcndl.W024": lambda example: read_dcndl(title=example),
    "dcndl.N024": lambda example: read_dcndl(title=example),
    "dcndl.I026": lambda example: read_dcndl(title=example),
    "dcndl.W014": lambda example: read_dcndl(full(example)),
    "dcndl.E015": lambda example: read_dcndl(full(example)),
    "dcndl.W022": lambda _: read_dcndl(kind=""),
    "dcndl.W122": lambda example: read_dcndl(kind=example),
    "dcndl.I122": lambda example: read_dcndl(kind=example),
    "dcndl.N022": lambda example: read_dcndl(kind=example),
    "dcndl.E004": lambda _: read_dcndl(admin=NUMBERED.format("R100000001"), item=""),
    "dcndl.E006": lambda _: read_dcndl(admin=NUMBERED.format("R100000001"), item=ITEM.replace(HOLDER, "")),
    "dcndl.I006": lambda example: read_dcndl(item=ITEM.replace(HOLDER, example)),
    "dcndl.W007": lambda example: read_dcndl(item=ITEM.replace(HOLDER, example)),
    "dcndl.W004": lambda _: read_dcndl(item=""),
    "dcndl.W005": lambda example: read_dcndl(item=example),
    "dcndl.W008": lambda example: read_dcndl(item=example),
    "dcndl.W011": lambda example: read_dcndl(item=example.partition(" (")[0]),
    "dcndl.W108": lambda example: read_dcndl(admin=BARE.format(example)),
    "dcndl.N010": lambda example: read_dcndl(admin=example),
    "dcndl.W010": lambda example: read_dcndl(admin=BARE.format(example)),
    "dcndl.W110": lambda _: check_repository_number(read_dcndl(), "R900000002"),
    "dcndl.N030": lambda example: read_dcndl(admin=BARE.format(example)),
    "dcndl_simple.E002": lambda example: simple("", title=example),
    "dcndl_simple.W005": lambda example: simple(example, title=""),
    "dcndl_simple.W008": lambda _: simple(""),
    "dcndl_simple.W009": lambda example: simple(example, title=""),
    "oai_dc.N001": lambda example: read(example.encode(), "oai_dc"),
    "oai_dc.W002": lambda example: read_oai_dc(example.replace(":issued>", f":issued {DCTERMS}>", 1)),
    "oai_dc.E003": lambda example: read_oai_dc(title=example),
    "oai_dc.W004": lambda example: read_oai_dc(page=example),
    "oai_dc.W005": lambda _: read_oai_dc("新着図書"),
    "oai_dc.W007": lambda example: read_oai_dc(date=example),
    "oai_dc.I007": lambda example: read_oai_dc(date=example),
    "rss.E003": lambda example: item("", title=example),
    "rss.N004": lambda _: item(f"<guid>{URL}</guid>"),
    "rss.W107": rss1,
    "rss.W014": lambda example: read(example.encode(), "rss"),
}
# Rules that only a transport or a whole run can check, or whose example would be too long to be complete.
ELSEWHERE = {
    "oai.E001",  # harvesting.records.decisions
    "xml.E004",  # more namespaces than an example can show
    "xml.W001",  # these three: metadata.xml.repair, tests/metadata/xml/test_repair.py
    "xml.W002",
    "xml.W003",
    "rss.E001",  # these three: harvesting.transports.documents.feed_items
    "rss.N002",
    "rss.W008",
    "dcndl.I025",  # this and the next: tests/metadata/formats/dcndl/test_rules.py
    "dcndl.W028",
}
ELEMENTS = {"dcndl": read_dcndl, "chars": read_dcndl, "dcndl_simple": simple, "oai_dc": read_oai_dc, "rss": item}
FAMILIES = {*ELEMENTS, "oai", "xml"}
CODES = [code for code in RULES if code.partition(".")[0] in FAMILIES]


@pytest.mark.parametrize("code", [code for code in CODES if code not in ELSEWHERE])
def test_a_record_with_the_example_gets_the_code(code):
    read_example = PLACES.get(code) or ELEMENTS[code.partition(".")[0]]
    assert code in [issue.code for issue in read_example(RULES[code].example).issues]


@pytest.mark.parametrize("code", CODES)
def test_every_rule_has_a_short_example_and_a_source(code):
    assert 0 < len(RULES[code].example) <= 200
    assert RULES[code].source
