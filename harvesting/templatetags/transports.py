"""What the transports say, for templates."""

from collections.abc import Iterable

from django import template

from harvesting.registry import protocol_texts
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import TRANSPORTS

register = template.Library()


@register.simple_tag
def transports() -> Iterable[TransportKind]:
    """All transports, in the order of the registry."""
    return TRANSPORTS.values()


@register.simple_tag
def interfaces_label() -> str:
    """The names of the protocols of interfaces."""
    return protocol_texts.interfaces_label()
