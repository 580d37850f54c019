"""What the issues of DC-NDL(RDF) name: the element, the value as sent, and the value that is used."""

import pytest

from metadata.issue import Issue
from tests.metadata.documents import ADMIN, HOLDER, ITEM, SEE_ALSO, TITLE, TYPE, URL, identifier, read_dcndl

ISBN, OTHER = "978-4-10-101001-4", "978-4-10-101099-1"
ISBN_URI = '<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/{}"/>'


def found(*parts: str, code: str, **replaced: str) -> list[tuple[str, str, str]]:
    """The field, the value and the result of all issues with this code."""
    issues: tuple[Issue, ...] = read_dcndl(*parts, **replaced).issues
    return [(issue.field, issue.value, issue.result) for issue in issues if issue.code == f"dcndl.{code}"]


def classed(scheme: str, value: str) -> str:
    return f'<dc:subject rdf:datatype="http://ndl.go.jp/dcndl/terms/{scheme}">{value}</dc:subject>'


@pytest.mark.parametrize(
    ("code", "extra", "expected"),
    [
        ("E013", identifier("ISBN", "978-4-10-101001-0"), ("dcterms:identifier[ISBN]", "978-4-10-101001-0", "")),
        ("E013", identifier("SetISBN", "1"), ("dcterms:identifier[SetISBN]", "1", "")),
        ("N013", identifier("ISBN", "4101010014"), ("dcterms:identifier[ISBN]", "4101010014", "9784101010014")),
        ("E016", identifier("ISSN", "0488-7485"), ("dcterms:identifier[ISSN]", "0488-7485", "")),
        ("N016", identifier("NDLJP", "123"), ("dcterms:identifier[NDLJP]", "123", "info:ndljp/pid/123")),
        ("W017", identifier("XYZ", "1"), ("dcterms:identifier[XYZ]", "1", "")),
        ("W017", "<dcterms:identifier>1</dcterms:identifier>", ("dcterms:identifier", "1", "")),
        ("W014", identifier("ISBN", ISBN) + identifier("ISBN", OTHER), ("dcterms:identifier[ISBN]", "2", "")),
        (
            "E015",
            identifier("ISBN", ISBN) + identifier("SetISBN", ISBN),
            ("dcterms:identifier[ISBN]", "9784101010014", ""),
        ),
        ("N012", identifier("ISBN", ISBN), ("rdfs:seeAlso", "9784101010014", "")),
        ("N012", ISBN_URI.format("9784101010014"), ("dcterms:identifier", "9784101010014", "")),
        (
            "W012",
            identifier("ISBN", ISBN) + ISBN_URI.format("9784101010991"),
            ("rdfs:seeAlso", "9784101010991", "9784101010014"),
        ),
        ("W012", ISBN_URI.format("1"), ("rdfs:seeAlso", "1", "")),
        ("E011", '<rdfs:seeAlso rdf:resource="/bib/1"/>', ("rdfs:seeAlso", "/bib/1", "")),
        ("N018", "<dcterms:issued>2022.2</dcterms:issued>", ("dcterms:issued", "2022.2", "2022-02")),
        ("E018", "<dcterms:issued>不明</dcterms:issued>", ("dcterms:issued", "不明", "")),
        ("I118", "<dcterms:issued>2022</dcterms:issued>", ("dcterms:issued", "2022", "")),
        ("N118", "<dcterms:date>昭62</dcterms:date>", ("dcterms:date", "昭62", "1987")),
        ("I019", "<dcterms:date>年不明</dcterms:date>", ("dcterms:date", "年不明", "")),
        ("N020", "<dcterms:language>ja</dcterms:language>", ("dcterms:language", "ja", "jpn")),
        ("W020", "<dcterms:language>xqz</dcterms:language>", ("dcterms:language", "xqz", "")),
        ("W020", "<dcndl:originalLanguage>xqz</dcndl:originalLanguage>", ("dcndl:originalLanguage", "xqz", "")),
        ("N021", "<dcndl:publicationPlace>JPN</dcndl:publicationPlace>", ("dcndl:publicationPlace", "JPN", "JP")),
        ("W021", "<dcndl:publicationPlace>東京</dcndl:publicationPlace>", ("dcndl:publicationPlace", "東京", "")),
        ("W023", classed("NDC9", "文学"), ("dcterms:subject[NDC9]", "文学", "")),
        ("I027", "<dcndl:shelf>3階</dcndl:shelf>", ("dcndl:BibResource/dcndl:shelf", "3階", "")),
        ("I027", '<dcndl:shelf rdf:resource="http://a.jp/"/>', ("dcndl:BibResource/dcndl:shelf", "http://a.jp/", "")),
    ],
)
def test_an_issue_names_element_and_values(code, extra, expected):
    assert found(extra, code=code) == [expected]


@pytest.mark.parametrize(
    ("code", "replaced", "expected"),
    [
        ("W005", {"item": ITEM * 3}, ("dcndl:Item", "3", "")),
        ("E101", {"admin": ADMIN * 2}, ("dcndl:BibAdminResource", "2", "")),
        ("W008", {"admin": ADMIN.replace("https://", "urn:")}, ("@rdf:about", URL.replace("https://", "urn:"), "")),
        (
            "W108",
            {"admin": ADMIN.replace("</dcndl:BibA", '<dcndl:record rdf:resource="http://a.jp/"/></dcndl:BibA')},
            ("dcndl:BibAdminResource/dcndl:record", "http://a.jp/", ""),
        ),
        (
            "I122",
            {"kind": TYPE.replace("図書", "雑誌")},
            ("dcndl:materialType/@rdfs:label", "雑誌 (http://ndl.go.jp/ndltype/Book)", ""),
        ),
        ("W122", {"kind": TYPE.replace("Book", "Buch")}, ("dcndl:materialType", "http://ndl.go.jp/ndltype/Buch", "")),
        ("I026", {"title": TITLE.replace("坊っちゃん", "明暗 下巻")}, ("dc:title", "明暗 下巻", "")),
        ("N003", {"title": "<dcterms:title>草枕</dcterms:title>"}, ("dcterms:title", "草枕", "草枕")),
        (
            "E011",
            {"item": ITEM.replace(SEE_ALSO, '<rdfs:seeAlso rdf:resource="/1"/>')},
            ("dcndl:Item/rdfs:seeAlso", "/1", ""),
        ),
    ],
)
def test_an_issue_of_a_node_names_it(code, replaced, expected):
    assert found(code=code, **replaced) == [expected]


@pytest.mark.parametrize("label", ["図書", "絵葉書", ""])
def test_labels_that_ndl_writes_itself_are_right(label):
    kind = TYPE.replace("Book", "PicturePostcard") if label == "絵葉書" else TYPE
    assert found(code="I122", kind=kind.replace("図書", label)) == []


def test_only_several_items_are_counted():
    assert found(code="W005", item="") == found(code="W005", item=ITEM) == []
    assert found(code="W004", item="") == [("dcndl:Item", "", "")]


def test_an_item_that_nothing_names_is_dangling():
    reference = '<dcndl:record rdf:resource="{}"/>'
    assert found(reference.format(f"{URL}#item"), code="W208") == []
    assert found(reference.format("http://a.jp/"), code="W208") == [
        ("dcndl:BibResource/dcndl:record", "http://a.jp/", "")
    ]
    assert found(reference.format("http://a.jp/"), code="W208", item="") == []


@pytest.mark.parametrize(
    ("volumes", "isbns", "expected"),
    [
        ("上中下", 2, [("dcndl:volume", "3 / ISBN 2", "")]),
        ("上下", 2, []),
        ("上中下", 1, []),
        ("上", 2, []),
        ("", 2, []),
    ],
)
def test_volumes_and_isbns_are_counted(volumes, isbns, expected):
    parts = [f"<dcndl:volume>{volume}</dcndl:volume>" for volume in volumes]
    parts += [identifier("ISBN", number) for number in (ISBN, OTHER)[:isbns]]
    assert found(*parts, code="I025") == expected


@pytest.mark.parametrize(
    ("reading", "code"),
    [("サカ坂", "W024"), ("さか", "N024"), ("ｻｶ", "N024"), ("サカ・2 A", ""), ("サカ々", "W024")],
)
def test_readings_are_in_katakana(reading, code):
    for element in ("dcterms:creator", "dcterms:publisher"):
        node = f"<foaf:Agent><foaf:name>坂</foaf:name><dcndl:transcription>{reading}</dcndl:transcription></foaf:Agent>"
        part = f"<{element}>{node}</{element}>"
        for one in ("W024", "N024"):
            assert found(part, code=one) == ([(element, reading, "")] if one == code else [])


@pytest.mark.parametrize(("language", "is_code"), [("qaa", True), ("qtz", True), ("qzz", False), ("jpn", True)])
def test_codes_for_local_use_are_codes(language, is_code):
    assert (found(f"<dcndl:originalLanguage>{language}</dcndl:originalLanguage>", code="W020") == []) == is_code


def test_a_code_of_a_library_has_four_digits():
    for code, is_right in (("9999", True), ("999", False), ("99999", False), ("９９９９", False)):
        assert (found(code="W007", item=ITEM.replace("9999", code)) == []) == is_right
    assert found(code="I006", item=ITEM.replace(HOLDER, "")) != []
