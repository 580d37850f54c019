"""Form checks of what people register, with a sentence for each fault. No database."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from metadata.links import PLACES, check_template, split_url

_TEMPLATE_FAULTS = {
    "template.character": _("A link template must not contain blanks, backslashes or control characters."),
    "template.braces": _("A brace { or } in the link template has no partner."),
    "template.place": _("The link template has a place that is not known. There are: %(places)s"),
    "template.address": _("A link template begins with http:// or https:// and a host name."),
    "template.host": _("The host name of a link template is fixed; places come behind it."),
    "template.no_place": _("The link template has no place such as {isbn}, so every book would lead to the same page."),
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
        places = " ".join(f"{{{place}}}" for place in PLACES)
        raise ValidationError(_TEMPLATE_FAULTS[code], code=code, params={"places": places})
