"""The page of terms."""

import pytest

from aggregator.provision.api.openapi import VERSION
from aggregator.search.base import IndexUnavailable


@pytest.mark.parametrize(
    ("language", "words"), [("ja", ("利用条件", "現在、廃止の予定はありません")), ("en", ("Terms of use", "12 months"))]
)
def test_the_page_says_terms_versions_and_deprecation(client, shelf, language, words):
    page = client.get("/terms", headers={"accept-language": language}).text
    assert [word for word in (*words, VERSION, "RFC 8594") if word not in page] == []


def test_the_page_says_when_the_search_does_not_work(client, shelf, monkeypatch):
    assert "notice success" in client.get("/terms").text

    def fails():
        raise IndexUnavailable("rebuilding")

    monkeypatch.setattr("aggregator.views.site.terms.get_index", fails)
    answer = client.get("/terms")
    assert (answer.status_code, "notice bad" in answer.text) == (200, True)
