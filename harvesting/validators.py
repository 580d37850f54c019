"""Validators for registration data, with a message for every error. No database access.

Migrations refer to the validators by name, so they must not be renamed or moved.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from cryptography import x509
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from metadata.links import PLACEHOLDERS, check_template, split_url

LONGEST_CERTIFICATES = 64 * 1024  # characters

_TEMPLATE_ERRORS = {
    "template.character": _("A link template must not contain blanks, backslashes or control characters."),
    "template.braces": _("A brace { or } in the link template is unmatched."),
    "template.place": _("The link template contains an unknown placeholder. Available: %(places)s"),
    "template.address": _("A link template must begin with http:// or https:// and a host name."),
    "template.host": _("The host name of a link template must not contain placeholders. Put them after it."),
    "template.no_words": _(
        "The address needs a placeholder for what a reader searches for, such as {words} or {title}."
    ),
    "template.no_place": _(
        "The link template needs a placeholder that identifies the book, such as {isbn}, {title} or {identifier}."
    ),
}


def validate_web_address(value: str) -> None:
    """Allow only http and https URLs without user name and password; credentials are stored separately."""
    if split_url(value) is None:
        raise ValidationError(
            _("Enter an address that begins with http:// or https://, without a user name and password."),
            code="address",
        )


def validate_link_template(value: str) -> None:
    """Refuse an invalid template, or one whose links could lead to another host."""
    code = check_template(value)
    if code:
        raise ValidationError(template_fault(code), code=code)


def template_fault(code: str, places: Sequence[str] = PLACEHOLDERS) -> str:
    """The message for an error in a link template. code: as returned by `metadata.links.check_template`.

    places: the placeholders that the template may contain.
    """
    return str(_TEMPLATE_ERRORS[code]) % {"places": " ".join(f"{{{place}}}" for place in places)}


def validate_certificates(value: str) -> None:
    """Require PEM certificates, of which one at least has not expired. A private key is refused."""
    if "PRIVATE KEY" in value:
        raise ValidationError(
            _("This contains a private key. Enter only the certificate, and treat the key as compromised."),
            code="key",
        )
    try:
        certificates = x509.load_pem_x509_certificates(value[:LONGEST_CERTIFICATES].encode())
        ends = [certificate.not_valid_after_utc for certificate in certificates]
    except ValueError as error:
        raise ValidationError(
            _("This is not a certificate in PEM format. PEM begins with “-----BEGIN CERTIFICATE-----”."), code="pem"
        ) from error
    if max(ends) < datetime.now(UTC):
        raise ValidationError(
            _("This certificate expired on %(date)s. Ask the provider for the current one."),
            code="expired",
            params={"date": f"{max(ends):%Y-%m-%d}"},
        )
