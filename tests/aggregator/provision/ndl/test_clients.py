"""The requests that public clients of NDL Search make, with what they read from the responses (`clients.json`).

"reads": paths of elements; "finds": regular expressions over the text, as clients without an XML parser have them.
The requests were written down from public code; only the address of the server is another.
"""

import json
import re
from html import unescape
from xml.etree import ElementTree

import pytest
from lxml import etree

from aggregator.provision.ndl.harvesting import answer
from aggregator.tasks import aggregate
from tests.aggregator.provision.ndl.helpers import NAMES
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record
from tests.paths import ROOT

CLIENTS = json.loads((ROOT / "tests/aggregator/provision/ndl/clients.json").read_text("utf-8"))
OAI, RDF, DCNDL = (
    *("{http://www.openarchives.org/OAI/2.0/}", "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"),
    "{http://ndl.go.jp/dcndl/terms/}",
)


@pytest.mark.parametrize("case", CLIENTS, ids=[f"{number} {case['client']}" for number, case in enumerate(CLIENTS)])
def test_a_client_reads_what_it_expects(client, kokoro, case):
    answered = client.get(case["request"])
    root = etree.fromstring(answered.content)
    reads, finds = case.get("reads", {}), case.get("finds", {})
    read = {path: root.findtext(path, namespaces=NAMES) for path in reads}
    assert read == {path: value.format(book=book_id(kokoro)) for path, value in reads.items()}
    text = answered.content.decode()
    found = {pattern: match[1] if (match := re.search(pattern, text)) else None for pattern in finds}
    assert found == finds
    assert reads or finds


def test_clients_that_unescape_the_whole_response_find_the_record(client, kokoro):
    """PHP and Python scripts turn the string packing into XML for the whole response."""
    text = client.get("/api/sru?operation=searchRetrieve&query=isbn%3d9784003101117").content.decode()
    root = etree.fromstring(unescape(text.partition("?>")[2].strip()))
    assert root.findtext(".//dc:publisher", namespaces=NAMES) == "岩波書店"


@pytest.mark.django_db
def test_the_harvest_script_of_ndl_lab_finds_its_way(client):
    shelf = Shelf()
    for number in range(3):
        shelf.put("a", f"oai:p:{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    day = answer([("verb", "Identify")]).partition(b"<earliestDatestamp>")[2][:10].decode()
    repository = shelf_number(client)
    url = f"/api/oaipmh?verb=ListRecords&from={day}&metadataPrefix=dcndl&set={repository}"
    root = ElementTree.fromstring(client.get(url).content)
    found = []
    for item in root.find(f"{OAI}ListRecords").findall(f"{OAI}record"):
        admin = item.find(f"{OAI}metadata").find(f"{RDF}RDF").find(f"{DCNDL}BibAdminResource")
        found.append(admin.attrib[f"{RDF}about"].split("/")[-1])
    assert len(set(found)) == 3


def shelf_number(client):
    root = ElementTree.fromstring(client.get("/api/oaipmh?verb=ListSets").content)
    return root.find(f".//{OAI}setSpec").text
