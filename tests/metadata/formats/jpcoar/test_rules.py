"""The rules of JPCOAR one by one: an issue for what breaks a rule, its message, and its severity by profile."""

import pytest

from metadata.catalogue import RULES, sentence
from metadata.issue import Issue, Severity
from metadata.policy import Policy, Profile
from metadata.reading import read
from tests.metadata.formats.jpcoar.test_read import CREATOR, ISSUED, PAGE, TITLE, TYPE, document, read_jpcoar

COAR = "http://purl.org/coar"
DOCTORAL = f'<dc:type rdf:resource="{COAR}/resource_type/c_db06">doctoral thesis</dc:type>'
BOX = (
    "<datacite:geoLocation><datacite:geoLocationBox><datacite:westBoundLongitude>135</datacite:westBoundLongitude>"
    "<datacite:eastBoundLongitude>136</datacite:eastBoundLongitude><datacite:southBoundLatitude>{}"
    "</datacite:southBoundLatitude><datacite:northBoundLatitude>34</datacite:northBoundLatitude>"
    "</datacite:geoLocationBox></datacite:geoLocation>"
)
GRANTED = "<dcndl:dateGranted>2017-03-25</dcndl:dateGranted>"
FULLTEXT = '<jpcoar:file><jpcoar:URI objectType="fulltext">https://repo.example.jp/a.pdf</jpcoar:URI></jpcoar:file>'


def creator_with_identifier(scheme: str, value: str, uri: str = "") -> str:
    link = f' nameIdentifierURI="{uri}"' if uri else ""
    return (
        f'<jpcoar:creator><jpcoar:nameIdentifier nameIdentifierScheme="{scheme}"{link}>{value}</jpcoar:nameIdentifier>'
        '<jpcoar:creatorName xml:lang="ja">見本, 花子</jpcoar:creatorName></jpcoar:creator>'
    )


def inside(parent: str, text: str) -> str:
    return f"<jpcoar:{parent}>{text}</jpcoar:{parent}>"


def registration(agency: str) -> str:
    return f'<jpcoar:identifierRegistration identifierType="{agency}">10.12345/1</jpcoar:identifierRegistration>'


def access(text: str, uri: str) -> str:
    return f'<dcterms:accessRights rdf:resource="{uri}">{text}</dcterms:accessRights>'


def relation(kind: str, value: str) -> str:
    number = f'<jpcoar:relatedIdentifier identifierType="{kind}">{value}</jpcoar:relatedIdentifier>'
    return f'<jpcoar:relation relationType="references">{number}</jpcoar:relation>'


OPEN, CLOSED = f"{COAR}/access_right/c_abf2", f"{COAR}/access_right/c_14cb"
DOI = '<jpcoar:identifier identifierType="DOI">{}</jpcoar:identifier>'
FILE = "<jpcoar:file><jpcoar:{0}>{1}</jpcoar:{0}></jpcoar:file>"
KINDS = {
    "": TYPE,
    "thesis": f'<dc:type rdf:resource="{COAR}/resource_type/c_46ec">thesis</dc:type>',
    "doctoral": DOCTORAL,
    "dataset": f'<dc:type rdf:resource="{COAR}/resource_type/c_ddb1">dataset</dc:type>',
}
# (code, elements added to a correct record), with the type of the record or its version where they matter.
PIECES = [
    ("W001", "<jpcoar:pageStart>none</jpcoar:pageStart>"),
    ("W005", "<jpcoar:sourceTitle>紀要</jpcoar:sourceTitle>"),
    ("W006", '<dcterms:alternative xml:lang="jpn">a</dcterms:alternative>'),
    ("E103", '<jpcoar:sourceTitle xml:lang="ja">a</jpcoar:sourceTitle>' * 2),
    ("E104", inside("creator", '<jpcoar:creatorName xml:lang="ja-Latn">Mihon, Taro</jpcoar:creatorName>')),
    ("E107", "<dc:type>book</dc:type>"),
    ("E110", inside("catalog", DOI.format("10.12345/1"))),
    ("N010", DOI.format("10.12345/1")),
    ("E010", '<jpcoar:identifier identifierType="HDL">https://repo.example.jp/1</jpcoar:identifier>'),
    ("E011", '<jpcoar:identifierRegistration identifierType="JaLC">1/2</jpcoar:identifierRegistration>'),
    ("E111", '<jpcoar:identifier identifierType="PMID">123</jpcoar:identifier>'),
    ("E111", '<jpcoar:identifierRegistration identifierType="PMID">123</jpcoar:identifierRegistration>'),
    ("W011", registration("JaLC")),
    ("W011", DOI.format("https://doi.org/10.12345/2") + registration("JaLC")),
    ("W212", registration("JaLC") * 2),
    ("E013", "<dcterms:accessRights>open access</dcterms:accessRights>"),
    ("E113", access("open access", CLOSED)),
    ("N113", access("Open Access", OPEN)),
    ("E213", access("open access", "https://example.jp/open")),
    ("E313", access("free", "https://example.jp/free")),
    ("E014", access("embargoed access", f"{COAR}/access_right/c_f1cf")),
    ("E016", "<datacite:date>2017</datacite:date>"),
    ("E017", '<datacite:date dateType="Created">昔</datacite:date>'),
    ("W017", '<datacite:date dateType="Accepted">2016/2017</datacite:date>'),
    ("E117", "<dcndl:dateGranted>平成29年</dcndl:dateGranted>"),
    ("E018", "<dc:language>やまとことば</dc:language>"),
    ("N018", "<dc:language>ja</dc:language>"),
    ("I018", "<dc:language>xxq</dc:language>"),
    ("E019", f'<oaire:version rdf:resource="{COAR}/version/c_970fb48d4fbd8a85">AM</oaire:version>'),
    ("W020", f'<oaire:version rdf:resource="{COAR}/version/c_ab4af688f83e57aa">AM</oaire:version>'),
    ("E021", inside("creator", "<jpcoar:nameIdentifier>1</jpcoar:nameIdentifier>")),
    ("W021", creator_with_identifier("ORCID", "1825-0097")),
    ("W021", creator_with_identifier("ROR", "https://ror.org/1")),
    ("W121", creator_with_identifier("VIAF", "1", "https://viaf.org/viaf/2")),
    ("W221", creator_with_identifier("NRID", "1000012345678")),
    ("N021", creator_with_identifier("ORCID", "https://orcid.org/0000-0002-1825-0097")),
    ("W321", creator_with_identifier("kakenhi", "https://example.jp/12601")),
    ("W421", creator_with_identifier("ORCID", "0000-0002-1825-0097", "http://orcid.org/0000-0002-1825-0097")),
    ("W022", creator_with_identifier("ORCID", "0000-0002-1825-0098")),
    ("W023", inside("creator", '<jpcoar:creatorName xml:lang="ja">見本太郎</jpcoar:creatorName>')),
    ("W024", inside("creator", '<jpcoar:familyName xml:lang="ja-Kana">ミホン</jpcoar:familyName>')),
    ("W025", inside("contributor", '<jpcoar:contributorName xml:lang="ja">見本, 花</jpcoar:contributorName>')),
    ("W026", '<dc:rights xml:lang="en">Creative-Commons Attribution</dc:rights>'),
    ("W027", inside("publisher", '<dcndl:location xml:lang="ja">東京</dcndl:location>')),
    ("W028", inside("publisher", "<dcndl:publicationPlace>日本</dcndl:publicationPlace>")),
    ("N028", inside("publisher", "<dcndl:publicationPlace>jpn</dcndl:publicationPlace>")),
    ("W029", "<datacite:version>version 1</datacite:version>"),
    ("E030", '<jpcoar:subject xml:lang="ja">a</jpcoar:subject>'),
    ("W030", '<jpcoar:subject subjectScheme="NDC">文学</jpcoar:subject>'),
    ("E031", '<datacite:description xml:lang="ja">a</datacite:description>'),
    ("E032", relation("Website", "https://example.jp/1")),
    ("W032", relation("NAID", "110001234567")),
    ("W132", relation("DOI", "10.12345/1")),
    ("W132", relation("ISBN", "978-4-10-101001-5")),
    ("W132", relation("CRID", "1")),
    ("W033", '<jpcoar:relation relationType="seeAlso"/>'.replace("/>", ">a</jpcoar:relation>")),
    ("E034", '<jpcoar:sourceIdentifier identifierType="PISSN">0387-5912</jpcoar:sourceIdentifier>'),
    ("E134", '<jpcoar:sourceIdentifier identifierType="URI">https://a.jp/</jpcoar:sourceIdentifier>'),
    ("W034", '<jpcoar:sourceIdentifier identifierType="ISSN">0387-5911</jpcoar:sourceIdentifier>'),
    ("N035", "<jpcoar:issue>第3号</jpcoar:issue>"),
    ("W035", "<jpcoar:volume>12巻3号</jpcoar:volume>"),
    ("E036", inside("fundingReference", "<jpcoar:awardNumber>15K1</jpcoar:awardNumber>")),
    ("W036", inside("fundingReference", '<jpcoar:awardNumber awardNumberType="JGN">15K1</jpcoar:awardNumber>')),
    ("W136", inside("fundingReference", '<jpcoar:awardNumber awardNumberType="KAKEN">1</jpcoar:awardNumber>')),
    (
        "W236",
        inside(
            "fundingReference",
            '<jpcoar:funderIdentifier funderIdentifierType="GRID">grid.1.2</jpcoar:funderIdentifier>',
        ),
    ),
    ("W336", inside("fundingReference", "<jpcoar:funderIdentifier>1</jpcoar:funderIdentifier>")),
    (
        "W436",
        inside(
            "fundingReference",
            '<jpcoar:fundingStreamIdentifier fundingStreamIdentifierType="X">1</jpcoar:fundingStreamIdentifier>',
        ),
    ),
    ("W038", "<dcndl:dissertationNumber>123</dcndl:dissertationNumber>"),
    ("W138", '<dcndl:degreeName xml:lang="ja">博士（理学）</dcndl:degreeName>'),
    ("W238", inside("degreeGrantor", '<jpcoar:degreeGrantorName xml:lang="ja">見本大学</jpcoar:degreeGrantorName>')),
    ("W040", "<dcndl:originalLanguage>en</dcndl:originalLanguage>"),
    ("E041", FILE.format("URI", "a.pdf")),
    ("W041", FILE.format("URI", "https://a.jp/a.pdf")),
    ("W141", FILE.format("mimeType", "PDF")),
    ("W241", FILE.format("extent", "大きい")),
    ("N042", inside("fundingReference", "<datacite:awardNumber>1</datacite:awardNumber>")),
    ("N042", creator_with_identifier("e-Rad", "12345678")),
    ("W042", "<jpcoar:datasetSeries>はい</jpcoar:datasetSeries>"),
    ("W043", BOX.format("135")),
    ("E043", BOX.format("36")),
    ("W044", inside("conference", '<jpcoar:conferenceDate xml:lang="en" startMonth="13">2016</jpcoar:conferenceDate>')),
    ("W144", inside("conference", "<jpcoar:conferenceCountry>JP</jpcoar:conferenceCountry>")),
    (
        "E045",
        inside("catalog", '<jpcoar:contributor contributorType="HostingInstitution"><a/></jpcoar:contributor>'),
    ),
    ("W045", "<jpcoar:creater>見本, 太郎</jpcoar:creater>"),
    ("W045", '<dc:language xml:lang="ja">jpn</dc:language>'),
    ("W145", '<jpcoar:sourceIdentifier identifierType="ISBN">978-4-10-101001-4</jpcoar:sourceIdentifier>'),
    ("W145", relation("CSTR", "CSTR:12345.12.A")),
    ("W245", inside("catalog", '<jpcoar:license xml:lang="en">CC0</jpcoar:license>')),
]
ONCE = """
jpcoar:creator/jpcoar:creatorName jpcoar:creator/jpcoar:familyName jpcoar:creator/jpcoar:givenName
jpcoar:creator/jpcoar:affiliation/jpcoar:affiliationName jpcoar:contributor/jpcoar:contributorName
jpcoar:contributor/jpcoar:affiliation/jpcoar:affiliationName jpcoar:rightsHolder/jpcoar:rightsHolderName
jpcoar:relation/jpcoar:relatedTitle jpcoar:fundingReference/jpcoar:funderName jpcoar:fundingReference/jpcoar:awardTitle
jpcoar:sourceTitle dcndl:degreeName jpcoar:degreeGrantor/jpcoar:degreeGrantorName
jpcoar:conference/jpcoar:conferenceName jpcoar:conference/jpcoar:conferenceSponsor
jpcoar:conference/jpcoar:conferenceVenue jpcoar:catalog/dc:title
jpcoar:conference/jpcoar:conferencePlace jpcoar:holdingAgent/jpcoar:holdingAgentName
jpcoar:catalog/jpcoar:contributor/jpcoar:contributorName
"""
SEVERAL = """
dcterms:alternative jpcoar:creator/jpcoar:creatorAlternative jpcoar:contributor/jpcoar:contributorAlternative dc:rights
datacite:description dc:publisher jpcoar:publisher/jpcoar:publisherName jpcoar:publisher/jpcoar:publisherDescription
jpcoar:publisher/dcndl:location dcterms:date dcterms:temporal jpcoar:fundingReference/jpcoar:fundingStream
jpcoar:conference/jpcoar:conferenceDate dcndl:edition dcndl:volumeTitle dcterms:extent jpcoar:format
jpcoar:catalog/jpcoar:license jpcoar:catalog/jpcoar:subject jpcoar:catalog/datacite:description jpcoar:catalog/dc:rights
"""
OF_THESES = [
    ("E008", "", "thesis"),
    ("W037", CREATOR, "doctoral"),
    ("I039", CREATOR + GRANTED, "doctoral"),
    ("I139", CREATOR + GRANTED + FULLTEXT, "doctoral"),
    ("I239", CREATOR + GRANTED.replace("2017", "1998"), "doctoral"),
]
OF_VERSIONS = [
    ("N142", '<dcndl:edition xml:lang="ja">第2版</dcndl:edition>', "1.0"),
    ("W145", creator_with_identifier("ROR", "https://ror.org/057zh3y96"), "1.0"),
    (
        "W145",
        '<dcterms:alternative xml:lang="ja-Latn">Kiyo</dcterms:alternative>',
        "1.0",
    ),
    (
        "N033",
        relation("DOI", "https://doi.org/10.12345/1").replace("references", "Cites"),
        "2.1",
    ),
]
OF_TYPES = [
    ("W107", "<dc:type>book</dc:type>"),
    ("E007", "<dc:type>paper</dc:type>"),
    ("N007", f'<dc:type rdf:resource="{COAR}/resource_type/c_6501">book</dc:type>'),
    ("N207", f'<dc:type rdf:resource="{COAR}/resource_type/c_2f33">本</dc:type>'),
    ("N307", f'<dc:type rdf:resource="{COAR}/resource_type/c_2659">periodical</dc:type>'),
]


def issues(piece: str, kind: str = TYPE, version: str = "2.0", title: str = TITLE, page: str = PAGE) -> list[Issue]:
    sent = document(title, piece, ISSUED, kind, page).replace(b"/2.0/", f"/{version}/".encode())
    return [issue for issue in read(sent, "jpcoar").issues if issue.code.startswith("jpcoar.")]


def issue_codes(*arguments, **named_arguments) -> set[str]:
    return {issue.code[7:] for issue in issues(*arguments, **named_arguments)}


@pytest.mark.parametrize(("code", "piece"), PIECES)
def test_an_element_that_breaks_a_rule_is_reported(code, piece):
    assert code in issue_codes(piece)


@pytest.mark.parametrize(
    "value", ["9" * 5000, f"昭和{'9' * 5000}年", f"{'9' * 5000}-{'9' * 5000}", f"2017{'/3' * 3000}"]
)
def test_a_date_with_thousands_of_digits_is_read_as_a_text(value):
    date = f'<datacite:date dateType="Issued">{value}</datacite:date>'
    assert read(document(TITLE, TYPE, PAGE, date), "jpcoar").record.title


def test_a_part_of_a_date_with_thousands_of_digits_is_reported_like_any_other():
    date = f'<jpcoar:conferenceDate startYear="{"9" * 5000}" endDay="{"٣" * 5000}">2016</jpcoar:conferenceDate>'
    assert "W044" in issue_codes(inside("conference", date))


@pytest.mark.parametrize(("code", "piece", "kind"), OF_THESES)
def test_rules_for_one_resource_type_apply_only_to_it(code, piece, kind):
    assert code in issue_codes(piece, KINDS[kind])
    assert code not in issue_codes(piece)


@pytest.mark.parametrize(("code", "piece", "version"), OF_VERSIONS)
def test_rules_for_one_version_apply_only_to_it(code, piece, version):
    assert code in issue_codes(piece, version=version)
    assert code not in issue_codes(piece, version="2.0")


@pytest.mark.parametrize(("code", "kind"), OF_TYPES)
def test_wrong_resource_types_are_reported(code, kind):
    assert code in issue_codes("", kind)


def test_missing_elements_of_every_record_are_reported():
    assert "E002" in issue_codes("", title="")
    assert "E003" in issue_codes("", title=TITLE + TITLE)
    assert "E004" in issue_codes("", title='<dc:title xml:lang="ja-Kana">シャクハチ</dc:title>')
    assert "W005" in issue_codes("", title="<dc:title>尺八の音響学</dc:title>")
    assert "W009" in issue_codes("", page="")
    assert "I015" in issue_codes(access("open access", OPEN), page="")
    assert "I016" in {issue.code[7:] for issue in read(document(TITLE, TYPE, PAGE), "jpcoar").issues}
    assert "N017" in issue_codes('<datacite:date dateType="Issued">2017/03/25</datacite:date>')


def element_at(path: str, language: str, times: int = 1) -> str:
    """Return an element with its parents below the root."""
    *parents, name = path.split("/")
    piece = f"<{name}{language}>a</{name}>" * times
    for parent in reversed(parents):
        piece = f"<{parent}>{piece}</{parent}>"
    return piece


@pytest.mark.parametrize("path", [*ONCE.split(), *SEVERAL.split()])
def test_texts_need_their_language(path):
    assert "W005" in issue_codes(element_at(path, ""))
    assert "W005" not in issue_codes(element_at(path, ' xml:lang="ja"'))


@pytest.mark.parametrize("path", ONCE.split())
def test_elements_limited_to_one_per_language_are_reported_if_repeated(path):
    assert "E103" in issue_codes(element_at(path, ' xml:lang="ja"', 2))
    assert {"E104", "W024"} & issue_codes(element_at(path, ' xml:lang="ja-Kana"'))


@pytest.mark.parametrize("path", SEVERAL.split())
def test_repeatable_elements_are_not_reported(path):
    assert not {"E003", "E103"} & issue_codes(element_at(path, ' xml:lang="ja"', 2))


@pytest.mark.parametrize(
    ("date", "expected"),
    [("2013-04-01", "I139"), ("2015", "I139"), ("2013", "I239"), ("2013-03", "I239"), ("", "I239")],
)
def test_theses_are_deposited_from_april_2013_on(date, expected):
    granted = f"<dcndl:dateGranted>{date}</dcndl:dateGranted>" if date else ""
    assert {code for code in issue_codes(CREATOR + granted + FULLTEXT, DOCTORAL) if code.startswith("I")} == {expected}


def test_every_rule_code_is_tested():
    tested = {row[0] for table in (PIECES, OF_THESES, OF_VERSIONS, OF_TYPES) for row in table}
    tested |= {"E002", "E003", "E004", "W009", "I015", "I016", "N017"}
    tested |= {"N001"}  # tests/metadata/formats/common/test_no_namespace.py
    assert tested == {code[7:] for code in RULES if code.startswith("jpcoar.")}


@pytest.mark.parametrize(
    "correct",
    [
        creator_with_identifier("ORCID", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
        creator_with_identifier("ISNI", "0000000121032683", "http://www.isni.org/isni/0000000121032683"),
        creator_with_identifier("ROR", "https://ror.org/057zh3y96"),
        access("open access", OPEN),
        relation("DOI", "https://doi.org/10.12345/1"),
        relation("ISBN", "978-4-10-101001-4"),
        relation("URI", "https://example.jp/1"),
        relation("CRID", "https://cir.nii.ac.jp/crid/1520853832664390784"),
        BOX.format("33"),
        FULLTEXT,
        '<jpcoar:subject xml:lang="ja" subjectScheme="Other">情報</jpcoar:subject>',
        '<datacite:date dateType="Collected">2016-04/2017-03</datacite:date>',
        "<jpcoar:volume>12</jpcoar:volume><jpcoar:pageStart>34</jpcoar:pageStart>",
        '<jpcoar:contributor contributorType="HostingInstitution"><jpcoar:contributorName xml:lang="ja">見本館'
        "</jpcoar:contributorName></jpcoar:contributor>",
    ],
)
def test_correct_elements_are_not_reported(correct):
    assert issues(correct) == []


def test_a_place_off_the_globe_is_left_out():
    assert read(document(TITLE, BOX.format("36"), TYPE, PAGE), "jpcoar").record.spatial == ()
    assert len(read(document(TITLE, BOX.format("33"), TYPE, PAGE), "jpcoar").record.spatial) == 1


@pytest.mark.parametrize(
    ("piece", "code", "result"),
    [
        (DOI.format("doi:10.12345/ABC"), "jpcoar.N010", "https://doi.org/10.12345/abc"),
        ("<dc:language>ja</dc:language>", "jpcoar.N018", "jpn"),
        ("<jpcoar:volume>第12巻</jpcoar:volume>", "jpcoar.N035", "12"),
        (
            creator_with_identifier("ORCID", "https://orcid.org/0000-0002-1825-0097"),
            "jpcoar.N021",
            "0000-0002-1825-0097",
        ),
        (access("open access", CLOSED), "jpcoar.E113", "open access"),
        (inside("publisher", "<dcndl:publicationPlace>jpn</dcndl:publicationPlace>"), "jpcoar.N028", "JPN"),
    ],
)
def test_the_issue_and_its_message_show_the_new_value(piece, code, result):
    (match,) = [issue for issue in issues(piece) if issue.code == code]
    assert match.result == result
    assert result in sentence(match, "ja")
    assert result in sentence(match, "en")


@pytest.mark.parametrize("family", ["jpcoar", "junii2", "marcxml", "mods"])
def test_every_rule_has_a_short_example(family):
    rules = {code: rule for code, rule in RULES.items() if code.startswith(f"{family}.")}
    assert [code for code, rule in rules.items() if not 0 < len(rule.example) <= 200] == []
    assert [code for code, rule in rules.items() if not (rule.source and rule.remedy_ja)] == []


def test_requirements_of_irdb_are_less_severe_in_other_profiles():
    def severity(profile: Profile, code: str) -> Severity | None:
        return Policy(profile=profile).severity(code)

    assert [severity(profile, "jpcoar.W023") for profile in Profile][2] is Severity.INFORMATION
    lax = read(document(TITLE + TITLE, ISSUED, TYPE, PAGE), "jpcoar", Policy(profile=Profile.LAX))
    assert lax.record.title == "尺八の音響学"


def test_an_original_language_is_reported_once():
    reading = read_jpcoar("<dcndl:originalLanguage>en</dcndl:originalLanguage>")
    assert [(issue.code, issue.result) for issue in reading.issues] == [("jpcoar.W040", "eng")]
    assert reading.record.original_languages == ("eng",)


def test_the_version_of_the_uri_is_used_and_reported():
    sent = f'<oaire:version rdf:resource="{COAR}/version/c_ab4af688f83e57aa">VoR</oaire:version>'
    reading = read_jpcoar(sent)
    assert reading.record.version_type == "AM"
    assert [issue.value for issue in reading.issues if issue.code == "jpcoar.W020"] == ["AM"]


def test_a_date_is_reported_with_the_type_that_was_sent():
    reading = read_jpcoar('<datacite:date dateType="Available">来年</datacite:date>')
    assert [issue.field for issue in reading.issues if issue.code == "jpcoar.E017"] == [
        'datacite:date[@dateType="Available"]'
    ]


def test_a_doi_of_an_unknown_agency_is_not_a_registration():
    record = read_jpcoar(registration("DOI")).record
    assert (record.values("DOI"), record.registrations) == (("10.12345/1",), ())
