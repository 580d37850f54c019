"""Files about DOIs: the list, the XML of one, of a delivery, of everything that is ready."""

from collections.abc import Iterator
from typing import IO

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from harvesting.accounts.access import for_librarians, own_repository, repositories_of
from harvesting.doi import lists
from harvesting.models import DoiDelivery, RequestedDoi
from harvesting.records.compression import unpack_payload
from harvesting.views.doi.pages import ListForm, chosen, doi_list
from metadata.deposits.needs import NotRegistrable

XML = "application/xml; charset=utf-8"


@require_safe
@for_librarians
def doi_file(request: HttpRequest) -> HttpResponseBase:
    """The whole list as CSV."""
    form = ListForm(request.GET)
    if not form.is_valid():
        return doi_list(request)
    repository, wanted = chosen(request, form)
    name = "-".join(filter(None, ["dois", repository.number if repository else "", f"{timezone.localdate():%Y-%m-%d}"]))
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return StreamingHttpResponse(lists.as_csv(wanted), "text/csv; charset=utf-8", headers=headers)


@require_safe
@for_librarians
def doi_xml(request: HttpRequest, pk: int) -> HttpResponse:
    """The XML with which a DOI would be registered now."""
    rows = RequestedDoi.objects.select_related("repository").filter(repository__in=repositories_of(request.user))
    row = get_object_or_404(rows, pk=pk)
    try:
        document = lists.document_of(row)
    except NotRegistrable as reason:
        raise Http404(row.doi) from reason
    return HttpResponse(document, XML, headers={"Content-Disposition": f'inline; filename="doi-{pk}.xml"'})


@require_safe
@for_librarians
def doi_delivery(request: HttpRequest, pk: int) -> HttpResponse:
    """The document of a delivery, as it was or would be sent."""
    delivery = get_object_or_404(DoiDelivery.objects.filter(repository__in=repositories_of(request.user)), pk=pk)
    headers = {"Content-Disposition": f'inline; filename="delivery-{pk}.xml"'}
    return HttpResponse(unpack_payload(bytes(delivery.document)), XML, headers=headers)


@require_safe
@for_librarians
def doi_zip(request: HttpRequest, number: str) -> HttpResponseBase:
    """The documents of all that is ready."""
    repository = own_repository(request, number)
    packed = lists.zip_of(lists.ready_rows(repository.pk), repository)
    headers = {"Content-Disposition": f'attachment; filename="dois-{number}.zip"'}
    return StreamingHttpResponse(pieces(packed), "application/zip", headers=headers)


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file piece by piece, and close it."""
    with file:
        while piece := file.read(64 * 1024):
            yield piece
