"""Why a message of ISO 18626 cannot be used: what is wrong, where, and what to do, with stable codes. Pure.

The texts are in errors.toml.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from aggregator.loans.iso18626.messages import ErrorData, Header, MessageKind
from metadata.text.languages import in_language, is_japanese
from metadata.text.tables import Text, check_pair, read_families

_LONGEST = 120  # characters of a value that are shown


class ErrorText(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of one error. iso: its errorType in ISO 18626. {place} and {value} are filled in."""

    iso: Text
    ja: Text
    en: Text
    remedy_ja: Text
    remedy_en: Text

    def __post_init__(self) -> None:
        if unknown := check_pair("", self.ja, self.en) - {"place", "value"}:
            raise ValueError(f"unknown placeholder {{{min(unknown)}}}")


ERRORS: Mapping[str, ErrorText] = {
    f"{family}.{number}": text
    for (family, number), text in read_families(Path(__file__).with_name("errors.toml"), ErrorText).items()
}


class MessageError(Exception):
    """A message that cannot be used. code: a key of ERRORS; place: the path of the element, or line and column.

    kind, header: what could be read of the message, so that the error can be confirmed to its sender; None, if nothing.
    """

    def __init__(self, code: str, place: str = "", value: str = "") -> None:
        self.code, self.place, self.value = code, _short(place), _short(value)
        self.kind: MessageKind | None = None
        self.header = Header()
        super().__init__(self.message("en"))

    def message(self, language: str) -> str:
        """What is wrong, where, and what to do, in the language of a page."""
        text = ERRORS[self.code]
        facts = {"place": self.place, "value": self.value}
        said, remedy = in_language(language, text.ja, text.en), in_language(language, text.remedy_ja, text.remedy_en)
        return f"{said.format(**facts)}{'' if is_japanese(language) else ' '}{remedy}"

    def data(self, language: str = "en") -> ErrorData:
        """The error for a confirmation to the sender."""
        return ErrorData(type=ERRORS[self.code].iso, value=f"{self.code} {self.message(language)}")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
