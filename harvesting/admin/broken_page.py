"""Downloading a page that could not be read, as it came. It is a stranger's: never shown, only handed over."""

from django.contrib.admin import ModelAdmin
from django.http import Http404, HttpRequest, HttpResponse

from harvesting.models import BrokenPage
from harvesting.records.compression import unpack_payload

HEADERS = {
    "Content-Type": "application/octet-stream",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "no-store",
}


def download(admin: ModelAdmin, request: HttpRequest, harvest: int, page: int) -> HttpResponse:
    """The bytes as an attachment; 404 for pages of other people's runs."""
    own = admin.get_queryset(request).filter(pk=harvest)
    found = BrokenPage.objects.filter(harvest__in=own, pk=page).first()
    if found is None or not admin.has_view_permission(request):
        raise Http404
    name = f"harvest-{found.harvest_id}-page-{found.pk}.bin"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(unpack_payload(bytes(found.body)), headers={**HEADERS, **disposition})
