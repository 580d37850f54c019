"""No log names the address of a one-time link: the access log and Django's own lines have the pattern of the route."""

import io
import logging

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils.log import configure_logging

from harvesting.accounts.invitations import invite
from harvesting.models import Invitation, OutgoingMessage


@pytest.fixture
def link(db):
    """The address of an invitation that is open."""
    staff = get_user_model().objects.create_user("staff")
    invite(Invitation(email="taro@example.jp", role="staff", language="ja"), [], staff)
    return "/" + OutgoingMessage.objects.get().text.partition("http://127.0.0.1:8000/")[2].split()[0]


@pytest.fixture
def log(settings):
    """What the configured console handler writes at the lowest level."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
    handler = next(handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler)
    stream, before = io.StringIO(), handler.stream
    handler.setStream(stream)
    logging.getLogger("aggregator.access").setLevel(logging.INFO)
    yield stream
    handler.setStream(before)
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@pytest.mark.parametrize("prefix", ["", "/en"])
@pytest.mark.parametrize("method", ["get", "put", "post"])
def test_no_log_line_has_the_link(link, log, prefix, method):
    getattr(Client(enforce_csrf_checks=True), method)(prefix + link)
    assert "/invitation/<str:token>" in log.getvalue()
    assert link.rpartition("/")[2] not in log.getvalue()


def test_an_address_that_does_not_exist_is_logged_by_its_first_part(link, log):
    Client().get(f"{link}/")
    assert "/invitation/…" in log.getvalue()
    assert link.rpartition("/")[2] not in log.getvalue()


def test_a_wrong_host_is_one_line_without_a_traceback(client, db, log):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert "evil.example" in log.getvalue()
    assert "Traceback" not in log.getvalue()
    assert not [line for line in log.getvalue().splitlines() if line.startswith("  |")]
