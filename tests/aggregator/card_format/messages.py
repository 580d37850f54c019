"""The texts of the rules of cards."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

TEXTS = {
    "cards.E001": RuleText(
        Severity.RECORD_ERROR,
        "heading がないか、空です。表示できる書名がないため、レコードを登録しませんでした。",
        "The heading is missing or empty. The record was not registered, because there is no title to show.",
        "heading に書名を入れてください。",
        "Write the title into the heading.",
        "our own rule",
        example="<heading></heading>",
    ),
}
