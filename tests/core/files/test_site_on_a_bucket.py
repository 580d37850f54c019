"""A site whose shared files are in a bucket: what one machine puts there, another one reads."""

import gzip
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from aggregator.provision import dumps
from core.files import shared
from harvesting.models import Feed, Repository
from harvesting.registry import uploads
from harvesting.registry.transport import source_of, transport_for
from harvesting.types import TransportError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bucket")]


def test_an_upload_is_read_by_a_machine_that_did_not_receive_it(settings, tmp_path):
    name = uploads.store(SimpleUploadedFile("目録.csv", "書名\nこころ".encode()))
    settings.DATA_DIR = tmp_path / "another-machine"
    repository = Repository.objects.create(number="R900000001", name="見本")
    feed = Feed.objects.create(repository=repository, protocol="file", base_url=name)
    assert Path(source_of(feed).base_url).read_text() == "書名\nこころ"
    uploads.discard(name)
    Path(source_of(feed).base_url).unlink()
    with pytest.raises(TransportError) as caught:
        transport_for(feed).identify()
    assert caught.value.code == "file.missing"


def test_a_dump_is_offered_whole_and_in_parts(client):
    call_command("dump", format=["jsonl"])
    [dump] = dumps.finished_dumps()
    address = f"/dumps/{dump.name}/merged.jsonl.gz"
    whole = b"".join(client.get(address).streaming_content)
    assert gzip.decompress(whole) == b""
    part = client.get(address, headers={"Range": "bytes=2-5"})
    assert (part.status_code, b"".join(part.streaming_content)) == (206, whole[2:6])
    assert not list(Path(shared.local(f"{dump.folder}/{dumps.MANIFEST}")).parent.glob("dump-*"))


def test_a_bucket_that_refuses_access_is_not_taken_for_an_empty_one(monkeypatch):
    name = uploads.store(SimpleUploadedFile("a.csv", b"1"))
    denied = ClientError({"Error": {"Code": "403", "Message": "Forbidden"}}, "HeadObject")

    def refuse(*_arguments: object, **_named: object) -> None:
        raise denied

    monkeypatch.setattr("storages.backends.s3.S3Storage.get_modified_time", refuse)
    with pytest.raises(ClientError):
        uploads.uploaded_at(name)
