"""The form in which people edit a feed: the fields of every protocol, an uploaded file, and a login that is never shown
again.

A form accepts an address or an upload, never a path on the server. No network access.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from harvesting.http.authorization import Credentials
from harvesting.messages import describe
from harvesting.models import Feed
from harvesting.registry import uploads
from harvesting.registry.column_mapping import ColumnError, parse_columns, write_columns
from harvesting.registry.credentials import open_credentials, seal_credentials
from harvesting.registry.protocol_texts import address_help, files_label, full_list_help, prefix_help
from harvesting.registry.registration import (
    check_feed,
    is_web_address,
    origin,
    reset_harvest_state,
    source_key,
)
from harvesting.transports.registry import TRANSPORTS, UNKNOWN
from harvesting.types import TransportError
from metadata.formats.json.columns import COLUMNS, IGNORED

COLUMN_ERRORS = {
    "form": gettext_lazy("“%(line)s”: write a heading, an equals sign and a field; for example 書名 = title"),
    "field": gettext_lazy("“%(line)s”: there is no field “%(text)s”. Available fields: %(fields)s"),
    "twice": gettext_lazy("The heading “%(text)s” occurs twice."),
    "many": gettext_lazy("At most %(text)s columns are allowed."),
}
COLUMN_FIELDS = (*COLUMNS, *sorted(IGNORED - {""}))

# Help texts that name protocols.
PROTOCOL_HELP = {"base_url": address_help, "metadata_prefix": prefix_help, "full_url": full_list_help}

WITH_DEFAULT = frozenset({"method", "schedule", "silent_after_days"})  # empty fields that get the default of the model

# Defaults for an uploaded file, which never changes: it is harvested once and raises no alarm about silence.
ONLY_ONCE: dict[str, object] = {"schedule": Feed.Schedule.MANUAL, "silent_after_days": 0}

LOGIN_KINDS = (
    ("", gettext_lazy("no new login")),
    ("basic", gettext_lazy("user name and password")),
    ("bearer", gettext_lazy("token (Authorization: Bearer)")),
    ("header", gettext_lazy("custom header")),
)
LOGIN_NEEDS = {
    "basic": ("login_name", "login_secret"),
    "bearer": ("login_secret",),
    "header": ("login_header", "login_secret"),
}


class ColumnsField(forms.CharField):
    """A field for the mapping column heading -> record field, entered as lines."""

    widget = forms.Textarea(attrs={"rows": 6, "cols": 60})

    def prepare_value(self, value: Any) -> Any:
        return write_columns(value) if isinstance(value, Mapping) else value

    def to_python(self, value: Any) -> Any:
        columns, errors = parse_columns((value or "").splitlines(), COLUMN_FIELDS)
        if errors:
            raise ValidationError([column_error_text(error) for error in errors])
        return columns

    def has_changed(self, initial: Any, data: Any) -> bool:
        return parse_columns((data or "").splitlines())[0] != (initial or {})


def column_error_text(error: ColumnError) -> str:
    """The message for an error in a line."""
    values = {"line": error.line, "text": error.text, "fields": ", ".join(COLUMN_FIELDS)}
    return str(COLUMN_ERRORS[error.code]) % values


class SecretInput(forms.PasswordInput):
    """An input for a secret of another site: hidden while it is typed, and never shown again.

    Its HTML type is "text", so that browsers neither store it nor fill it in; static/css/admin.css hides the text.
    """

    input_type = "text"


class FeedForm(forms.ModelForm[Feed]):
    """The form of a feed with an uploaded file and a login."""

    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocapitalize": "off", "spellcheck": "false"}),
    )
    upload = forms.FileField(label=gettext_lazy("File"), required=False)
    metadata_prefix = forms.CharField(
        label="metadataPrefix",
        max_length=100,
        required=False,
    )
    columns = ColumnsField(
        label=gettext_lazy("Columns of CSV or TSV"),
        required=False,
        help_text=gettext_lazy("One line for each column: heading = field. For example 書名 = title"),
    )
    login_kind = forms.ChoiceField(
        label=gettext_lazy("Kind of login"),
        required=False,
        choices=LOGIN_KINDS,
        help_text=gettext_lazy("The login is stored encrypted, sent to this provider only, and never shown again."),
    )
    login_name = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
    )
    login_header = forms.RegexField(
        r"^[A-Za-z0-9-]{1,60}\Z",
        label=gettext_lazy("Name of the header"),
        required=False,
        help_text=gettext_lazy("For example X-API-Key"),
    )
    login_secret = forms.CharField(
        label=gettext_lazy("Password or token"),
        max_length=1000,
        required=False,
        strip=False,
        widget=SecretInput(
            attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "class": "secret"}
        ),
    )
    forget_login = forms.BooleanField(label=gettext_lazy("Remove the stored login"), required=False)

    class Meta:
        model = Feed
        labels = {"set_spec": "setSpec"}  # as the protocol writes it
        fields = (
            *("protocol", "base_url", "metadata_prefix", "set_spec", "full_url", "method", "encoding", "columns"),
            *("ca_certificate", "overlap", "schedule", "cron", "quiet_from", "quiet_until"),
            *("full_every_days", "silent_after_days"),
        )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.before = source_key(self.instance)
        self.stored_file = self.instance.base_url if self.instance.transport_kind.reads_files else ""
        if is_web_address(self.stored_file):
            self.stored_file = ""
        if self.stored_file:
            self.initial["base_url"] = ""  # paths on the server are not shown
        if self.instance.pk is None:
            self.initial.pop("metadata_prefix", None)
        for name in self.fields.keys() & WITH_DEFAULT:
            self.fields[name].required = False
        self._describe()

    def _describe(self) -> None:
        """Put into the help texts what the transports say, and which file and whether a login are stored already."""
        for name, write in PROTOCOL_HELP.items():
            if name in self.fields:
                self.fields[name].help_text = write()
        size = filesizeformat(uploads.MAX_UPLOAD)
        text = _(
            "Protocol “%(protocol)s” only: XML, MARC, JSON Lines, CSV or TSV, or a ZIP of these; at most %(size)s."
        )
        lines = [text % {"protocol": files_label(), "size": size}]
        if self.stored_file:
            name = Path(self.stored_file).name if uploads.is_upload(self.stored_file) else ""
            text = _("The file “%(name)s” is stored.") % {"name": escape(name)} if name else _("A file is stored.")
            lines += [text, _("Leave address and file empty to keep this file.")]
        if "upload" in self.fields:
            self.fields["upload"].help_text = " ".join(lines)
        if "forget_login" in self.fields:
            login_text = _("A login is stored.") if self.instance.credentials else _("No login is stored.")
            self.fields["forget_login"].help_text = login_text

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        protocol = data.get("protocol", self.instance.protocol)
        self._clean_schedule(data)
        for name in WITH_DEFAULT & data.keys():
            if data[name] in (None, ""):
                data[name] = getattr(Feed(), name)
        data["metadata_prefix"] = data.get("metadata_prefix") or TRANSPORTS.get(protocol, UNKNOWN).default_prefix
        if TRANSPORTS.get(protocol, UNKNOWN).is_live:
            self._clean_live(protocol, data)
        self._clean_address(protocol, data)
        self._clean_login(data)
        return data

    def _clean_address(self, protocol: str, data: dict[str, Any]) -> None:
        """Require an address; where files are read, an address, an upload or a file that is stored already."""
        if "base_url" in self.errors:
            return
        if TRANSPORTS.get(protocol, UNKNOWN).is_pushed:
            self._clean_pushed(data)
            return
        address, upload = data.get("base_url", ""), data.get("upload")
        if not TRANSPORTS.get(protocol, UNKNOWN).reads_files:
            if not address:
                self.add_error("base_url", _("Enter the address of the provider's interface."))
            if upload:
                text = _("A file can be uploaded only with the protocol “%(protocol)s”.")
                self.add_error("upload", text % {"protocol": files_label()})
            return
        if upload:
            self._clean_upload(upload, address)
        elif not is_web_address(address) and (address or not self.stored_file):
            self.add_error("base_url", _("Enter an address that begins with http:// or https://, or upload a file."))
        data["base_url"] = address or self.stored_file

    def _clean_pushed(self, data: dict[str, Any]) -> None:
        """Nothing says where pushed records come from, and none are requested at any time."""
        if data.get("base_url"):
            self.add_error("base_url", _("Leave the address empty: the records are sent by the library itself."))
        if data.get("upload"):
            self.add_error("upload", _("Send the file with a token, or put it into the folder of the provider."))
        data["base_url"] = data["metadata_prefix"] = data["set_spec"] = ""
        data["schedule"] = Feed.Schedule.MANUAL

    def _clean_live(self, protocol: str, data: dict[str, Any]) -> None:
        """Refuse to turn another feed into a live source: that needs the pages that read its description and try it."""
        if self.instance.pk is None or self.instance.protocol != protocol:
            text = _("A live source is registered as a separate provider: “Register a provider”.")
            self.add_error("protocol" if "protocol" in self.fields else None, text)
        data["schedule"], data["set_spec"] = Feed.Schedule.MANUAL, ""

    def _clean_upload(self, upload: UploadedFile[bytes], address: str) -> None:
        if address:
            self.add_error("upload", _("Enter an address or upload a file, not both."))
        if (upload.size or 0) > uploads.MAX_UPLOAD:
            size = filesizeformat(uploads.MAX_UPLOAD)
            self.add_error("upload", _("The file is larger than %(size)s. Compress it.") % {"size": size})
            return
        try:
            uploads.check(upload)
        except TransportError as error:
            self.add_error("upload", describe(error.code, error.facts))

    def _clean_schedule(self, data: dict[str, Any]) -> None:
        """Use ONLY_ONCE for an uploaded file, except for fields that the person has changed."""
        if data.get("upload"):
            for name, value in ONLY_ONCE.items():
                if name not in self.changed_data or data.get(name) in (None, ""):
                    data[name] = value

    @sensitive_variables("data")
    def _clean_login(self, data: dict[str, Any]) -> None:
        """Require that a new login is complete, and that a stored one is only sent to the server it was entered for."""
        kind = data.get("login_kind", "")
        for name in LOGIN_NEEDS.get(kind, ()):
            if not data.get(name) and name not in self.errors:
                self.add_error(name, _("This field is required for the selected kind of login."))
        error = login_error(kind, data.get("login_name", ""), data.get("login_secret", ""))
        if error:
            self.add_error("login_name" if ":" in data.get("login_name", "") else "login_secret", error)
        if not kind and (data.get("login_secret") or data.get("login_name")):
            self.add_error("login_kind", _("Choose the kind of login."))
        if self.instance.credentials and not kind and not data.get("forget_login") and self._leads_elsewhere(data):
            self.add_error(
                "login_kind",
                _("The stored login belongs to another server. Enter the login for the new address, or remove it."),
            )

    def _leads_elsewhere(self, data: dict[str, Any]) -> bool:
        """Whether one of the new addresses is on another server than those that the stored login was entered for."""
        known = {origin(url) for url in (self.instance.base_url, self.instance.full_url) if is_web_address(url)}
        new_urls = {url for url in (data.get("base_url", ""), data.get("full_url", "")) if is_web_address(url)}
        return any(origin(url) not in known for url in new_urls)

    def _post_clean(self) -> None:
        """Check the feed as a whole, after the form has filled it in."""
        super()._post_clean()  # type: ignore[misc]  # Django's own hook; the stubs do not know it
        if self.errors:
            return
        try:
            check_feed(self.instance)
        except ValidationError as error:
            self.add_error(None, error)

    @cached_property
    def source_changed(self) -> bool:
        """Whether the feed existed before and its records will now come from another source."""
        if self.instance.pk is None:
            return False
        return bool(self.cleaned_data.get("upload")) or source_key(self.instance) != self.before

    def save(self, commit: bool = True) -> Feed:
        feed = self.instance
        if self.source_changed:
            reset_harvest_state(feed)
        upload: UploadedFile[bytes] | None = self.cleaned_data.get("upload")
        if upload:
            feed.base_url = uploads.store(upload)
        if self.stored_file and feed.base_url != self.stored_file:
            transaction.on_commit(lambda: uploads.discard(self.stored_file))
        self.store_login(feed)
        return super().save(commit)

    @sensitive_variables("data")
    def store_login(self, feed: Feed) -> None:
        """Encrypt a newly entered login into the feed, or delete the stored one if that was requested."""
        data = self.cleaned_data
        if data.get("login_kind"):
            login = Credentials(
                kind=data["login_kind"],
                username=data.get("login_name", ""),
                secret=data["login_secret"],
                header=data.get("login_header", ""),
            )
            feed.credentials = seal_credentials(login)
        elif data.get("forget_login"):
            feed.credentials = b""


@sensitive_variables()
def login_error(kind: str, username: str, secret: str) -> str:
    """Say why a login cannot be sent in a header (RFC 7617, RFC 6750, RFC 9110 section 5.5); "" if it can."""
    if not (username + secret).isprintable():
        return _("A login must not contain line breaks or control characters.")
    if kind == "basic" and ":" in username:
        return _("A user name must not contain a colon.")
    if kind in {"bearer", "header"} and not secret.isascii():
        return _("A token may contain ASCII characters only.")
    return ""


def describe_stored_login(feed: Feed) -> str:
    """Say whether a login is stored and of which kind it is, without revealing it."""
    if not feed.credentials:
        return _("none")
    try:
        kind = open_credentials(bytes(feed.credentials)).kind
    except TransportError:
        return _("stored, but it cannot be decrypted with the current key: enter it again")
    return _("stored (%(kind)s)") % {"kind": dict(LOGIN_KINDS).get(kind, kind)}
