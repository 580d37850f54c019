"""What a message is, and the remedies that many share. Knows no code."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Message:
    """Two lazily translated sentences with %(fact)s places."""

    what: "StrOrPromise"
    remedy: "StrOrPromise"


CHECK_URL = _("Check the base URL with the provider; “probe” shows what it answers.")
ASK_PROVIDER = _("Ask the provider to look at its server; the harvest can be started again at any time.")
LATER = _("Nothing is lost. The harvest goes on by itself where it stopped.")
NOTHING_TO_DO = _("Nothing needs to be done.")
