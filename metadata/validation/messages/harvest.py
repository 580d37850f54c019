"""Messages about a record that are found while it is stored, whatever the protocol."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

HARVEST: dict[str, RuleText] = {
    "harvest.E001": RuleText(
        Severity.RECORD_ERROR,
        "identifier に使えない文字があるか、長すぎます（{value}）。レコードを登録しませんでした。",
        "The identifier holds characters that cannot be stored, or is too long ({value}). "
        "The record was not registered.",
        "identifier は制御文字を含まない URI とし、2,000 バイト以内にしてください。",
        "Make the identifier a URI without control characters, of at most 2,000 bytes.",
        "OAI-PMH 2.0, 2.4",
        example="<header><identifier>oai:library.example.jp:aaaaaaaaaaaaaaaaaaaa…</identifier></header>  (2,400 bytes)",
    ),
    "harvest.E002": RuleText(
        Severity.RECORD_ERROR,
        "メタデータが大きすぎます（{value} バイト）。レコードを登録しませんでした。先頭の 1 MiB だけを保存しました。",
        "The metadata is too large ({value} bytes). The record was not registered; its first MiB was kept.",
        "本文や画像がメタデータに入っていないか確かめてください。1件の上限は 16 MiB です。",
        "Check whether the metadata contains full text or images. One record may have 16 MiB.",
        "our own limit",
        example="<dcterms:abstract>… the full text of the book, 20,000,000 bytes …</dcterms:abstract>",
    ),
    "harvest.W003": RuleText(
        Severity.WARNING,
        "{field} の値を保存できません（{value}）。値を使わずにレコードを登録しました。",
        "The value of {field} cannot be stored ({value}). The record was registered without it.",
        "日付は 2026-01-31 か 2026-01-31T00:00:00Z の形で、setSpec は仕様で許された文字だけで出力してください。",
        "Write dates as 2026-01-31 or 2026-01-31T00:00:00Z, and setSpec with the allowed characters only.",
        "OAI-PMH 2.0, 2.6 and 3.3",
        example=(
            "<header><identifier>oai:library.example.jp:1234</identifier>\n"
            "  <datestamp>Saturday, the 10th of January 2026, about noon</datestamp></header>"
        ),
    ),
    "harvest.W004": RuleText(
        Severity.WARNING,
        "削除されたレコードの header に datestamp がありません。削除は受け付けました。",
        "The header of a deleted record has no datestamp. The deletion was accepted.",
        "削除されたレコードの header にも、削除した日時を datestamp として出力してください。",
        "Give the date of the deletion as datestamp in the header of a deleted record too.",
        "OAI-PMH 2.0, 2.5.1; NDL guideline 3.1.9",
        example='<header status="deleted"><identifier>oai:library.example.jp:1234</identifier></header>',
    ),
    "harvest.E005": RuleText(
        Severity.RECORD_ERROR,
        "文字コードとして正しくない文字（片方だけのサロゲート）があり、保存できません（{value}）。レコードを登録しませんでした。",
        "The record contains lone surrogates (halves of characters), which cannot be stored ({value}). It was not registered.",
        "出力プログラムの文字の切り取りと文字コードの変換を確かめてください。",
        "Check whether the export cuts off texts or converts their encoding wrongly.",
        "Unicode 3.9 (D91); RFC 3629, 3",
        example='{"titles": [{"value": "\\ud842の本"}]}',
    ),
    "harvest.E006": RuleText(
        Severity.RECORD_ERROR,
        "文字コードとして正しくない文字があり、補正すると文字が失われます。前に登録した正しいレコードを残し、このレコードは登録しませんでした。",
        "The record has characters that are not valid in its encoding and would be lost. The earlier, undamaged version of "
        "the record stays in use; this one was not registered.",
        "UTF-8 で出力してください。別の文字コードで出力している場合は、フィードの文字コードを指定できます。",
        "Send UTF-8. If the provider really sends another encoding, set it in the feed.",
        "XML 1.0, 4.3.3; NDL guideline 3.1.1",
        example="<dc:title>caf\\xe9</dc:title> (0xE9)",
    ),
}
