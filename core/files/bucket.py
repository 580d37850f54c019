"""Shared files in an S3 bucket: for a site on several machines. Needs the packages in requirements-s3.txt.

Credentials, region and the address of a server that is not Amazon's come from the environment, as for all programs that
use boto3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL_S3.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from botocore.exceptions import ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from core import temporary_files
from core.files.folder import CHUNK

MEMORY_LIMIT = 8 * 1024 * 1024  # bytes of a file that are read into memory; larger ones go through a temporary file

ABSENT = frozenset({"404", "NoSuchKey", "NotFound"})  # codes of S3 for a file that does not exist


@contextmanager
def _absence(name: str) -> Iterator[None]:
    """Raise FileNotFoundError where S3 says that there is no such file. Other errors are not hidden by it."""
    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in ABSENT:
            raise FileNotFoundError(name) from error
        raise


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    def __init__(self, bucket: str, prefix: str) -> None:
        super().__init__(
            bucket_name=bucket,
            location=prefix,
            default_acl=None,
            file_overwrite=True,
            gzip=False,
            max_memory_size=MEMORY_LIMIT,
        )

    def move(self, source: Path, name: str) -> None:
        """Move a complete file of this machine here. The name never stands for a part of it."""
        with source.open("rb") as opened:
            self.save(name, File(opened))
        source.unlink()

    def part(self, name: str, first: int, last: int) -> Iterator[bytes]:
        """Yield the bytes of a file from the first to the last position, both included. Raises FileNotFoundError."""
        wanted = {"Range": f"bytes={first}-{last}"} if last >= first else {}
        with self.open(name) as file:
            with _absence(name):
                body = file.obj.get(**wanted)["Body"]
            yield from body.iter_chunks(CHUNK)

    def get_modified_time(self, name: str) -> datetime:
        with _absence(name):
            modified: datetime = super().get_modified_time(name)
        return modified

    def local(self, name: str) -> Path:
        """Return the path of a copy on this machine. It is removed after a day without use."""
        target = temporary_files.folder() / f"shared-{hashlib.sha256(name.encode()).hexdigest()}"
        try:
            os.utime(target)
        except FileNotFoundError:
            self.copy(name, target)
        return target

    def copy(self, name: str, target: Path) -> None:
        """Copy a file to a path of this machine. Raises FileNotFoundError."""
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            with _absence(name), partial.open("wb") as copied, self.open(name) as file:
                file.obj.download_fileobj(copied)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        folders, files = self.listdir(name)
        for folder in folders:
            self.delete_folder(f"{name}/{folder}")
        for file in files:
            self.delete(f"{name}/{file}")
