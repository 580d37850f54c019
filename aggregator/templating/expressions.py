"""Expressions and conditions of templates as Python expressions. Knows Django's parsed ones; no tag, no text.

What is written holds no text of a template: all that it says stands in a table, under names made here.
"""

from collections.abc import Callable
from typing import Any

from django.template import Variable
from django.template.base import FilterExpression
from django.template.defaulttags import TemplateLiteral
from django.utils import timezone

from aggregator.templating.reading import RAISE, constant, getter, kept

_localtime: Any = vars(timezone)["template_localtime"]  # of Django's own templates; its types do not name it
_WORDS = {each: each for each in ("or", "and", "in", "not in", "is", "is not", "==", "!=", ">", ">=", "<", "<=")}


class Table:
    """What the source means by its names."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._temporary = 0

    def name(self, value: Any) -> str:
        name = f"k{len(self.values)}"
        self.values[name] = value
        return name

    def temporary(self) -> str:
        self._temporary += 1
        return f"t{self._temporary}"


class Expressions:
    """Writes expressions. place: a name of the template -> what Python calls that which it stands for."""

    def __init__(self, table: Table, place: Callable[[str], str]) -> None:
        self._table, self._place = table, place
        self._kept = table.name(kept)

    def value(self, expression: FilterExpression, default: object) -> str:
        """default: what it is before its filters if the variable is missing."""
        found = expression.var
        code = self._variable(found, default) if expression.is_var else self._table.name(found)
        for function, arguments in expression.filters:
            code = self._filtered(code, function, arguments)
        return code

    def condition(self, condition: Any) -> str:
        """Raises KeyError of an operator that is not known."""
        if isinstance(condition, TemplateLiteral):
            expression: Any = condition.value
            return self.value(expression, None)
        if condition.id == "not":
            return f"(not {self.condition(condition.first)})"
        return f"({self.condition(condition.first)} {_WORDS[condition.id]} {self.condition(condition.second)})"

    def _variable(self, variable: Variable, default: object) -> str:
        if variable.translate:
            return f"{self._table.name(variable)}.resolve(context)"
        if variable.lookups is None:
            return self._table.name(variable.literal)
        return f"{self._table.name(getter(variable, default))}({self._place(variable.lookups[0])}, context)"

    def _filtered(self, code: str, function: Any, arguments: list[tuple[bool, Any]]) -> str:
        before = self._table.temporary()
        if getattr(function, "expects_localtime", False):
            code = f"{self._table.name(_localtime)}({code}, context.use_tz)"
        given = [f"({before} := {code})"]
        given += [
            self._variable(each, RAISE) if varies else self._table.name(constant(each)) for varies, each in arguments
        ]
        if getattr(function, "needs_autoescape", False):
            given.append("autoescape=context.autoescape")
        made = f"{self._table.name(function)}({', '.join(given)})"
        return f"{self._kept}({made}, {before})" if getattr(function, "is_safe", False) else made
