"""Enrichment rules at the doors of the site: books have corrected values, a provider's own record its original ones."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from aggregator.management.commands.export import exported
from aggregator.provision.contents import all_terms, permitted_copies, sources_of
from harvesting.accounts.roles import STAFF
from harvesting.enrichment import applying, versions
from harvesting.models import Feed, Repository, SourceRecord
from metadata.enrichment.rules import Fixed, Replace
from tests.aggregator.views.manage.test_join import person
from tests.harvesting.batches import harvest_records, live, new_feed

pytestmark = pytest.mark.django_db
RENAMED = Replace(name="題を直す", field="title", find="見本", replacement="標本")
WRONG, RIGHT = "見本の本 1", "標本の本 1"


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("hanako")


def use(repository, rules, staff) -> None:
    versions.store(repository, rules, staff)
    while applying.has_work():
        applying.carry_out()
    call_command("aggregate", verbosity=0, stdout=StringIO())


@pytest.fixture
def source(staff) -> SourceRecord:
    feed = new_feed()
    harvest_records(feed, [live("1")])
    call_command("aggregate", verbosity=0, stdout=StringIO())
    use(feed.repository, [RENAMED], staff)
    return SourceRecord.objects.get()


def oai(client, set_spec: str) -> str:
    query = {"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": set_spec}
    return client.get("/oai", query).content.decode()


def test_the_book_has_the_corrected_value_everywhere(client, source):
    assert RIGHT in client.get(f"/books/{source.public_id}").content.decode()
    assert RIGHT in client.get(f"/api/records/{source.public_id}").content.decode()
    merged = oai(client, "merged")
    assert RIGHT in merged and WRONG not in merged


def test_the_providers_own_record_is_as_it_was_sent(client, source):
    page = client.get(f"/books/{source.public_id}?source=1").content.decode()
    assert f"<h1>{WRONG}" in page.replace(' lang="ja"', "") and RIGHT not in page
    assert WRONG in client.get(f"/api/records/{source.public_id}?source=1").content.decode()
    own = oai(client, f"repository:{source.repository.number}")
    assert WRONG in own and RIGHT not in own
    (line,) = exported([source.repository.number])
    assert json.loads(line)["record"]["titles"][0]["value"] == WRONG


def test_going_back_gives_the_book_its_value_back(client, source, staff):
    versions.go_back(source.repository, 0, staff)
    while applying.has_work():
        applying.carry_out()
    call_command("aggregate", verbosity=0, stdout=StringIO())
    assert WRONG in client.get(f"/books/{source.public_id}").content.decode()


def test_the_history_of_a_record_says_which_rule_changed_it(source):
    page = person("taro", STAFF).get(reverse("record", args=[source.public_id])).content.decode()
    assert "Changed by the rule “題を直す”, version 1." in page
    assert f"<del>{WRONG}</del>" in page and f"<ins>{RIGHT}</ins>" in page


def test_a_record_that_only_rules_make_valid_is_a_book_while_they_are_in_use(client, staff):
    feed = new_feed()
    harvest_records(feed, [live("1", title="")])
    use(feed.repository, [Fixed(name="無題", field="title", value="無題の本")], staff)
    source = SourceRecord.objects.get()
    assert "無題の本" in client.get(f"/books/{source.public_id}").content.decode()
    assert "無題の本" in oai(client, "merged")
    assert "<record>" not in oai(client, f"repository:{source.repository.number}")
    assert client.get(f"/api/records/{source.public_id}?source=1").status_code == 404
    use(feed.repository, [], staff)
    assert client.get(f"/books/{source.public_id}").status_code in {404, 410}
    assert 'status="deleted"' in oai(client, "merged")


UNCHANGED = "https://creativecommons.org/licenses/by-nd/4.0/"


def test_a_record_that_must_not_be_changed_is_given_on_as_it_was_sent(client, source):
    """Alone in its book. The site itself shows the corrected value."""
    Repository.objects.filter(pk=source.repository_id).update(licence=UNCHANGED)
    call_command("aggregate", verbosity=0, stdout=StringIO())
    merged = oai(client, "merged")
    assert WRONG in merged and RIGHT not in merged and UNCHANGED in merged
    number = source.member.manifestation_id
    for address in (
        f"/books/M{number}.json",
        f"/books/M{number}.rdf",
        f"/api/records/M{number}",
        "/sru?query=title=見本",
    ):
        answer = client.get(address).content.decode()
        assert WRONG in answer and RIGHT not in answer, address
    (copies,) = permitted_copies(sources_of([number], all_terms()), [number])
    assert RIGHT not in str(copies)
    assert RIGHT in client.get(f"/books/M{number}").content.decode()


def test_a_record_that_must_not_be_changed_and_needs_rules_is_not_given_on(client, staff):
    feed = new_feed()
    harvest_records(feed, [live("1", title="")])
    Repository.objects.filter(pk=feed.repository_id).update(licence=UNCHANGED)
    use(feed.repository, [Fixed(name="無題", field="title", value="無題の本")], staff)
    source = SourceRecord.objects.get()
    assert "<record>" not in oai(client, "merged")
    assert "無題の本" in client.get(f"/books/{source.public_id}").content.decode()
    assert client.get(f"/api/records/{source.public_id}").status_code == 403


def test_other_corrected_records_of_the_book_are_given_on(client, source, staff):
    """A correction of a record that may be changed counts, although another record of its book may not."""
    other = new_feed()
    harvest_records(other, [live("1")])
    Repository.objects.filter(pk=other.repository_id).update(licence=UNCHANGED)
    call_command("aggregate", verbosity=0, stdout=StringIO())
    merged = oai(client, "merged")
    assert RIGHT in merged and UNCHANGED not in merged


def test_before_it_is_matched_it_is_given_on_as_it_was_sent_too(client, staff):
    feed = new_feed()
    Repository.objects.filter(pk=feed.repository_id).update(licence=UNCHANGED)
    versions.store(feed.repository, [RENAMED], staff)
    harvest_records(Feed.objects.get(), [live("1")])
    address = f"/api/records/{SourceRecord.objects.get().public_id}"
    answer = client.get(address).content.decode()
    assert WRONG in answer and RIGHT not in answer
