"""The rules of DC-NDL(RDF): an issue for what breaks a rule, none for what follows it."""

import pytest

from metadata.reading import check_repository_number
from tests.metadata.documents import (
    ADMIN,
    HOLDER,
    ITEM,
    SEE_ALSO,
    TITLE,
    TYPE,
    URL,
    codes,
    identifier,
    read_dcndl,
)

ISBN = identifier("ISBN", "978-4-10-101001-4")
ISBN_URI = '<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/{}"/>'
READING = (
    "<dc:title><rdf:Description><rdf:value>草枕</rdf:value><dcndl:transcription>{}</dcndl:transcription>"
    "</rdf:Description></dc:title>"
)

UNION = ADMIN.replace("R900000001", "R100000001")
PLACE = "<dcndl:publicationPlace>{}</dcndl:publicationPlace>"
CLASS = '<dc:subject rdf:datatype="http://ndl.go.jp/dcndl/terms/{}">{}</dc:subject>'


def issued(value: str) -> str:
    return f'<dcterms:issued rdf:datatype="http://purl.org/dc/terms/W3CDTF">{value}</dcterms:issued>'


def test_a_correct_record_has_no_issues():
    assert codes(read_dcndl(ISBN, ISBN_URI.format("9784101010014"), issued("1950"))) == []


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        ({"admin": ""}, "dcndl.E001"),
        ({"admin": "<dcndl:BibAdminResource/>"}, "dcndl.E001"),
        ({"admin": ADMIN + ADMIN}, "dcndl.E101"),
        ({"item": f"<dcndl:BibResource/>{ITEM}"}, "dcndl.E002"),
        ({"item": f'<dcndl:BibResource rdf:about="{URL}0"/>{ITEM}'}, "dcndl.E102"),
        ({"title": ""}, "dcndl.E003"),
        ({"title": TITLE.replace("坊っちゃん", " ")}, "dcndl.E003"),
        ({"admin": UNION, "item": ""}, "dcndl.E004"),
        ({"admin": UNION, "item": ITEM.replace(HOLDER, "")}, "dcndl.E006"),
    ],
)
def test_missing_mandatory_elements_reject_the_record(replaced, code):
    reading = read_dcndl(**replaced)
    assert reading.record is None
    assert code in codes(reading)


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        ({"title": "<dcterms:title>草枕</dcterms:title>"}, "dcndl.N003"),
        ({"item": ""}, "dcndl.W004"),
        ({"item": ITEM + ITEM}, "dcndl.W005"),
        ({"admin": ADMIN.replace("https://", "urn:")}, "dcndl.W008"),
        ({"item": ITEM.replace("https://opac", "opac", 1)}, "dcndl.W008"),
        ({"admin": ADMIN.replace("</dcndl:BibA", f'<dcndl:record rdf:resource="{URL}"/></dcndl:BibA')}, "dcndl.W108"),
        ({"admin": f'<dcndl:BibAdminResource rdf:about="{URL}"/>'}, "dcndl.N010"),
        ({"admin": ADMIN.replace("R900000001", "R12")}, "dcndl.W010"),
        ({"item": ITEM.replace(SEE_ALSO, "")}, "dcndl.W011"),
        ({"item": ITEM.replace(HOLDER, "")}, "dcndl.I006"),
        ({"item": ITEM.replace("9999", "R9")}, "dcndl.W007"),
        (
            {"admin": ADMIN.replace("dcndl:bib", "dcndl:cataloguingStatus>C7</dcndl:cataloguingStatus><dcndl:bib", 1)},
            "dcndl.N030",
        ),
        ({"title": TITLE.replace("坊っちゃん", "明暗 下巻")}, "dcndl.I026"),
        ({"kind": TYPE.replace("図書", "雑誌")}, "dcndl.I122"),
        ({"kind": ""}, "dcndl.W022"),
        ({"kind": '<dcndl:materialType rdf:resource="http://ndl.go.jp/ndltype/Buch"/>'}, "dcndl.W122"),
        ({"title": READING.format("草枕")}, "dcndl.W024"),
        ({"title": READING.format("くさまくら")}, "dcndl.N024"),
        ({"title": READING.format("ｸｻﾏｸﾗ")}, "dcndl.N024"),
    ],
)
def test_minor_issues_are_reported_and_the_record_is_registered(replaced, code):
    reading = read_dcndl(**replaced)
    assert reading.record is not None
    assert code in codes(reading)


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        ('<rdfs:seeAlso rdf:resource="/bib/1"/>', "dcndl.E011"),
        ('<rdfs:seeAlso rdf:resource="javascript:alert(1)"/>', "dcndl.E011"),
        (ISBN, "dcndl.N012"),
        (ISBN + ISBN_URI.format("9784101010991"), "dcndl.W012"),
        (identifier("ISBN", "978-4-10-101001-0"), "dcndl.E013"),
        (identifier("ISBN", "410101001"), "dcndl.E013"),
        (identifier("ISBN", "4101010014"), "dcndl.N013"),
        (ISBN + identifier("ISBN", "978-4-10-101099-1"), "dcndl.W014"),
        (ISBN + identifier("SetISBN", "978-4-10-101001-4"), "dcndl.E015"),
        (identifier("NIIBibID", "12345"), "dcndl.E016"),
        (identifier("XYZNO", "12345"), "dcndl.W017"),
        ("<dcterms:identifier>12345</dcterms:identifier>", "dcndl.W017"),
        (identifier("NIIBibID", "XX01234567"), "dcndl.E016"),
        (identifier("NDLJP", "1234567"), "dcndl.N016"),
        (
            '<dcterms:subject><rdf:Description rdf:nodeID="s"><rdf:value>猫</rdf:value></rdf:Description>'
            "</dcterms:subject>",
            "dcndl.W029",
        ),
        (PLACE.format("JPN"), "dcndl.N021"),
        (PLACE.format("jp"), "dcndl.N021"),
        (PLACE.format("東京"), "dcndl.W021"),
        (PLACE.format("ZZ"), "dcndl.W021"),
        (CLASS.format("NDC9", "９１１．１"), "dcndl.W023"),
        (CLASS.format("NDLC", "913.6"), "dcndl.W023"),
        ('<dcterms:subject rdf:resource="http://id.ndl.go.jp/class/ndc9/"/>', "dcndl.W023"),
        (issued("不明"), "dcndl.E018"),
        (issued("19770724"), "dcndl.N018"),
        (issued("2022.2"), "dcndl.N018"),
        (issued("2001-02-30"), "dcndl.N018"),
        ("<dcterms:date>昭62</dcterms:date>", "dcndl.N118"),
        ("<dcterms:language>ja</dcterms:language>", "dcndl.N020"),
        ("<dcterms:language>日本の言葉</dcterms:language>", "dcndl.W020"),
        ("<dcterms:language>xqz</dcterms:language>", "dcndl.W020"),
        ("<dcterms:date>[出版年不明]</dcterms:date>", "dcndl.I019"),
        ("<dcndl:shelf>3階</dcndl:shelf>", "dcndl.I027"),
        (ISBN.replace("http://ndl.go.jp/dcndl/terms/", "http://example.jp/"), "dcndl.W117"),
        (ISBN.replace("http://ndl.go.jp/dcndl/terms/", "http://purl.org/dc/terms/"), "dcndl.W117"),
    ],
)
def test_values_that_break_a_rule_are_reported(extra, code):
    assert code in codes(read_dcndl(extra))


def test_dropped_values_are_not_in_the_record():
    record = read_dcndl(
        '<rdfs:seeAlso rdf:resource="javascript:alert(1)"/>',
        issued("不明"),
        ISBN,
        identifier("SetISBN", "978-4-10-101001-4"),
    ).record
    assert record.see_also == ()
    assert record.issued == ""
    assert record.values("ISBN") == ()
    assert record.values("SetISBN") == ("9784101010014",)


def test_an_isbn_without_978_is_completed():
    assert read_dcndl(identifier("ISBN", "4101010014")).record.values("ISBN") == ("9784101010014",)


def test_an_isbn_that_its_provider_declares_wrong_is_not_reported():
    reading = read_dcndl(identifier("ErrorISBN", "978-4-10-101001-0"))
    assert codes(reading) == []
    assert reading.record.invalid_identifiers[0].scheme == "ISBN"


def test_the_date_of_publication_is_normalised():
    assert read_dcndl(issued("2022.2")).record.issued == "2022-02"
    assert read_dcndl("<dcterms:date>昭62</dcterms:date>").record.issued == "1987"


def test_a_reading_may_hold_katakana_latin_letters_and_digits():
    assert "dcndl.W024" not in codes(read_dcndl(title=READING.format("クサマクラ・2 the best")))
    assert "dcndl.N024" not in codes(read_dcndl(title=READING.format("クサマクラ・2 the best")))


@pytest.mark.parametrize(
    ("scheme", "number"),
    [
        ("NDC9", "913.6"),
        ("NDC10", "K913"),
        ("NDC8", "E"),
        ("NDLC", "KH334"),
        ("NDLC", "YMC11"),
        ("NDLC", "YG1-Z"),
        ("NDLC", "KS210-Fitzgerald,Francis Scott Key"),
        ("NDLSH", "猫"),
    ],
)
def test_usual_forms_of_class_numbers_are_accepted(scheme, number):
    assert codes(read_dcndl(CLASS.format(scheme, number))) == []


def test_countries_become_two_letter_codes():
    reading = read_dcndl(PLACE.format("JPN"), PLACE.format("GB"), PLACE.format("東京"))
    assert reading.record.publication_places == ("JP", "GB", "東京")


def test_the_number_of_another_repository_is_reported():
    reading = check_repository_number(read_dcndl(), "R900000002")
    assert [(issue.code, issue.value) for issue in reading.issues] == [("dcndl.W110", "R900000001")]
    assert reading.record == read_dcndl().record


@pytest.mark.parametrize(
    ("number", "admin"),
    [("R900000001", ADMIN), ("R900000002", ADMIN.replace("R900000001", "900000001")), ("R900000002", "")],
)
def test_the_right_repository_number_or_none_adds_no_issue(number, admin):
    assert check_repository_number(read_dcndl(admin=admin), number) == read_dcndl(admin=admin)


def test_a_correct_record_of_the_union_catalogue_is_registered():
    assert codes(read_dcndl(admin=UNION)) == []


@pytest.mark.parametrize("title", ["海の上", "第3の男", "三四郎", "1984", "雑誌の編集", "中部地方"])
def test_a_title_that_only_looks_like_a_volume_is_not_reported(title):
    assert codes(read_dcndl(title=TITLE.replace("坊っちゃん", title))) == []


@pytest.mark.parametrize("code", ["jpn", "ger", "deu", "ain", "und", "mul", "qaa"])
def test_codes_of_iso_639_2_are_known(code):
    assert "dcndl.W020" not in codes(read_dcndl(f"<dcterms:language>{code}</dcterms:language>"))


@pytest.mark.parametrize("code", ["qaaa", "qq", "QAA", "quu"])
def test_what_is_no_code_of_iso_639_2_is_reported(code):
    assert "dcndl.W020" in codes(read_dcndl(f"<dcterms:language>{code}</dcterms:language>"))


def test_different_numbers_of_volumes_and_isbns_are_reported():
    volumes = "".join(f"<dcndl:volume>{volume}</dcndl:volume>" for volume in "上中下")
    assert "dcndl.I025" in codes(read_dcndl(volumes, ISBN, identifier("ISBN", "978-4-10-101099-1")))


def test_two_versions_of_the_format_in_one_record_are_reported():
    item = ITEM.replace("</dcndl:Item>", "<dcterms:publisher>見本図書館</dcterms:publisher></dcndl:Item>")
    extra = "<dcndl:digitizedPublisher>見本図書館</dcndl:digitizedPublisher>"
    assert "dcndl.W028" in codes(read_dcndl(extra, item=item))
    assert "dcndl.W028" not in codes(read_dcndl(item=item))


@pytest.mark.parametrize(
    "node", ['<dcndl:Item rdf:nodeID="i1"/>', '<rdf:Description rdf:about="https://opac.example.jp/bib/1#item"/>']
)
def test_another_shape_of_rdf_is_reported(node):
    assert "dcndl.W029" in codes(read_dcndl(item=ITEM + node))
