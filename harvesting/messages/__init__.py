"""Messages about runs: for each code of a TransportError or Observation, what happened and what to do. No database.

The facts that are stored with a code fill the placeholders of its message. One module for each family of codes; those
of a transport are in its folder.
"""

from collections import ChainMap, defaultdict
from collections.abc import Mapping

from django.utils.translation import get_language, gettext

from harvesting.messages.documents import DOCUMENTS
from harvesting.messages.network import NETWORK
from harvesting.messages.pushes import PUSHES
from harvesting.messages.runs import RUNS
from harvesting.messages.safety import SAFETY
from harvesting.messages.words import in_words
from harvesting.texts import Message
from harvesting.transports.registry import TRANSPORTS

__all__ = ["describe", "happened", "message_for", "messages", "remedy"]

_MESSAGES: dict[str, Message] = {**NETWORK, **DOCUMENTS, **SAFETY, **RUNS, **PUSHES}


def messages() -> Mapping[str, Message]:
    """All messages by code, with those of the transports."""
    return ChainMap(_MESSAGES, *(kind.messages for kind in TRANSPORTS.values()))


def message_for(code: str) -> Message:
    """The message of a code, or that of its family ("http.500" -> "http")."""
    known = messages()
    return known.get(code) or known.get(code.split(".")[0]) or known["run.internal"]


def describe(code: str, facts: Mapping[str, str | int]) -> str:
    """Return what happened and what to do, in the active language; "" for an empty code."""
    if not code:
        return ""
    what, to_do = happened(code, facts), gettext(_message(code, facts).remedy) % _values(code, facts)
    separator = "" if get_language() == "ja" and what.endswith("。") else " "
    return f"{what}{separator}{to_do}"


def happened(code: str, facts: Mapping[str, str | int]) -> str:
    """Return only what happened, for pages that say themselves what can be done."""
    return gettext(_message(code, facts).what) % _values(code, facts) if code else ""


def remedy(code: str) -> str:
    """Return what to do, in the active language; "" if the text needs facts of a run."""
    text = gettext(message_for(code).remedy)
    return "" if "%(" in text else text


def _message(code: str, facts: Mapping[str, str | int]) -> Message:
    return messages().get(f"{code}.{facts.get('reason', '')}") or message_for(code)


def _values(code: str, facts: Mapping[str, str | int]) -> Mapping[str, str | int]:
    worded = {name: in_words(name, value) for name, value in facts.items()}
    values: defaultdict[str, str | int] = defaultdict(lambda: "?", {**worded, "code": code.split(".")[-1]})
    values.setdefault("url", facts.get("base_url", "?"))
    return values
