"""The address of the live search for programs: one catalogue, asked in the background."""

from collections.abc import Mapping

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from aggregator.live.asking import State
from aggregator.live.parts import Hit, Part, parts
from aggregator.live.question import Asked, ask
from aggregator.live.sentences import explanation
from aggregator.live.sources import catalogues
from aggregator.provision.api import shapes
from aggregator.provision.api.problems import bad_parameter, problem
from aggregator.provision.api.views import JSON, operation
from aggregator.query.parameters import read_query, refusal
from aggregator.query.values import BadParameter
from aggregator.search.base import QueryError
from aggregator.views.live.budget import spender
from aggregator.views.live.page import SOURCE, numbers_of, without_own

RETRY = 1  # seconds after which an answer may be there
BUSY_RETRY = 10
PROBLEMS: Mapping[State, str] = {State.BUSY: "unavailable", State.PAUSED: "unavailable", State.SPENT: "too-many"}


@require_safe
@never_cache
@operation("api_live")
def live(request: HttpRequest) -> HttpResponse:
    """Return what is known of the answer of one catalogue; 202 while it is being asked."""
    numbers = numbers_of(request.GET, SOURCE)
    if len(numbers) != 1:
        raise BadParameter(SOURCE, _("Give the number of exactly one live source."))
    try:
        asked = ask(read_query(without_own(request.GET)))
    except QueryError as error:
        return bad_parameter(refusal(error))
    if asked.question is None:
        raise BadParameter("q", _("Other catalogues support none of the conditions of this search."))
    found = parts(asked, catalogues(numbers), spender(request), is_last=False)
    if not found:
        return problem("not-found", _("There is no live source with this number."))
    return _response(found[0], asked)


def _response(part: Part, asked: Asked) -> HttpResponse:
    if part.state in PROBLEMS:
        refused = problem(PROBLEMS[part.state], explanation(part.state))
        refused["Retry-After"] = str(BUSY_RETRY)
        return refused
    response = HttpResponse(msgspec.json.encode(_answer(part, asked)), JSON)
    if part.state is State.ASKING:
        response.status_code = 202
        response["Retry-After"] = str(RETRY)
    return response


def _answer(part: Part, asked: Asked) -> shapes.Live:
    names = part.catalogue.source.names
    return shapes.Live(
        source=part.catalogue.number,
        name=names.get("ja", ""),
        name_en=names.get("en", ""),
        state=part.state.value,
        code=part.code,
        total=part.total,
        hits=tuple(map(_hit, part.hits)),
        refused=tuple(shapes.LiveRefusal(code=refused.code, field=refused.field) for refused in part.refused),
        left_out=asked.left_out,
        follow=part.follow,
    )


def _hit(hit: Hit) -> shapes.LiveHit:
    return shapes.LiveHit(record=hit.record, link=hit.link, book=hit.book.public_id if hit.book else None)
