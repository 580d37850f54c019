"""docs/reference/ndl-api.md says of every name of the face whether it is met, and names nothing else."""

import re

import pytest

from aggregator.provision.ndl import cql, harvesting, opensearch, openurl, problems
from metadata.vocabularies.media_types import MEDIA_TYPES
from tests.paths import ROOT, SCHEMAS

TEXT = (ROOT / "docs/reference/ndl-api.md").read_text("utf-8")
APPENDICES = sorted((SCHEMAS.parent / "reference" / "tables").glob("附録[23]*.txt"))
SPECIFICATION = SCHEMAS.parent / "reference" / "ndlsearch_api_20250326.txt"


def section(title):
    return re.split(r"^#+ ", TEXT.partition(f"# {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(title):
    """Return the first cell and the last cell of every row of a section's tables."""
    lines = [line.strip("|").split(" | ") for line in section(title).splitlines() if line.startswith("| ")]
    return [(cells[0], cells[-1]) for cells in lines]


def names(title):
    return {name for first, _last in rows(title) for name in re.findall(r"`([^`]+)`", first)}


def test_every_parameter_of_opensearch_is_in_its_table():
    assert names("OpenSearch") >= {*opensearch.CONDITIONS, "cnt", "idx"}


def test_every_index_argument_and_message_of_sru_is_in_its_tables():
    indexes = {*cql._TEXTS, *cql._SINGLE, "dpid", "dpgroupid", "mediatype", "sortBy"} - {""}
    arguments = {"operation", "version", "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema"}
    assert names("SRU") >= indexes | arguments | {"sortKeys", "inprocess", "onlyBib"}
    assert not [text for text in problems.NUMBERS if f"`{text}`" not in section("SRU")]
    assert not [key for key in cql._ORDERS if f"`{key}`" not in section("SRU")]


def test_every_key_of_openurl_is_in_its_table():
    assert names("OpenURL") >= {*openurl._KEYS, *openurl._OWN}


def test_every_mediatype_is_said_to_be_what_it_is():
    assert names("mediatype") == MEDIA_TYPES.keys()
    assert all(last.startswith(("met", "partly")) for first, last in rows("mediatype") if "`" in first)


def test_the_formats_of_oai_pmh_are_named():
    assert not [prefix for prefix in harvesting.PREFIXES if f"`{prefix}`" not in section("OAI-PMH")]


@pytest.mark.skipif(not APPENDICES, reason="no copy of the appendices")
def test_every_group_mediatype_and_access_right_of_the_appendices_is_in_the_page():
    texts = [path.read_text("utf-8") for path in APPENDICES]
    listed = r"(?m)^[^\s#]\S*(?:\s\S+)?\s{1,}([a-z]{3,}(?:-[a-z]+)?)\s{2,}\S"
    names = {name for text in texts for name in (*re.findall(listed, text), *re.findall(r"\bAR[a-z]{5,}", text))}
    assert names >= {"open", "booklet", "manuscripts", "mina-daisy", "ARsoshin"}
    assert not sorted(name for name in names if f"`{name}`" not in TEXT)


@pytest.mark.skipif(not SPECIFICATION.is_file(), reason="no copy of the specification")
def test_every_name_in_the_tables_of_the_specification_is_in_the_page():
    table = r"^\s*[0-9]{1,2}\s+([A-Za-z_]{2,})(?=\s|$)"
    specified = set(re.findall(table, SPECIFICATION.read_text("utf-8"), flags=re.MULTILINE))
    assert specified >= {"isbn", "onlyBib", "mediatype", "digitized_publisher", "GetRecord", "ndl_jpno"}
    words = {"SRU", "OpenSearch", "OpenURL", "OAI", "Version", "Diagnostics", "Records", "Record", "illegal", "must"}
    words |= {"echoedSearch", "record"}  # cut by the layout, or words of a message
    assert not sorted(name for name in specified - words if f"`{name}`" not in TEXT)
