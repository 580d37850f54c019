"""Messages of validation against the official schema (XSD) of a format, if the operator has installed it."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

_KEPT_JA, _KEPT = "そのまま登録しました。", "It was kept as it is."
_LOOK_JA = "メタデータ形式の公式スキーマ（XSD）を確認し、出力するプログラムの設定を直してください。"
_LOOK = "See the official schema (XSD) of the format, and correct the program that writes the records."
_SOURCE = "W3C XML Schema; the official schema of the record's format"

XSD = {
    "xsd.W101": RuleText(
        Severity.WARNING,
        f"スキーマ（XSD）では、{{field}} はこの位置に置けません（置けるのは {{value}}）。{_KEPT_JA}",
        f"According to the schema (XSD), {{field}} is not allowed here (allowed: {{value}}). {_KEPT}",
        "要素の名前、順序、回数をスキーマに合わせてください。",
        "Write the elements with the names, in the order and as often as the schema says.",
        _SOURCE,
        example="<datacite:date>2020</datacite:date><jpcoar:volume>3</jpcoar:volume><jpcoar:volume>4</jpcoar:volume>",
    ),
    "xsd.W102": RuleText(
        Severity.WARNING,
        f"スキーマ（XSD）では、{{field}} の中にさらに要素が必要です（必要なもの: {{value}}）。{_KEPT_JA}",
        f"According to the schema (XSD), {{field}} lacks elements (required: {{value}}). {_KEPT}",
        "足りない要素を加えるか、空の親要素を出力しないでください。",
        "Add the elements that are missing, or leave the element out.",
        _SOURCE,
        example="<jpcoar:fundingReference/>",
    ),
    "xsd.W103": RuleText(
        Severity.WARNING,
        f"スキーマ（XSD）にない属性です: {{field}}。{_KEPT_JA}",
        f"The schema (XSD) does not allow the attribute {{field}}. {_KEPT}",
        "属性名のつづりを確かめ、不要なら除いてください。",
        "Check how the attribute is spelt, or leave it out.",
        _SOURCE,
        example='<jpcoar:conferenceDate starYear="2019">2019</jpcoar:conferenceDate>',
    ),
    "xsd.W104": RuleText(
        Severity.WARNING,
        f"スキーマ（XSD）で必須の属性がありません: {{field}}。{_KEPT_JA}",
        f"An attribute that the schema (XSD) requires is missing: {{field}}. {_KEPT}",
        "その属性を付けてください。",
        "Write the attribute.",
        _SOURCE,
        example="<datacite:date>2020-04-01</datacite:date>",
    ),
    "xsd.W105": RuleText(
        Severity.WARNING,
        f"{{field}} の値がスキーマ（XSD）に合いません: {{value}}（角括弧内は、スキーマが認める値や形）。{_KEPT_JA}",
        f"The value of {{field}} does not match the schema (XSD): {{value}} (in brackets: what the schema allows). {_KEPT}",
        "スキーマが認める値または形で入力してください。",
        "Enter a value that the schema allows.",
        _SOURCE,
        example='<jpcoar:sourceIdentifier identifierType="JPNO">20123456</jpcoar:sourceIdentifier>',
    ),
    "xsd.W106": RuleText(
        Severity.WARNING,
        f"{{field}} がスキーマ（XSD）に合いません。検査プログラムの報告: {{value}} {_KEPT_JA}",
        f"{{field}} does not match the schema (XSD). The validator reports: {{value}} {_KEPT}",
        _LOOK_JA,
        _LOOK,
        _SOURCE,
        example='<dc:title xsi:nil="true">見本の本</dc:title>',
    ),
    "xsd.W107": RuleText(
        Severity.WARNING,
        f"スキーマ（XSD）では、{{field}} の直下に文字列を書けません。{_KEPT_JA}",
        f"According to the schema (XSD), {{field}} may contain only elements, but it contains text. {_KEPT}",
        "文字列を、それを表す要素の中に入れてください。",
        "Put the text into the element that it belongs to.",
        _SOURCE,
        example="<oai_dc:dc>見本の本<dc:title>見本の本</dc:title></oai_dc:dc>",
    ),
    "xsd.I108": RuleText(
        Severity.INFORMATION,
        "スキーマ（XSD）の検査で {value} 件の指摘がありました。最初の数件だけを示しています。",
        "The check against the schema (XSD) found {value} errors; only the first few are listed.",
        _LOOK_JA,
        _LOOK,
        _SOURCE,
        example="<datacite:date>1</datacite:date><datacite:date>2</datacite:date>…",
    ),
    "xsd.I109": RuleText(
        Severity.INFORMATION,
        "レコードが大きすぎるか複雑すぎるため（要素と属性が {value} 個）、スキーマ（XSD）による検査を省きました。",
        "The record is too large or too deeply nested ({value} elements and attributes) to be checked against the schema (XSD).",
        source="our own limit",
        example="<jpcoar:creator>…</jpcoar:creator> × 10000",
    ),
}
