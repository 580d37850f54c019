"""Reading JPCOAR: three versions on two hosts, names in several languages, and all fields of a paper."""

import msgspec
import pytest

from metadata.formats import CROSSWALKS
from metadata.issue import Reading
from metadata.reading import read
from metadata.record import Agent, Date, File, Host, Identifier, MaterialType, Relation, Subject, Title
from metadata.vocabularies.namespaces import JPCOAR_VERSIONS
from tests.metadata.documents import codes

NAMESPACE = "https://github.com/JPCOAR/schema/blob/master/2.0/"
TITLE = '<dc:title xml:lang="ja">尺八の音響学</dc:title>'
TYPE = '<dc:type rdf:resource="http://purl.org/coar/resource_type/c_6501">journal article</dc:type>'
PAGE = '<jpcoar:identifier identifierType="HDL">https://hdl.handle.net/2115/1</jpcoar:identifier>'
ISSUED = '<datacite:date dateType="Issued">2017-03-25</datacite:date>'
CREATOR = """<jpcoar:creator><jpcoar:nameIdentifier nameIdentifierScheme="ORCID"
  nameIdentifierURI="https://orcid.org/0000-0002-1825-0097">0000-0002-1825-0097</jpcoar:nameIdentifier>
  <jpcoar:creatorName xml:lang="en">Terada, Torahiko</jpcoar:creatorName>
  <jpcoar:creatorName xml:lang="ja">寺田, 寅彦</jpcoar:creatorName>
  <jpcoar:creatorName xml:lang="ja-Kana">テラダ, トラヒコ</jpcoar:creatorName>
  <jpcoar:affiliation><jpcoar:affiliationName xml:lang="ja">東京大学</jpcoar:affiliationName></jpcoar:affiliation>
  </jpcoar:creator>"""


def document(*parts: str, namespace: str = NAMESPACE) -> bytes:
    return f"""<jpcoar:jpcoar xmlns:jpcoar="{namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/"
      xmlns:dcterms="http://purl.org/dc/terms/" xmlns:datacite="https://schema.datacite.org/meta/kernel-4/"
      xmlns:oaire="http://namespace.openaire.eu/schema/oaire/" xmlns:dcndl="http://ndl.go.jp/dcndl/terms/"
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{"".join(parts)}</jpcoar:jpcoar>""".encode()


def read_jpcoar(*parts: str, title: str = TITLE, kind: str = TYPE, page: str = PAGE, issued: str = ISSUED) -> Reading:
    return read(document(title, *parts, issued, kind, page), "jpcoar")


def test_a_correct_record_has_no_issues():
    assert codes(read_jpcoar(CREATOR)) == []


@pytest.mark.parametrize("namespace", JPCOAR_VERSIONS)
def test_every_version_is_read_from_both_hosts(namespace):
    record = read(document(TITLE, CREATOR, TYPE, PAGE, namespace=namespace), "jpcoar").record
    assert (record.title, record.creators[0].name) == ("尺八の音響学", "寺田, 寅彦")


def test_a_holding_library_keeps_its_name_and_all_its_codes_also_one_that_is_only_a_uri():
    record = read_jpcoar(
        '<jpcoar:holdingAgent><jpcoar:holdingAgentNameIdentifier nameIdentifierScheme="ISIL">JP-1000001'
        '</jpcoar:holdingAgentNameIdentifier><jpcoar:holdingAgentNameIdentifier nameIdentifierScheme="ROR" '
        'nameIdentifierURI="https://ror.org/057zh3y96"/>'
        '<jpcoar:holdingAgentName xml:lang="ja">例図書館</jpcoar:holdingAgentName></jpcoar:holdingAgent>'
    ).record
    (item,) = record.items
    assert (item.holding_agent, [number.value for number in item.holding_agent_identifiers]) == (
        "例図書館",
        ["JP-1000001", "057zh3y96"],
    )


def test_one_creator_is_one_person_in_all_languages():
    (creator,) = read_jpcoar(CREATOR).record.creators
    assert (creator.name, creator.transcription, creator.uri) == (
        "寺田, 寅彦",
        "テラダ, トラヒコ",
        "https://orcid.org/0000-0002-1825-0097",
    )
    assert creator.other_names == (Title(value="Terada, Torahiko", language="en"),)
    assert creator.identifiers == (Identifier(scheme="ORCID", value="0000-0002-1825-0097"),)
    assert creator.affiliations == (Agent(name="東京大学", language="ja"),)


def test_the_title_in_the_language_of_the_resource_comes_first():
    titles = f'{TITLE}<dc:title xml:lang="ja-Kana">シャクハチ</dc:title><dc:title xml:lang="en">Syakuhati</dc:title>'
    record = read_jpcoar("<dc:language>eng</dc:language>", title=titles).record
    assert record.title == "Syakuhati"
    assert record.alternatives == (
        Title(value="尺八の音響学", transcription="シャクハチ", language="ja", kind="parallel"),
    )
    assert read_jpcoar(title=titles).record.titles[0].transcription == "シャクハチ"


def test_the_journal_around_a_paper_is_its_host():
    record = read_jpcoar(
        '<jpcoar:sourceIdentifier identifierType="PISSN">0387-5911</jpcoar:sourceIdentifier>',
        '<jpcoar:sourceIdentifier identifierType="NCID">AA12032633</jpcoar:sourceIdentifier>',
        '<jpcoar:sourceTitle xml:lang="ja">紀要</jpcoar:sourceTitle>',
        "<jpcoar:volume>12</jpcoar:volume><jpcoar:issue>3</jpcoar:issue>",
        "<jpcoar:pageStart>34</jpcoar:pageStart><jpcoar:pageEnd>57</jpcoar:pageEnd>",
    ).record
    assert record.host == Host(
        title="紀要",
        language="ja",
        volume="12",
        number="3",
        pages="34-57",
        issn=("03875911",),
        identifiers=(Identifier(scheme="PISSN", value="03875911"), Identifier(scheme="NCID", value="AA12032633")),
    )
    assert record.values("ISSN") == ()


def test_a_catalog_element_is_an_is_part_of_relation():
    record = read_jpcoar(
        '<jpcoar:catalog><jpcoar:identifier identifierType="URI">https://db.example.jp</jpcoar:identifier>',
        '<dc:title xml:lang="ja">見本データベース</dc:title><dc:title xml:lang="en">Samples</dc:title>',
        "</jpcoar:catalog>",
    ).record
    assert record.relations == (
        Relation(
            type="isPartOf",
            uri="https://db.example.jp",
            scheme="URI",
            label="見本データベース",
            language="ja",
            titles=(Title(value="Samples", language="en"),),
        ),
    )


def test_a_doi_is_an_identifier_and_a_handle_is_a_page():
    doi = '<jpcoar:identifier identifierType="DOI">https://doi.org/10.15017/ABC</jpcoar:identifier>'
    registered = '<jpcoar:identifierRegistration identifierType="JaLC">10.15017/ABC</jpcoar:identifierRegistration>'
    record = read_jpcoar(doi, registered).record
    assert record.values("DOI") == ("10.15017/abc",)
    assert record.registrations == (Identifier(scheme="JaLC", value="10.15017/abc", printed="10.15017/ABC"),)
    assert record.see_also == ("https://hdl.handle.net/2115/1",)


def test_full_text_files_come_after_the_page():
    record = read_jpcoar(
        '<jpcoar:file><jpcoar:URI objectType="fulltext" label="a.pdf">https://repo.example.jp/a.pdf</jpcoar:URI>',
        "<jpcoar:mimeType>application/pdf</jpcoar:mimeType><jpcoar:extent>10MB</jpcoar:extent></jpcoar:file>",
    ).record
    assert record.see_also == ("https://hdl.handle.net/2115/1", "https://repo.example.jp/a.pdf")
    assert record.formats == ("application/pdf",)
    assert record.files == (
        File(
            uri="https://repo.example.jp/a.pdf",
            type="fulltext",
            label="a.pdf",
            media_type="application/pdf",
            extents=("10MB",),
        ),
    )


@pytest.mark.parametrize(
    ("sent", "kept", "code"),
    [("2020年4月公開予定", "2020年4月公開予定", "jpcoar.E017"), ("2020/4/1", "2020-04-01", "jpcoar.N017")],
)
def test_other_types_of_dates_are_not_the_date_of_publication(sent, kept, code):
    reading = read_jpcoar(issued=f'<datacite:date dateType="Available">{sent}</datacite:date>')
    assert (reading.record.issued, reading.record.dates) == ("", ())
    assert reading.record.other_dates == (Date(type="available", value=kept),)
    assert code in codes(reading)
    assert kept in CROSSWALKS["jpcoar"].write(reading.record).decode()


def test_everything_about_a_doctoral_degree_is_read():
    record = read_jpcoar(
        CREATOR,
        "<dcndl:dissertationNumber>甲第5384号</dcndl:dissertationNumber>",
        '<dcndl:degreeName xml:lang="ja">博士（理学）</dcndl:degreeName>',
        "<dcndl:dateGranted>2017-03-25</dcndl:dateGranted>",
        '<jpcoar:degreeGrantor><jpcoar:degreeGrantorName xml:lang="ja">東京大学</jpcoar:degreeGrantorName>'
        "</jpcoar:degreeGrantor>",
        kind='<dc:type rdf:resource="http://purl.org/coar/resource_type/c_db06">doctoral thesis</dc:type>',
    ).record
    assert (record.dissertation_numbers, record.degree_names) == (("甲第5384号",), ("博士（理学）",))
    assert record.other_dates == (Date(type="dateGranted", value="2017-03-25"),)
    assert record.degree_grantors[0].name == "東京大学"
    assert record.material_types == (
        MaterialType(uri="http://ndl.go.jp/ndltype/DoctoralDissertation", label="doctoral thesis"),
    )


def test_subjects_and_descriptions_are_sorted_by_type():
    record = read_jpcoar(
        '<jpcoar:subject subjectScheme="NDC">007.1</jpcoar:subject>',
        '<jpcoar:subject xml:lang="ja" subjectScheme="Other">情報</jpcoar:subject>',
        '<datacite:description xml:lang="ja" descriptionType="Abstract">要旨</datacite:description>',
        '<datacite:description xml:lang="ja" descriptionType="Other">注記</datacite:description>',
    ).record
    assert record.subjects == (Subject(value="007.1", scheme="NDC"), Subject(value="情報", language="ja"))
    assert (record.abstracts, record.notes) == (("要旨",), ("注記",))


def test_a_publisher_named_in_two_languages_is_one_publisher():
    both = '<dc:publisher xml:lang="ja">東大</dc:publisher><dc:publisher xml:lang="en">UTokyo</dc:publisher>'
    assert read_jpcoar(both).record.publishers == (
        Agent(name="東大", language="ja", other_names=(Title(value="UTokyo", language="en"),)),
    )
    more = read_jpcoar(both, '<dc:publisher xml:lang="ja">京大</dc:publisher>').record.publishers
    assert [publisher.name for publisher in more] == ["東大", "UTokyo", "京大"]


@pytest.mark.parametrize(
    ("replaced", "code"),
    [
        ({"title": ""}, "jpcoar.E002"),
        ({"title": TITLE + TITLE}, "jpcoar.E003"),
        ({"title": '<dc:title xml:lang="ja-Kana">シャクハチ</dc:title>'}, "jpcoar.E004"),
        ({"kind": ""}, "jpcoar.E007"),
        ({"kind": "<dc:type>paper</dc:type>"}, "jpcoar.E007"),
        ({"kind": '<dc:type rdf:resource="http://purl.org/coar/resource_type/c_46ec">thesis</dc:type>'}, "jpcoar.E008"),
    ],
)
def test_missing_mandatory_elements_reject_the_record(replaced, code):
    reading = read_jpcoar(**replaced)
    assert reading.record is None
    assert code in codes(reading)


@pytest.mark.parametrize(
    ("extra", "replaced", "code"),
    [
        ("", {"page": ""}, "jpcoar.W009"),
        ("", {"issued": ""}, "jpcoar.I016"),
        ("", {"issued": '<datacite:date dateType="Issued">平成29年</datacite:date>'}, "jpcoar.N017"),
        ("<dc:language>ja</dc:language>", {}, "jpcoar.N018"),
        ("<dc:language>klingonisch</dc:language>", {}, "jpcoar.E018"),
        ("<jpcoar:volume>第12巻</jpcoar:volume>", {}, "jpcoar.N035"),
        ("<jpcoar:volume>12巻3号</jpcoar:volume>", {}, "jpcoar.W035"),
        ("<dc:type>book</dc:type>", {}, "jpcoar.E107"),
        ('<dc:type rdf:resource="http://purl.org/coar/resource_type/c_2f33">本</dc:type>', {"kind": ""}, "jpcoar.N207"),
        ('<dc:type rdf:resource="http://purl.org/coar/resource_type/c_0">book</dc:type>', {"kind": ""}, "jpcoar.N007"),
        ('<jpcoar:subject subjectScheme="X" xml:lang="ja">a</jpcoar:subject>', {}, "jpcoar.E030"),
        ('<jpcoar:subject subjectScheme="NDC">文学</jpcoar:subject>', {}, "jpcoar.W030"),
        ('<datacite:description xml:lang="ja">a</datacite:description>', {}, "jpcoar.E031"),
        ('<datacite:date dateType="Born">2001</datacite:date>', {}, "jpcoar.E016"),
        ('<datacite:date dateType="Created">古い</datacite:date>', {}, "jpcoar.E017"),
        ('<dc:rights xml:lang="en">Creative Commons BY</dc:rights>', {}, "jpcoar.W026"),
        ("<dcterms:accessRights>free</dcterms:accessRights>", {}, "jpcoar.E313"),
        ('<dcterms:alternative xml:lang="日本語">a</dcterms:alternative>', {}, "jpcoar.W006"),
        ('<jpcoar:identifier identifierType="DOI">https://doi.org/abc</jpcoar:identifier>', {}, "jpcoar.E010"),
        ('<jpcoar:sourceIdentifier identifierType="ISSN">0387-5911</jpcoar:sourceIdentifier>', {}, "jpcoar.W034"),
        ('<jpcoar:sourceIdentifier identifierType="PISSN">0387-5912</jpcoar:sourceIdentifier>', {}, "jpcoar.E034"),
    ],
)
def test_minor_issues_are_reported_and_the_record_is_registered(extra, replaced, code):
    reading = read_jpcoar(extra, **replaced)
    assert reading.record is not None
    assert code in codes(reading)


def test_a_record_of_version_1_is_written_in_the_newest_version():
    old = document(TITLE, CREATOR, ISSUED, TYPE.replace("journal article", "periodical"), PAGE, namespace=NAMESPACE)
    record = read(old.replace(b"/2.0/", b"/1.0/"), "jpcoar").record
    written = CROSSWALKS["jpcoar"].write(record).decode()
    assert "schema/blob/master/2.1/" in written
    assert ">journal</dc:type>" in written


def test_a_paper_can_be_written_as_dcndl():
    record = read(CROSSWALKS["dcndl"].write(read_jpcoar(CREATOR).record), "dcndl").record
    assert (record.title, record.creators[0].transcription, record.issued) == (
        "尺八の音響学",
        "テラダ, トラヒコ",
        "2017-03-25",
    )


def test_a_set_isbn_becomes_a_relation_and_wrong_numbers_are_not_written():
    book = msgspec.structs.replace(
        read_jpcoar().record,
        identifiers=(Identifier(scheme="SetISBN", value="9784101010014"),),
        invalid_identifiers=(Identifier(scheme="ErrorISBN", value="1"), Identifier(scheme="IncorrectISSN", value="2")),
    )
    written = CROSSWALKS["jpcoar"].write(book)
    assert b"sourceIdentifier" not in written
    again = read(written, "jpcoar").record
    assert again.relations == (Relation(type="isPartOf", scheme="ISBN", number="978-4-10-101001-4"),)
    assert read(CROSSWALKS["jpcoar"].write(again), "jpcoar").record == again


def test_a_host_of_which_nothing_can_be_written_owns_no_wrong_number():
    paper = msgspec.structs.replace(
        read_jpcoar().record,
        host=Host(pages="0"),
        invalid_identifiers=(Identifier(scheme="ISBN", value="0"),),
    )
    assert b"sourceIdentifier" not in CROSSWALKS["jpcoar"].write(paper)
    in_journal = msgspec.structs.replace(paper, host=Host(title="騒人", pages="0"))
    assert b'sourceIdentifier identifierType="ISBN">0<' in CROSSWALKS["jpcoar"].write(in_journal)
