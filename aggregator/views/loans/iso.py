"""`/iso18626`: messages of the systems of registered libraries, each answered with a confirmation (ISO 18626)."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from aggregator.loan_desk.iso.receiving import receive, sender_of
from aggregator.loans.iso18626.read import MOST_BYTES
from aggregator.loans.iso18626.write import write

_BEARER = "bearer "
_LONGEST_SECRET = 200  # characters


@csrf_exempt  # called by programs without a session; the secret in the header says which library sends
@require_POST
def iso18626(request: HttpRequest) -> HttpResponse:
    """Carry out a message. 401 without the secret of a library, 413 for what is too large to be read at all."""
    header = request.headers.get("Authorization", "")
    secret = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else ""
    sender = sender_of(secret) if len(secret) <= _LONGEST_SECRET else None
    if sender is None:
        response = _text("This address needs the secret of a registered library.", HTTPStatus.UNAUTHORIZED)
        response["WWW-Authenticate"] = 'Bearer realm="iso18626"'
        return response
    data = request.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return _text("The message is too large.", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    confirmation = receive(data, sender, timezone.now())
    if confirmation is None:
        return _text("A confirmation is the answer to a message; send it there.", HTTPStatus.BAD_REQUEST)
    return HttpResponse(write(confirmation), "application/xml; charset=utf-8")


def _text(text: str, status: HTTPStatus) -> HttpResponse:
    return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", status)
