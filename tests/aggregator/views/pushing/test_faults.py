"""Faulty senders: connections that break, files that end early. Nothing that was not sent whole changes anything."""

import gzip
import io
import socket
import zipfile
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import Group, User

from aggregator.views.pushing import interface
from core.files import shared
from harvesting.accounts.roles import LIBRARIANS
from harvesting.models import Feed, Push
from harvesting.pushes import receiving
from harvesting.pushes.tokens import create_token
from tests.harvesting.pushes.pushed import lines, live, push, pushing_feed, work_off

RECORDS = 40
BEFORE = {str(number) for number in range(RECORDS)}


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    interface._limit.cache_clear()


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("books.jsonl", data)
    return file.getvalue()


def marcxml(names: range) -> bytes:
    records = "".join(
        f'<record><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">{name}</controlfield>'
        f'<datafield tag="245" ind1="0" ind2="0"><subfield code="a">本{name}</subfield></datafield></record>'
        for name in names
    )
    return f'<collection xmlns="http://www.loc.gov/MARC21/slim">{records}</collection>'.encode()


# What a program that dies leaves of a file: everything but its end.
CUT: dict[str, Callable[[], bytes]] = {
    "JSON Lines": lambda: lines(RECORDS)[:-40],
    "XML": lambda: marcxml(range(RECORDS))[:-60],
    "gzip": lambda: gzip.compress(lines(RECORDS))[:-30],
    "ZIP": lambda: zipped(lines(RECORDS))[:-30],
}


@pytest.mark.django_db
@pytest.mark.parametrize("form", CUT)
def test_a_file_that_was_cut_short_deletes_nothing_by_absence(form):
    feed = pushing_feed()
    whole = marcxml(range(RECORDS)) if form == "XML" else lines(RECORDS)
    push(feed, whole, Push.Content.WHOLE)
    work_off()
    before = live(feed)
    assert len(before) == RECORDS
    try:
        push(feed, CUT[form](), Push.Content.WHOLE)
    except receiving.TransportError as refused:
        assert refused.code == "archive.damaged"
    work_off()
    assert live(feed) == before
    push(feed, whole, Push.Content.WHOLE)
    (run,) = work_off()
    assert (run.state, live(feed)) == ("succeeded", before)


@pytest.mark.django_db
def test_a_file_in_another_encoding_than_it_says_loses_no_letter_unnoticed():
    feed = pushing_feed()
    whole = marcxml(range(3)).decode()
    push(feed, f'<?xml version="1.0" encoding="UTF-8"?>{whole}'.encode("euc_jp"))
    (run,) = work_off()
    assert run.state == "failed"
    assert live(feed) == set()


@pytest.fixture
def token(transactional_db) -> tuple[Feed, str]:
    feed = pushing_feed()
    person = User.objects.create_user("司書")
    person.groups.add(Group.objects.get_or_create(name=LIBRARIANS)[0])
    feed.repository.managers.add(person)
    return feed, create_token(feed.repository, "export", person)[1]


def request(server: str, feed: Feed, token: str, body: bytes, sent: int) -> bytes:
    """Announce a body, send so many bytes of it, and close the connection. Return the answer to a whole body."""
    address = urlsplit(server)
    head = (
        f"POST /api/push/{feed.repository.number} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
        f"Authorization: Bearer {token}\r\nIdempotency-Key: 1\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), 20) as connection:
        connection.sendall(head.encode() + body[:sent])
        if sent < len(body):
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while received := connection.recv(65536):
            answer += received
        return answer


def test_an_upload_that_breaks_off_leaves_nothing_and_is_repeated(live_server, token):
    feed, secret = token
    body = lines(2000)
    for sent in (0, 1, len(body) // 2, len(body) - 1):
        answer = request(live_server.url, feed, secret, body, sent)
        assert b" 422 " in answer.splitlines()[0] or b" 400 " in answer.splitlines()[0], answer[:200]
        assert not Push.objects.exists()
        assert not shared.folders("uploads")
    for _time in range(2):
        assert b" 202 " in request(live_server.url, feed, secret, body, len(body)).splitlines()[0]
    assert Push.objects.count() == 1
    work_off()
    assert len(live(feed)) == 2000
