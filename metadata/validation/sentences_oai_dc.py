"""Sentences for the rules of oai_dc."""

from metadata.issue import Severity
from metadata.validation.sentences import RuleText

OAI_DC = {
    "oai_dc.N001": RuleText(
        Severity.NORMALISED,
        "ルート要素 {field} は oai_dc の正しい名前空間ではありません。oai_dc:dc とみなして読み取りました。",
        "The root element {field} is not in the namespace of oai_dc. It was read as oai_dc:dc.",
        "ルート要素を名前空間 http://www.openarchives.org/OAI/2.0/oai_dc/ の dc にしてください。",
        "Write the root element as dc in the namespace http://www.openarchives.org/OAI/2.0/oai_dc/.",
        "OAI-PMH 2.0, 5",
    ),
    "oai_dc.W002": RuleText(
        Severity.WARNING,
        "{field} は oai_dc の15要素ではありません（値: {value}）。この要素は使いませんでした。",
        "{field} is none of the fifteen elements of oai_dc (value: {value}). It was not used.",
        "dc:title など15要素のいずれかで出力するか、DC-NDL(RDF) など詳しい形式で提供してください。",
        "Use one of the fifteen elements (dc:title …), or provide a richer format such as DC-NDL(RDF).",
        "NDL guideline 2.3, table 2-2",
    ),
    "oai_dc.E003": RuleText(
        Severity.RECORD_ERROR,
        "dc:title がないか、空です。表示できる書名がないため、レコードを登録しませんでした。",
        "dc:title is missing or empty. With nothing to show, the record was not registered.",
        "dc:title にタイトルを1つ以上出力してください。",
        "Write at least one title in dc:title.",
    ),
    "oai_dc.W004": RuleText(
        Severity.WARNING,
        "dc:identifier に詳細画面の URL（http または https）がありません。リンクは OpenURL かトップページになります。",
        "No dc:identifier holds the URL of a page (http or https). Links go by OpenURL or to the home page.",
        "dc:identifier に、その資料の詳細画面の固定 URL を1つ入れてください。",
        "Put the permanent URL of the record's own page into one dc:identifier.",
        "NDL guideline 2.1.2 (7)",
    ),
    "oai_dc.W005": RuleText(
        Severity.WARNING,
        "oai_dc:dc の直下に、要素に入っていない文字列があります: {value}。使いませんでした。",
        "Text stands directly in oai_dc:dc, outside any element: {value}. It was not used.",
        "文字列は dc:description などの要素の中に書いてください。",
        "Put the text into an element such as dc:description.",
    ),
    "oai_dc.W007": RuleText(
        Severity.WARNING,
        "dc:date から年が読み取れません（{value}）。年による絞り込みと書誌同定に使えません。",
        "No year can be read from dc:date ({value}). Filtering by year and matching do without it.",
        "dc:date に発行年を YYYY、YYYY-MM、YYYY-MM-DD のいずれかで出力してください。",
        "Write the date of publication in dc:date as YYYY, YYYY-MM or YYYY-MM-DD.",
    ),
    "oai_dc.E009": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は識別子として正しくありません（桁数またはチェックデジット）。書誌同定には使いません。",
        "{value} in {field} is not a valid identifier (length or check digit). It is not used for matching.",
        "ISBN、ISSN、DOI を資料の現物と照らして直してください。",
        "Compare the ISBN, ISSN or DOI with the publication itself and correct it.",
        "ISO 2108; ISO 3297",
    ),
    "oai_dc.N010": RuleText(
        Severity.NORMALISED,
        "{field} の {value} を ISO 639-2 の3文字のコードに直しました。",
        "{value} in {field} was changed to the three-letter code of ISO 639-2.",
        "dc:language は ISO 639-2 または ISO 639-3 のコード（jpn、eng など）で出力してください。",
        "Write dc:language as an ISO 639-2 or 639-3 code (jpn, eng …).",
    ),
    "oai_dc.E011": RuleText(
        Severity.ITEM_ERROR,
        "{field} の {value} は相対 URL です。リンク先が分からないため取り除きました。",
        "{value} in {field} is a relative URL. Since it leads nowhere, it was removed.",
        "https:// から始まる完全な URL で出力してください。",
        "Write the complete URL, beginning with https://.",
    ),
}
