"""DC-NDL in other shapes of RDF/XML gives the same record, with a warning. Unknown elements are reported."""

import pytest

from metadata.formats.dcndl.tree import is_described
from metadata.reading import read
from metadata.record import Agent, License, Relation, Title
from metadata.xml.parsing import parse
from tests.metadata.documents import ADMIN, ITEM, TYPE, URL, codes, dcndl, read_dcndl

AGENT = '<foaf:Agent rdf:about="https://id.example.jp/1"><foaf:name>夏目漱石</foaf:name></foaf:Agent>'
SOSEKI = (Agent(name="夏目漱石", uri="https://id.example.jp/1"),)


@pytest.mark.parametrize(
    "title",
    [
        '<dc:title rdf:parseType="Resource"><rdf:value>坊っちゃん</rdf:value></dc:title>',
        '<dc:title><rdf:Description rdf:value="坊っちゃん"/></dc:title>',
        '<dc:title rdf:value="坊っちゃん"/>',
        '<dc:title rdf:nodeID="t1"/>',
    ],
    ids=["parseType", "attribute of the node", "attribute of the property", "nodeID"],
)
def test_a_title_in_another_shape_is_the_same_title(title):
    node = '<rdf:Description rdf:nodeID="t1"><rdf:value>坊っちゃん</rdf:value></rdf:Description>'
    reading = read_dcndl(title=title, item=ITEM + (node if "nodeID" in title else ""))
    assert (reading.record.title, reading.record.see_also) == ("坊っちゃん", ())
    assert ("dcndl.W029" in codes(reading)) is ("parseType" not in title)  # this shape is read without conversion
    assert "dcndl.I027" not in codes(reading)


def test_a_node_is_copied_to_every_element_that_points_to_it():
    pointing = '<dcterms:creator rdf:resource="https://id.example.jp/1"/>'
    reading = read_dcndl(pointing, pointing.replace("creator", "publisher"), item=ITEM + AGENT)
    assert reading.record.creators == reading.record.publishers == SOSEKI
    assert "dcndl.W029" in codes(reading)


def test_nodes_typed_by_rdf_type_are_recognised():
    document = dcndl(f"<dcterms:creator>{AGENT}</dcterms:creator>").decode()
    kind = '<rdf:type rdf:resource="http://xmlns.com/foaf/0.1/Agent"/>'
    other = document.replace("<foaf:Agent", "<rdf:Description").replace("</foaf:Agent>", f"{kind}</rdf:Description>")
    for name in ("BibResource", "Item"):
        kind = f'<rdf:type rdf:resource="http://ndl.go.jp/dcndl/terms/{name}"/>'
        other = other.replace(f"<dcndl:{name} ", "<rdf:Description ")
        other = other.replace(f"</dcndl:{name}>", f"{kind}</rdf:Description>")
    reading = read(other.encode(), "dcndl")
    assert reading.record == read(document.encode(), "dcndl").record
    assert reading.record.creators == SOSEKI
    assert "dcndl.W029" in codes(reading)


@pytest.mark.parametrize("name", ["BibAdminResource", "BibResource"])
def test_a_record_of_which_only_one_node_has_another_shape_is_read_whole(name):
    document = dcndl(TYPE).decode()
    kind = f'<rdf:type rdf:resource="http://ndl.go.jp/dcndl/terms/{name}"/>'
    other = document.replace(f"<dcndl:{name} ", "<rdf:Description ")
    other = other.replace(f"</dcndl:{name}>", f"{kind}</rdf:Description>")
    reading = read(other.encode(), "dcndl")
    assert reading.record == read(document.encode(), "dcndl").record
    assert "dcndl.W029" in codes(reading)


def test_nested_main_nodes_are_separated():
    inner = dcndl(TYPE).decode()
    start, end = inner.index("<dcndl:BibResource"), inner.index("<dcndl:Item")
    bib = inner[start:end]
    nested = inner.replace(bib, "").replace(
        ADMIN, ADMIN.replace("</dcndl:BibAdmin", f"<dcndl:record>{bib}</dcndl:record></dcndl:BibAdmin")
    )
    reading = read(nested.encode(), "dcndl")
    assert reading.record == read(inner.encode(), "dcndl").record
    assert "dcndl.W029" in codes(reading)


def test_a_node_without_references_is_reported():
    reading = read_dcndl(item=ITEM + AGENT)
    assert [issue.field for issue in reading.issues if issue.code == "dcndl.I027"] == ["rdf:RDF/foaf:Agent"]


def test_the_usual_shape_needs_no_warning():
    assert "dcndl.W029" not in codes(read_dcndl(f"<dcterms:creator>{AGENT}</dcterms:creator>"))


def test_the_number_of_copies_of_a_node_is_limited():
    pointing = '<dcterms:creator rdf:resource="https://id.example.jp/1"/>' * 1000
    assert len(read_dcndl(pointing, item=ITEM + AGENT).record.creators) == 20


def test_an_unknown_element_is_reported_with_its_value():
    reading = read_dcndl("<dcndl:colour>赤</dcndl:colour>")
    assert [(issue.field, issue.value) for issue in reading.issues if issue.code == "dcndl.I027"] == [
        ("dcndl:BibResource/dcndl:colour", "赤")
    ]


def test_a_reference_to_a_missing_item_is_reported():
    reading = read_dcndl(f'<dcndl:record rdf:resource="{URL}#items"/>')
    assert [issue.value for issue in reading.issues if issue.code == "dcndl.W208"] == [f"{URL}#items"]
    assert "dcndl.W208" not in codes(read_dcndl(f'<dcndl:record rdf:resource="{URL}#item"/>'))


def test_a_date_of_issue_without_datatype_is_reported():
    assert "dcndl.I118" in codes(read_dcndl("<dcterms:issued>2005-03</dcterms:issued>"))


@pytest.mark.parametrize(
    ("sent", "code", "result"),
    [
        ("<dcterms:issued>昭和62.3</dcterms:issued>", "dcndl.N018", "1987-03"),
        ("<dcterms:date>c2001</dcterms:date>", "dcndl.N118", "2001"),
        (
            '<dcterms:identifier rdf:datatype="http://ndl.go.jp/dcndl/terms/ISBN">4101010014</dcterms:identifier>',
            "dcndl.N013",
            "9784101010014",
        ),
    ],
)
def test_a_changed_value_is_reported_with_its_result(sent, code, result):
    assert [issue.result for issue in read_dcndl(sent).issues if issue.code == code] == [result]


def test_a_time_of_day_in_dcterms_date_is_not_a_date_of_publication():
    record = read_dcndl("<dcterms:date>2008-05-14T13:33:18Z</dcterms:date>").record
    assert (record.issued, record.dates) == ("", ("2008-05-14T13:33:18Z",))


def test_other_names_and_volumes_of_other_titles_are_read():
    record = read_dcndl(
        "<dcterms:creator><foaf:Agent><foaf:name>夏目, 漱石</foaf:name></foaf:Agent></dcterms:creator>",
        "<dcndl:creatorAlternative>夏目, 金之助</dcndl:creatorAlternative>",
        "<dcndl:alternativeVolume>Vol. 2</dcndl:alternativeVolume>",
        "<dcndl:seriesTitle>例文庫</dcndl:seriesTitle><dcndl:seriesVolume>7</dcndl:seriesVolume>",
        "<dcndl:uniformTitle>坊ちゃん</dcndl:uniformTitle>",
        admin=ADMIN.replace("</dcndl:BibAdmin", "<dcndl:recordStatus>n</dcndl:recordStatus></dcndl:BibAdmin"),
    ).record
    assert record.creators[0].other_names == (Title(value="夏目, 金之助", kind="alternative"),)
    assert (record.alternative_volumes, record.volumes) == ((Title(value="Vol. 2"),), ())
    assert (record.series_volumes, record.record_status) == ((Title(value="7"),), "n")
    assert record.alternatives == (Title(value="坊ちゃん", kind="uniform"),)


def test_an_alternative_name_belongs_to_neither_of_two_creators():
    creator = "<dcterms:creator><foaf:Agent><foaf:name>{}</foaf:name></foaf:Agent></dcterms:creator>"
    record = read_dcndl(
        creator.format("甲"), creator.format("乙"), "<dcndl:creatorAlternative>丙</dcndl:creatorAlternative>"
    ).record
    assert record.creator_alternatives == (Title(value="丙"),)


def test_repeated_roles_are_joined():
    roles = "<dcterms:description>著</dcterms:description><dcterms:description>編</dcterms:description>"
    agent = f"<dcterms:creator><foaf:Agent><foaf:name>甲</foaf:name>{roles}</foaf:Agent></dcterms:creator>"
    assert read_dcndl(agent).record.creators[0].role == "著 ; 編"


def test_rights_with_a_uri_are_a_licence():
    uri = "https://creativecommons.org/licenses/by/4.0/"
    record = read_dcndl(f'<dcterms:rights rdf:resource="{uri}"/>', "<dcterms:rights>館内公開</dcterms:rights>").record
    assert (record.licenses, record.rights) == ((License(uri=uri),), ("館内公開",))


def test_a_link_that_only_looks_like_an_identifier_stays_a_link():
    record = read_dcndl('<rdfs:seeAlso rdf:resource="https://doi.org/about"/>').record
    assert (record.see_also, record.identifiers) == (("https://doi.org/about",), ())


def test_the_description_of_a_relation_is_its_term():
    link = '<dcterms:relation rdf:resource="https://x.example.jp/2" rdfs:label="続編" dcterms:description="isCitedBy"/>'
    record = read_dcndl(link).record
    assert record.relations == (
        Relation(type="relation", uri="https://x.example.jp/2", label="続編", term="isCitedBy"),
    )


RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">{}</rdf:RDF>'


def test_what_is_unusual_in_one_way_is_not_reported_in_another():
    contents = (
        '<dcterms:tableOfContents rdf:parseType="Collection"><rdf:Description><dcterms:title>一</dcterms:title>'
        "</rdf:Description></dcterms:tableOfContents>"
    )
    assert codes(read_dcndl(contents, "<dcndl:shelf>3階</dcndl:shelf>")) == ["dcndl.I027"]
    misspelt = ADMIN.replace("dcndl:bib", "dcndl:cataloguingStatus>C7</dcndl:cataloguingStatus><dcndl:bib", 1)
    node = "<dcterms:subject><rdf:Description><rdf:value>猫</rdf:value></rdf:Description></dcterms:subject>"
    assert codes(read_dcndl(node, admin=misspelt)) == ["dcndl.N030"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (dcndl().decode(), True),
        ("<other/>", True),
        (RDF.format(""), True),
        (RDF.format('<item xmlns="http://purl.org/rss/1.0/"/>'), False),
    ],
)
def test_other_documents_in_rdf_are_no_dcndl(document, expected):
    assert is_described(parse(document.encode())) is expected
