"""Messages of ISO 18626 for tests."""

from datetime import UTC, datetime

from aggregator.loans.iso18626.messages import NAMESPACE, Agency, Header

NOW = datetime(2026, 11, 24, 1, 30, tzinfo=UTC)
HEADER = Header(
    supplier=Agency(value="JP-1000001"),
    requester=Agency(value="JP-1000002"),
    request_id="2026-17",
    supplier_request_id="L5",
    timestamp=NOW,
)
_AGENCY = "<agencyIdType>ISIL</agencyIdType><agencyIdValue>{}</agencyIdValue>"
_HEADER = (
    f"<supplyingAgencyId>{_AGENCY.format('JP-1000001')}</supplyingAgencyId>"
    f"<requestingAgencyId>{_AGENCY.format('JP-1000002')}</requestingAgencyId>"
    "<timestamp>2026-11-24T01:30:00Z</timestamp><requestingAgencyRequestId>2026-17</requestingAgencyRequestId>"
)
RECEIVED = f"<requestingAgencyMessage><header>{_HEADER}</header><action>Received</action></requestingAgencyMessage>"
LOANED = (
    f"<supplyingAgencyMessage><header>{_HEADER}</header>"
    "<messageInfo><reasonForMessage>StatusChange</reasonForMessage></messageInfo>"
    "<statusInfo><status>Loaned</status><dueDate>2026-12-24T14:59:00Z</dueDate>"
    "<lastChange>2026-11-24T01:30:00Z</lastChange></statusInfo></supplyingAgencyMessage>"
)
REQUEST = (
    f"<request><header>{_HEADER}</header><bibliographicInfo><title>銀河鉄道の夜</title></bibliographicInfo>"
    "<serviceInfo><serviceType>Loan</serviceType></serviceInfo></request>"
)
CONFIRMED = (
    "<requestConfirmation><confirmationHeader><timestamp>2026-11-24T01:30:00Z</timestamp>"
    "<timestampReceived>2026-11-24T01:29:00Z</timestampReceived><messageStatus>OK</messageStatus>"
    "</confirmationHeader></requestConfirmation>"
)


def document(message: str, version: str = "1.2") -> bytes:
    """A whole document with a message."""
    start = f'<ISO18626Message xmlns="{NAMESPACE}" xmlns:ill="{NAMESPACE}" ill:version="{version}">'
    return f"{start}{message}</ISO18626Message>".encode()
