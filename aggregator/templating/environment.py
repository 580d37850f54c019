"""The Jinja2 environment of all pages except those of Django's admin (CONTRIBUTING.md, "Pages")."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.template import defaultfilters
from django.templatetags.static import static
from django.urls import get_resolver, get_script_prefix, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]  # missing in django-stubs
from django.utils.translation import get_language, gettext, ngettext, npgettext, pgettext
from jinja2 import BaseLoader, ChainableUndefined, Environment

from aggregator.browse.addresses import heading_path
from aggregator.query.field_searches import display_name
from aggregator.templating import catalogue, loans, pages, staff

# Filters that Django has and Jinja2 has not, or has with another result.
_DJANGO_FILTERS = "capfirst filesizeformat floatformat linebreaks linebreaksbr stringformat truncatechars urlencode"


def environment(*, loader: BaseLoader, auto_reload: bool, **_options: Any) -> Environment:
    """Return the environment, as Django's backend asks for it.

    Line ends are kept as the templates have them: between two elements of a line they are a space.
    """
    made = Environment(
        loader=loader,
        auto_reload=auto_reload,
        autoescape=True,
        keep_trailing_newline=True,
        undefined=ChainableUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(gettext, ngettext, newstyle=True, pgettext=pgettext, npgettext=npgettext)  # type: ignore[attr-defined]  # of the extension
    functions = (
        loans.loan_button,
        loans.loan_entry,
        loans.loan_menu,
        loans.loan_place,
        staff.bulk_actions,
        staff.interfaces_label,
        staff.role_label,
        staff.staff_menu,
        staff.transports,
    )
    made.globals.update({function.__name__: function for function in (url, *functions)})
    made.globals["static"] = lru_cache(maxsize=256)(static)  # a page names seventeen files
    made.globals["_"] = text
    made.filters.update({name: defaultfilters.register.filters[name] for name in _DJANGO_FILTERS.split()})
    made.filters.update({function.__name__: function for function in (*_FILTERS, runs_by)})
    made.filters["date"] = written_date
    return made


def text(message: str) -> SafeString:
    """Return a text of a page in the reader's language. It may contain markup, so the template must name it itself."""
    return _text(get_language(), message)


@lru_cache(maxsize=8192)  # a page has about two hundred of them
def _text(_language: str | None, message: str) -> SafeString:
    return mark_safe(gettext(message))  # noqa: S308 from the template and its translation, never from data


def url(name: str, /, *arguments: object, **named: object) -> str:
    """Return the path of a page of this site. The arguments are texts and numbers."""
    prefix = get_script_prefix()
    if len(arguments) == 1 and not named and (form := _path_form(prefix, name)):
        argument = str(form.to_url(arguments[0]))
        if form.accepts(argument):
            return f"{form.before}{argument}{form.after}"
    return _url(prefix, name, arguments, tuple(named.items()))


@lru_cache(maxsize=4096, typed=True)  # a page has fifty links, twenty of them in header and footer
def _url(_prefix: str, name: str, arguments: tuple[object, ...], named: tuple[tuple[str, object], ...]) -> str:
    return reverse(name, args=arguments, kwargs=dict(named))


class _PathForm(NamedTuple):
    """A path with one argument.

    to_url: the text of the argument. accepts: whether this text is allowed there and needs no quoting.
    """

    before: str
    after: str
    to_url: Callable[[Any], object]
    accepts: Callable[[str], object]


@lru_cache(maxsize=512)
def _path_form(prefix: str, name: str) -> _PathForm | None:
    """The form of the paths of this name; None if they do not have exactly one argument, with a converter.

    Most links of a page are to books that no page before it had, and `reverse` takes eight times as long for each.
    """
    found = get_resolver().reverse_dict.getlist(name)
    if len(found) != 1:
        return None
    ((paths, _pattern, defaults, converters),) = found
    (path, parameters), *others = paths
    converter = converters.get("".join(parameters))
    if others or defaults or not converter:
        return None
    before, _parameter, after = f"{prefix}{path}".partition(f"%({parameters[0]})s")
    if not (_UNRESERVED(before) and _UNRESERVED(after)):
        return None
    accepts = re.compile(rf"(?=[\w.~-]+\Z)(?:{converter.regex})\Z", re.ASCII).match
    return _PathForm(before, after, converter.to_url, accepts)


_UNRESERVED = re.compile(r"[\w.~/-]*\Z", re.ASCII).match  # characters that a path has unquoted


def written_date(moment: date | None, form: str = "DATE_FORMAT") -> str:
    """Return a day or a moment in the site's time zone, in a format of Django's `date` filter."""
    written: str = defaultfilters.date(template_localtime(moment), form)
    return written


def runs_by(rows: Iterable[Any], attribute: str) -> list[tuple[Any, list[Any]]]:
    """Return the rows in their order, divided wherever the value of the attribute changes."""
    return [(value, list(run)) for value, run in groupby(rows, attrgetter(attribute))]


_FILTERS = (
    display_name,
    heading_path,
    catalogue.full_text,
    catalogue.helpful_reading,
    catalogue.library_numbers,
    catalogue.library_path,
    catalogue.map_address,
    catalogue.number_of,
    catalogue.number_path,
    catalogue.place_name,
    catalogue.telephone_address,
    pages.accessible_format,
    pages.copy_count,
    pages.edition_facts,
    pages.file_name,
    pages.format_name,
    pages.grouped,
    pages.held,
    pages.lang,
    pages.link_label,
    pages.link_target,
    pages.link_word,
    pages.marked,
    pages.safe_href,
    pages.scheme_name,
    pages.stated_licences,
    pages.ways,
    staff.last_step,
    staff.run_result,
    staff.run_result_label,
    staff.translated,
)
