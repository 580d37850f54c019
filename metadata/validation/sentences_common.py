"""Sentences for what is wrong with a record before its format matters: its frame, its XML, its characters."""

from metadata.issue import Severity
from metadata.validation.sentences import RuleText

TRANSPORT = {
    "oai.E001": RuleText(
        Severity.RECORD_ERROR,
        "レコードの header に identifier がありません。レコードを登録しませんでした。",
        "The record's header has no identifier. The record was not registered.",
        "OAI-PMH の出力で、すべての record/header に一意な identifier を設定してください。",
        "Give every record/header in the OAI-PMH output a unique identifier.",
        "OAI-PMH 2.0, 2.4; NDL guideline 3.1.4 (1)",
    ),
    "oai.E002": RuleText(
        Severity.RECORD_ERROR,
        "レコードに metadata がないか、中身が空です。レコードを登録しませんでした（以前の版があれば残ります）。",
        "The record has no metadata, or nothing in it. It was not registered; an earlier version stays.",
        '削除したレコードなら header に status="deleted" を付け、そうでなければ metadata の中に書誌を1件入れてください。',
        'Mark a deleted record with status="deleted" in its header; otherwise put one description into metadata.',
        "OAI-PMH 2.0, 2.5; NDL guideline 3.1.9",
    ),
    "oai.E003": RuleText(
        Severity.RECORD_ERROR,
        "metadata の中に要素が2つ以上あります（{value}）。レコードを登録しませんでした。",
        "metadata holds more than one element ({value}). The record was not registered.",
        "1つの metadata には、メタデータ形式のルート要素を1つだけ入れてください。",
        "Put exactly one root element of the metadata format into each metadata element.",
        "OAI-PMH 2.0, 2.5",
    ),
    "oai.E004": RuleText(
        Severity.RECORD_ERROR,
        "ルート要素 {value} は、読み取れるメタデータ形式ではありません（metadataPrefix は {field}）。レコードを登録しませんでした。",
        "The root element {value} is of no format that can be read (metadataPrefix: {field}). "
        "The record was not registered.",
        "DC-NDL(RDF) は rdf:RDF の中に dcndl:BibAdminResource と dcndl:BibResource を、oai_dc は oai_dc:dc を出力してください。"
        "名前空間の綴りも確かめてください。",
        "DC-NDL(RDF) has dcndl:BibAdminResource and dcndl:BibResource inside rdf:RDF; oai_dc has oai_dc:dc. "
        "Check the spelling of the namespaces too.",
        "NDL guideline 2.1, 2.3",
    ),
    "oai.W004": RuleText(
        Severity.WARNING,
        "metadataPrefix={field} の要求に対して {value} 形式のメタデータが返されました。{value} として読み取りました。",
        "Metadata in {value} was sent although metadataPrefix={field} was asked for. It was read as {value}.",
        "metadataPrefix ごとに正しい形式を返すよう、OAI-PMH の設定を確かめてください。",
        "Check in the OAI-PMH settings that each metadataPrefix gives its own format.",
        "OAI-PMH 2.0, 3.4",
    ),
    "xml.E001": RuleText(
        Severity.RECORD_ERROR,
        "XML として正しくありません（行:桁 {field}、{value}）。レコードを登録しませんでした。",
        "This is not well-formed XML (line:column {field}: {value}). The record was not registered.",
        "示した箇所の & < の書き方、終了タグ、制御文字、文字コード（UTF-8）を直してください。",
        "Repair &, <, the end tag, a control character or the encoding (UTF-8) at that place.",
        "XML 1.0; NDL guideline 3.1.1",
    ),
    "xml.E002": RuleText(
        Severity.RECORD_ERROR,
        "DOCTYPE の中に宣言があります（{value}）。安全のため、レコードを登録しませんでした。",
        "The DOCTYPE holds declarations ({value}). For safety, the record was not registered.",
        "DOCTYPE とその中の ENTITY や ELEMENT の宣言を取り除き、文字は UTF-8 で直接書いてください。",
        "Remove the DOCTYPE with its ENTITY and ELEMENT declarations, and write characters directly in UTF-8.",
    ),
    "xml.E003": RuleText(
        Severity.RECORD_ERROR,
        "レコードの中に、長すぎる値か深すぎる入れ子があります（{value}）。安全のため、レコードを登録しませんでした。",
        "The record holds a value that is too long or elements nested too deeply ({value}). For safety, "
        "it was not registered.",
        "1つの値は 10 MB より短く、要素の入れ子は 256 段より浅くしてください。本文や画像が入っていないか確かめてください。",
        "Keep each value below 10 MB and nesting below 256 levels. See whether a full text or an image got into it.",
    ),
    "xml.E004": RuleText(
        Severity.RECORD_ERROR,
        "宣言された名前空間が多すぎます（{value}）。安全のため、レコードを登録しませんでした。",
        "Too many namespaces are declared ({value}). For safety, the record was not registered.",
        "使っている名前空間だけを宣言してください。",
        "Declare only the namespaces that are used.",
        "XML namespaces 1.0; our own limit",
        example='<OAI-PMH xmlns:n1="urn:1" xmlns:n2="urn:2" … xmlns:n9999="urn:9999">',
    ),
    "xml.W001": RuleText(
        Severity.WARNING,
        "{field} に XML で使えない文字があります: {value}。その文字を取り除いて登録しました。",
        "{field} holds characters that XML forbids: {value}. They were removed.",
        "制御文字（U+0000〜U+001F、U+FFFE など）を元のデータから取り除いてください。",
        "Remove control characters (U+0000 to U+001F, U+FFFE and the like) at the source.",
        "XML 1.0, 2.2; NDL guideline 3.1.1",
    ),
    "xml.W002": RuleText(
        Severity.WARNING,
        "{field} に文字コードとして正しくないバイトがあります: {value}。� に置き換えて登録しました。",
        "{field} holds bytes that are no characters of its encoding: {value}. They were replaced by �.",
        "UTF-8 で出力してください。別の文字コードで出力している場合は、フィードの文字コードを指定できます。",
        "Send UTF-8. If the provider really sends another encoding, set it in the feed.",
        "XML 1.0, 4.3.3; NDL guideline 3.1.1",
    ),
    "xml.W003": RuleText(
        Severity.WARNING,
        "{field} の1文字が2つのサロゲートに分けて書かれています: {value}。1文字に戻して登録しました。",
        "{field} writes one character as two surrogates: {value}. They were joined.",
        "U+FFFF より後の文字は、UTF-8 の1文字か1つの文字参照（&#x20BB7; など）で出力してください。",
        "Write characters beyond U+FFFF as one character of UTF-8 or as one reference (such as &#x20BB7;).",
        "XML 1.0, 4.1",
    ),
}

CHARACTERS = {
    "chars.E005": RuleText(
        Severity.ITEM_ERROR,
        "{field} に私用領域の文字（外字）があります: {value}。その文字を〓に置き換えて登録しました。",
        "{field} holds private-use characters (gaiji): {value}. They were replaced by 〓.",
        "図書館システムの外字を Unicode の正式な文字か〓に置き換えてから出力してください。",
        "Replace the gaiji of the library system by real Unicode characters or 〓 before export.",
        "NDL guideline 3.1.1",
    ),
    "chars.E015": RuleText(
        Severity.RECORD_ERROR,
        "{field} に私用領域の文字（外字）があります: {value}。タイトルや識別子が正しく読めないため、レコードを登録しませんでした。",
        "{field} holds private-use characters (gaiji): {value}. Without a readable title or identifier "
        "the record was not registered.",
        "図書館システムの外字を Unicode の正式な文字か〓に置き換えてから出力してください。",
        "Replace the gaiji of the library system by real Unicode characters or 〓 before export.",
        "NDL guideline 3.1.1",
    ),
    "chars.W006": RuleText(
        Severity.WARNING,
        "{field} に基本多言語面の外の文字があります: {value}。そのまま登録しましたが、扱えないシステムがあります。",
        "{field} holds characters outside the Basic Multilingual Plane: {value}. They were kept; some systems "
        "cannot hold them.",
        "国立国会図書館サーチにも提供する場合は、U+FFFF までの文字で書いてください（𠮷→吉 など）。",
        "For NDL Search, write it with characters up to U+FFFF.",
        "NDL guideline 3.1.1",
    ),
    "chars.W007": RuleText(
        Severity.WARNING,
        "{field} に制御文字か、文字化けの跡があります: {value}。そのまま登録しました。",
        "{field} holds control characters or traces of a broken conversion: {value}. They were kept.",
        "出力時の文字コード変換（Shift_JIS、Windows-1252 から UTF-8 へ）を確かめてください。",
        "Check the conversion to UTF-8 (from Shift_JIS or Windows-1252) in the export.",
    ),
    "chars.N007": RuleText(
        Severity.NORMALISED,
        "{field} に見えない文字（BOM、幅のない空白）があります: {value}。取り除いて登録しました。",
        "{field} holds invisible characters (BOM, zero-width space): {value}. They were removed.",
        "表計算ソフトやウェブからの貼り付けで入ることがあります。元のデータから取り除いてください。",
        "They often come with text pasted from a spreadsheet or web page. Remove them at the source.",
    ),
    "chars.W009": RuleText(
        Severity.WARNING,
        "{field} で文字参照が二重になっています: {value}。そのまま登録しました。",
        "{field} is escaped twice: {value}. It was kept as it is.",
        "出力プログラムで & や < の置き換えが2回行われていないか確かめてください（&amp;amp; → &amp;）。",
        "See that the export replaces & and < once only (&amp;amp; should be &amp;).",
    ),
    "chars.I010": RuleText(
        Severity.INFORMATION,
        "{field} に HTML のタグがあります: {value}。そのまま登録しました。画面にはタグも文字として表示されます。",
        "{field} holds HTML tags: {value}. They were kept, and pages show them as text.",
        "タグを取り除き、改行や強調のない文字だけの値を出力してください。",
        "Remove the tags at the source and send plain text.",
    ),
    "chars.N011": RuleText(
        Severity.NORMALISED_SILENTLY,
        "値のない要素が {value} 個あります（最初は {field}）。読み飛ばしました。",
        "Elements without a value: {value} (the first is {field}). They were skipped.",
        "値がないときは要素そのものを出力しないでください。",
        "Leave an element out when it has no value.",
    ),
    "chars.N012": RuleText(
        Severity.NORMALISED_SILENTLY,
        "{field} の値の中に改行やタブがあります。空白1つに置き換えました。",
        "{field} holds line breaks or tabs. They were replaced by one blank.",
    ),
    "chars.W013": RuleText(
        Severity.WARNING,
        "{field} が長すぎます（{value} 文字）。登録しましたが、検索では先頭の部分だけを使います。",
        "{field} is very long ({value} characters). It was kept; searching uses its beginning only.",
        "別の項目（抄録や目次）の内容が入っていないか確かめてください。",
        "See whether it holds what belongs elsewhere, such as an abstract or a table of contents.",
    ),
}
