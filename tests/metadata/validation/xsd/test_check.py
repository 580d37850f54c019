"""Validation against official schemas: which one is used, the issues, and hostile records and folders."""

import shutil
import threading
from pathlib import Path

import pytest
from lxml import etree

from metadata.catalogue import sentence
from metadata.formats import xsd_roots
from metadata.policy import Policy
from metadata.reading import read
from metadata.validation.xsd.check import MAX_ISSUES, Schemas
from metadata.validation.xsd.folder import SchemaFolder
from metadata.vocabularies.namespaces import MARC, RDF
from metadata.xml.parsing import parse
from tests.paths import ROOT, SCHEMAS

OFFICIAL = SCHEMAS
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"

# Our own schema for oai_dc, which imports another file.
MAIN = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{OAI_DC}" xmlns:dc="{DC}">
  <xs:import namespace="{DC}" schemaLocation="http://dublincore.org/schemas/xmls/simpledc20021212.xsd"/>
  <xs:element name="dc"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">
    <xs:element ref="dc:title"/><xs:element ref="dc:date"/></xs:choice></xs:complexType></xs:element>
</xs:schema>"""
PARTS = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{DC}">
  <xs:element name="title" type="xs:string"/><xs:element name="date" type="xs:gYear"/>
</xs:schema>"""
PLACE = "dublincore.org/schemas/xmls/simpledc20021212.xsd"


def folder_of(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def own(tmp_path) -> Schemas:
    return Schemas(folder_of(tmp_path / "schemas", {"www.openarchives.org/OAI/2.0/oai_dc.xsd": MAIN, PLACE: PARTS}))


@pytest.fixture(scope="session")
def official() -> Schemas:
    if not OFFICIAL.is_dir():
        pytest.skip("no folder ../shared/schemas beside the repository")
    return Schemas(OFFICIAL)


def oai_dc(inner: str) -> etree._Element:
    return parse(f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}">{inner}</oai_dc:dc>'.encode())


def jpcoar(inner: str, namespace: str) -> etree._Element:
    spaces = {"jpcoar": namespace, "dc": DC, "datacite": "https://schema.datacite.org/meta/kernel-4/"}
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in spaces.items())
    return parse(f"<jpcoar:jpcoar {declared}>{inner}</jpcoar:jpcoar>".encode())


def test_a_valid_record_has_no_issues(own):
    assert own.check(oai_dc("<dc:title>見本の本</dc:title><dc:date>2001</dc:date>")) == []


def test_an_issue_names_the_place_the_value_and_the_type(own):
    [wrong] = own.check(oai_dc("<dc:date>平成13</dc:date>"))
    assert (wrong.code, wrong.field, wrong.value) == ("xsd.W105", "dc:date", "平成13 [xs:gYear]")
    assert "平成13 [xs:gYear]" in sentence(wrong, "ja")


def test_an_issue_about_an_unexpected_element_names_the_expected_one(official):
    leaderless = f'<record xmlns="{MARC}"><controlfield tag="001">1</controlfield></record>'.encode()
    [issue] = official.check(parse(leaderless))
    assert (issue.code, issue.field, issue.value) == ("xsd.W101", "marc:controlfield", "marc:leader")
    assert "marc:leader" in sentence(issue, "en")


def test_places_are_named_if_the_record_has_no_prefixes(own):
    inner = "".join(f'<date xmlns="{DC}">{year}</date>' for year in (1, 2))
    root = parse(f'<dc xmlns="{OAI_DC}">{inner}</dc>'.encode())
    assert [issue.field for issue in own.check(root)] == ["dc:date[1]", "dc:date[2]"]


def test_text_between_elements_has_its_own_code(own):
    [issue] = own.check(oai_dc("本<dc:title/>"))
    assert (issue.code, issue.field) == ("xsd.W107", "oai_dc:dc")


def test_issues_of_a_record_are_limited_and_their_number_is_reported(own):
    *issues, last = own.check(oai_dc("<dc:date>x</dc:date>" * 500))
    assert len(issues) == MAX_ISSUES
    assert (last.code, last.value) == ("xsd.I108", "500")


@pytest.mark.parametrize(
    "inner",
    [
        "<dc:title/>" * 20_001,
        "<dc:title>" + "<dc:title>" * 30 + "</dc:title>" * 30 + "</dc:title>",
        f"<{'p' * 100}:title xmlns:{'p' * 100}='{DC}'/>",
    ],
)
def test_a_record_that_would_take_long_is_not_checked_and_reported(own, inner):
    assert [issue.code for issue in own.check(oai_dc(inner))] == ["xsd.I109"]


def test_a_location_inside_the_record_is_not_followed(own):
    location = f'xsi:schemaLocation="{DC} file:///etc/passwd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    root = parse(f'<dc xmlns="{OAI_DC}" {location}><title xmlns="{DC}">本</title></dc>'.encode())
    assert own.check(root) == []


def test_a_schema_cannot_import_files_outside_the_folder(tmp_path):
    outside = folder_of(tmp_path, {"outside.xsd": PARTS})
    for address in ("../outside.xsd", str(outside / "outside.xsd"), f"file://{outside}/outside.xsd"):
        text = MAIN.replace("http://" + PLACE, address)
        folder = SchemaFolder(folder_of(tmp_path / "schemas", {"oai_dc.xsd": text}))
        assert "not in the folder" in (folder.unusable_reason(xsd_roots()["oai_dc"]) or "")


def test_a_link_that_leads_outside_the_folder_is_ignored(tmp_path):
    outside = folder_of(tmp_path, {"parts.xsd": PARTS})
    folder = folder_of(tmp_path / "schemas", {"oai_dc.xsd": MAIN})
    (folder / "simpledc20021212.xsd").symlink_to(outside / "parts.xsd")
    assert "not in the folder" in (SchemaFolder(folder).unusable_reason(xsd_roots()["oai_dc"]) or "")


def test_files_are_found_in_any_subfolder(tmp_path):
    files = {"a/deep/main.xsd": MAIN, "b/simpledc20021212.xsd": PARTS}
    assert Schemas(folder_of(tmp_path, files)).check(oai_dc("<dc:place/>"))


def test_with_an_unusable_schema_nothing_is_checked(tmp_path):
    schemas = Schemas(folder_of(tmp_path, {"oai_dc.xsd": MAIN, "broken.xsd": "<xs:schema"}))
    assert schemas.check(oai_dc("<dc:place/>")) == []


def test_of_several_versions_the_same_or_the_next_one_is_used(tmp_path):
    mods = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.loc.gov/mods/v3">'
    text = f'{mods}<xs:element name="mods"/></xs:schema>'
    folder = SchemaFolder(folder_of(tmp_path, {f"mods-3-{minor}.xsd": text for minor in (4, 6, 10)}))
    found = {version: folder.schema_for(xsd_roots()["mods"], version) for version in ("3.4", "3.5", "3.11", "", "x")}
    names = {version: file.path.name for version, file in found.items() if file}
    assert names == {
        "3.4": "mods-3-4.xsd",
        "3.5": "mods-3-6.xsd",
        "3.11": "mods-3-10.xsd",
        "": "mods-3-10.xsd",
        "x": "mods-3-10.xsd",
    }


def test_a_schema_of_plain_rdf_is_not_used_for_dcndl(tmp_path):
    begin = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    text = f'{begin} targetNamespace="{RDF}"><xs:element name="RDF"/></xs:schema>'
    folder = folder_of(tmp_path, {"jpcoar/rdf.xsd": text})
    assert SchemaFolder(folder).schema_for(xsd_roots()["dcndl"]) is None
    assert SchemaFolder(folder_of(folder, {"dcndl/dcndl.xsd": text})).schema_for(xsd_roots()["dcndl"])


def test_many_threads_get_the_same_issues(own):
    invalid, results = "<dc:date>x</dc:date>", []
    threads = [threading.Thread(target=lambda: results.append(own.check(oai_dc(invalid)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [own.check(oai_dc(invalid))] * 8


def test_a_record_that_violates_the_schema_is_registered(own):
    data = etree.tostring(oai_dc("<dc:title>本</dc:title><dc:place>京都</dc:place>"))
    reading = read(data, "oai_dc", Policy(schemas=own))
    assert reading.record is not None
    assert "xsd.W101" in {issue.code for issue in reading.issues}
    assert "xsd.W101" not in {issue.code for issue in read(data, "oai_dc").issues}


def test_the_rule_can_be_switched_off(own):
    policy = Policy(schemas=own, switches={"xsd.W101": None})
    reading = read(etree.tostring(oai_dc("<dc:title>本</dc:title><dc:place/>")), "oai_dc", policy)
    assert "xsd.W101" not in {issue.code for issue in reading.issues}


def test_the_official_schemas_can_all_be_used(official):
    reasons = {name: official.folder.unusable_reason(tag) for name, tag in xsd_roots().items()}
    assert {name for name, reason in reasons.items() if reason == ""} >= {
        "oai_dc",
        "jpcoar 1.0",
        "jpcoar 2.1",
        "marcxml",
        "mods",
    }
    assert not [reason for reason in reasons.values() if reason]


@pytest.mark.parametrize("version", ["1.0", "2.0", "2.1"])
@pytest.mark.parametrize(
    "host", ["https://github.com/JPCOAR/schema/blob/master/{}/", "https://irdb.nii.ac.jp/schema/jpcoar/{}/"]
)
def test_jpcoar_of_both_hosts_is_checked_with_the_schema_of_its_version(official, version, host):
    inner = '<dc:title xml:lang="ja">本</dc:title><datacite:date dateType="Issued">昨年</datacite:date>'
    [issue, *_more] = official.check(jpcoar(inner, host.format(version)))
    assert issue.code.startswith("xsd.W")
    assert not issue.value.startswith("{")


def test_a_copy_of_the_official_files_in_a_single_folder_can_be_used(official, tmp_path):
    for path in (OFFICIAL / "jpcoar" / "2.0").glob("*.xsd"):
        shutil.copy(path, tmp_path)
    shutil.copy(OFFICIAL / "xml" / "xml_w3.org.2001.03.xsd", tmp_path)
    assert SchemaFolder(tmp_path).unusable_reason(xsd_roots()["jpcoar 2.0"]) == ""


SHIPPED = ROOT / "metadata" / "validation" / "xsd" / "shipped"


@pytest.mark.parametrize("name", ["oai_dc", "marcxml", "mods"])
def test_a_schema_that_is_shipped_can_be_used(name):
    assert SchemaFolder(SHIPPED).unusable_reason(xsd_roots()[name]) == ""


def test_every_schema_that_is_shipped_is_named_in_the_notice():
    notice = (SHIPPED / "NOTICE").read_text(encoding="utf-8")
    paths = [path.relative_to(SHIPPED).as_posix() for path in SHIPPED.rglob("*.xsd")]
    assert [path for path in paths if path not in notice] == []


def test_a_record_is_checked_by_a_schema_that_is_shipped():
    assert [issue.code for issue in Schemas(SHIPPED).check(oai_dc("<dc:titel>猫</dc:titel>"))] == ["xsd.W101"]
