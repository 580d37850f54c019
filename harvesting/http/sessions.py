"""The sessions with which the fetcher sends: how the harvester names itself, and what it trusts. No Django.

A session reaches only checked addresses (`connections`), and takes nothing from its surroundings.
"""

import requests

from harvesting.http.connections import GuardedAdapter
from harvesting.types import TransportError


class _Session(requests.Session):
    """A session that never follows redirects: requests would read the whole body of a redirect, however large."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


def new_session(contact: str, about_url: str, ca_certificate: str) -> requests.Session:
    """Return a session without cookies. contact, about_url, ca_certificate: see `FetchPolicy`.

    Raises TransportError "net.ca_certificate" for a certificate that is not PEM.
    """
    session = _Session()
    session.trust_env = False  # no proxies, no .netrc
    session.adapters.clear()
    session.mount("http://", GuardedAdapter())
    try:
        session.mount("https://", GuardedAdapter(ca_certificate))
    except ValueError as error:
        raise TransportError("the certificate authority is not PEM", "net.ca_certificate", permanent=True) from error
    # OAI-PMH Guidelines for Harvester Implementers, section 2.1: User-Agent and From identify the harvester.
    session.headers.update(
        {
            "User-Agent": _user_agent(about_url),
            "Accept": "text/xml, application/xml;q=0.9, */*;q=0.5",
            "Accept-Encoding": "gzip;q=1.0, identity;q=0.5",  # the same guidelines: also accept "identity"
        }
    )
    if contact:
        session.headers["From"] = contact
    return session


def identification(contact: str, about_url: str) -> str:
    """Return the headers by which a provider recognises the harvester, as text for a message to the provider."""
    return f"User-Agent: {_user_agent(about_url)}; From: {contact or '-'}"


def _user_agent(about_url: str) -> str:
    return f"library-aggregator/1.0{f' (+{about_url})' if about_url else ''}"
