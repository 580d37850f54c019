"""Sentences for the rules of MARC 21."""

from metadata.issue import Severity
from metadata.validation.sentences import RuleText

MARCXML = {
    "marcxml.E003": RuleText(
        Severity.RECORD_ERROR,
        "245 フィールドのタイトル（$a）がないか、空です。表示できる書名がないため、登録しませんでした。",
        "There is no title in field 245 ($a). With nothing to show, the record was not registered.",
        "245 $a に本タイトルを入力してください。",
        "Enter the title proper in 245 $a.",
        "MARC 21, 245",
    ),
    "marcxml.W007": RuleText(
        Severity.WARNING,
        "260／264 $c と 008 から出版年が読み取れません（{value}）。年による絞り込みと書誌同定に使えません。",
        "No year of publication can be read from 260/264 $c and 008 ({value}). Filtering by year and matching do without it.",
        "260 または 264 の $c に出版年を入力してください。",
        "Enter the date of publication in $c of 260 or 264.",
        "MARC 21, 264",
    ),
    "marcxml.E009": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は番号として正しくありません（桁数またはチェックデジット）。書誌同定には使いません。",
        "{value} in {field} is not a valid number (length or check digit). It is not used for matching.",
        "資料の現物と照らして直してください。誤って印刷された ISBN は 020 $z に入力します。",
        "Compare it with the publication itself. An ISBN that is printed wrongly belongs in 020 $z.",
        "MARC 21, 020, 022; ISO 2108; ISO 3297",
    ),
    "marcxml.N010": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を ISO 639-2 の3文字のコードに直しました。",
        "{value} in {field} was changed to the three-letter code of ISO 639-2.",
        "041 の言語は MARC の言語コード（jpn、eng など）で入力してください。",
        "Enter languages in 041 as MARC codes (jpn, eng …).",
        "MARC 21, 041",
    ),
}
