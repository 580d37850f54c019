"""Libraries as JSON: the list of all of them, and one with all that is known of it."""

from hashlib import blake2b

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page

from aggregator.catalogue.found_library import facts_of, find_library
from aggregator.libraries.addresses import library_path
from aggregator.provision.api import libraries as answers
from aggregator.provision.api.problems import problem
from aggregator.provision.api.views import JSON, operation

MAX_AGE = 60 * 60  # seconds; the script that sorts libraries by distance asks for the list on many pages


@gzip_page
@operation("libraries_json")
def libraries_json(_request: HttpRequest) -> HttpResponse:
    """The list of all libraries: 2 MB for 8,000 of them, a tenth of it compressed."""
    data = msgspec.json.encode(answers.libraries())
    response = HttpResponse(data, JSON)
    response["ETag"] = f'"{blake2b(data, digest_size=12).hexdigest()}"'  # of the text: gzip differs each time
    patch_cache_control(response, public=True, max_age=MAX_AGE)
    return response


@operation("library_json")
def library_json(_request: HttpRequest, code: str) -> HttpResponse:
    """One library. The code of a merged library redirects to the library that it was merged into."""
    found = find_library(code)
    if len(found.libraries) > 1:
        numbers = ", ".join(library_path(library.pk) for library in found.libraries)
        return problem("not-found", _("Several libraries have this code: %(numbers)s") % {"numbers": numbers})
    if not found.libraries:
        return problem("not-found", _("No library has the number or code %(text)s.") % {"text": code[:60]})
    if found.moved:
        return redirect(f"{library_path(found.libraries[0].pk)}.json", permanent=True)
    return HttpResponse(msgspec.json.encode(answers.library(facts_of(found.libraries[0]))), JSON)
