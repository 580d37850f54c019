"""Messages for the rules of MODS."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

MODS = {
    "mods.N001": RuleText(
        Severity.NORMALISED,
        "ルート要素 {field} に名前空間がありません。MODS とみなして読み取りました。",
        "The root element {field} has no namespace. It was read as MODS.",
        "名前空間 http://www.loc.gov/mods/v3 を宣言してください。",
        "Declare the namespace http://www.loc.gov/mods/v3.",
        "MODS 3, XSD",
        example="<mods><titleInfo><title>草枕</title></titleInfo> … </mods>",
    ),
    "mods.E003": RuleText(
        Severity.RECORD_ERROR,
        "{field}（タイトル）がないか、空です。表示できる書名がないため、登録しませんでした。",
        "{field} is missing or empty. The record was not registered, because there is no title to show.",
        "titleInfo の title に本タイトルを出力してください。",
        "Write the title proper into title of titleInfo.",
        "MODS 3, titleInfo",
        example="<titleInfo><subTitle>見本の研究</subTitle></titleInfo>",
    ),
    "mods.W007": RuleText(
        Severity.WARNING,
        "{field} から出版年が読み取れません（{value}）。年による絞り込みと書誌同定に使えません。",
        "No year of publication can be read from {field} ({value}). The record cannot be filtered by year, and matching cannot compare the year.",
        'dateIssued に encoding="w3cdtf" と keyDate="yes" を付け、出版年を YYYY の形で出力してください。',
        'Write the year of publication as YYYY into dateIssued, with encoding="w3cdtf" and keyDate="yes".',
        "MODS 3, originInfo",
        example="<originInfo><dateIssued>刊年不明</dateIssued></originInfo>",
    ),
    "mods.W008": RuleText(
        Severity.WARNING,
        "提供元の詳細画面の URL（{field}）がありません。リンクは OpenURL かトップページになります。",
        "The URL of the provider's own page ({field}) is missing. Links are made by OpenURL or lead to the home page.",
        'location の url に、usage="primary display" を付けて詳細画面の固定 URL を出力してください。',
        'Write the permanent URL of the record\'s page into url of location, with usage="primary display".',
        "MODS 3, location",
        example="<mods> … </mods> (no location/url)",
    ),
    "mods.E009": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は識別子として正しくありません（桁数またはチェックデジット）。書誌同定には使いません。",
        "{value} in {field} is not a valid identifier (length or check digit). It is not used for matching.",
        '資料の現物と照らして直してください。誤って印刷された番号には invalid="yes" を付けます。',
        'Check the number in the publication itself. A number that is printed wrongly gets invalid="yes".',
        "MODS 3, identifier; ISO 2108; ISO 3297",
        example='<identifier type="isbn">9784101010015</identifier>',
    ),
    "mods.W010": RuleText(
        Severity.WARNING,
        "{field} の {value} は ISO 639-2 の言語コードにありません。そのまま登録しました。",
        "{value} in {field} is not a code of ISO 639-2. It was registered unchanged.",
        "言語は ISO 639-2 のコード（jpn、eng など）で出力してください。",
        "Write languages as codes of ISO 639-2 (jpn, eng …).",
        "MODS 3, language",
        example='<language><languageTerm type="code">xxq</languageTerm></language>',
    ),
    "mods.N010": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を ISO 639-2 の {result} に直しました。",
        "{value} in {field} was changed to {result}, the code of ISO 639-2.",
        "言語は ISO 639-2 のコード（jpn、eng など）で出力してください。",
        "Write languages as codes of ISO 639-2 (jpn, eng …).",
        "MODS 3, language",
        example='<language><languageTerm type="code">ja</languageTerm></language>',
    ),
    "mods.E011": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は http または https の URL ではありません。リンク先が分からないため取り除きました。",
        "{value} in {field} is not an http or https URL. It was removed, because it leads nowhere.",
        "https:// から始まる完全な URL で出力してください。",
        "Write the complete URL, beginning with https://.",
        "MODS 3, location",
        example="<location><url>opac/bib/1</url></location>",
    ),
}
