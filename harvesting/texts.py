"""Messages about runs, as msgids: they are translated where they are shown. No Django.

`_` marks a text for translators.
"""

from dataclasses import dataclass


def _(text: str) -> str:
    """The text itself."""
    return text


@dataclass(frozen=True, slots=True)
class Message:
    """What happened and what to do: the msgids of two sentences with %(fact)s placeholders."""

    what: str
    remedy: str


CHECK_URL = _("Check the base URL with the provider. The “probe” command shows the provider's response.")
ASK_PROVIDER = _("Ask the provider to check its server. The harvest can be started again at any time.")
LATER = _("No data is lost. The harvest resumes automatically where it stopped.")
NOTHING_TO_DO = _("Nothing needs to be done.")
