"""The form of a feed for people: what each protocol needs, files to upload, logins that are never shown again.

Web forms never name a file of the server: an address, or a file that comes along. Asks nobody.
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
from harvesting.registry.registration import DEFAULT_PREFIX, check_feed, is_web_address, origin, place_of, start_anew
from harvesting.types import TransportError
from metadata.formats.json.columns import COLUMNS, IGNORED

COLUMN_FAULTS = {
    "form": gettext_lazy("“%(line)s”: write a heading, an equals sign and a field; for example 書名 = title"),
    "field": gettext_lazy("“%(line)s”: there is no field “%(text)s”. There are: %(fields)s"),
    "twice": gettext_lazy("The heading “%(text)s” is there twice."),
    "many": gettext_lazy("At most %(text)s columns."),
}
COLUMN_FIELDS = (*COLUMNS, *sorted(IGNORED - {""}))

WITH_DEFAULT = frozenset({"method", "schedule", "silent_after_days"})  # what is left empty gets the usual value

ONLY_ONCE: dict[str, object] = {"schedule": Feed.Schedule.MANUAL, "silent_after_days": 0}  # of an uploaded file

LOGIN_KINDS = (
    ("", gettext_lazy("no new login")),
    ("basic", gettext_lazy("user name and password")),
    ("bearer", gettext_lazy("token (Authorization: Bearer)")),
    ("header", gettext_lazy("a header of its own")),
)
LOGIN_NEEDS = {
    "basic": ("login_name", "login_secret"),
    "bearer": ("login_secret",),
    "header": ("login_header", "login_secret"),
}


class ColumnsField(forms.CharField):
    """Column heading -> record field, written as lines."""

    widget = forms.Textarea(attrs={"rows": 6, "cols": 60})

    def prepare_value(self, value: Any) -> Any:
        return write_columns(value) if isinstance(value, Mapping) else value

    def to_python(self, value: Any) -> Any:
        columns, faults = parse_columns((value or "").splitlines(), COLUMN_FIELDS)
        if faults:
            raise ValidationError([column_fault(each) for each in faults])
        return columns

    def has_changed(self, initial: Any, data: Any) -> bool:
        return parse_columns((data or "").splitlines())[0] != (initial or {})


def column_fault(fault: ColumnError) -> str:
    """A fault of a line as a sentence."""
    places = {"line": fault.line, "text": fault.text, "fields": ", ".join(COLUMN_FIELDS)}
    return str(COLUMN_FAULTS[fault.code]) % places


class SecretInput(forms.PasswordInput):
    """A secret of another site: hidden while it is typed, never shown again, and no password that a browser should keep
    or fill in, so no password field. static/css/admin.css hides it.
    """

    input_type = "text"


class FeedForm(forms.ModelForm[Feed]):
    """A feed with its file and its login. `new_place`: whether its records will come from somewhere else."""

    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url", "autocapitalize": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "OAI-PMH: the base URL of the interface. ResourceSync: the home page or the source description. "
            "RSS: the feed. File: where the file is; or upload it below."
        ),
    )
    upload = forms.FileField(label=gettext_lazy("File"), required=False)
    metadata_prefix = forms.CharField(
        label="metadataPrefix",
        max_length=100,
        required=False,
        help_text=gettext_lazy(
            "OAI-PMH: the format to ask for; empty: dcndl. Otherwise it may be left empty: the records tell, and of "
            "several formats of one record the richest is taken."
        ),
    )
    columns = ColumnsField(
        label=gettext_lazy("Columns of CSV or TSV"),
        required=False,
        help_text=gettext_lazy("A line for each column: heading = field. For example 書名 = title"),
    )
    login_kind = forms.ChoiceField(
        label=gettext_lazy("Kind of login"),
        required=False,
        choices=LOGIN_KINDS,
        help_text=gettext_lazy("It is stored encrypted, sent to this provider only, and never shown again."),
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
        self.before = place_of(self.instance)
        self.stored_file = self.instance.base_url if self.instance.protocol == Feed.Protocol.FILE else ""
        if is_web_address(self.stored_file):
            self.stored_file = ""
        if self.stored_file:
            self.initial["base_url"] = ""  # a path on the server is nobody's business
        if self.instance.pk is None:
            self.initial.pop("metadata_prefix", None)
        for name in self.fields.keys() & WITH_DEFAULT:
            self.fields[name].required = False
        self._describe()

    def _describe(self) -> None:
        """What is stored already, in words."""
        size = filesizeformat(uploads.MAX_UPLOAD)
        about = _("Protocol “file” only: XML, MARC, JSON Lines, CSV or TSV, or a ZIP of these; at most %(size)s.")
        lines = [about % {"size": size}]
        if self.stored_file:
            name = Path(self.stored_file).name if uploads.is_upload(self.stored_file) else ""
            about = _("The file “%(name)s” is stored.") % {"name": escape(name)} if name else _("A file is stored.")
            lines += [about, _("Leave address and file empty to keep it.")]
        if "upload" in self.fields:
            self.fields["upload"].help_text = " ".join(lines)
        if "forget_login" in self.fields:
            stored = _("A login is stored.") if self.instance.credentials else _("No login is stored.")
            self.fields["forget_login"].help_text = stored

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        protocol = data.get("protocol", self.instance.protocol)
        self._clean_schedule(data)
        for name in WITH_DEFAULT & data.keys():
            if data[name] in (None, ""):
                data[name] = getattr(Feed(), name)
        data["metadata_prefix"] = data.get("metadata_prefix") or DEFAULT_PREFIX.get(protocol, "")
        self._clean_address(protocol, data)
        self._clean_login(data)
        return data

    def _clean_address(self, protocol: str, data: dict[str, Any]) -> None:
        """An address; for files also an upload, or what is stored already."""
        if "base_url" in self.errors:
            return
        address, upload = data.get("base_url", ""), data.get("upload")
        if protocol != Feed.Protocol.FILE:
            if not address:
                self.add_error("base_url", _("Give the address of the provider's interface."))
            if upload:
                self.add_error("upload", _("Only the protocol “file” takes an uploaded file."))
            return
        if upload:
            self._clean_upload(upload, address)
        elif not is_web_address(address) and (address or not self.stored_file):
            self.add_error("base_url", _("Give an address that begins with http:// or https://, or upload a file."))
        data["base_url"] = address or self.stored_file

    def _clean_upload(self, upload: UploadedFile[bytes], address: str) -> None:
        if address:
            self.add_error("upload", _("Give an address or a file, not both."))
        if (upload.size or 0) > uploads.MAX_UPLOAD:
            size = filesizeformat(uploads.MAX_UPLOAD)
            self.add_error("upload", _("The file is larger than %(size)s. Compress it.") % {"size": size})
            return
        try:
            uploads.check(upload)
        except TransportError as error:
            self.add_error("upload", describe(error.code, error.facts))

    def _clean_schedule(self, data: dict[str, Any]) -> None:
        """An uploaded file never changes: unless somebody says otherwise it is harvested once, and may be silent."""
        if data.get("upload"):
            for name, value in ONLY_ONCE.items():
                if name not in self.changed_data or data.get(name) in (None, ""):
                    data[name] = value

    @sensitive_variables("data")
    def _clean_login(self, data: dict[str, Any]) -> None:
        """A new login is complete; a stored one goes to nobody but the server it was given for."""
        kind = data.get("login_kind", "")
        for name in LOGIN_NEEDS.get(kind, ()):
            if not data.get(name) and name not in self.errors:
                self.add_error(name, _("This is needed for the kind of login that you have chosen."))
        fault = login_fault(kind, data.get("login_name", ""), data.get("login_secret", ""))
        if fault:
            self.add_error("login_name" if ":" in data.get("login_name", "") else "login_secret", fault)
        if not kind and (data.get("login_secret") or data.get("login_name")):
            self.add_error("login_kind", _("Choose what kind of login this is."))
        if self.instance.credentials and not kind and not data.get("forget_login") and self._leads_elsewhere(data):
            self.add_error(
                "login_kind",
                _("The stored login belongs to another server. Enter the login for the new address, or remove it."),
            )

    def _leads_elsewhere(self, data: dict[str, Any]) -> bool:
        """Whether an address leads to another server than those that the stored login was given for."""
        known = {origin(each) for each in (self.instance.base_url, self.instance.full_url) if is_web_address(each)}
        asked = {each for each in (data.get("base_url", ""), data.get("full_url", "")) if is_web_address(each)}
        return any(origin(each) not in known for each in asked)

    def _post_clean(self) -> None:
        """What needs the whole feed is checked on the feed, after the form has filled it in."""
        super()._post_clean()  # type: ignore[misc]  # Django's own hook; the stubs do not know it
        if self.errors:
            return
        try:
            check_feed(self.instance)
        except ValidationError as error:
            self.add_error(None, error)

    @cached_property
    def new_place(self) -> bool:
        """Whether the feed was there before and its records will now come from somewhere else."""
        if self.instance.pk is None:
            return False
        return bool(self.cleaned_data.get("upload")) or place_of(self.instance) != self.before

    def save(self, commit: bool = True) -> Feed:
        feed = self.instance
        if self.new_place:
            start_anew(feed)
        upload: UploadedFile[bytes] | None = self.cleaned_data.get("upload")
        if upload:
            feed.base_url = str(uploads.store(upload))
        if self.stored_file and feed.base_url != self.stored_file:
            transaction.on_commit(lambda: uploads.discard(self.stored_file))
        self.keep_login(feed)
        return super().save(commit)

    @sensitive_variables("data")
    def keep_login(self, feed: Feed) -> None:
        """Seal the login that was typed into the feed, or forget the stored one, as a valid form says."""
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
def login_fault(kind: str, username: str, secret: str) -> str:
    """What cannot be sent in a header (RFC 7617, RFC 6750, RFC 9110 section 5.5); "" if nothing."""
    if not (username + secret).isprintable():
        return _("A login has no line ends and no control characters.")
    if kind == "basic" and ":" in username:
        return _("A user name has no colon.")
    if kind in {"bearer", "header"} and not secret.isascii():
        return _("A token consists of ASCII characters only.")
    return ""


def stored_login(feed: Feed) -> str:
    """What is said of a stored login: that there is one, and of which kind; never what it is."""
    if not feed.credentials:
        return _("none")
    try:
        kind = open_credentials(bytes(feed.credentials)).kind
    except TransportError:
        return _("stored, but it cannot be opened with the present key: enter it again")
    return _("stored (%(kind)s)") % {"kind": dict(LOGIN_KINDS).get(kind, kind)}
