"""Harvesting by OAI-PMH 2.0, including from providers that do not follow the protocol."""

from harvesting.http.fetch import Fetcher
from harvesting.texts import _
from harvesting.transports.kind import Detection, TransportKind
from harvesting.transports.oai_pmh.envelope import OAI_ERRORS
from harvesting.transports.oai_pmh.messages import MESSAGES
from harvesting.transports.oai_pmh.responses import check_identity
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Source, Transport
from metadata.formats import OAI_REQUIRED, TARGET


def _make(source: Source, fetcher: Fetcher, retry_policy: RetryPolicy) -> Transport:
    return OaiPmhTransport(source.base_url, fetcher.fetch, retry_policy, method=source.method, encoding=source.encoding)


def _recognises(root: bytes, start: bytes) -> bool:
    return root == b"OAI-PMH"


TRANSPORT = TransportKind(
    name="oai-pmh",
    label="OAI-PMH",
    make=_make,
    address=_("OAI-PMH: the base URL."),
    place=_("of an OAI-PMH interface (base URL)"),
    guide=_(
        "The best choice for most providers: only changed records are requested, and deletions are reported. "
        "Only ListRecords is required; Identify, ListMetadataFormats, ListSets and GetRecord make registration and "
        "corrections easier."
    ),
    # Errors of the protocol come with any status.
    detection=Detection(recognises=_recognises, greeting={"verb": "Identify"}, any_status=True),
    needs_prefix=True,
    default_prefix=TARGET.prefix,
    guaranteed_prefix=OAI_REQUIRED.prefix,  # OAI-PMH 2.0, section 4.4
    has_periods=True,
    fetches_single=True,
    has_day_dates=True,
    names_requests=True,
    version="2.0",
    has_identify=True,
    check_identity=check_identity,
    has_clock=True,
    resumes_at_once=True,
    needs_full_runs=True,
    messages=MESSAGES,
    words={
        **{f"oai.{code}": code for code in OAI_ERRORS},
        "oai": _("an OAI-PMH error"),
        "oai.list_short": _("the list was shorter than announced"),
        "oai.loop": _("the list did not end"),
    },
    expired_codes=frozenset({"oai.badResumptionToken"}),
    unknown_record_codes=frozenset({"oai.idDoesNotExist", "oai.noRecordsMatch"}),
)
