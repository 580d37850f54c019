"""Messages about runs: for each code of a TransportError or Observation, what happened and what to do. No database.

The facts that are stored with a code fill the placeholders of its message. One module for each family of codes.
"""

from collections import defaultdict
from collections.abc import Mapping

from django.utils.translation import get_language

from harvesting.messages.base import Message
from harvesting.messages.files import FILES
from harvesting.messages.network import NETWORK
from harvesting.messages.oai_pmh import OAI_PMH
from harvesting.messages.resourcesync import RESOURCESYNC
from harvesting.messages.runs import RUNS
from harvesting.messages.safety import SAFETY
from harvesting.messages.words import in_words

__all__ = ["MESSAGES", "Message", "describe", "happened", "message_for"]

MESSAGES: dict[str, Message] = {**NETWORK, **OAI_PMH, **RESOURCESYNC, **FILES, **SAFETY, **RUNS}


def message_for(code: str) -> Message:
    """The message of a code, or that of its family ("http.500" -> "http")."""
    return MESSAGES.get(code) or MESSAGES.get(code.split(".")[0]) or MESSAGES["run.internal"]


def describe(code: str, facts: Mapping[str, str | int]) -> str:
    """Return what happened and what to do, in the active language; "" for an empty code."""
    if not code:
        return ""
    what, remedy = happened(code, facts), _message(code, facts).remedy % _values(code, facts)
    separator = "" if get_language() == "ja" and what.endswith("。") else " "
    return f"{what}{separator}{remedy}"


def happened(code: str, facts: Mapping[str, str | int]) -> str:
    """Return only what happened, for pages that say themselves what can be done."""
    return _message(code, facts).what % _values(code, facts) if code else ""


def _message(code: str, facts: Mapping[str, str | int]) -> Message:
    return MESSAGES.get(f"{code}.{facts.get('reason', '')}") or message_for(code)


def _values(code: str, facts: Mapping[str, str | int]) -> Mapping[str, str | int]:
    worded = {name: in_words(name, value) for name, value in facts.items()}
    values: defaultdict[str, str | int] = defaultdict(lambda: "?", {**worded, "code": code.split(".")[-1]})
    values.setdefault("url", facts.get("base_url", "?"))
    return values
