"""The callback URL for WebSub hubs. Reads the HTTP requests; `harvesting.websub` decides what they mean."""

from hmac import compare_digest

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from harvesting import websub
from harvesting.models import Subscription

PIECE = 64 * 1024  # bytes read at a time
LARGEST = 4 * 1024 * 1024  # bytes of a notification; a hub sends the whole feed along, of which only the hash is needed


@csrf_exempt  # a hub has no session; the URL cannot be guessed and the body is signed
@never_cache
@require_http_methods(["GET", "POST"])
def websub_callback(request: HttpRequest, callback: str) -> HttpResponse:
    """Answer a hub: GET verifies that we requested the subscription, POST announces a change of the feed."""
    subscription = Subscription.objects.filter(callback=callback).first()
    if subscription is None:
        raise Http404
    if request.method == "GET":
        return _verification(request, subscription)
    return _notification(request, subscription)


def _verification(request: HttpRequest, subscription: Subscription) -> HttpResponse:
    answer = websub.confirm(subscription, request.GET)
    if answer is None:
        raise Http404
    # The body is the caller's own text, so browsers must not interpret it as anything but plain text.
    return HttpResponse(answer, content_type="text/plain; charset=utf-8", headers={"X-Content-Type-Options": "nosniff"})


def _notification(request: HttpRequest, subscription: Subscription) -> HttpResponse:
    """Accept a notification. An invalid one is ignored, but answered with 2xx as well (WebSub, section 8)."""
    if subscription.state == Subscription.State.ENDED:
        return HttpResponse(status=410)  # WebSub, section 7: the hub ends the subscription
    if websub.accepts_notification(subscription) and _is_signed(request, subscription):
        websub.queue_harvest(subscription)
    return HttpResponse(status=202)


def _is_signed(request: HttpRequest, subscription: Subscription) -> bool:
    """Whether the body is signed with the secret that we gave the hub. False if it is larger than LARGEST."""
    check = websub.signature_check(subscription, request.headers.get("X-Hub-Signature", ""))
    if check is None:
        return False
    digest, expected = check
    bytes_left = LARGEST
    while piece := request.read(min(PIECE, bytes_left + 1)):
        bytes_left -= len(piece)
        if bytes_left < 0:
            return False
        digest.update(piece)
    return compare_digest(digest.hexdigest().encode(), expected.encode())
