"""The OpenAPI 3.1 document of the JSON interface, made from its tables. No HTTP, no database access."""

from collections.abc import Iterator

import msgspec
from django.conf import settings
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from aggregator.provision.api import problems, pushing
from aggregator.provision.api.operations import OPERATIONS, Operation
from aggregator.provision.api.parameters import Json, Parameter
from aggregator.provision.api.shapes import ANSWERS
from aggregator.provision.description import ABOUT

VERSION = "1.5.0"  # of the interface (semantic versioning): increase it with every change
_LATER = gettext_lazy("The answer has not arrived yet. Request the same address again after the time in Retry-After.")
_REF = "#/components/schemas/{name}"


def document() -> Json:
    """Return the document, with texts in the active language."""
    return {
        "openapi": "3.1.0",
        "info": _info(),
        "servers": [{"url": settings.PUBLIC_URL}],
        "paths": {
            **{operation.path: {"get": _operation(operation)} for operation in OPERATIONS},
            **pushing.paths(_REF),
        },
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {name: {"type": "http", "scheme": "bearer"} for name in ("key", "pushToken")},
        },
        "x-language": get_language(),
    }


def _info() -> Json:
    info: Json = {
        "title": _("Library Aggregator"),
        "version": VERSION,
        "description": str(ABOUT),
        "termsOfService": f"{settings.PUBLIC_URL}/terms",
    }
    name, contact = settings.SITE_OPERATOR, settings.SITE_CONTACT
    if name or contact:
        address = {"email": contact} if "@" in contact else {"url": contact} if contact else {}
        info["contact"] = {**({"name": name} if name else {}), **address}
    return info


def _operation(operation: Operation) -> Json:
    return {
        "operationId": operation.name,
        "summary": str(operation.summary),
        "description": str(operation.about),
        "parameters": [_parameter(parameter) for parameter in operation.parameters],
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
    schemas = [{"$ref": _REF.format(name=shape.__name__)} for shape in operation.answers]
    schema: Json = {"oneOf": schemas}
    if len(schemas) == 1:
        schema = {**schemas[0]}
    yield "200", {"description": str(operation.summary), "content": {"application/json": {"schema": schema}}}
    if operation.is_asked_later:
        yield "202", {"description": str(_LATER), "content": {"application/json": {"schema": schema}}}
    for kind in operation.kinds:
        status, title = problems.TITLES[kind]
        content = {problems.MEDIA_TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}}
        yield str(status), {"description": str(title), "content": content}


def _schemas() -> Json:
    """Return the JSON Schemas of the shapes."""
    _refs, schemas = msgspec.json.schema_components((*ANSWERS, *pushing.ANSWERS), ref_template=_REF)
    return dict(sorted(schemas.items()))
