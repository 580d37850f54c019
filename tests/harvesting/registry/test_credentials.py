"""Passwords and keys of providers: encrypted in the database, sent only to their own server, and found nowhere else."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection

from harvesting.http.authorization import Credentials
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.messages import describe
from harvesting.models import Feed, Repository, Subscription
from harvesting.registry import credentials as vault
from harvesting.registry.credentials import open_credentials, seal, seal_credentials, unseal
from harvesting.registry.registration import register
from harvesting.registry.transport import ONE_TRY, policy_for, transport_for
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, FakeServer, Request, serving

BASIC = Credentials(kind="basic", username="図書館", secret="p@ss:word/+")


@pytest.fixture(autouse=True)
def own_keys(settings, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.CREDENTIALS_KEYS = tmp_path, []


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def feed_at(url: str, credentials: Credentials, **fields: object) -> Feed:
    feed = Feed(base_url=url, metadata_prefix="dcndl", credentials=seal_credentials(credentials), **fields)
    register(Repository(name="見本図書館"), [feed])
    return feed


def test_an_encrypted_text_can_be_decrypted_but_not_read():
    sealed = seal("s3cret")
    assert unseal(sealed) == "s3cret"
    assert b"s3cret" not in sealed
    assert open_credentials(seal_credentials(BASIC)) == BASIC


def test_no_credentials_are_no_bytes():
    assert seal_credentials(Credentials()) == b""
    assert open_credentials(b"") == Credentials()


def test_the_key_file_is_created_once_and_readable_only_for_its_owner():
    seal("x")
    first = vault.key_file().read_text()
    seal("y")
    assert vault.key_file().read_text() == first
    assert vault.key_file().stat().st_mode & 0o777 == 0o600


def test_a_missing_key_is_reported_in_a_sentence(settings):
    sealed = seal("x")
    settings.CREDENTIALS_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(TransportError) as caught:
        unseal(sealed)
    assert (caught.value.code, caught.value.permanent) == ("credentials.unreadable", True)
    assert describe(caught.value.code, caught.value.facts)


def test_invalid_keys_are_reported(settings):
    settings.CREDENTIALS_KEYS = ["not a key"]
    with pytest.raises(TransportError) as caught:
        seal("x")
    assert caught.value.code == "credentials.keys"


def test_the_first_key_seals_and_the_others_still_open(settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.CREDENTIALS_KEYS = [old]
    sealed = seal("x")
    settings.CREDENTIALS_KEYS = [new, old]
    assert unseal(sealed) == "x"
    assert Fernet(new).decrypt(seal("y")) == b"y"


@pytest.mark.parametrize(
    ("credentials", "header", "value"),
    [
        (BASIC, "authorization", "Basic 5Zuz5pu46aSoOnBAc3M6d29yZC8r"),
        (Credentials(kind="bearer", secret="t0ken"), "authorization", "Bearer t0ken"),
        (Credentials(kind="header", header="X-API-Key", secret="k3y"), "x-api-key", "k3y"),
    ],
)
def test_credentials_are_sent_in_their_header(db, server: FakeServer, credentials, header, value):
    server.answers(Answer(b"<OAI-PMH/>"))
    with pytest.raises(TransportError):
        transport_for(feed_at(server.url, credentials)).identify()
    assert server.requests[0].headers[header] == value


@pytest.mark.parametrize(
    "credentials",
    [
        Credentials(kind="bearer", secret="a\r\nX-Evil: 1"),
        Credentials(kind="bearer", secret="全角"),
        Credentials(kind="header", header="X Y", secret="a"),
        Credentials(kind="header", header="Host", secret="inner.example"),
        Credentials(kind="header", header="", secret="a"),
        Credentials(kind="digest", secret="a"),
    ],
)
def test_credentials_that_fit_into_no_header_are_refused(credentials):
    with pytest.raises(TransportError) as caught:
        Fetcher(FetchPolicy(credentials=credentials))
    assert caught.value.code == "credentials.header"


def test_rotation_seals_everything_again(db):
    feed = feed_at("http://a.example/oai", BASIC)
    Subscription.objects.create(feed=feed, hub="http://h.example", topic="http://a.example", secret=seal("hub"))
    old = vault.keys()
    call_command("rotate_credentials")
    newest = Fernet(vault.keys()[0])
    feed.refresh_from_db()
    assert json.loads(newest.decrypt(bytes(feed.credentials)))["secret"] == BASIC.secret
    assert newest.decrypt(bytes(feed.subscription.secret)) == b"hub"
    assert vault.keys()[1:] == old


def test_rotation_to_a_key_of_the_environment(db, settings):
    feed = feed_at("http://a.example/oai", BASIC)
    out = io.StringIO()
    call_command("rotate_credentials", "--new-key", stdout=out)
    settings.CREDENTIALS_KEYS = [out.getvalue().strip(), *vault.keys()]
    call_command("rotate_credentials")
    settings.CREDENTIALS_KEYS = settings.CREDENTIALS_KEYS[:1]
    feed.refresh_from_db()
    assert policy_for(feed).credentials == BASIC


def test_rotation_without_the_old_key_changes_nothing_and_says_so(db, settings):
    feed = feed_at("http://a.example/oai", BASIC)
    before = bytes(feed.credentials)
    settings.CREDENTIALS_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(CommandError):
        call_command("rotate_credentials")
    feed.refresh_from_db()
    assert bytes(feed.credentials) == before


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_secret_that_comes_back_in_pieces_is_hidden(size):
    body, found = b"<a>p%40ss%3Aword%2F%2B p@ss:word/+</a>" * 3, []
    redacting_writer = BASIC.redacting_writer(found.append)
    for start in range(0, len(body), size):
        redacting_writer.write(body[start : start + size])
    redacting_writer.finish()
    assert b"".join(found) == b"<a>*** ***</a>" * 3


# Twenty canaries: none may be found anywhere but in the request to its own server.

CANARIES = [f"canary-{number:02d}-Zq7" for number in range(20)]
KINDS = ("basic", "bearer", "header")


def canary(number: int) -> Credentials:
    return Credentials(kind=KINDS[number % 3], username=f"reader{number}", secret=CANARIES[number], header="X-API-Key")


def echo(asked: Request) -> str:
    return asked.headers.get("authorization", "") + asked.headers.get("x-api-key", "")


FAULTS: list[Callable[[Request], Answer]] = [
    lambda asked: Answer(echo(asked).encode(), status=500),
    lambda asked: Answer(b"<OAI-PMH>" + echo(asked).encode() + b"&broken", headers={"Content-Type": "text/xml"}),
    lambda asked: Answer(status=302, headers={"Location": f"/there?key={echo(asked)}"}),
    lambda asked: Answer(status=302, headers={"Location": f"ftp://there/{echo(asked)}"}),
    lambda asked: Answer(status=401, headers={"WWW-Authenticate": echo(asked)}),
    lambda asked: Answer(f"<html>{echo(asked)}</html>".encode()),
    lambda asked: Answer(b"x", headers={"Content-Encoding": echo(asked)[:30]}),
    lambda asked: Answer(raw=lambda out: out.write(echo(asked).encode() + b"\r\n\r\n")),
    lambda asked: Answer(status=503, headers={"Retry-After": echo(asked)}),
    lambda asked: Answer(f"<a><error code='{echo(asked)}'/></a>".encode()),
]


def dump() -> bytes:
    """Every value of every table."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found.append(repr(cursor.fetchall()))
    return "\n".join(found).encode()


@pytest.fixture
def harvested(
    db, server: FakeServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture, monkeypatch
) -> bytes:
    """Everything that twenty harvests, failing in all ways, leave behind: rows, log, standard output and error."""
    monkeypatch.setattr("harvesting.harvest.run.PATIENT", ONE_TRY)
    caplog.set_level(logging.DEBUG)
    out = io.StringIO()
    for number in range(len(CANARIES)):
        server.answer = FAULTS[number % len(FAULTS)]
        feed = feed_at(f"{server.url}/{number}", canary(number))
        for command in ("harvest", "issues", "records"):
            try:
                call_command(command, feed.repository.number, "--json", stdout=out, stderr=out)
            except (CommandError, SystemExit) as error:
                out.write(str(error))
        out.write(repr(policy_for(feed)) + repr(feed) + repr(feed.__dict__))
    streams = capfd.readouterr()
    return dump() + (out.getvalue() + caplog.text + streams.out + streams.err).encode()


@pytest.mark.filterwarnings("ignore")
def test_no_canary_is_left_behind(harvested: bytes, server: FakeServer) -> None:
    sent = "".join(echo(asked) for asked in server.requests)
    assert all(secret in sent for secret in CANARIES if KINDS[CANARIES.index(secret) % 3] != "basic")
    assert len({asked.path for asked in server.requests}) >= len(CANARIES)
    forms = [secret for number, secret in enumerate(CANARIES) if secret.encode() in harvested]
    basic = [canary(number)._basic() for number in range(0, len(CANARIES), 3)]
    assert forms + [header for header in basic if header.encode() in harvested] == []


@pytest.mark.filterwarnings("ignore")
def test_no_canary_is_on_a_page_of_staff(harvested: bytes, admin_client) -> None:
    pages = ["/admin/harvesting/feed/", "/admin/harvesting/harvest/", "/admin/harvesting/repository/"]
    pages += [f"/admin/harvesting/feed/{feed.pk}/change/" for feed in Feed.objects.all()[::5]]
    for page in pages:
        response = admin_client.get(page)
        assert response.status_code == 200
        assert not [secret for secret in CANARIES if secret in response.content.decode()]
