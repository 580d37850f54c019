"""The request in a row of `Loan`, packed as MessagePack."""

import msgspec

from aggregator.loans.request import LoanRequest
from aggregator.models import Loan

_decoder = msgspec.msgpack.Decoder(LoanRequest)


def pack_request(request: LoanRequest) -> bytes:
    """Encode a request for `Loan.request`."""
    return msgspec.msgpack.encode(request)


def request_of(loan: Loan) -> LoanRequest:
    """Return the request of a row; an empty one if the row has none."""
    return _decoder.decode(bytes(loan.request)) if loan.request else LoanRequest()
