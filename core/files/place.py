"""Reads FILES_URL, which says where the shared files are. No Django, so that the settings can import it."""

from typing import Any
from urllib.parse import urlsplit


class UnknownPlace(ValueError):
    """FILES_URL is not the address of a bucket."""


def bucket_of(url: str) -> tuple[str, str]:
    """Return the bucket and the beginning of all names in it, from s3://BUCKET/PREFIX. Raises UnknownPlace."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
        raise UnknownPlace(url)
    return parts.netloc, parts.path.strip("/")


def storage_of_files(url: str) -> dict[str, Any]:
    """Return the entry of STORAGES for the shared files.

    An unusable address gives the folder, and a check reports it.
    """
    try:
        bucket, prefix = bucket_of(url)
    except UnknownPlace:
        return {"BACKEND": "core.files.folder.DataFolder"}
    return {"BACKEND": "core.files.bucket.Bucket", "OPTIONS": {"bucket": bucket, "prefix": prefix}}
