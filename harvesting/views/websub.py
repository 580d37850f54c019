"""The address that hubs call: WebSub. Reads what HTTP brings; what it means is in `harvesting.websub`."""

from hmac import compare_digest

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from harvesting import websub
from harvesting.models import Subscription

PIECE = 64 * 1024  # bytes in memory at a time
LARGEST = 4 * 1024 * 1024  # bytes of a notification; a hub sends the whole feed along, which we only hash


@csrf_exempt  # a hub has no session; the address cannot be guessed and the body is signed
@never_cache
@require_http_methods(["GET", "POST"])
def websub_callback(request: HttpRequest, callback: str) -> HttpResponse:
    """What a hub calls: GET verifies that we asked for a subscription, POST notifies."""
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
    # The challenge is the caller's text: plain, and never taken for anything else.
    return HttpResponse(answer, content_type="text/plain; charset=utf-8", headers={"X-Content-Type-Options": "nosniff"})


def _notification(request: HttpRequest, subscription: Subscription) -> HttpResponse:
    """Whatever is wrong with it is not told to the caller (WebSub, section 8: 2xx, and ignored)."""
    if subscription.state == Subscription.State.ENDED:
        return HttpResponse(status=410)  # section 7: the hub forgets us
    if websub.is_heard(subscription) and _is_signed(request, subscription):
        websub.look_sooner(subscription)
    return HttpResponse(status=202)


def _is_signed(request: HttpRequest, subscription: Subscription) -> bool:
    """Whether the body carries the signature of the secret that only the hub has."""
    check = websub.signature_check(subscription, request.headers.get("X-Hub-Signature", ""))
    if check is None:
        return False
    digest, expected = check
    left = LARGEST
    while piece := request.read(min(PIECE, left + 1)):
        left -= len(piece)
        if left < 0:
            return False
        digest.update(piece)
    return compare_digest(digest.hexdigest().encode(), expected.encode())
