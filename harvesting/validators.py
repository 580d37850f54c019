"""Form checks of what people register, with a sentence for each fault. No database."""

from datetime import UTC, datetime

from cryptography import x509
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from metadata.links import PLACES, check_template, split_url

LONGEST_CERTIFICATES = 64 * 1024  # characters

_TEMPLATE_FAULTS = {
    "template.character": _("A link template must not contain blanks, backslashes or control characters."),
    "template.braces": _("A brace { or } in the link template has no partner."),
    "template.place": _("The link template has a place that is not known. There are: %(places)s"),
    "template.address": _("A link template begins with http:// or https:// and a host name."),
    "template.host": _("The host name of a link template is fixed; places come behind it."),
    "template.no_place": _(
        "The link template has no place that tells books apart, such as {isbn}, {title} or {identifier}."
    ),
}


def validate_web_address(value: str) -> None:
    """Refuse anything but http and https without user information; credentials are kept apart from addresses."""
    if split_url(value) is None:
        raise ValidationError(
            _("Give an address that begins with http:// or https://, without a user name and password."),
            code="address",
        )


def validate_link_template(value: str) -> None:
    """Refuse a template whose links could lead elsewhere than to its own host."""
    code = check_template(value)
    if code:
        raise ValidationError(template_fault(code), code=code)


def template_fault(code: str) -> str:
    """What is wrong with a link template, in words; code: as of `metadata.links.check_template`."""
    return str(_TEMPLATE_FAULTS[code]) % {"places": " ".join(f"{{{place}}}" for place in PLACES)}


def validate_certificates(value: str) -> None:
    """Refuse what is no PEM certificate, a private key, and a certificate that has run out."""
    if "PRIVATE KEY" in value:
        raise ValidationError(
            _("This contains a private key. Give the certificate only, and consider the key as known to others."),
            code="key",
        )
    try:
        certificates = x509.load_pem_x509_certificates(value[:LONGEST_CERTIFICATES].encode())
        ends = [each.not_valid_after_utc for each in certificates]
    except ValueError as error:
        raise ValidationError(
            _("This is not a certificate in PEM form. It begins with “-----BEGIN CERTIFICATE-----”."), code="pem"
        ) from error
    if max(ends) < datetime.now(UTC):
        raise ValidationError(
            _("This certificate ended on %(date)s. Ask the provider for the present one."),
            code="expired",
            params={"date": f"{max(ends):%Y-%m-%d}"},
        )
