"""The page about the JSON interface: its addresses and parameters for people, with examples to click."""

import re
from dataclasses import dataclass

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from aggregator.provision.api.openapi import VERSION
from aggregator.provision.api.operations import OPERATIONS, Operation
from aggregator.provision.api.parameters import Parameter
from aggregator.provision.api.problems import TITLES
from aggregator.provision.api.pushing import ANSWERS as PUSH_ANSWERS
from aggregator.provision.api.pushing import SENDINGS, PushIssue, meaning_of
from aggregator.provision.api.shapes import ANSWERS, PARTS
from aggregator.views.public.data_page import example_names, examples


@dataclass(frozen=True, slots=True)
class Row:
    """A parameter as the page shows it. choices: its allowed values, if they are few enough to print."""

    parameter: Parameter
    choices: str
    default: str
    limits: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an answer: its name, and its type in a word or two."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Section:
    """One address with its parameters, answers and examples.

    excluding: names of the parameters that exclude values ("-title"), which the page prints on one line.
    """

    operation: Operation
    rows: tuple[Row, ...]
    excluding: tuple[str, ...]
    answers: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]


def api_docs(request: HttpRequest) -> HttpResponse:
    """Show every address with its parameters, answers and examples."""
    known = example_names()
    context = {
        "sections": [_section(operation, known) for operation in OPERATIONS],
        "sendings": [
            (sending, [(parameter.name, meaning_of(parameter)) for parameter in sending.parameters])
            for sending in SENDINGS
        ],
        "shapes": [(shape.__name__, _fields(shape)) for shape in (*ANSWERS, *PARTS, *PUSH_ANSWERS, PushIssue)],
        "problems": [(kind, status, title) for kind, (status, title) in TITLES.items()],
        "version": VERSION,
        "base": settings.PUBLIC_URL,
    }
    return render(request, "pages/api.html", context)


def _section(operation: Operation, known: dict[str, str]) -> Section:
    shown = [parameter for parameter in operation.parameters if not parameter.name.startswith("-")]
    return Section(
        operation,
        tuple(map(_row, shown)),
        tuple(parameter.name for parameter in operation.parameters if parameter.name.startswith("-")),
        tuple(shape.__name__ for shape in operation.answers),
        tuple(examples(operation.examples, known)),
    )


def _row(parameter: Parameter) -> Row:
    schema = parameter.schema
    choices = schema.get("enum", ())
    printed = ", ".join(map(str, choices)) if isinstance(choices, list) else ""
    ends = [str(schema[name]) for name in ("minimum", "maximum") if name in schema]
    return Row(parameter, printed, str(schema.get("default", "")), " – ".join(ends))


def _fields(shape: type) -> tuple[Field, ...]:
    """Return the fields of a shape; "Hit[]" is a list, "?" means that null is possible."""
    return tuple(Field(field.encode_name, _type_name(field.type)) for field in msgspec.structs.fields(shape))


_WORDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "datetime": "date-time"}
_NAME = re.compile(r"[A-Za-z.]+")


def _type_name(kind: object) -> str:
    """Return a type as programmers of any language read it: "Hit[]", "string?", "{string: Count[]}"."""
    text = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else str(kind)
    plain = _NAME.sub(lambda name: name[0].rpartition(".")[2], text.replace("...", "*")).replace(" | None", "?")
    plain = plain.replace("tuple[", "").replace(", *]", "[]")
    if plain.startswith("dict["):
        plain = "{" + plain.removeprefix("dict[").removesuffix("]").replace(", ", ": ") + "}"
    return _NAME.sub(lambda name: _WORDS.get(name[0], name[0]), plain)
