"""Catalogues that have nothing but a search page: readers get a link to it, filled with their search. Sends nothing."""

from harvesting.live.options import Options, read_options
from harvesting.live.templates import check as check_template
from harvesting.live.templates import request_by_template
from harvesting.live.types import Described, Fetch, Found, LiveError, LiveProtocol, LiveSource, Question, Request


def request_for(source: LiveSource, question: Question, start: int, limit: int) -> Request:
    """Return a request without an address to fetch; `follow` leads to the search page."""
    filled = request_by_template(source.address, read_options(source.options), question, start, limit)
    return Request(url="", refused=filled.refused, empty=True, follow=filled.url)


def find(source: LiveSource, body: bytes, content_type: str) -> Found:
    """Always raises LiveError: such a catalogue is never asked."""
    raise LiveError("live.link_only")


def describe(fetch: Fetch, address: str, words: str) -> Described:
    """Return empty options: nothing but the address is known of such a catalogue."""
    return Described(Options())


def check(options: Options) -> str:
    """See `LiveProtocol`."""
    return ""


PROTOCOL = LiveProtocol(
    request_for=request_for, find=find, describe=describe, check_address=check_template, check=check
)
