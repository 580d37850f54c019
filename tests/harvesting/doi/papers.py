"""A provider of papers that ask for DOIs, and what is harvested from it."""

from dataclasses import replace

import msgspec

from harvesting.models import DoiAgreement, Feed, RequestedDoi
from harvesting.types import HarvestedRecord
from metadata.formats import CROSSWALKS
from metadata.record import File, Host, Identifier
from tests.harvesting.batches import begin_run, new_feed, store_records
from tests.metadata.deposits.test_jalc import PAPER

HOST = "https://a.example.jp"
WITHOUT_VOLUME = {"host": Host(title="紀要", pages="1-2")}


def paper(name: str, doi: str = "", agency: str = "JaLC", site: str = HOST, **changes: object) -> HarvestedRecord:
    """A paper as JPCOAR. doi: the end of the DOI for which it asks; by default its name."""
    record = msgspec.structs.replace(
        PAPER,
        identifiers=(),
        registrations=(Identifier(scheme=agency, value=f"10.14977/{doi or name}"),),
        see_also=(f"{site}/records/{name}",),
        files=(File(uri=f"{site}/files/{name}.pdf", type="fulltext"),),
        **changes,
    )
    return HarvestedRecord(
        identifier=f"oai:x:{name}", datestamp="2026-01-10T00:00:00Z", payload=CROSSWALKS["jpcoar"].write(record)
    )


def new_provider(profile: str = "irdb", **agreement: str) -> Feed:
    """A feed whose provider has an agreement with JaLC."""
    feed = new_feed(metadata_prefix="jpcoar")
    feed.repository.profile = profile
    feed.repository.save()
    terms = {"jalc_prefixes": "10.14977", "site_id": "SI/0000.0001", **agreement}
    DoiAgreement.objects.create(repository=feed.repository, **terms)
    return feed


def harvest(feed: Feed, *records: HarvestedRecord, datestamp: str = "2026-01-10T00:00:00Z") -> None:
    store_records(begin_run(feed), [replace(record, datestamp=datestamp) for record in records])


def states() -> dict[str, str]:
    """The end of each DOI -> its state."""
    return {doi.rpartition("/")[2]: state for doi, state in RequestedDoi.objects.values_list("doi", "state")}
