"""Sentences for the rules of feed items (RSS, Atom), and for what the transport of feeds found out about an item."""

from metadata.issue import Severity
from metadata.validation.sentences import RuleText

RSS = {
    "rss.E001": RuleText(
        Severity.RECORD_ERROR,
        "item に link（または rdf:about、permalink の guid）がありません。更新のときに同定できないため、登録しませんでした: {value}",
        "The item has no link (nor an rdf:about or a permanent guid). It could not be recognised again, so it was not registered: {value}",
        "すべての item に、その資料の詳細画面の固定 URL を link として出力してください。",
        "Give every item a link: the permanent URL of the page about that item.",
        "NDL guideline 3.2.3, tables 2-3, 2-4",
    ),
    "rss.N002": RuleText(
        Severity.NORMALISED,
        "link が相対 URL か、前後に空白のある値です（{value}）。完全な URL に直しました。",
        "The link is a relative URL or stands between blanks ({value}). It was made a complete URL.",
        "link は https:// から始まる完全な URL で出力してください。",
        "Write the link as a complete URL, beginning with https://.",
        "NDL guideline 3.2.3",
    ),
    "rss.E003": RuleText(
        Severity.RECORD_ERROR,
        "item に title がないか、空です。表示できる書名がないため、登録しませんでした。",
        "The item's title is missing or empty. With nothing to show, it was not registered.",
        "すべての item に title を出力してください。",
        "Give every item a title.",
        "NDL guideline tables 2-3, 2-4",
    ),
    "rss.W007": RuleText(
        Severity.WARNING,
        "出版年が読み取れません（{value}）。年による絞り込みと書誌同定に使えません。pubDate は配信の日付とみなします。",
        "No year of publication can be read ({value}). Filtering by year and matching do without it; pubDate is the date of the item.",
        "出版年を dcterms:issued（YYYY、YYYY-MM、YYYY-MM-DD）で出力してください。",
        "Write the date of publication in dcterms:issued (YYYY, YYYY-MM or YYYY-MM-DD).",
        "NDL guideline 2.4",
    ),
    "rss.W008": RuleText(
        Severity.WARNING,
        "{field} の日付 {value} は読み取れません。更新日のないものとして扱いました。",
        "The date {value} in {field} cannot be read. The item counts as one without a date.",
        "pubDate は RFC 822、dc:date は W3CDTF の形で出力してください。",
        "Write pubDate as in RFC 822 and dc:date as W3CDTF.",
        "RSS 2.0; W3CDTF",
    ),
    "rss.E009": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は識別子として正しくありません（桁数またはチェックデジット）。書誌同定には使いません。",
        "{value} in {field} is not a valid identifier (length or check digit). It is not used for matching.",
        "資料の現物と照らして識別子を直してください。",
        "Compare the identifier with the publication itself and correct it.",
        "ISO 2108; ISO 3297",
    ),
    "rss.N010": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を ISO 639-2 の3文字のコードに直しました。",
        "{value} in {field} was changed to the three-letter code of ISO 639-2.",
        "言語は ISO 639-2 のコード（jpn、eng など）で出力してください。",
        "Write languages as codes of ISO 639-2 (jpn, eng …).",
    ),
    "rss.E011": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は http または https の URL ではありません。リンク先が分からないため取り除きました。",
        "{value} in {field} is no http or https URL. Since it leads nowhere, it was removed.",
        "https:// から始まる完全な URL で出力してください。",
        "Write the complete URL, beginning with https://.",
    ),
}
