"""Why a message of ISO 18626 cannot be used: what is wrong, where, and what to do, with stable codes. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from aggregator.loans.iso18626.messages import ErrorData, Header, MessageKind

_LONGEST = 120  # characters of a value that are shown


class ErrorText(NamedTuple):
    """The texts of one error. iso: its errorType in ISO 18626. {place} and {value} are filled in."""

    iso: str
    ja: str
    en: str
    remedy_ja: str
    remedy_en: str


_BAD, _ELEMENT, _VALUE = "BadlyFormedMessage", "UnrecognisedDataElement", "UnrecognisedDataValue"
ERRORS: Mapping[str, ErrorText] = {
    "iso18626.E001": ErrorText(
        _BAD,
        "整形式のXMLではありません({place}: {value})。",
        "This is not well-formed XML ({place}: {value}).",
        "XMLとして正しい文書を送ってください。",
        "Send a well-formed document.",
    ),
    "iso18626.E002": ErrorText(
        _BAD,
        "使用できないXMLの機能があります({place}: {value})。",
        "The message uses a feature of XML that is not allowed ({place}: {value}).",
        "DOCTYPE宣言と実体を使わないでください。",
        "Leave out the DOCTYPE declaration and its entities.",
    ),
    "iso18626.E003": ErrorText(
        _BAD,
        "メッセージが大きすぎるか、深すぎます({value})。",
        "The message is too large or too deep ({value}).",
        "1件の依頼に必要な要素だけを送ってください。",
        "Send only the elements that one request needs.",
    ),
    "iso18626.E004": ErrorText(
        _BAD,
        "ISO 18626のメッセージではありません(ルート要素: {value})。",
        "This is no message of ISO 18626 (root element: {value}).",
        "名前空間 http://illtransactions.org/2013/iso18626 の ISO18626Message を送ってください。",
        "Send an ISO18626Message of the namespace http://illtransactions.org/2013/iso18626.",
    ),
    "iso18626.E005": ErrorText(
        _ELEMENT,
        "{place} に知らない要素 {value} があります。",
        "There is an unknown element {value} in {place}.",
        "この要素を除いてください。",
        "Leave this element out.",
    ),
    "iso18626.E006": ErrorText(
        _BAD,
        "{place} の要素 {value} の位置が違うか、繰り返されています。",
        "The element {value} in {place} is repeated or in the wrong order.",
        "規格の順序に従い、繰り返しが認められない要素は1つにしてください。",
        "Follow the order of the standard, and give an element once if it may not be repeated.",
    ),
    "iso18626.E007": ErrorText(
        _BAD,
        "{place} に必須の要素がありません: {value}。",
        "A required element is missing in {place}: {value}.",
        "この要素を加えてください。",
        "Add this element.",
    ),
    "iso18626.E008": ErrorText(
        _VALUE,
        "{place} の値が正しくありません: 「{value}」。",
        "The value of {place} is not valid: “{value}”.",
        "規格のコード、日時(2026-11-24T10:00:00+09:00の形)、長さの制限を確かめてください。",
        "Check the codes of the standard, the date (such as 2026-11-24T10:00:00+09:00) and the length.",
    ),
    "iso18626.E009": ErrorText(
        "UnsupportedActionType",
        "{place} の動作「{value}」には対応していません。",
        "The action “{value}” in {place} is not supported.",
        "規格の動作のコードを使ってください。",
        "Use an action of the standard.",
    ),
    "iso18626.E010": ErrorText(
        "UnsupportedReasonForMessageType",
        "{place} のメッセージの理由「{value}」には対応していません。",
        "The reason for message “{value}” in {place} is not supported.",
        "規格の理由のコードを使ってください。",
        "Use a reason of the standard.",
    ),
    "iso18626.E011": ErrorText(
        _ELEMENT,
        "{place} の属性が足りないか、認められていません。",
        "An attribute of {place} is missing or not allowed.",
        "ISO18626Message には version を、コードには scheme だけを付けてください。",
        "Give ISO18626Message a version, and codes only a scheme.",
    ),
    "iso18626.E012": ErrorText(
        _VALUE,
        "依頼番号「{value}」の依頼はありません。",
        "There is no request with the number “{value}”.",
        "requestingAgencyRequestId を確かめてください。",
        "Check the requestingAgencyRequestId.",
    ),
    "iso18626.E013": ErrorText(
        "UnsupportedActionType",
        "依頼の今の状態では行えません: {value}。",
        "This is not possible in the present state of the request: {value}.",
        "StatusRequest で状態を確かめてください。",
        "Ask for the state with a StatusRequest.",
    ),
    "iso18626.E014": ErrorText(
        _VALUE,
        "図書館「{value}」はこの依頼の当事者ではありません。",
        "The library “{value}” has no part in this request.",
        "supplyingAgencyId と requestingAgencyId を確かめてください。",
        "Check the supplyingAgencyId and the requestingAgencyId.",
    ),
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
        """What is wrong, where, and what to do, in the language of a page ("ja", "en")."""
        text = ERRORS[self.code]
        facts = {"place": self.place, "value": self.value}
        if language.startswith("en"):
            return f"{text.en.format(**facts)} {text.remedy_en}"
        return f"{text.ja.format(**facts)}{text.remedy_ja}"

    def data(self, language: str = "en") -> ErrorData:
        """The error for a confirmation to the sender."""
        return ErrorData(type=ERRORS[self.code].iso, value=f"{self.code} {self.message(language)}")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
