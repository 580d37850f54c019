"""Counts a link that a reader followed from a book to a provider or library. The browser reports it
(static/js/follow.js); the link itself leads straight to its target, with or without the script.
"""

import re

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from aggregator.models import BOOK_ID
from aggregator.statistics.use import FULL_TEXT, USE
from harvesting.models import REPOSITORY_NUMBER

LONGEST = 100  # bytes
_LINK = re.compile(rf"({BOOK_ID}) (L[1-9][0-9]{{0,17}}|{REPOSITORY_NUMBER}|{FULL_TEXT})")


@csrf_exempt  # only a counter of pages of the public; browsers send no token as they leave a page
@require_POST
def followed(request: HttpRequest) -> HttpResponse:
    """Count "M12 L5": the link of library 5 on the page of book 12. Whether the book has it is checked on writing."""
    text = request.read(LONGEST + 1).decode("ascii", "replace")
    if link := _LINK.fullmatch(text):
        USE.count(request, link[1], link[2])
        return HttpResponse(status=204)
    return HttpResponse(status=400)
