"""Sentences for records as JSON: our own export, and rows of tables."""

from metadata.issue import Severity
from metadata.validation.sentences import RuleText

JSON = {
    "json.E001": RuleText(
        Severity.RECORD_ERROR,
        "JSON として正しくありません（{value}）。レコードを登録しませんでした。",
        "This is not sound JSON ({value}). The record was not registered.",
        "1レコードを1行の JSON として、UTF-8 で出力し直してください。",
        "Write each record again as one line of JSON in UTF-8.",
        "RFC 8259",
    ),
    "json.W002": RuleText(
        Severity.WARNING,
        "項目 {field} はレコードの形式にありません。この項目は使いませんでした。",
        "The record's format has no field {field}. It was not used.",
        "項目名の綴りを確かめてください。",
        "Check the spelling of the name.",
    ),
    "json.E003": RuleText(
        Severity.RECORD_ERROR,
        "項目 {field} の型が違います（{value}）。レコードを登録しませんでした。",
        "The field {field} is of the wrong type ({value}). The record was not registered.",
        "文字列か、その一覧で書いてください。「export」の出力と同じ形です。",
        "Write it as text or as a list, in the shape that “export” gives.",
    ),
    "json.E004": RuleText(
        Severity.ITEM_ERROR,
        "文字として使えない制御文字があります。取り除いて登録しました。",
        "There are control characters that no text may contain. They were removed.",
        "元のデータから制御文字を取り除いてください。",
        "Remove the control characters at the source.",
        "XML 1.0, 2.2",
    ),
    "json.E005": RuleText(
        Severity.RECORD_ERROR,
        "タイトルがありません。表示できる書名がないため、レコードを登録しませんでした。",
        "There is no title. With nothing to show, the record was not registered.",
        "書名（title）を入力してください。表の場合は、書名の列の対応づけも確かめてください。",
        "Enter a title. In a table, also check which column is taken for it.",
    ),
    "json.W007": RuleText(
        Severity.WARNING,
        "出版年がありません（{value}）。年による絞り込みと書誌同定に使えません。",
        "No year of publication is known ({value}). Filtering by year and matching do without it.",
        "出版年を YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter the date of publication as YYYY, YYYY-MM or YYYY-MM-DD.",
    ),
    "json.E009": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は番号として正しくありません（桁数またはチェックデジット）。書誌同定には使いません。",
        "{value} in {field} is not a valid number (length or check digit). It is not used for matching.",
        "資料の現物と照らして直してください。表計算ソフトでは、ISBN の列を文字列にしてください。",
        "Compare it with the publication itself. In a spreadsheet, format the column of ISBNs as text.",
        "ISO 2108; ISO 3297",
    ),
    "json.N010": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を ISO 639-2 の3文字のコードに直しました。",
        "{value} in {field} was changed to the three-letter code of ISO 639-2.",
        "言語は ISO 639-2 のコード（jpn、eng など）で入力してください。",
        "Enter languages as codes of ISO 639-2 (jpn, eng …).",
    ),
    "json.N018": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を日付の標準形に直しました。もとの表記も残しています。",
        "{value} in {field} was brought into the standard form of dates. The text itself is kept too.",
        "日付は YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter dates as YYYY, YYYY-MM or YYYY-MM-DD.",
        "W3CDTF",
    ),
    "json.E018": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} から年が読み取れません。表記だけを残しました。",
        "No year can be read from {value} in {field}. Only the text was kept.",
        "日付は YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter dates as YYYY, YYYY-MM or YYYY-MM-DD.",
        "W3CDTF",
    ),
}
