"""JaLC's interface for registering DOIs: how a document is sent, how its result is asked for, and what answers mean.

No database access. The paths, the fields of the form and the elements of the answers are those of JaLC's interface
specification (1.5) as open clients use them. An answer that does not name a DOI says nothing of it.
"""

from dataclasses import dataclass

from django.views.decorators.debug import sensitive_variables
from lxml import etree
from urllib3.filepost import encode_multipart_formdata

from harvesting.http.fetch import Fetched, Fetcher
from harvesting.types import TransportError
from metadata.xml.parsing import XmlError, parse

SEND_PATH = "/jalc/infoRegistry/registDataReceive/index"
RESULT_PATH = "/jalc/infoRegistry/registDataResult/index"
REGISTERED = "1"  # of resultstatus
LONGEST = 1000  # characters of an answer that are kept
# Nothing has left this machine, or the server says that it did not take the document.
NOT_SENT = frozenset(
    {"net.dns", "net.connect", "net.host_busy", "net.bad_url", "net.refused_address", "http.429", "http.503"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer. number: exec_id, "" if it names none. refusal: why the whole document was not accepted, "" if it was.

    results: DOI (in lower case) -> "" if it was registered, else the agency's words; empty if there is no result yet.
    """

    number: str = ""
    refusal: str = ""
    results: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Interface:
    """JaLC's interface at an address, with the login of one provider."""

    address: str
    login: str
    password: str
    fetcher: Fetcher

    def send(self, document: bytes) -> Reply:
        """Send a document once. Raises TransportError."""
        return self._post(SEND_PATH, {"fname": ("dois.xml", document, "text/xml")})

    def result(self, number: str) -> Reply:
        """Ask for the result of a document. Raises TransportError."""
        return self._post(RESULT_PATH, {"exec_id": number})

    @sensitive_variables()
    def _post(self, path: str, fields: dict[str, str | tuple[str, bytes, str]]) -> Reply:
        login = {"login_id": self.login, "login_passwd": self.password}
        body, content_type = encode_multipart_formdata({**login, **fields})
        answered = self.fetcher.deliver(self.address.rstrip("/") + path, body, {"Content-Type": content_type})
        return read_reply(answered)


def read_reply(answered: Fetched) -> Reply:
    """Return what an answer says. Raises TransportError for an answer that is none of JaLC's."""
    answered.checked()
    try:
        root = parse(answered.body)
    except XmlError as error:
        raise _not_understood(answered) from error
    head = root.find("head")
    if root.tag != "root" or head is None:
        raise _not_understood(answered)
    return Reply(number=_text(head, "exec_id"), refusal=_refusal(head), results=_results(root))


def _not_understood(answered: Fetched) -> TransportError:
    shown = answered.body[:LONGEST].decode(errors="replace")
    return TransportError(f"{answered.url}: {shown}", "doi.answer", permanent=False, url=answered.url)


def _text(parent: etree._Element, name: str) -> str:
    return (parent.findtext(name) or "").strip()


def _refusal(head: etree._Element) -> str:
    return " ".join(filter(None, (_text(head, "errcd"), _text(head, "errmsg"))))[:LONGEST]


def _results(root: etree._Element) -> tuple[tuple[str, str], ...]:
    """Return the results. If an answer gives several for one DOI, an error counts."""
    found: dict[str, str] = {}
    for result in root.iterfind("body/result"):
        doi = _text(result, "doi").lower()
        if not doi:
            continue
        words = " ".join(filter(None, ((part.text or "").strip() for part in result)))[:LONGEST]
        said = "" if _text(result, "resultstatus") == REGISTERED else words
        found[doi] = found.get(doi, "") or said
    return tuple(found.items())
