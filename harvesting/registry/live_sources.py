"""Makes a `LiveSource`, the value that `harvesting.live` works with, from the feed that is registered."""

from harvesting.live.asking import request_for
from harvesting.live.types import ANY, AllOf, LiveError, LiveSource, Word
from harvesting.models import Feed


def live_source_of(feed: Feed) -> LiveSource:
    """The live source of a feed. Sends no request."""
    repository = feed.repository
    names = {"ja": repository.name, "en": repository.name_en or repository.name}
    return LiveSource(
        number=repository.number, names=names, kind=feed.protocol, address=feed.base_url, options=feed.live_options
    )


def followed(feed: Feed) -> str:
    """The address at which a reader would go on with the test search; "" if the source has no search page."""
    words = str(feed.live_options.get("known_item", "")).split() or ["図書館"]
    try:
        return request_for(live_source_of(feed), AllOf(tuple(Word(ANY, word) for word in words))).follow
    except LiveError:  # the options are incomplete; their form says so
        return ""
