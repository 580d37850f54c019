"""The self-test without login, as people and programs see it."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from harvesting.models import SelfTest
from harvesting.trials import self_test as validating
from harvesting.trials.self_test import run
from tests.books import book
from tests.harvesting.conftest import feed_of, sample, source  # noqa: F401  a provider on loopback

pytestmark = pytest.mark.django_db
HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'{{7*7}}"


@pytest.fixture(autouse=True)
def no_queue(monkeypatch):
    monkeypatch.setattr(validating, "enqueue", lambda made: None)
    monkeypatch.setattr("aggregator.views.public.self_test.workers", lambda: 0)


def test_a_pasted_record_gets_a_report(client):
    answer = client.post("/validate/", {"text": book("b1", title="こころ", isbn="978-4-10-101013-8").decode()})
    assert answer.status_code == 303
    page = client.get(answer.url)
    assert page.status_code == 200
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in page["Cache-Control"]
    assert "こころ" in page.content.decode()
    record = client.get(f"{answer.url}/1")
    assert record.status_code == 200
    assert "<mark>" in record.content.decode()
    assert client.get(f"{answer.url}/2").status_code == 404
    report = client.get(f"{answer.url}.json").json()
    assert (report["state"], report["received"], report["registered"]) == ("done", 1, 1)
    assert report["rules"][0]["message"]


def test_an_uploaded_file_gets_a_report(client):
    file = SimpleUploadedFile("list.csv", "書名,ISBN\nこころ,9784101010137\n".encode())
    answer = client.post("/validate/", {"upload": file})
    assert "こころ" in client.get(answer.url).content.decode()


def test_an_address_waits_for_a_worker_before_its_report(client, source, feed_of):  # noqa: F811
    source.update([sample("b3", title="")])
    answer = client.post("/validate/", {"base_url": feed_of(source).base_url})
    waiting = client.get(answer.url).content.decode()
    assert 'http-equiv="refresh"' in waiting
    assert "ワーカー" in waiting or "worker" in waiting
    assert client.get(f"{answer.url}.json").status_code == 202
    run(SelfTest.objects.get())
    assert client.get(f"{answer.url}/state").json() == {"state": "done", "over": True}
    page = client.get(answer.url).content.decode()
    assert "dcndl.E003" in page
    assert "deletedRecord=" in page


def test_a_private_network_is_refused_with_the_reason(client, settings):
    settings.HARVEST_ALLOWED_NETWORKS = []
    answer = client.post("/validate/", {"base_url": "http://10.0.0.1/oai"})
    run(SelfTest.objects.get())
    page = client.get(answer.url, headers={"accept-language": "en"})
    assert page.status_code == 200
    assert "10.0.0.1" in page.content.decode()
    assert client.get(f"{answer.url}.json").json()["code"].startswith("net.")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"base_url": "file:///etc/passwd"},
        {"base_url": "/etc/passwd", "protocol": "file"},
        {"base_url": "http://a.example/", "text": "x"},
        {"text": "x", "protocol": "gopher"},
        {"text": "あ" * 700_000},
    ],
)
def test_invalid_input_is_reported_in_the_form(client, given):
    answer = client.post("/validate/", given)
    assert answer.status_code == 422
    assert 'class="fault"' in answer.content.decode() or 'role="alert"' in answer.content.decode()
    assert not SelfTest.objects.exists()


def test_a_limit_is_reported_with_retry_after(client, monkeypatch):
    monkeypatch.setattr(validating, "FOR_ALL", 1)
    client.post("/validate/", {"text": "<a/>"})
    answer = client.post("/validate/", {"text": "<a/>"})
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert "&lt;a/&gt;" in answer.content.decode()


def test_limits_are_counted_for_each_network(client, monkeypatch):
    monkeypatch.setattr(validating, "PER_ASKER", 1)
    for address, status in (("8.8.8.8", 303), ("8.8.8.9", 429), ("9.9.9.9", 303), ("127.0.0.1", 303)):
        assert client.post("/validate/", {"text": "<a/>"}, REMOTE_ADDR=address).status_code == status
    assert "8.8.8" not in str(list(SelfTest.objects.values("asker", "options")))


@pytest.mark.parametrize("payload", [book("b1", title=HOSTILE).decode(), f"<a>{HOSTILE}", HOSTILE])
def test_sent_markup_is_escaped(client, payload):
    answer = client.post("/validate/", {"text": payload})
    for address in (answer.url, f"{answer.url}/1", f"{answer.url}/1?finding=1"):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page
        assert not re.search(r"<img[^>]*onerror", page)
        assert "49" not in re.findall(r"\{\{7\*7\}\}|>49<", page)


@pytest.mark.parametrize("finding", ["9" * 5000, "²", "-1", "٣", ""])
def test_an_unknown_finding_is_left_unmarked(client, finding):
    answer = client.post("/validate/", {"text": book("b1").decode()})
    assert client.get(f"{answer.url}/1", {"finding": finding}).status_code == 200


def test_an_unknown_token_is_not_found(client):
    assert client.get(f"/validate/{'a' * 32}").status_code == 404


def test_queries_do_not_grow_with_the_sample(client, django_assert_max_num_queries):
    table = "書名,ISBN\n" + "こころ,123\n" * 50
    answer = client.post("/validate/", {"text": table})
    with django_assert_max_num_queries(1):
        client.get(answer.url)
