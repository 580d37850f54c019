"""Details that few records in DC-NDL(RDF) have: several nodes where one is usual, sources, numbers in URIs only."""

import pytest

from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import (
    Agent,
    BibliographicRecord,
    File,
    Funding,
    Identifier,
    Relation,
    SourceLink,
    Title,
)
from metadata.xml.parsing import parse
from tests.metadata.documents import ADMIN, ITEM, SEE_ALSO, URL, codes, identifier, read_dcndl
from tests.metadata.documents import dcndl as document

LCCN = '<rdfs:seeAlso rdf:resource="http://lccn.loc.gov/{}"/>'


@pytest.mark.parametrize("printed", ["66013999", "66-13999", " 66013999 /AC/r86"])
def test_a_number_of_the_library_of_congress_is_the_one_in_the_uri_however_it_is_printed(printed):
    [number] = read_dcndl(identifier("USMARCNO", printed), LCCN.format("66013999")).record.identifiers
    assert (number.scheme, number.value) == ("USMARCNO", printed.strip())


@pytest.mark.parametrize(("scheme", "value"), [("ISBN", "9784101010038"), ("somokuBibID", "1")])
def test_a_number_that_only_a_uri_gives_is_adopted_beside_others(scheme, value):
    record = read_dcndl(identifier(scheme, value), LCCN.format("66013999")).record
    assert [(number.scheme, number.value) for number in record.identifiers] == [
        (scheme, value),
        ("USMARCNO", "66013999"),
    ]


def test_an_isbn_that_only_a_uri_gives_is_adopted_beside_a_number_of_another_kind():
    record = read_dcndl(
        identifier("JPNO", "20134567"), '<rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/9784101010038"/>'
    ).record
    assert record.values("ISBN") == ("9784101010038",)
    assert record.values("JPNO") == ("20134567",)


def test_dates_of_issue_after_the_first_usable_one_are_further_dates():
    dates = "".join(f"<dcterms:issued>{text}</dcterms:issued>" for text in ("不明", "2001", "2005", "2009"))
    record = read_dcndl(dates).record
    assert record.issued == "2001"
    assert [(date.type, date.value) for date in record.other_dates] == [("issued", "2005"), ("issued", "2009")]


@pytest.mark.parametrize("datatype", ["http://www.w3.org/2001/XMLSchema#date", ""])
def test_a_date_of_issue_without_the_datatype_of_the_guideline_is_reported(datatype):
    attribute = f' rdf:datatype="{datatype}"' if datatype else ""
    reading = read_dcndl(f"<dcterms:issued{attribute}>2001-02-03</dcterms:issued>")
    assert (reading.record.issued, codes(reading)) == ("2001-02-03", ["dcndl.I118"])


@pytest.mark.parametrize(("sent", "label"), [("ISBN", "SetISBN"), ("SetISBN", "ISBN")])
def test_the_qualifier_of_another_kind_of_isbn_stays_a_note(sent, label):
    note = f"{label} : 978-4-10-101003-8 (大活字)"
    record = read_dcndl(
        identifier(sent, "978-4-10-101003-8"), f"<dcterms:description>{note}</dcterms:description>"
    ).record
    assert record.notes == (note,)
    assert [number.scheme for number in record.identifiers] == [sent]


def test_of_two_nodes_of_a_related_resource_the_first_is_read():
    nodes = "".join(f'<rdf:Description rdf:about="http://x.example/{number}"/>' for number in (1, 2))
    relations = read_dcndl(f"<dcterms:references>{nodes}</dcterms:references>").record.relations
    assert relations == (Relation(type="references", uri="http://x.example/1"),)


def test_only_the_description_of_a_file_states_a_date():
    about = "<dcterms:abstract>Issued : 序文</dcterms:abstract><dcterms:description>Issued : 2020</dcterms:description>"
    node = f'<foaf:Document rdf:about="http://x.example/1.pdf">{about}</foaf:Document>'
    [found] = read_dcndl(f"<dcterms:hasPart>{node}</dcterms:hasPart>").record.files
    assert [date.value for date in found.dates] == ["2020"]


def test_the_first_code_of_a_holding_library_is_its_code_and_the_others_are_kept():
    numbers = identifier("NDLLibCode", "9999") + identifier("NDLLibCode", "8888") + identifier("ISIL", "JP-1")
    holder = f"<dcndl:holdingAgent><foaf:Agent><foaf:name>見本</foaf:name>{numbers}</foaf:Agent></dcndl:holdingAgent>"
    [item] = read_dcndl(item=f'<dcndl:Item rdf:about="{URL}#item">{holder}{SEE_ALSO}</dcndl:Item>').record.items
    assert item.library_code == "9999"
    assert [number.value for number in item.holding_agent_identifiers] == ["8888", "JP-1"]


def test_of_two_headings_in_one_element_the_first_is_read():
    nodes = "".join(
        f'<rdf:Description rdf:about="http://id.ndl.go.jp/auth/ndlsh/{number}"><rdf:value>{value}</rdf:value>'
        "</rdf:Description>"
        for number, value in enumerate(("図書館", "歴史"))
    )
    [subject] = read_dcndl(f"<dcterms:subject>{nodes}</dcterms:subject>").record.subjects
    assert (subject.value, subject.scheme, subject.uri) == ("図書館", "NDLSH", "http://id.ndl.go.jp/auth/ndlsh/0")


def test_of_too_many_descriptions_the_first_three_are_named():
    more = "".join(f'<dcndl:BibResource rdf:about="{URL}{number}"/>' for number in range(4))
    [issue] = [issue for issue in read_dcndl(item=more + ITEM).issues if issue.code == "dcndl.E102"]
    assert issue.value == f"{URL}#material {URL}0 {URL}1"


def test_the_sources_of_a_merged_record_are_read_and_written():
    expected = (SourceLink(uri="http://a.example/1", repository_number="R1"), SourceLink(uri="http://b.example/1"))
    sources = (
        '<dcterms:source><rdf:Description rdf:about="http://a.example/1"><dcndl:bibRecordCategory>R1'
        '</dcndl:bibRecordCategory></rdf:Description></dcterms:source><dcterms:source rdf:resource="http://b.example/1"/>'
        "<dcterms:source/><dcterms:source><rdf:Description/></dcterms:source>"
    )
    end = "</dcndl:BibAdminResource>"
    read_again = read_dcndl(admin=ADMIN.replace(end, sources + end)).record
    assert read_again.sources == expected
    written = WRITERS["dcndl"].write(read_again)
    assert read(written, "dcndl").record.sources == expected


def test_the_same_resource_elsewhere_is_a_relation_unless_nothing_names_it():
    owl = '<owl:sameAs xmlns:owl="http://www.w3.org/2002/07/owl#" {}/>'
    found = [
        read_dcndl(owl.format(attributes)).record.relations
        for attributes in ('rdf:resource="http://x.example/1"', 'rdfs:label="同じ本"', "")
    ]
    assert found == [
        (Relation(type="relation", uri="http://x.example/1", term="sameAs"),),
        (Relation(type="relation", label="同じ本", term="sameAs"),),
        (),
    ]


def test_a_publication_is_that_of_an_issn_only_if_nothing_else_is_said_of_it():
    issn = 'rdf:resource="http://iss.ndl.go.jp/issn/00280836"'
    plain = read_dcndl(f"<dcterms:isPartOf {issn}/>").record
    named = read_dcndl(f'<dcterms:isPartOf {issn} rdfs:label="Nature"/>').record
    part = read_dcndl(f"<dcterms:hasPart {issn}/>").record
    assert [record.host.issn for record in (plain, named, part)] == [("00280836",), (), ()]
    assert [len(record.relations) for record in (plain, named, part)] == [0, 1, 1]


def test_a_related_resource_without_anything_that_names_it_is_skipped():
    relations = "<dcterms:references/><dcterms:references>川の音</dcterms:references>"
    assert read_dcndl(relations).record.relations == (Relation(type="references", label="川の音"),)


def test_a_funder_may_stand_without_a_project():
    funded = (Funding(funder=Agent(name="例財団")),)
    assert read_dcndl("<foaf:fundedBy>例財団</foaf:fundedBy>").record.fundings == funded
    node = "<foaf:fundedBy><foaf:Agent><foaf:name>例財団</foaf:name></foaf:Agent></foaf:fundedBy>"
    assert read_dcndl(node).record.fundings == funded
    assert read_dcndl("<foaf:fundedBy/>").record.fundings == ()


def test_only_the_project_and_its_programme_give_their_names_to_a_funding():
    title = "<dcterms:title>{}</dcterms:title>".format
    person = f"<dcterms:creator><foaf:Agent>{title('会長')}</foaf:Agent></dcterms:creator>"
    programme = f"<dcterms:isPartOf><rdf:Description>{title('基盤研究')}</rdf:Description></dcterms:isPartOf>"
    project = f"<foaf:Project>{title('川の研究')}{person}{programme}<dcterms:isPartOf/></foaf:Project>"
    [found] = read_dcndl(f"<foaf:fundedBy>{project}<foaf:Agent/></foaf:fundedBy>").record.fundings
    assert found == Funding(
        funder=Agent(name=""), titles=(Title(value="川の研究"),), streams=(Title(value="基盤研究"),)
    )


def full(**fields: object) -> BibliographicRecord:
    """A record that can be written and read again, with these fields."""
    read_record = read(document(), "dcndl").record
    names = {name: getattr(read_record, name) for name in read_record.__struct_fields__}
    return BibliographicRecord(**{**names, **fields})


def again(record: BibliographicRecord) -> BibliographicRecord:
    reading = read(WRITERS["dcndl"].write(record), "dcndl")
    assert reading.record is not None, codes(reading)
    return reading.record


def test_a_holder_of_rights_is_described_once_and_others_by_name():
    record = full(
        rights_holders=("例大学", "例太郎"),
        rights_agents=(Agent(name="例太郎", uri="http://x.example/1"), Agent(name="例花子", uri="http://x.example/2")),
    )
    root = parse(WRITERS["dcndl"].write(record))
    holders = [
        "".join(holder.itertext()).strip() for holder in root.iter("{http://ndl.go.jp/dcndl/terms/}rightsHolder")
    ]
    assert holders == ["例大学", "例太郎", "例花子"]
    assert again(record).rights_agents == record.rights_agents


def test_the_parts_of_a_description_have_uris_with_one_fragment():
    for uri, part in ((URL, f"{URL}#material"), (f"{URL}#1", f"{URL}#1-material")):
        assert f'rdf:about="{part}"' in WRITERS["dcndl"].write(full(uri=uri)).decode()


def test_files_with_details_are_nodes_that_are_read_again():
    files = (
        File(uri="https://x.example/1.pdf", label="本文", type="fulltext", media_type="application/pdf"),
        File(uri="https://x.example/2.pdf"),
    )
    assert [file.uri for file in again(full(files=files)).files] == [file.uri for file in files]
    assert again(full(files=files)).files[0] == files[0]


def test_an_award_keeps_its_number_its_titles_and_its_programme():
    funding = Funding(
        funder=Agent(name="例財団", identifiers=(Identifier(scheme="ROR", value="https://ror.org/1"),)),
        award=Identifier(scheme="JGN", value="JP1"),
        titles=(Title(value="研究", language="ja"),),
        streams=(Title(value="基盤研究", language="ja"),),
        stream_identifier=Identifier(scheme="JGN_fundingStream", value="S1"),
    )
    assert again(full(fundings=(funding,))).fundings == (funding,)
