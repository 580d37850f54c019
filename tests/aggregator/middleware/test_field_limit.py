"""Requests that no form and no link of the site makes."""

import pytest
from django.test import Client

from harvesting.accounts.roles import STAFF
from harvesting.models import Repository
from tests.aggregator.views.manage.test_join import person

pytestmark = pytest.mark.django_db
LIST = "name,base_url\nA{},https://a.example.jp/oai\n"


@pytest.mark.parametrize("name", ["text", "te\0xt"])
def test_a_form_with_a_character_that_cannot_be_stored_is_refused_with_a_page_that_says_so(name):
    client: Client = person("taro", STAFF)
    answer = client.post("/manage/providers/bulk", {name: LIST.format("\0" * (name == "text")), "do-import": "1"})
    assert answer.status_code == 400
    assert "Nothing was saved" in answer.content.decode()
    assert not Repository.objects.exists()
    assert client.post("/manage/providers/bulk", {"text": LIST.format(""), "do-import": "1"}).status_code == 302


def test_an_address_with_very_many_parameters_is_refused(client, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    assert client.get("/search?q=a&q=b&q=c&q=d").status_code == 400
