"""A repository of doctoral theses, and what is harvested from it."""

from harvesting.models import DoctoralThesis, Feed
from harvesting.types import HarvestedRecord
from metadata.formats import CROSSWALKS
from tests.harvesting.batches import new_feed
from tests.metadata.deposits.test_theses import thesis

WITHOUT_NUMBER = {"dissertation_numbers": ()}
OLD = {"other_dates": (), "issued": "1999"}


def received(name: str, **changes: object) -> HarvestedRecord:
    """A thesis as JPCOAR."""
    page = f"https://a.example.jp/records/{name}"
    payload = CROSSWALKS["jpcoar"].write(thesis(see_also=(page,), **changes))
    return HarvestedRecord(identifier=f"oai:x:{name}", datestamp="2026-01-10T00:00:00Z", payload=payload)


def new_repository() -> Feed:
    """A feed of JPCOAR."""
    return new_feed(metadata_prefix="jpcoar")


def states() -> dict[str, str]:
    """The name of each thesis -> its state."""
    rows = DoctoralThesis.objects.values_list("record__identifier", "state")
    return {identifier.rpartition(":")[2]: state for identifier, state in rows}
