"""What the functions of templates call while they run: looking up, printing, addresses. Knows Django's rules for them.

Each answers the common case by itself and leaves every other to Django's own code, so that results are always Django's.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from django.template import Context, Variable, VariableDoesNotExist
from django.template.base import render_value_in_context
from django.urls import NoReverseMatch, get_resolver, get_script_prefix, get_urlconf, reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeData, SafeString, mark_safe

type Getter = Callable[[Any, Context], Any]
_MARKUP = re.compile("[&<>\"']").search


class Missing:
    """The kind of `MISSING`: what a name stands for that the context does not have."""


MISSING = Missing()
RAISE = object()  # the default of a variable without which nothing can go on
_plain: set[type] = set()  # classes whose objects are not asked by [], which Django tries first


def find(context: Context, name: str) -> Any:
    """What a name stands for, MISSING if for nothing."""
    for each in reversed(context.dicts):
        if name in each:
            return each[name]
    return MISSING


def getter(variable: Variable, default: object) -> Getter:
    """(what its first name stands for, context) -> its value; where there is none `default`, or Django's exception."""

    def slowly(context: Context) -> Any:
        try:
            return variable.resolve(context)
        except VariableDoesNotExist:
            if default is RAISE:
                raise
            return default

    _name, *steps = variable.lookups or ("",)
    if not steps:
        return lambda found, context: slowly(context) if found is MISSING or callable(found) else found
    return _one_step(steps[0], slowly) if len(steps) == 1 else _steps(tuple(steps), slowly)


def _one_step(name: str, slowly: Callable[[Context], Any]) -> Getter:
    def get(found: Any, context: Context) -> Any:
        try:
            found = getattr(found, name) if type(found) in _plain else _member(found, name)
        except Exception:  # noqa: BLE001 Django's way raises it again, or has a value
            return slowly(context)
        return slowly(context) if callable(found) else found

    return get


def _steps(names: tuple[str, ...], slowly: Callable[[Context], Any]) -> Getter:
    def get(found: Any, context: Context) -> Any:
        try:
            for name in names:
                found = getattr(found, name) if type(found) in _plain else _member(found, name)
                if callable(found):
                    return slowly(context)
        except Exception:  # noqa: BLE001 as above
            return slowly(context)
        return found

    return get


def _member(found: Any, name: str) -> Any:
    """One step of a look-up. Raises whatever where it takes more than that."""
    kind = type(found)
    if not hasattr(kind, "__getitem__"):
        if found is not MISSING:
            _plain.add(kind)
        return getattr(found, name)
    if isinstance(found, dict):
        return found[name]
    if kind.__getitem__ not in (tuple.__getitem__, list.__getitem__):
        raise TypeError
    return found[int(name)] if name.isdecimal() else getattr(found, name)


def printed(value: Any, context: Context) -> str:
    """A value as it stands on the page."""
    kind = type(value)
    if kind is str and context.autoescape:
        text: str = escape(value) if _MARKUP(value) else value
    elif kind is SafeString:
        text = value
    elif issubclass(kind, Promise):
        text = printed(str(value), context)
    else:
        text = render_value_in_context(value, context)
    return text


def kept(made: Any, of: Any) -> Any:
    """What a filter made that spoils no safe text."""
    return mark_safe(made) if isinstance(of, SafeData) else made  # noqa: S308 that is what such a filter promises


def constant(argument: Any) -> Any:
    """What a filter is given that stands in the template, as Django gives it."""
    return mark_safe(argument)  # noqa: S308 written by us, as the template around it


def judged(condition: Any, context: Context) -> Any:
    """A condition in Django's own way, of which something is not as usual."""
    try:
        return condition.eval(context)
    except VariableDoesNotExist:
        return None


def unpacked(item: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The variables of a loop over several things at once. Raises ValueError."""
    try:
        length = len(item)
    except TypeError:
        length = 1
    if length != len(names):
        raise ValueError(f"Need {len(names)} values to unpack in for loop; got {length}. ")
    return dict(zip(names, item, strict=True))


def address(name: str, *values: Any) -> str:
    """The address of a view without a namespace, as `reverse`; those of this site do not depend on the language."""
    if any(type(each) not in _HASHED for each in values):
        return reverse(name, args=values)
    return _address(get_resolver(get_urlconf()), get_script_prefix(), name, values)


def address_if_any(name: str, *values: Any) -> str:
    try:
        return address(name, *values)
    except NoReverseMatch:
        return ""


_HASHED = (str, SafeString, int)  # two equal ones make the same address


@lru_cache(maxsize=4096)  # a page names a book some ten times
def _address(_resolver: object, _prefix: str, name: str, values: tuple[Any, ...]) -> str:
    return reverse(name, args=values)
