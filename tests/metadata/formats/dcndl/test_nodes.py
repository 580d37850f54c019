"""Nodes of DC-NDL(RDF) with parts inside: agents, relations, files, conferences, hosts, in every form that is read."""

import pytest

from metadata.formats import WRITERS
from metadata.reading import read
from metadata.record import (
    Agent,
    Conference,
    Date,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    License,
    Relation,
    Subject,
    Title,
)
from tests.metadata.documents import ITEM, SEE_ALSO, URL, read_dcndl
from tests.metadata.formats.dcndl.test_details import again, full

TERMS = "http://ndl.go.jp/dcndl/terms/"


def description(*parts: str, about: str = "") -> str:
    named = f' rdf:about="{about}"' if about else ""
    return f"<rdf:Description{named}>{''.join(parts)}</rdf:Description>"


def agent(*parts: str, about: str = "") -> str:
    named = f' rdf:about="{about}"' if about else ""
    return f"<dcterms:creator><foaf:Agent{named}>{''.join(parts)}</foaf:Agent></dcterms:creator>"


NAME = "<foaf:name>夏目漱石</foaf:name>"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (NAME, Agent(name="夏目漱石")),
        ('<foaf:name xml:lang="ja">夏目漱石</foaf:name>', Agent(name="夏目漱石", language="ja")),
        (
            NAME
            + "<dcndl:transcription>ナツメ</dcndl:transcription><dcndl:transcription>ソウセキ</dcndl:transcription>",
            Agent(name="夏目漱石", transcription="ナツメ ; ソウセキ"),
        ),
        (
            NAME + "<dcndl:location>東京</dcndl:location><dcterms:description>著</dcterms:description>",
            Agent(name="夏目漱石", location="東京", role="著"),
        ),
        (
            NAME + '<foaf:name xml:lang="en">Soseki</foaf:name>',
            Agent(name="夏目漱石", other_names=(Title(value="Soseki", language="en"),)),
        ),
        (
            NAME + "<dcndl:creatorAlternative>金之助</dcndl:creatorAlternative>",
            Agent(name="夏目漱石", other_names=(Title(value="金之助", kind="alternative"),)),
        ),
        (
            NAME + '<rdf:type rdf:resource="http://xmlns.com/foaf/0.1/Organization"/>',
            Agent(name="夏目漱石", kind="Organizational"),
        ),
        (NAME + "<rdf:type>家</rdf:type>", Agent(name="夏目漱石", kind="家")),
        (
            NAME + f'<dcterms:identifier rdf:datatype="{TERMS}ORCID">1</dcterms:identifier><dcterms:identifier/>',
            Agent(name="夏目漱石", identifiers=(Identifier(scheme="ORCID", value="1"),)),
        ),
        ("<dcndl:location>東京</dcndl:location>", None),
    ],
)
def test_an_agent_is_read_with_all_its_parts(parts, expected):
    creators = read_dcndl(agent(parts)).record.creators
    assert creators == ((expected,) if expected else ())
    if expected:
        assert again(full(creators=creators)).creators == creators


def test_the_uri_of_an_agent_is_kept():
    [creator] = read_dcndl(agent(NAME, about="http://id.ndl.go.jp/auth/entity/00054222")).record.creators
    assert creator.uri == "http://id.ndl.go.jp/auth/entity/00054222"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<rdf:value>猫</rdf:value>", Subject(value="猫")),
        (f'<rdf:value rdf:datatype="{TERMS}BSH">猫</rdf:value>', Subject(value="猫", scheme="BSH")),
        (
            "<rdf:value>猫</rdf:value><dcndl:transcription>ネコ</dcndl:transcription>",
            Subject(value="猫", transcription="ネコ"),
        ),
    ],
)
def test_a_heading_is_read_from_its_node(inner, expected):
    assert read_dcndl(f"<dcterms:subject>{description(inner)}</dcterms:subject>").record.subjects == (expected,)


@pytest.mark.parametrize(
    ("uri", "scheme", "value"),
    [
        ("http://id.ndl.go.jp/class/ndc10/913.6", "NDC10", "913.6"),
        ("http://id.ndl.go.jp/class/ndlc/KH334", "NDLC", "KH334"),
        ("http://dewey.info/class/813.54/e22/", "DDC", "813.54"),
        ("http://id.ndl.go.jp/auth/ndlsh/00568388", "NDLSH", ""),
        ("http://example.jp/1", "", ""),
    ],
)
def test_a_class_is_read_from_its_uri(uri, scheme, value):
    [subject] = read_dcndl(f'<dcterms:subject rdf:resource="{uri}"/>').record.subjects
    assert (subject.scheme, subject.value, subject.uri) == (scheme, value, uri)
    assert again(full(subjects=(subject,))).subjects == (subject,)


@pytest.mark.parametrize(
    "relation",
    [
        Relation(type="references", label="川の音", language="ja"),
        Relation(type="references", uri="http://a.jp/1"),
        Relation(type="references", uri="http://a.jp/1", label="川の音", language="ja"),
        Relation(type="relation", uri="http://a.jp/1", term="isIdenticalTo"),
        Relation(type="isPartOf", scheme="NCID", number="AN1", label="紀要"),
        Relation(type="relation", uri="http://a.jp/1", term="sameAs"),
        Relation(type="hasPart", uri="http://a.jp/1", label="川", titles=(Title(value="River", language="en"),)),
    ],
)
def test_a_relation_is_the_same_after_writing(relation):
    assert again(full(relations=(relation,))).relations == (relation,)


def test_a_node_in_place_of_a_relation_is_one_with_its_label():
    for part in ("<rdfs:label>川</rdfs:label>", "<dcterms:title>川</dcterms:title>", "<rdf:value>川</rdf:value>"):
        node = description(part, about="http://a.jp/1")
        assert read_dcndl(f"<dcterms:references>{node}</dcterms:references>").record.relations == (
            Relation(type="references", uri="http://a.jp/1", label="川"),
        )
    assert read_dcndl(f"<dcterms:references>{description()}</dcterms:references>").record.relations == ()


def test_a_file_is_the_same_after_writing():
    whole = File(
        uri="https://a.jp/1.pdf",
        label="本文",
        type="fulltext",
        media_type="application/pdf",
        version="2",
        extents=("1MB", "3p"),
        dates=(
            Date(type="available", value="2020"),
            Date(type="dateCollected", value="2021"),
            Date(type="撮影", value="2019"),
        ),
    )
    assert again(full(files=(whole, File()))).files == (whole,)


@pytest.mark.parametrize(
    "conference",
    [
        Conference(names=(Title(value="例会議", language="ja"),)),
        Conference(names=(Title(value="例会議"), Title(value="Example", language="en")), sequence="12", country="JP"),
        Conference(names=(Title(value="例会議"),), start="2016-05-03", end="2016-05-05"),
        Conference(names=(Title(value="例会議"),), start="2016-05-03"),
        Conference(names=(Title(value="例会議"),), end="2016-05-05"),
        Conference(
            names=(Title(value="例会議"),),
            sponsors=(Title(value="例学会"),),
            venues=(Title(value="会館"),),
            places=(Title(value="京都"),),
            date=Title(value="五月", language="ja"),
        ),
    ],
)
def test_a_conference_is_the_same_after_writing(conference):
    record = full(conferences=(conference,), notes=("図あり",))
    assert (again(record).conferences, again(record).notes) == ((conference,), ("図あり",))


def test_conferences_and_fundings_are_described_on_one_line():
    whole = Conference(
        names=(Title(value="例会議"),),
        sequence="12",
        start="2016-05-03",
        end="2016-05-05",
        venues=(Title(value="会館"),),
        places=(Title(value="京都"),),
        country="JP",
    )
    funding = Funding(
        funder=Agent(name="例財団"),
        streams=(Title(value="基盤"),),
        titles=(Title(value="研究"),),
        award=Identifier(scheme="JGN", value="JP15H02781"),
    )
    written = WRITERS["dcndl"].write(full(conferences=(whole,), fundings=(funding,))).decode()
    assert ">会議 : 例会議; 12; 2016-05-03-2016-05-05; 会館; 京都; JP<" in written
    assert ">助成 : 例財団; 基盤; 研究; JP15H02781<" in written
    assert f'datatype="{TERMS}KAKENHINO">JP15H02781<' in written
    record = again(full(conferences=(whole,), fundings=(funding,)))
    assert (record.notes, record.identifiers) == ((), ())


@pytest.mark.parametrize(
    "host",
    [
        Host(title="学会誌", language="ja", volume="12", number="3", issue="98", pages="3-9"),
        Host(title="学会誌", titles=(Title(value="Journal", language="en"),), issn=("03875911",)),
        Host(title="学会誌", identifiers=(Identifier(scheme="NCID", value="AN00000085"),)),
        Host(volume="12"),
        Host(issn=("03875911", "00280836")),
    ],
)
def test_a_host_is_the_same_after_writing(host):
    assert again(full(host=host)).host == host
    assert read(WRITERS["dcndl_v3"].write(full(host=host)), "dcndl").record.host == host


def test_an_item_is_the_same_after_writing():
    item = Item(
        uri=f"{URL}#item",
        holding_agent="例館",
        holding_agent_transcription="レイカン",
        library_code="9999",
        holding_agent_names=(Title(value="Example", language="en"),),
        holding_agent_identifiers=(Identifier(scheme="ISIL", value="JP-1"),),
        identifiers=(Identifier(scheme="JPNO", value="12345678"),),
        call_number="KH334",
        local_call_number="913",
        availability="可",
        holding_issues="1-3",
        absent_issues="2",
        publishers=(Agent(name="例社"),),
        issued="2020",
        dates=("2021", "2022"),
        location="書庫",
        notes=("破損",),
        see_also=("https://a.jp/1",),
    )
    assert again(full(items=(item,))).items == (item,)


def test_values_that_an_item_repeats_are_joined():
    extra = "<dcndl:callNumber>A</dcndl:callNumber><dcndl:callNumber>B</dcndl:callNumber>"
    for note in ("配置場所 : 書庫", "配置場所:閲覧室", "場所 : 不明"):
        extra += f"<dcterms:description>{note}</dcterms:description>"
    [item] = read_dcndl(item=ITEM.replace(SEE_ALSO, SEE_ALSO + extra)).record.items
    assert (item.call_number, item.location, item.notes) == ("A ; B", "書庫 ; 閲覧室", ("場所 : 不明",))


def test_statements_of_rights_with_a_uri_are_licences():
    parts = "<dcterms:rights>無断転載禁止</dcterms:rights>"
    parts += '<dcterms:rights rdf:resource="http://a.jp/by" rdfs:label="CC BY"/>'
    parts += '<dcterms:license rdf:resource="http://a.jp/other"/><dcterms:rights rdf:resource="http://a.jp/plain"/>'
    record = read_dcndl(parts).record
    assert record.rights == ("無断転載禁止", "CC BY")
    assert {licence.uri: licence.label for licence in record.licenses} == {
        "http://a.jp/by": "CC BY",
        "http://a.jp/other": "",
        "http://a.jp/plain": "",
    }
    assert all(isinstance(licence, License) for licence in record.licenses)


def test_other_names_belong_to_the_only_creator():
    other = "<dcndl:creatorAlternative>金之助</dcndl:creatorAlternative>"
    creator = "<dcterms:creator>夏目漱石</dcterms:creator>"
    one, two = read_dcndl(creator, other).record, read_dcndl(creator, creator, other).record
    assert (one.creators[0].other_names, one.creator_alternatives) == ((Title(value="金之助", kind="alternative"),), ())
    assert [creator.other_names for creator in two.creators] == [(), ()]
    assert two.creator_alternatives == (Title(value="金之助"),)


@pytest.mark.parametrize(
    ("note", "field", "value"),
    [
        ("出版タイプ : VoR", "version_type", "VoR"),
        ("バージョン情報 : 2", "resource_version", "2"),
        ("データセットシリーズ : True", "dataset_series", "True"),
        ("日付（dateCollected） : 2020", "other_dates", (Date(type="dateCollected", value="2020"),)),
        ("識別子登録（JaLC） : 10.1/a", "registrations", (Identifier(scheme="JaLC", value="10.1/a"),)),
    ],
)
def test_a_labelled_note_goes_back_to_its_field(note, field, value):
    record = read_dcndl(f"<dcterms:description>{note}</dcterms:description>").record
    assert (getattr(record, field), record.notes) == (value, ())
    assert getattr(again(record), field) == value


def test_of_two_equal_labels_the_second_stays_a_note():
    notes = "".join(f"<dcterms:description>出版タイプ : {kind}</dcterms:description>" for kind in ("VoR", "AM"))
    record = read_dcndl(notes).record
    assert (record.version_type, record.notes) == ("VoR", ("出版タイプ : AM",))


def test_a_heading_keeps_the_scheme_that_its_uri_does_not_have():
    uri = "http://id.ndl.go.jp/auth/ndlsh/00568388"
    headings = tuple(Subject(value="猫", scheme=scheme, uri=uri) for scheme in ("BSH", "NDLSH", "TRCT"))
    assert again(full(subjects=headings)).subjects == headings


def test_an_isbn_keeps_its_qualifier():
    number = Identifier(scheme="ISBN", value="9784101010014", printed="4-10-101001-3 (大活字)")
    assert again(full(identifiers=(number,))).identifiers == (number,)


def test_a_funding_without_a_programme_has_no_node_for_it():
    written = WRITERS["dcndl"].write(full(fundings=(Funding(funder=Agent(name="例財団")),))).decode()
    assert "foaf:Project" in written
    assert "isPartOf" not in written
    assert "dcterms:identifier" not in written.partition("foaf:Project")[2].partition("/foaf:Project")[0]
