"""The answer to an exception that nothing else handled: 503 while the database cannot be reached, otherwise 500.

Django calls this for views and for middleware alike (sessions and logins read the database before any view does).
"""

import sys

from django.http import HttpRequest, HttpResponse
from django.views.defaults import server_error as program_error

from aggregator.middleware.refusals import no_database
from core.database.outages import is_outage


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer in the form that the client of this address expects."""
    return no_database(request) if is_outage(sys.exception()) else program_error(request)
