"""The JSON interface as an OpenAPI 3.1 document, written from its table. Pure apart from the language. No HTTP."""

from collections.abc import Iterator

import msgspec
from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from aggregator.provision.api import problems
from aggregator.provision.api.operations import OPERATIONS, Operation
from aggregator.provision.api.parameters import Json, Parameter
from aggregator.provision.api.shapes import ANSWERS
from aggregator.provision.description import ABOUT

VERSION = "1.0.0"  # of the interface: grows with every change, its first number with one that breaks programs
_REF = "#/components/schemas/{name}"


def document() -> Json:
    """The whole document, its texts in the active language."""
    return {
        "openapi": "3.1.0",
        "info": _info(),
        "servers": [{"url": settings.PUBLIC_URL}],
        "paths": {each.path: {"get": _operation(each)} for each in OPERATIONS},
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "x-language": get_language(),
    }


def _info() -> Json:
    info: Json = {
        "title": _("Library Aggregator"),
        "version": VERSION,
        "description": str(ABOUT),
    }
    name, contact = settings.SITE_OPERATOR, settings.SITE_CONTACT
    if name or contact:
        place = {"email": contact} if "@" in contact else {"url": contact} if contact else {}
        info["contact"] = {**({"name": name} if name else {}), **place}
    return info


def _operation(operation: Operation) -> Json:
    return {
        "operationId": operation.name,
        "summary": str(operation.summary),
        "description": str(operation.about),
        "parameters": [_parameter(each) for each in operation.parameters],
        "responses": dict(_responses(operation)),
        "security": [{"key": []}] if operation.with_key else [{}, {"key": []}],
    }


def _parameter(parameter: Parameter) -> Json:
    schema = {"type": "array", "items": parameter.schema} if parameter.several else parameter.schema
    found: Json = {
        "name": parameter.name,
        "in": "path" if parameter.in_path else "query",
        "description": str(parameter.meaning),
        "required": parameter.in_path,
        "schema": schema,
    }
    return found


def _responses(operation: Operation) -> Iterator[tuple[str, Json]]:
    found = [{"$ref": _REF.format(name=each.__name__)} for each in operation.answers]
    schema: Json = {"oneOf": found}
    if len(found) == 1:
        schema = {**found[0]}
    yield "200", {"description": str(operation.summary), "content": {"application/json": {"schema": schema}}}
    for kind in operation.kinds:
        status, title = problems.TITLES[kind]
        content = {problems.MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}}
        yield str(status), {"description": str(title), "content": content}


def _schemas() -> Json:
    """The shapes, as JSON Schema."""
    _refs, found = msgspec.json.schema_components(ANSWERS, ref_template=_REF)
    return dict(sorted(found.items()))
