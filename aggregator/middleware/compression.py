"""Sends pages compressed, to a fifth of their size, also where no other web server stands in front of this program.

The length of a compressed page can betray a secret in it to somebody who makes the reader's browser ask for many
variants of the page (BREACH). So nothing is compressed for people with a session, as in deploy/nginx.conf. The only
secret in other pages is the CSRF token, which Django masks with new random bytes in every response.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from aggregator.middleware.book_page_cache import has_session

# Bytes: shorter pages are sent as they are. That is a packet or two more, and a refusal costs a fifth less.
SHORT = 4096


class CompressionMiddleware(GZipMiddleware):
    """Compresses pages only: static files are stored compressed, and data is left to a web server in front."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = response.get("Content-Type", "").startswith("text/html")
        if not is_page or not isinstance(response, HttpResponse) or len(response.content) < SHORT:
            return response
        if has_session(request):
            return response
        return super().process_response(request, response)
