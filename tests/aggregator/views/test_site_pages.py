"""Texts about the site."""

import pytest

from aggregator.views.sitemaps import TEXTS


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("name", TEXTS)
def test_each_text_is_there_in_each_language_and_linked_from_every_page(client, shelf, name, language):
    assert client.get(f"/{language}/{name}").status_code == 200
    assert f'href="/{name}"' in client.get("/").text


def test_the_operator_and_a_mail_address_are_printed(client, shelf, settings):
    settings.SITE_OPERATOR, settings.SITE_CONTACT = "見本図書館協会", "desk@example.jp"
    page = client.get("/contact").text
    assert "見本図書館協会" in page
    assert '<a href="mailto:desk@example.jp">' in page
    assert "見本図書館協会" in client.get("/about").text


@pytest.mark.parametrize(("contact", "href"), [("https://example.jp/form", "https://example.jp/form"), ("x:y", "")])
def test_a_web_address_is_linked_if_it_is_one(client, shelf, settings, contact, href):
    settings.SITE_CONTACT = contact
    assert f'href="{href}">{contact}</a>' in client.get("/contact").text


def test_without_an_address_that_is_said(client, shelf):
    assert "has not given an address" in client.get("/en/contact").text
