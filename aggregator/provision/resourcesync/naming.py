"""What sets, resources and documents are called, and where they are. Knows the settings; no table."""

import re

from django.conf import settings
from django.urls import reverse

from harvesting.models import REPOSITORY_NUMBER

MERGED = "merged"  # the set of merged records; the others are called by their provider's number
SET = rf"{MERGED}|{REPOSITORY_NUMBER}"
PREFIX = "dcndl"  # what every resource is written in
MEDIA_TYPE = "application/rdf+xml"
PART = 20_000  # numbers of items that one part of a list, one package stands for; half of them are of one kind
_RESOURCE = re.compile(r"M[1-9][0-9]{0,17}|R[0-9]{9}-I[A-Za-z0-9_\-]+")


def is_resource(name: str) -> bool:
    """Whether this may be the name of a resource."""
    return bool(_RESOURCE.fullmatch(name))


def base(set_name: str) -> str:
    """What the addresses of a set's documents and resources begin with."""
    return f"{settings.PUBLIC_URL}{reverse('resourcesync')}{set_name}/"


def description_url() -> str:
    """Of the source description (section 6.3.1)."""
    return f"{settings.PUBLIC_URL}{reverse('resourcesync_description')}"


def capability_list_url(set_name: str) -> str:
    return f"{base(set_name)}capabilitylist.xml"


def channel_url(set_name: str) -> str:
    """Where the notifications of a set's changes are spoken of: the topic of WebSub."""
    return f"{base(set_name)}changes"


def resource_url(set_name: str, name: str) -> str:
    return f"{base(set_name)}{name}.xml"


def path_in_package(name: str, digest: bytes = b"") -> str:
    """Where the bytes stand in a ZIP file. digest: of one of several states in a package of changes."""
    return f"resources/{name}-{digest[:6].hex()}.xml" if digest else f"resources/{name}.xml"
