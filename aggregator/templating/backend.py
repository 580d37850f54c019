"""Django's backend for Jinja2 with templates compiled for each language: what is the same in every page of a language
is written into the compiled template, and so are the parts that it includes. Needs no request.

A page has about ninety texts and forty addresses that never change, `{{ _("Search") }}`, `{{ url("about") }}` and
`{{ static("css/base.css") }}`. Looking them up again for every page took a seventh of the time in which
a book page is made.
"""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, cast

from django.template.backends.jinja2 import Jinja2, Template
from django.urls import NoReverseMatch, get_script_prefix
from django.utils.translation import get_language
from jinja2 import BaseLoader
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import escape

_BEGIN, _END = "variable_begin", "variable_end"
INCLUDE = re.compile(r'\{% include "([^"]+)" %\}')


class Inlined(Extension):
    """Writes the source of a part where a template includes it, so that Jinja2 compiles both as one function.

    For an include it makes a copy of all variables, and a book page has fifty. The part has a scope of its own, as an
    included one has. A part that includes itself is left to the moment of rendering.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return self._with_parts(source, (name or "",))

    def _with_parts(self, source: str, around: tuple[str, ...]) -> str:
        return INCLUDE.sub(
            lambda include: include[0] if include[1] in around else self._part(include[1], around), source
        )

    def _part(self, name: str, around: tuple[str, ...]) -> str:
        """Return the source of a part with its own parts. around: the templates that it stands in."""
        loader = cast(BaseLoader, self.environment.loader)
        source, *_file = loader.get_source(self.environment, name)
        return f"{{% with %}}{self._with_parts(source, (*around, name))}{{% endwith %}}"


class Settled(Extension):
    """Replaces an output that consists of one call of `_`, `url` or `static` with constant texts by its result.

    Any other use of these functions is left to the moment of rendering.
    """

    place: tuple[str | None, str] = (None, "")  # the language and the script prefix that the environment is for

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens of a template. They stay as they are if the language has changed since `place` was set: a
        page may be rendered in another language than that in which it was looked up.
        """
        if self.place != _place():
            yield from stream
            return
        output: list[Token] = []
        for token in stream:
            if not output and token.type != _BEGIN:
                yield token
                continue
            output.append(token)
            if token.type == _END:
                yield from self._settled(output)
                output = []

    def _settled(self, output: list[Token]) -> list[Token]:
        if (call := _constant_call(output[1:-1])) is None:
            return output
        name, arguments = call
        function: Any = self.environment.globals[name]
        try:
            value = escape(function(*arguments))  # not of a text: it is marked as safe
        except (NoReverseMatch, ValueError):  # it may stand in a branch that is never rendered
            return output
        return [Token(output[0].lineno, "data", str(value))]


class Pages(Jinja2):
    """The backend of our own pages (settings.TEMPLATES). `env` is the environment without settled texts."""

    def __init__(self, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._by_place: dict[tuple[str | None, str], Jinja2] = {}

    def get_template(self, template_name: str) -> Template:
        place = _place()
        if place not in self._by_place:
            self._by_place[place] = self._settled(place)
        return Jinja2.get_template(self._by_place[place], template_name)

    def _settled(self, place: tuple[str | None, str]) -> Jinja2:
        backend = copy(self)
        # A template that is read again when its file changes must notice changes of its parts as well.
        extensions = [Settled] if self.env.auto_reload else [Inlined, Settled]
        backend.env = self.env.overlay(extensions=extensions)
        backend.env.extensions[Settled.identifier].place = place  # type: ignore[attr-defined]  # an Extension by type
        return backend


def _place() -> tuple[str | None, str]:
    return get_language(), get_script_prefix()


def _constant_call(tokens: Iterable[Token]) -> tuple[str, list[str]] | None:
    """Return the function and the arguments of a call with constant texts only, None for anything else."""
    kinds, values = zip(*((token.type, token.value) for token in tokens), strict=True) if tokens else ((), ())
    arguments = values[2:-1:2]
    if kinds[:2] != ("name", "lparen") or kinds[-1:] != ("rparen",) or values[0] not in ("_", "static", "url"):
        return None
    between = kinds[2:-1]
    if between[::2] != ("string",) * len(arguments) or between[1::2] != ("comma",) * (len(arguments) - 1):
        return None
    return values[0], list(arguments)
