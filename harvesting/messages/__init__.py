"""What went wrong with a run, as sentences for people: code -> what happened, what to do. No database.

The codes are those of TransportError and Notice; `facts` fill the places. The Japanese is in locale/ja.
One module for each family of codes.
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
    """What happened and what to do, in the language in force; "" for no code."""
    if not code:
        return ""
    what, remedy = happened(code, facts), _message(code, facts).remedy % _values(code, facts)
    between = "" if get_language() == "ja" and what.endswith("。") else " "  # none behind a Japanese full stop
    return f"{what}{between}{remedy}"


def happened(code: str, facts: Mapping[str, str | int]) -> str:
    """The first half of it: what happened, where the place it is shown says what can be done."""
    return _message(code, facts).what % _values(code, facts) if code else ""


def _message(code: str, facts: Mapping[str, str | int]) -> Message:
    return MESSAGES.get(f"{code}.{facts.get('reason', '')}") or message_for(code)


def _values(code: str, facts: Mapping[str, str | int]) -> Mapping[str, str | int]:
    told = {name: in_words(name, value) for name, value in facts.items()}
    values: defaultdict[str, str | int] = defaultdict(lambda: "?", {**told, "code": code.split(".")[-1]})
    values.setdefault("url", facts.get("base_url", "?"))
    return values
