"""A format is one folder and one line in the registry: a format of the tests goes all the way from its provider to
OAI-PMH.
"""

import pytest
from lxml import etree

from aggregator.models import Member
from aggregator.tasks import aggregate
from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, RecordIssue, Repository, SourceRecord
from harvesting.registry.registration import register as register_provider
from harvesting.tasks import run_harvest
from metadata import formats
from sampleprovider.server import running
from sampleprovider.source import SampleRecord, SampleSource
from tests.aggregator.card_format import FORMAT
from tests.books import book
from tests.paths import ROOT

ISBN = "9784101010090"
CARD = (
    '<card xmlns="https://library.example.jp/cards"><heading>{}</heading><author>夏目漱石</author>'
    "<published>1950</published><isbn>4-10-101009-9</isbn></card>"
)
REGISTRY = (
    *(formats.FORMATS, formats.CROSSWALKS, formats.READABLE, formats.BY_NAME, formats.WRITERS, formats.RULES),
    *(formats._BY_ROOT, formats._RANKS),
)


@pytest.fixture
def _registered():
    """The format of cards, until the test ends."""
    earlier = [dict(entries) for entries in REGISTRY]
    formats.register(FORMAT)
    yield
    for entries, before in zip(REGISTRY, earlier, strict=True):
        entries.clear()
        entries.update(before)


def sources() -> list[SampleSource]:
    stamp = "2026-01-10T00:00:00Z"
    cards = [
        SampleRecord(identifier=f"oai:cards:{number}", datestamp=stamp, payloads={"cards": CARD.format(title).encode()})
        for number, title in enumerate(("草枕", ""))
    ]
    other = book("b1", title="草枕", creator="夏目漱石", isbn=ISBN, issued="1950")
    return [
        SampleSource(name="cards", prefixes=("cards",), records=cards),
        SampleSource(
            name="other",
            prefixes=("dcndl",),
            records=[SampleRecord(identifier="oai:other:1", datestamp=stamp, payloads={"dcndl": other})],
        ),
    ]


def harvest_all() -> None:
    with running(sources()) as address:
        for name, prefix in (("cards", "cards"), ("other", "dcndl")):
            feed = Feed(base_url=f"{address}/{name}/oai", metadata_prefix=prefix)
            register_provider(Repository(name=f"{name}図書館", licence="CC0"), [feed])
            run_harvest(create_harvest(feed).pk)
    aggregate()


@pytest.mark.usefixtures("_registered", "shelf")
@pytest.mark.django_db(transaction=True)
def test_a_format_of_one_folder_goes_from_the_provider_to_oai_pmh(client):
    harvest_all()
    card = SourceRecord.objects.get(identifier="oai:cards:0")
    assert list(RecordIssue.objects.values_list("code", flat=True).filter(code__startswith="cards.")) == ["cards.E001"]
    (number,) = {member.manifestation_id for member in Member.objects.all()}  # one book of both records

    page = client.get(f"/books/M{number}").content.decode()
    assert "草枕" in page
    assert f"/books/M{number}.xml?format=cards" in page
    assert "heading" in client.get("/rules/cards.E001", headers={"accept-language": "en"}).content.decode()
    assert "Catalogue cards" in client.get("/rules/", headers={"accept-language": "en"}).content.decode()

    root = etree.fromstring(client.get("/oai?verb=ListRecords&metadataPrefix=cards").content)
    headings = [element.text for element in root.iter(f"{{{FORMAT.namespace}}}heading")]
    assert headings == ["草枕", "草枕", "草枕"]  # of the two records, and of the book
    provenance = "{http://www.openarchives.org/OAI/2.0/provenance}metadataNamespace"
    assert FORMAT.namespace in [element.text for element in root.iter(provenance)]
    assert b"<metadataPrefix>cards<" in client.get("/oai?verb=ListMetadataFormats").content
    assert client.get(f"/books/{card.public_id}.xml?format=cards").status_code in {200, 302}


@pytest.mark.parametrize("name", ["__init__.py", "read.py", "rules.py", "rules.toml", "write.py"])
def test_the_tutorial_shows_this_format(name):
    file = ROOT / "tests" / "aggregator" / "card_format" / name
    code = file.read_text(encoding="utf-8").replace("tests.aggregator.card_format", "metadata.formats.cards")
    shown = (ROOT / "docs" / "tutorials" / "first-format.md").read_text(encoding="utf-8")
    assert f"{code}```" in shown
