"""The messages of ISO 18626 as values. Pure; no XML here, and never anything about a reader (patronInfo).

Dates are ISO 8601 texts in Japanese time; "" is absent.
"""

from datetime import UTC, datetime
from enum import StrEnum

from aggregator.loans.request import LoanRequest, Party
from metadata.record import Value

NAMESPACE = "http://illtransactions.org/2013/iso18626"
VERSION = "2021-2"  # that we write
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MessageKind(StrEnum):
    """The element of a message that a library sends, and that is confirmed."""

    REQUEST = "request"
    SUPPLIER = "supplyingAgencyMessage"
    REQUESTER = "requestingAgencyMessage"


class Agency(Value, frozen=True, kw_only=True):
    """A library in a message. scheme: "ISIL", or that of another code."""

    value: str = ""
    scheme: str = "ISIL"


class Header(Value, frozen=True, kw_only=True):
    """Who writes to whom about which request. request_id: the borrower's number; supplier_request_id: the lender's.

    account, secret: by which the borrower's messages are recognised.
    """

    supplier: Agency = Agency()
    requester: Agency = Agency()
    request_id: str = ""
    supplier_request_id: str = ""
    timestamp: datetime = _EPOCH
    account: str = ""
    secret: str = ""


class RequestMessage(Value, frozen=True, kw_only=True):
    """A new request, or one repeated (type "New", "Retry", "Reminder"). service: "Loan", "Copy" or "CopyOrLoan".

    costs: the most that the borrower pays, such as "JPY 1000".
    """

    header: Header
    request: LoanRequest
    type: str = "New"
    service: str = "Loan"
    costs: str = ""
    version: str = VERSION


class SupplierMessage(Value, frozen=True, kw_only=True):
    """What the lender says. reason: of the message ("RequestResponse", "StatusChange", …); answer: "Y", "N" or "".

    status: a status of ISO 18626; changed: when it began. expected, due: dates. unfilled, retry: reasons of a refusal
    and of an inquiry. costs: offered or charged ("JPY 350"). item_id: of the copy sent; url: of an electronic copy.
    return_to: where the item is to be sent back, if not to the lender.
    """

    header: Header
    reason: str
    status: str
    changed: datetime = _EPOCH
    answer: str = ""
    note: str = ""
    unfilled: str = ""
    retry: str = ""
    expected: str = ""
    due: str = ""
    sent: str = ""
    item_id: str = ""
    url: str = ""
    conditions: tuple[str, ...] = ()
    costs: str = ""
    return_to: Party = Party()
    version: str = VERSION


class RequesterMessage(Value, frozen=True, kw_only=True):
    """What the borrower says. action: of ISO 18626 ("Received", "Renew", …)."""

    header: Header
    action: str
    note: str = ""
    version: str = VERSION


class ErrorData(Value, frozen=True, kw_only=True):
    """Why a message was not accepted. type: of ISO 18626; value: what and where, for people."""

    type: str
    value: str = ""


class Confirmation(Value, frozen=True, kw_only=True):
    """The answer to a message, sent at once: it was received and understood, or not.

    of: the kind of message that is confirmed. header: the agencies and the number of that message, with the time of the
    confirmation. received: when the message was written. detail: the message's reasonForMessage or action.
    """

    of: MessageKind
    header: Header
    received: datetime = _EPOCH
    detail: str = ""
    errors: tuple[ErrorData, ...] = ()
    version: str = VERSION

    @property
    def ok(self) -> bool:
        """Whether the message was accepted."""
        return not self.errors


type Message = RequestMessage | SupplierMessage | RequesterMessage | Confirmation


def agency_of(party: Party) -> Agency:
    """Return a library as an agency: by its best code, or by its name if it has no code."""
    code = party.code()
    return Agency(scheme=code.scheme, value=code.value) if code else Agency(scheme="name", value=party.name)
