"""Repeated harvests of unchanged data: nothing is written again, and redistributed data is the same byte for byte."""

import re
from typing import Any

import pytest
from django.test import Client

from aggregator.models import Manifestation, Provided, ResourceChange
from aggregator.tasks import aggregate
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, NotificationItem, RecordIssue, RecordVersion, Repository, SourceRecord
from harvesting.registry.registration import register
from sampleprovider.server import running
from sampleprovider.trial import trial_source
from tests.aggregator.provision.list_helpers import aggregate_a_second_later

pytestmark = pytest.mark.django_db
MOMENT = re.compile(rb"<responseDate>[^<]*</responseDate>|(expirationDate|from|until)=\"[^\"]*\"")


@pytest.mark.parametrize("kind", ["full", "incremental"])
def test_the_same_harvest_three_times_changes_nothing(client: Client, kind: str) -> None:
    with running([trial_source()]) as address:
        feed = Feed(base_url=f"{address}/library/oai", metadata_prefix="dcndl")
        register(Repository(name="館", state="live"), [feed])
        states = [state_after(client, feed, kind) for _ in range(3)]
    assert states[0] == states[1] == states[2]
    assert len(states[0]["records"]) == 12


def state_after(client: Client, feed: Feed, kind: str) -> dict[str, Any]:
    run = harvest(create_harvest(Feed.objects.get(pk=feed.pk), full=kind == "full"))
    assert run.state == "succeeded"
    aggregate()
    aggregate_a_second_later()
    return {
        "records": list(SourceRecord.objects.order_by("pk").values_list("public_id", "payload_hash", "changed_at")),
        "issues": list(RecordIssue.objects.order_by("pk").values_list("pk", "code", "found_at")),
        "books": list(Manifestation.objects.order_by("pk").values_list("pk", "record", "changed_at", "index_pending")),
        "stamps": list(Provided.objects.order_by("pk").values_list("pk", "stamp")),
        "changes": ResourceChange.objects.count(),
        "versions": RecordVersion.objects.count(),
        "lines": NotificationItem.objects.count(),
        "oai": [list_records(client, prefix) for prefix in ("oai_dc", "dcndl", "jpcoar")],
    }


def list_records(client: Client, prefix: str) -> bytes:
    answer = client.get("/oai", {"verb": "ListRecords", "metadataPrefix": prefix})
    assert answer.status_code == 200
    return MOMENT.sub(b"", answer.content)
