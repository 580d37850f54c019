"""Types, dates, languages, titles, rights and descriptions in JPCOAR: what is kept, where it goes, and what is said."""

import pytest

from metadata.record import Date, License, MaterialType, Subject, Title
from tests.metadata.documents import codes
from tests.metadata.formats.jpcoar.elements import element, one
from tests.metadata.formats.jpcoar.test_read import ISSUED, TYPE, read_jpcoar
from tests.metadata.formats.jpcoar.test_rules import COAR, inside, issue_codes, issues


def test_the_number_of_pages_comes_before_the_other_extents():
    parts = [element("dcterms:extent", "図版"), element("numPages", "12"), element("dcterms:extent", "1冊")]
    assert read_jpcoar(*parts).record.extents == ("12p", "図版", "1冊")
    assert read_jpcoar(element("numPages", "xii, 12")).record.extents == ("xii, 12",)
    assert read_jpcoar(element("numPages", "12"), element("numPages", "13")).record.extents == ("12p",)


@pytest.mark.parametrize(
    ("text", "code", "label", "reported"),
    [
        ("journal article", "c_6501", "journal article", set()),
        ("Journal Article", "c_6501", "journal article", set()),
        ("PCT application", "SB3Y-W4EH", "PCT application", set()),
        ("論文", "c_6501", "journal article", {"jpcoar.N207"}),
        ("論文", "c_0", "", {"jpcoar.E007"}),
        ("journal article", "c_2f33", "journal article", {"jpcoar.N007"}),
    ],
)
def test_a_type_is_read_by_its_text_or_else_by_its_uri(text, code, label, reported):
    kind = f'<dc:type rdf:resource="{COAR}/resource_type/{code}">{text}</dc:type>'
    reading = read_jpcoar(kind=kind)
    assert {code for code in codes(reading) if code.endswith("07")} == reported
    if label:
        assert [known.label for known in reading.record.material_types] == [label]


def test_of_several_types_the_first_is_read():
    reading = read_jpcoar(kind=TYPE + TYPE.replace("journal article", "book").replace("c_6501", "c_2f33"))
    assert [kind.label for kind in reading.record.material_types] == ["journal article"]
    assert [issue.value for issue in reading.issues if issue.code == "jpcoar.E107"] == ["book"]


def test_a_type_without_a_uri_is_reported_since_version_2():
    kind = "<dc:type>book</dc:type>"
    assert [version for version in ("1.0", "2.0", "2.1") if "W107" in issue_codes("", kind, version)] == ["2.0", "2.1"]


@pytest.mark.parametrize(
    ("sent", "issued", "others", "reported"),
    [
        ("2017-03-25", "2017-03-25", (), set()),
        ("2017", "2017", (), set()),
        ("2016/2017", "2016", (Date(type="issued", value="2016/2017"),), set()),
        ("© 1979", "1979", (Date(type="issued", value="© 1979"),), {"jpcoar.N017"}),
        ("2017年3月25日", "2017-03-25", (Date(type="issued", value="2017年3月25日"),), {"jpcoar.N017"}),
        ("平成29年", "2017", (Date(type="issued", value="平成29年"),), {"jpcoar.N017"}),
        ("近刊", "", (), {"jpcoar.E017"}),
    ],
)
def test_the_date_of_issue_is_read_as_printed(sent, issued, others, reported):
    reading = read_jpcoar(issued=element("datacite:date", sent, dateType="Issued"))
    assert {code for code in codes(reading) if code.endswith("017")} == reported
    record = reading.record
    assert (record.issued, record.dates, record.other_dates) == (issued, () if issued else (sent,), others)


def test_a_second_date_of_issue_is_another_date():
    reading = read_jpcoar(issued=ISSUED + ISSUED.replace("2017", "2018"))
    assert (reading.record.issued, reading.record.other_dates) == (
        "2017-03-25",
        (Date(type="issued", value="2018-03-25"),),
    )


def test_without_a_date_of_issue_a_plain_date_is_read():
    record = read_jpcoar(element("dcterms:date", "昭和の頃"), element("dcterms:date", "1979"), issued="").record
    assert (record.issued, record.dates) == ("1979", ("昭和の頃", "1979"))


def test_the_first_date_of_granting_is_one_of_the_dates():
    parts = [element("dcndl:dateGranted", value) for value in ("2017-03-25", "2018-03-25")]
    assert read_jpcoar(*parts).record.other_dates == (Date(type="dateGranted", value="2017-03-25"),)


@pytest.mark.parametrize(
    ("text", "uri", "rights", "licenses"),
    [
        ("無断転載禁止", "", ("無断転載禁止",), ()),
        (
            "CC BY",
            "https://creativecommons.org/licenses/by/4.0/",
            ("CC BY",),
            (License(uri="https://creativecommons.org/licenses/by/4.0/", label="CC BY", language="ja"),),
        ),
        ("", "https://a.jp/terms", ("https://a.jp/terms",), (License(uri="https://a.jp/terms", language="ja"),)),
    ],
)
def test_rights_with_a_uri_are_also_a_licence(text, uri, rights, licenses):
    link = f' rdf:resource="{uri}"' if uri else ""
    record = read_jpcoar(f'<dc:rights xml:lang="ja"{link}>{text}</dc:rights>').record
    assert (record.rights, record.licenses) == (rights, licenses)


@pytest.mark.parametrize(
    ("text", "code", "read"),
    [
        ("open access", "c_abf2", ("open access",)),
        ("Open Access", "", ("open access",)),
        ("公開", "c_abf2", ("open access",)),
        ("open access", "c_14cb", ("open access",)),
        ("公開", "", ()),
    ],
)
def test_access_is_read_by_its_text_or_else_by_its_uri(text, code, read):
    link = f' rdf:resource="{COAR}/access_right/{code}"' if code else ""
    record = read_jpcoar(f"<dcterms:accessRights{link}>{text}</dcterms:accessRights>").record
    assert record.access_rights == read


@pytest.mark.parametrize(
    ("text", "code", "read"),
    [("AM", "c_ab4af688f83e57aa", "AM"), ("AM", "", "AM"), ("著者版", "c_ab4af688f83e57aa", "AM"), ("著者版", "", "")],
)
def test_the_version_is_read_by_its_uri_or_else_by_its_text(text, code, read):
    link = f' rdf:resource="{COAR}/version/{code}"' if code else ""
    assert read_jpcoar(f"<oaire:version{link}>{text}</oaire:version>").record.version_type == read


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"text": "情報", "subjectScheme": "Other", "lang": "ja"}, Subject(value="情報", language="ja")),
        ({"text": "007", "subjectScheme": "NDC"}, Subject(value="007", scheme="NDC")),
        ({"subjectURI": "http://a.jp/1", "subjectScheme": "BSH"}, Subject(scheme="BSH", uri="http://a.jp/1")),
        ({"text": "情報"}, Subject(value="情報")),
    ],
)
def test_a_subject_has_a_text_or_a_uri(sent, read):
    assert one("subjects", element("subject", **sent)) == read
    assert read_jpcoar(element("subject", subjectScheme="NDC")).record.subjects == ()


@pytest.mark.parametrize(
    ("sent", "read", "code"),
    [
        ("jpn", "jpn", ""),
        ("ja", "jpn", "N018"),
        ("Japanese", "jpn", "N018"),
        ("xxq", "xxq", "I018"),
        ("??", "und", "E018"),
    ],
)
def test_languages_become_codes(sent, read, code):
    reading = read_jpcoar(element("dc:language", sent))
    assert reading.record.languages == (read,)
    assert [found[7:] for found in codes(reading) if found.endswith("018")] == ([code] if code else [])


def test_a_reading_belongs_to_the_japanese_text_before_it():
    forms = [("ja", "別題"), ("ja-Kana", "ベツダイ"), ("en", "Other"), ("ja-Kana", "アザー")]
    parts = [element("dcterms:alternative", text, lang=language) for language, text in forms]
    assert read_jpcoar(*parts).record.alternatives == (
        Title(value="別題", transcription="ベツダイ", language="ja"),
        Title(value="Other", language="en"),
        Title(value="アザー", language="ja-Kana"),
    )
    twice = [element("dcterms:alternative", "ベツダイ", lang="ja-Kana")] * 2
    assert [title.transcription for title in read_jpcoar(parts[0], *twice).record.alternatives] == ["ベツダイ", ""]


@pytest.mark.parametrize(
    ("of_record", "main", "others"),
    [
        ("", "尺八", ["Flutes", "Flöten"]),
        ("eng", "Flutes", ["尺八", "Flöten"]),
        ("ger", "Flöten", ["尺八", "Flutes"]),
        ("fre", "尺八", ["Flutes", "Flöten"]),
    ],
)
def test_the_main_title_is_in_the_language_of_the_record_or_else_in_japanese(of_record, main, others):
    titles = "".join(
        element("dc:title", text, lang=language)
        for language, text in (("en", "Flutes"), ("ja", "尺八"), ("de", "Flöten"))
    )
    language = [element("dc:language", of_record)] if of_record else []
    record = read_jpcoar(*language, title=titles).record
    assert (record.title, record.display_title) == (main, main)
    assert sorted(title.value for title in record.alternatives) == sorted(others)
    assert {title.kind for title in record.alternatives} == {"parallel"}


def test_descriptions_of_all_types_have_their_fields():
    kinds = ("Abstract", "TableOfContents", "Methods", "TechnicalInfo", "Other", "Series")
    record = read_jpcoar(*[element("datacite:description", kind, descriptionType=kind) for kind in kinds]).record
    assert (record.abstracts, record.contents, record.notes) == (
        ("Abstract",),
        ("TableOfContents",),
        ("Methods", "TechnicalInfo", "Other", "Series"),
    )


@pytest.mark.parametrize(
    ("piece", "code", "is_reported"),
    [
        (inside("degreeGrantor", element("nameIdentifier", "12601", nameIdentifierScheme="kakenhi")), "W238", False),
        (inside("degreeGrantor", element("nameIdentifier", "12601", nameIdentifierScheme="ISNI")), "W238", True),
        (inside("degreeGrantor", element("nameIdentifier", "12601", nameIdentifierScheme="kakenhi")), "W221", False),
        (element("subject", "情報", subjectScheme="BSH"), "W005", True),
        (element("subject", "007", subjectScheme="NDC"), "W005", False),
        (inside("catalog", element("subject", "007", subjectScheme="NDC")), "W005", True),
        (element("datacite:version", "1.0"), "W029", False),
        (element("datacite:version", "1.0-beta"), "W029", False),
        (element("datasetSeries", "True"), "W042", False),
        (element("dcndl:dissertationNumber", "甲第1号"), "W038", False),
        (element("dcndl:dissertationNumber", "丙第1号"), "W038", True),
        (inside("fundingReference", element("awardNumber", "JP1", awardNumberType="JGN")), "W036", False),
        (inside("fundingReference", element("awardNumber", "1")), "W136", False),
        (inside("catalog", element("license", "CC0", licenseType="file")), "W245", False),
        (inside("catalog", element("identifier", "https://doi.org/10.1/a", identifierType="DOI")), "E110", False),
        (inside("catalog", element("identifier", "https://a.jp/", identifierType="URI")), "E110", False),
        (inside("catalog", element("identifier", "https://a.jp/", identifierType="HDL")), "E110", True),
        (inside("publisher", element("dcndl:publicationPlace", "JPN")), "W028", False),
        (inside("publisher", element("dcndl:publicationPlace", "JPN")), "N028", False),
    ],
)
def test_a_check_reports_what_is_wrong_and_nothing_else(piece, code, is_reported):
    assert (code in issue_codes(piece)) == is_reported


@pytest.mark.parametrize(
    ("language", "kind", "agency", "is_reported"),
    [
        ("ja", "Abstract", "JaLC", True),
        ("en", "Abstract", "JaLC", False),
        ("ja", "Other", "JaLC", False),
        ("ja", "Abstract", "Crossref", False),
    ],
)
def test_two_abstracts_in_one_language_stop_the_agency_jalc(language, kind, agency, is_reported):
    abstracts = element("datacite:description", "要旨", lang="ja", descriptionType="Abstract")
    abstracts += element("datacite:description", "要旨", lang=language, descriptionType=kind)
    registered = element("identifierRegistration", "10.12345/1", identifierType=agency)
    assert ("doi.E016" in codes(read_jpcoar(abstracts, registered))) == is_reported


def test_the_first_element_without_a_language_is_named():
    texts = [("ja", "一"), ("", "二"), ("", "三")]
    parts = "".join(
        f"<dcterms:alternative{f' xml:lang="{code}"' if code else ''}>{text}</dcterms:alternative>"
        for code, text in texts
    )
    assert [issue.value for issue in issues(parts) if issue.code == "jpcoar.W005"] == ["二"]


def test_the_type_of_the_record_in_the_words_of_dcndl():
    assert read_jpcoar().record.material_types == (
        MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="journal article"),
    )


@pytest.mark.parametrize(
    ("term", "code", "version", "reported"),
    [
        ("PCT application", "SB3Y-W4EH", "1.0", True),
        ("PCT application", "SB3Y-W4EH", "2.0", False),
        ("Journal Article", "c_6501", "1.0", False),
        ("Commentary", "D97F-VB57", "1.0", True),
    ],
)
def test_a_type_that_is_newer_than_the_version_is_reported(term, code, version, reported):
    kind = f'<dc:type rdf:resource="{COAR}/resource_type/{code}">{term}</dc:type>'
    assert ("W145" in issue_codes("", kind, version)) == reported


def test_a_period_of_another_type_of_date_stays_whole():
    parts = [element("datacite:date", "2016/2017", dateType=kind) for kind in ("Valid", "Collected")]
    assert [date.value for date in read_jpcoar(*parts).record.other_dates] == ["2016/2017"] * 2


@pytest.mark.parametrize(
    ("code", "piece", "kind", "field", "value"),
    [
        ("E007", "", "<dc:type>paper</dc:type>", "dc:type", "paper"),
        ("E007", "", f'<dc:type rdf:resource="{COAR}/resource_type/c_0">論文</dc:type>', "dc:type", "論文"),
        (
            "W238",
            "<jpcoar:degreeGrantor><jpcoar:nameIdentifier nameIdentifierScheme='ISNI'>0000000121032683"
            "</jpcoar:nameIdentifier><jpcoar:degreeGrantorName xml:lang='ja'>例大学</jpcoar:degreeGrantorName>"
            "</jpcoar:degreeGrantor>",
            TYPE,
            "jpcoar:degreeGrantor",
            "例大学",
        ),
        (
            "W023",
            "<jpcoar:creator><jpcoar:creatorName xml:lang='ja'>例太郎</jpcoar:creatorName></jpcoar:creator>",
            TYPE,
            "jpcoar:creator/jpcoar:creatorName",
            "例太郎",
        ),
    ],
)
def test_an_issue_names_the_element_with_its_parent_and_the_value(code, piece, kind, field, value):
    found = [(issue.field, issue.value) for issue in issues(piece, kind) if issue.code == f"jpcoar.{code}"]
    assert (field, value) in found


def test_a_funder_of_grid_is_obsolete_since_version_2():
    number = inside("fundingReference", element("funderIdentifier", "grid.1.2", funderIdentifierType="GRID"))
    assert [version for version in ("1.0", "2.0", "2.1") if "W236" in issue_codes(number, version=version)] == [
        "2.0",
        "2.1",
    ]
