"""Where OpenSearch is, and how it is asked: SEARCH_URL and the files with its password and certificate authority.

SEARCH_URL is https://USER@HOST:9200/PREFIX. USER and PREFIX may be missing; the names of all indexes begin with the
prefix. The nodes of a cluster are separated by commas: https://USER@ONE:9200,TWO:9200,THREE:9200/PREFIX. http is
allowed on this machine only.
"""

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True)
class Address:
    """nodes: scheme, host and port of each. prefix: of the names of all indexes. authorities: a file with certificates;
    "" = those of the system.
    """

    nodes: tuple[str, ...]
    prefix: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    authorities: str = ""


def read_address(url: str) -> Address:
    """Parse SEARCH_URL. Raises ImproperlyConfigured; no message contains the password."""
    parts = urlsplit(url)
    nodes = tuple(f"{parts.scheme}://{host}" for host in parts.netloc.rpartition("@")[2].split(","))
    hosts = [urlsplit(node).hostname or "" for node in nodes]
    if not all(hosts):
        raise ImproperlyConfigured("SEARCH_URL has no host: https://USER@HOST:9200")
    if parts.scheme == "http" and not all(map(_is_loopback, hosts)):
        raise ImproperlyConfigured("SEARCH_URL must begin with https:// unless OpenSearch is on this machine")
    if parts.password:
        raise ImproperlyConfigured(
            "SEARCH_URL must not contain the password: put it into the file SEARCH_PASSWORD_FILE"
        )
    path = parts.path.strip("/")
    return Address(
        nodes=nodes,
        prefix=f"{path}-" if path else "",
        user=unquote(parts.username or ""),
        password=_content("SEARCH_PASSWORD_FILE"),
        authorities=os.environ.get("SEARCH_CA_FILE", ""),
    )


def _content(variable: str) -> str:
    path = os.environ.get(variable, "")
    try:
        return Path(path).read_text(encoding="utf-8").strip() if path else ""
    except (OSError, UnicodeDecodeError) as problem:
        raise ImproperlyConfigured(f"{variable}: {path} cannot be read: {problem}") from problem


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
