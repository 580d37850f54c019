"""All hits of a search as one file, sent while the books are read."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import batched

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.middleware.rate_budget import spend_budget
from aggregator.middleware.refusals import busy, too_many
from aggregator.presentation.book_files import file_named
from aggregator.provision.result_sets import records_found
from aggregator.query.parameters import read_query
from aggregator.views.public.search import answer_or_error
from core.http.concurrency import ConcurrencyLimit
from core.http.rate_limit import HOUR, Counts, RateLimit

MOST_IN_AN_HOUR = 10  # files for one network
PIECE = 50  # descriptions that are sent together
_at_once = ConcurrencyLimit(1)  # in one process, because a file occupies a thread for many seconds


class Held:
    """The pieces of a file. It counts as a running export until all are sent or the response is closed."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = (b"".join(batch) for batch in batched(pieces, PIECE))
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        self.close()

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            _at_once.leave()


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "export", MOST_IN_AN_HOUR, HOUR)


@never_cache
@require_safe
def export(request: HttpRequest) -> HttpResponseBase:
    """Send what a search finds, as far as it may be redistributed, in the form that `format` names."""

    def answer() -> HttpResponseBase:
        data = request.GET.copy()
        file = file_named("".join(data.pop("format", [""])))
        query = read_query(data)
        if wait := spend_budget(request, _limit()):
            return too_many(request, wait)
        if not _at_once.enter():
            return busy(request)
        try:
            pieces = Held(file.pieces(records_found(query)))
        except BaseException:
            _at_once.leave()
            raise
        headers = {"Content-Disposition": f'attachment; filename="search.{file.ending}"'}
        return StreamingHttpResponse(pieces, content_type=file.media_type, headers=headers)

    return answer_or_error(request, answer)
