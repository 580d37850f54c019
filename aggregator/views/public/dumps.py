"""The pages of /dumps/: the list for people and for programs, and the files, also in parts. Does not read records."""

import base64
from dataclasses import asdict
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.http import http_date

from aggregator.provision import dumps
from aggregator.provision.dumps import Dump, File
from core.files import shared
from core.http import ranges


def page(request: HttpRequest) -> HttpResponse:
    """List the dumps, with the facts to know before downloading one."""
    rows = [
        {"dump": dump, "began": parse_datetime(dump.began), "files": [(file, _path(dump, file)) for file in dump.files]}
        for dump in dumps.finished_dumps()
    ]
    return render(request, "dumps/dumps.html", {"rows": rows})


def manifest(_request: HttpRequest) -> HttpResponse:
    """List the dumps for programs, the newest first; the list may be empty."""
    entries = [
        asdict(dump)
        | {"files": [asdict(file) | {"url": f"{settings.PUBLIC_URL}{_path(dump, file)}"} for file in dump.files]}
        for dump in dumps.finished_dumps()
    ]
    response = JsonResponse({"dumps": entries}, json_dumps_params={"indent": 1})
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _path(dump: Dump, file: File) -> str:
    return reverse("dump_file", args=[dump.name, file.name])


def file(request: HttpRequest, dump: str, name: str) -> HttpResponseBase:
    """Send one file, whole or the range that is requested."""
    for kept_dump in dumps.finished_dumps():
        found = next((file for file in kept_dump.files if file.name == name), None)
        if kept_dump.name == dump and found:
            return _sent(request, kept_dump, found)
    raise Http404(name)


def _sent(request: HttpRequest, dump: Dump, found: File) -> HttpResponseBase:
    stored, tag = f"{dump.folder}/{found.name}", f'"{found.sha256}"'
    headers = {
        "Accept-Ranges": "bytes",
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": "public, max-age=86400, immutable",
        "Content-Disposition": f'attachment; filename="{dump.name}-{found.name}"',
        "ETag": tag,
        "Last-Modified": http_date(datetime.fromisoformat(dump.made).timestamp()),
        "Repr-Digest": f"sha-256=:{base64.b64encode(bytes.fromhex(found.sha256)).decode()}:",
    }
    if tag in request.headers.get("If-None-Match", ""):
        return HttpResponse(status=304, headers=headers)
    wanted = request.headers.get("Range", "") if request.headers.get("If-Range", tag) == tag else ""
    try:
        part = ranges.byte_range(wanted, found.bytes)
    except ValueError:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{found.bytes}"})
    first, last = part or (0, found.bytes - 1)
    if part:
        headers["Content-Range"] = f"bytes {first}-{last}/{found.bytes}"
    headers["Content-Length"] = str(last - first + 1)
    body = shared.part(stored, first, last) if request.method == "GET" else ()
    return StreamingHttpResponse(body, content_type="application/gzip", status=206 if part else 200, headers=headers)
