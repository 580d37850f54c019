"""Names and addresses of sets, resources and documents. No database access."""

import re

from django.conf import settings
from django.urls import reverse

from harvesting.models import REPOSITORY_NUMBER
from metadata.formats import TARGET

MERGED = "merged"  # the set of merged records; the other sets have the number of their provider as name
SET = rf"{MERGED}|{REPOSITORY_NUMBER}"
PREFIX, MEDIA_TYPE = TARGET.prefix, TARGET.writer.media_type  # of all resources
PART = 20_000  # item numbers per block, that is per part of a list or package; half of them are merged records
_RESOURCE = re.compile(r"M[1-9][0-9]{0,17}|R[0-9]{9}-I[A-Za-z0-9_\-]+")


def is_resource(name: str) -> bool:
    """Return whether this has the form of a resource name."""
    return bool(_RESOURCE.fullmatch(name))


def base(set_name: str) -> str:
    """Return the beginning of the addresses of a set's documents and resources."""
    return f"{settings.PUBLIC_URL}{reverse('resourcesync')}{set_name}/"


def description_url() -> str:
    """Return the address of the source description (section 6.3.1)."""
    return f"{settings.PUBLIC_URL}{reverse('resourcesync_description')}"


def capability_list_url(set_name: str) -> str:
    return f"{base(set_name)}capabilitylist.xml"


def channel_url(set_name: str) -> str:
    """Return the address of the channel of a set's changes, which is the topic of WebSub."""
    return f"{base(set_name)}changes"


def resource_url(set_name: str, name: str) -> str:
    return f"{base(set_name)}{name}.xml"


def path_in_package(name: str, digest: bytes = b"") -> str:
    """Return the path of a resource in a ZIP file. digest: of its state, in packages of changes with several states."""
    return f"resources/{name}-{digest[:6].hex()}.xml" if digest else f"resources/{name}.xml"
