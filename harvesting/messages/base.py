"""The type of messages about runs, and the remedies that many of them share."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Message:
    """What happened and what to do: two lazily translated sentences with %(fact)s placeholders."""

    what: "StrOrPromise"
    remedy: "StrOrPromise"


CHECK_URL = _("Check the base URL with the provider. The “probe” command shows the provider's response.")
ASK_PROVIDER = _("Ask the provider to check its server. The harvest can be started again at any time.")
LATER = _("No data is lost. The harvest resumes automatically where it stopped.")
NOTHING_TO_DO = _("Nothing needs to be done.")
