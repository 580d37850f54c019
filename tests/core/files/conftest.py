"""The two places of shared files: a folder, and a bucket on a small S3 server on this machine."""

from collections.abc import Iterator

import pytest

from core import temporary_files
from core.files.place import storage_of_files


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_address, monkeypatch, settings, tmp_path) -> Iterator[None]:
    """Shared files are in a bucket."""
    import boto3  # noqa: PLC0415  takes a while

    for name, value in (
        ("AWS_ENDPOINT_URL_S3", s3_address),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(temporary_files, "_folder", tmp_path / "temporary")
    settings.DATA_DIR = tmp_path / "data"  # without shared files
    settings.DATA_DIR.mkdir()
    s3 = boto3.resource("s3").Bucket("books")
    s3.create()
    settings.STORAGES = {**settings.STORAGES, "files": storage_of_files("s3://books/site/one")}
    yield
    s3.objects.all().delete()


@pytest.fixture(params=["folder", "bucket"])
def place(request, settings, tmp_path, monkeypatch) -> str:
    if request.param == "bucket":
        request.getfixturevalue("bucket")
    else:
        settings.DATA_DIR = tmp_path / "data"
        monkeypatch.setattr(temporary_files, "_folder", tmp_path / "temporary")
    return request.param
