"""Form for trying out a provider's links: makes the record to link from a chosen record, typed values or both.

Sends no HTTP requests.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import structs

from aggregator.catalogue.books import describe
from aggregator.catalogue.computed_holdings import link_source
from aggregator.libraries.provider_link import LinkSource
from harvesting.models import Repository, SourceRecord
from harvesting.validators import validate_link_template, validate_web_address
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord, Identifier, Title

NUMBERS = {"isbn": "ISBN", "issn": "ISSN"}


class LinkForm(forms.Form):
    """Typed values replace those of the record. To try a record without its ISBN, type "-" in that field."""

    record = forms.CharField(
        label=gettext_lazy("Record ID"),
        required=False,
        max_length=120,
        help_text=gettext_lazy("The ID of a record of this provider: R…-I…, as in the address of its page."),
    )
    isbn = forms.CharField(label="ISBN", required=False, max_length=30)
    issn = forms.CharField(label="ISSN", required=False, max_length=30)
    title = forms.CharField(label=gettext_lazy("Title"), required=False, max_length=200)
    creator = forms.CharField(label=gettext_lazy("Creator"), required=False, max_length=200)
    publisher = forms.CharField(label=gettext_lazy("Publisher"), required=False, max_length=200)
    year = forms.CharField(label=gettext_lazy("Year"), required=False, max_length=30)
    identifier = forms.CharField(label=gettext_lazy("Record number at the provider"), required=False, max_length=200)

    def __init__(self, repository: Repository, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", **options})
        self.repository = repository
        self.found: SourceRecord | None = None

    def clean_record(self) -> str:
        public_id: str = self.cleaned_data["record"].strip()
        if public_id:
            public_records = SourceRecord.objects.filter(repository=self.repository, suppressed_at=None).exclude(
                payload_hash=b""
            )
            self.found = public_records.filter(public_id=public_id).first()
            if self.found is None:
                raise forms.ValidationError(_("This provider has no such record."))
        return public_id

    def clean_isbn(self) -> str:
        return self._number("isbn")

    def clean_issn(self) -> str:
        return self._number("issn")

    def _number(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        if text in ("", "-"):
            return text
        value = normalise(NUMBERS[name], text)
        if not value:
            raise forms.ValidationError(_("This is not a valid %(scheme)s.") % {"scheme": NUMBERS[name]})
        return value

    @property
    def source(self) -> LinkSource:
        """What the repository defines about links."""
        return link_source(self.repository)

    @property
    def description(self) -> BibliographicRecord:
        """The chosen record with the typed values in place of its own. The form must be valid."""
        record = describe(self.found).record if self.found else BibliographicRecord()
        typed = {name: text for name, text in self.cleaned_data.items() if text and name in _FIELDS}
        for name, text in typed.items():
            record = structs.replace(record, **_FIELDS[name](record, "" if text == "-" else text))
        return record


class DraftForm(LinkForm):
    """Also tries another template and any address of a page; only for those who may change the repository.

    Otherwise our page would print a link to any address that a visitor typed.
    """

    page = forms.CharField(
        label=gettext_lazy("Address of the record’s page at the provider"),
        required=False,
        max_length=1000,
        validators=[validate_web_address],
    )
    template = forms.CharField(
        label=gettext_lazy("OpenURL link template"),
        required=False,
        max_length=500,
        validators=[validate_link_template],
    )
    encoding = forms.ChoiceField(
        label=gettext_lazy("character encoding of links to the provider"),
        required=False,
        choices=Repository.LinkEncoding.choices,
    )

    @property
    def source(self) -> LinkSource:
        source = link_source(self.repository)
        return LinkSource(
            link_template=self.cleaned_data["template"] if "template" in self.data else source.link_template,
            home_page=source.home_page,
            encoding=self.cleaned_data["encoding"] or source.encoding,
        )


def _identifiers(record: BibliographicRecord, scheme: str, text: str) -> dict[str, Any]:
    others = tuple(identifier for identifier in record.identifiers if identifier.scheme != scheme)
    return {"identifiers": (*others, Identifier(scheme=scheme, value=text)) if text else others}


# Field of the form -> fields of the record that it replaces; "" empties them.
_FIELDS: dict[str, Callable[[BibliographicRecord, str], dict[str, Any]]] = {
    "isbn": lambda record, text: _identifiers(record, "ISBN", text),
    "issn": lambda record, text: _identifiers(record, "ISSN", text),
    "title": lambda _record, text: {"titles": (Title(value=text),) if text else ()},
    "creator": lambda _record, text: {"creators": (Agent(name=text),) if text else ()},
    "publisher": lambda _record, text: {"publishers": (Agent(name=text),) if text else ()},
    "year": lambda _record, text: {"issued": text},
    "identifier": lambda _record, text: {"source_identifiers": (Identifier(value=text),) if text else ()},
    "page": lambda _record, text: {"see_also": (text,) if text else (), "items": ()},
}
