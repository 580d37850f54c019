"""Tags of templates as statements of Python functions. Knows Django's parsed tags; a tag that it does not know renders
itself, as always.

`Made` stands in place of a list of tags. The function is written when it is first asked for.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.template import Context, Node, NodeList, Template, TemplateDoesNotExist
from django.template.base import TextNode, VariableNode
from django.template.defaulttags import CommentNode, FirstOfNode, ForNode, IfNode, LoadNode, URLNode, WithNode
from django.template.loader_tags import IncludeNode
from django.templatetags.i18n import TranslateNode
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from aggregator.templating.expressions import Expressions, Table
from aggregator.templating.names import asks_for_loop, included_name, names_set, stands_alone
from aggregator.templating.reading import address, address_if_any, find, judged, printed, unpacked

type Write = Callable[[Context, Callable[[str], None], str | None], None]  # the last: the language


class Made(NodeList):
    """Tags of a template that run as one function. write: hands on the pieces of what they render."""

    write: Write

    def __init__(self, nodes: NodeList, template: Template) -> None:
        super().__init__(nodes)
        self.contains_nontext = nodes.contains_nontext
        self._template = template
        self.write = self._write_first

    def render(self, context: Context) -> SafeString:
        pieces: list[str] = []
        self.write(context, pieces.append, get_language())
        return SafeString("".join(pieces))

    def _write_first(self, context: Context, out: Callable[[str], None], language: str | None) -> None:
        self.write = Writer(self._template).function(self)
        self.write(context, out, language)


class Writer:
    """Writes one function.

    Names that nothing in it sets are looked up once, at its beginning; those of loops and of `with` are variables of
    Python as well. All stand in the context too, for tags that render themselves and for what is included.
    """

    def __init__(self, template: Template) -> None:
        self._template = template
        self._table = Table()
        self._expressions = Expressions(self._table, self._place)
        self._lines: list[str] = []
        self._depth = 1
        self._set: set[str] | None = None
        self._first: dict[str, str] = {}  # looked up at the beginning
        self._inside: dict[str, str] = {}  # of the loops and `with` around
        name = self._table.name
        self._printed, self._find, self._unpacked = name(printed), name(find), name(unpacked)
        self._judged, self._address, self._address_if_any = name(judged), name(address), name(address_if_any)

    def function(self, nodes: NodeList) -> Write:
        self._set = names_set(nodes)
        self._body(nodes)
        first = [(place, self._table.name(name)) for name, place in self._first.items()]
        begun = [f"    {place} = {self._find}(context, {name})" for place, name in first]
        source = ["def write(context, out, language):", *begun, *self._lines]
        made: dict[str, Any] = self._table.values
        where = f"<template {self._template.name}>"
        exec(compile("\n".join(source), where, "exec"), made)  # noqa: S102 no text of a template stands in it
        write: Write = made["write"]
        return write

    def _place(self, name: str) -> str:
        if name in self._inside:
            return self._inside[name]
        if self._set is None or name in self._set:
            return f"{self._find}(context, {self._table.name(name)})"
        return self._first.setdefault(name, f"v{len(self._first)}")

    def _say(self, line: str) -> None:
        self._lines.append("    " * self._depth + line)

    @contextmanager
    def _under(self, line: str) -> Iterator[None]:
        self._say(line)
        self._depth += 1
        yield
        self._depth -= 1

    def _body(self, nodes: NodeList) -> None:
        begun = len(self._lines)
        for node in nodes:
            _WRITERS.get(type(node), Writer._itself)(self, node)
        if len(self._lines) == begun:
            self._say("pass")

    def _itself(self, node: Any) -> None:
        for attribute in node.child_nodelists:
            inside = getattr(node, attribute, None)
            if type(inside) is NodeList and not isinstance(getattr(type(node), attribute, None), property):
                setattr(node, attribute, Made(inside, self._template))
        self._say(f"out({self._table.name(node.render_annotated)}(context))")

    def _nothing(self, _node: Node) -> None:
        pass

    def _text(self, node: TextNode) -> None:
        self._say(f"out({self._table.name(node.s)})")

    def _variable(self, node: VariableNode) -> None:
        value = self._expressions.value(node.filter_expression, "")
        self._say(f"out({self._printed}({value}, context))")

    def _if(self, node: Any) -> None:
        before = self._depth
        for condition, nodes in node.conditions_nodelists:
            if condition is None:
                self._body(nodes)
                break
            found = self._table.temporary()
            with self._under("try:"):
                self._say(f"{found} = {self._expressions.condition(condition)}")
            with self._under("except Exception:"):
                self._say(f"{found} = {self._judged}({self._table.name(condition)}, context)")
            with self._under(f"if {found}:"):
                self._body(nodes)
            self._say("else:")
            self._depth += 1
        else:
            self._say("pass")
        self._depth = before

    def _for(self, node: Any) -> None:
        values, length, turn, item = (self._table.temporary() for _ in range(4))
        self._say(f"{values} = {self._expressions.value(node.sequence, None)}")
        with self._under(f"if {values} is None:"):
            self._say(f"{values} = ()")
        with self._under(f"if not hasattr({values}, '__len__'):"):
            self._say(f"{values} = list({values})")
        self._say(f"{length} = len({values})")
        with self._under(f"if {length} < 1:"), self._pushed("{}"):
            self._body(node.nodelist_empty)
        counted = asks_for_loop(node.nodelist_loop, str(self._template.source), self._template.engine)
        start = f"{{'forloop': {self._loop(length)}}}" if counted else "{}"
        with self._under("else:"), self._pushed(start) as scope:
            order = f"reversed({values})" if node.is_reversed else values
            with self._under(f"for {turn}, {item} in enumerate({order}):"):
                if counted:
                    self._say(f"{scope}['forloop'].update({self._turn(turn, length)})")
                self._turned(node, scope, item)

    def _loop(self, length: str) -> str:
        around = f"{self._find}(context, 'forloop')"
        return f"{{'parentloop': {around} if 'forloop' in context else {{}}, 'length': {length}}}"

    @staticmethod
    def _turn(turn: str, length: str) -> str:
        left = f"{length} - {turn}"
        places = f"counter0={turn}, counter={turn} + 1, revcounter={left}, revcounter0={left} - 1"
        return f"{places}, first={turn} == 0, last={turn} == {length} - 1"

    def _turned(self, node: Any, scope: str, item: str) -> None:
        names = node.loopvars
        if len(names) == 1:
            self._say(f"{scope}[{self._table.name(names[0])}] = {item}")
            with self._known({names[0]: item}, node.nodelist_loop):
                self._body(node.nodelist_loop)
            return
        with self._pushed(f"{self._unpacked}({item}, {self._table.name(tuple(names))})") as several:
            places = {each: self._table.temporary() for each in names}
            for each, place in places.items():
                self._say(f"{place} = {several}[{self._table.name(each)}]")
            with self._known(places, node.nodelist_loop):
                self._body(node.nodelist_loop)

    def _with(self, node: Any) -> None:
        places = self._valued(node.extra_context)
        with self._pushed(self._dictionary(places)), self._known(places, node.nodelist):
            self._body(node.nodelist)

    def _include(self, node: Any) -> None:
        made = self._included(node)
        if made is None:
            self._itself(node)
            return
        places = self._valued(node.extra_context)
        with self._pushed(self._dictionary(places)):
            self._say(f"{self._table.name(made)}.write(context, out, language)")

    def _included(self, node: Any) -> Made | None:
        """What is included, if it can run as if it stood here."""
        name = included_name(node)
        try:
            nodes = self._template.engine.get_template(name).nodelist if name else None
        except TemplateDoesNotExist:
            return None
        return nodes if isinstance(nodes, Made) and stands_alone(nodes) else None

    def _url(self, node: Any) -> None:
        name = node.view_name.var
        if node.view_name.is_var or node.view_name.filters or ":" in name or node.kwargs:
            self._itself(node)
            return
        given = [self._table.name(str(name)), *(self._expressions.value(each, "") for each in node.args)]
        if node.asvar:
            made = f"{self._address_if_any}({', '.join(given)})"
            self._say(f"context.dicts[-1][{self._table.name(node.asvar)}] = {made}")
        else:
            self._say(f"out({self._printed}({self._address}({', '.join(given)}), context))")

    def _translate(self, node: Any) -> None:
        """A sentence of the site is looked up once for each language."""
        told, about = node.filter_expression, node.message_context
        if told.filters or told.var.lookups is not None or (about is not None and (about.is_var or about.filters)):
            self._itself(node)
            return
        known, itself = self._table.name({}), self._table.name(node.render)
        name = self._table.name(node.asvar)
        scope = f"context.dicts[-1][{name}]"
        with self._under(f"if language not in {known}:"):
            made = self._table.temporary()
            self._say(f"{made} = {itself}(context)")
            self._say(f"{known}[language] = {scope if node.asvar else made}")
        self._say(f"{scope} = {known}[language]" if node.asvar else f"out({known}[language])")

    def _first_of(self, node: Any) -> None:
        if node.asvar:
            self._itself(node)
            return
        found = self._table.temporary()
        values = " or ".join(f"({self._expressions.value(each, None)})" for each in node.vars)
        self._say(f"{found} = {values}")
        with self._under(f"if {found}:"):
            self._say(f"out({self._printed}({found}, context))")

    def _valued(self, given: dict[str, Any]) -> dict[str, str]:
        """Evaluates what a tag gives names to. Name -> what Python calls it."""
        places = {}
        for name, expression in given.items():
            value = self._expressions.value(expression, "")
            places[name] = self._table.temporary()
            self._say(f"{places[name]} = {value}")
        return places

    def _dictionary(self, places: dict[str, str]) -> str:
        return "{" + ", ".join(f"{self._table.name(name)}: {place}" for name, place in places.items()) + "}"

    @contextmanager
    def _pushed(self, values: str) -> Iterator[str]:
        """A layer of the context, as `Context.push` without what a `with` statement costs."""
        scope = self._table.temporary()
        self._say(f"{scope} = {values}")
        self._say(f"context.dicts.append({scope})")
        with self._under("try:"):
            yield scope
        with self._under("finally:"):
            self._say("context.dicts.pop()")

    @contextmanager
    def _known(self, places: dict[str, str], inside: NodeList) -> Iterator[None]:
        """While these names stand for variables of Python: those that nothing inside sets again."""
        again = names_set(inside)
        around = self._inside
        kept = {} if again is None else {name: place for name, place in places.items() if name not in again}
        self._inside = {name: place for name, place in around.items() if name not in places} | kept
        yield
        self._inside = around


_WRITERS: dict[type, Callable[[Writer, Any], None]] = {
    CommentNode: Writer._nothing,
    FirstOfNode: Writer._first_of,
    ForNode: Writer._for,
    IfNode: Writer._if,
    IncludeNode: Writer._include,
    LoadNode: Writer._nothing,
    TextNode: Writer._text,
    TranslateNode: Writer._translate,
    URLNode: Writer._url,
    VariableNode: Writer._variable,
    WithNode: Writer._with,
}
