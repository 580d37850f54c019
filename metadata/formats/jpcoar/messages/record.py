"""Messages for the rules of JPCOAR 1.0, 2.0 and 2.1: titles and their languages, the type, what every record has."""

from metadata.formats.jpcoar.messages.details import JPCOAR_DETAILS
from metadata.formats.jpcoar.messages.identifiers import JPCOAR_IDENTIFIERS
from metadata.formats.jpcoar.messages.names import JPCOAR_NAMES
from metadata.formats.jpcoar.messages.parts import JPCOAR_PARTS
from metadata.formats.jpcoar.messages.profiles import ITEM_ERROR_IN_LAX, STYLE, WARNING_IN_LAX
from metadata.formats.jpcoar.messages.terms import JPCOAR_TERMS
from metadata.issue import Severity
from metadata.validation.message import RuleText

_RECORD = Severity.RECORD_ERROR
_ITEM = Severity.ITEM_ERROR
_WARNING = Severity.WARNING
_CHANGED = Severity.NORMALISED
_KEPT_JA, _KEPT = "そのまま登録しました。", "It was kept as it is."
_OUT_JA, _OUT = "レコードを登録しませんでした。", "The record was not registered."
_SCHEMA = "JPCOAR schema"
_IRDB = "IRDB error check"

JPCOAR = {
    **JPCOAR_IDENTIFIERS,
    **JPCOAR_TERMS,
    **JPCOAR_NAMES,
    **JPCOAR_PARTS,
    **JPCOAR_DETAILS,
    "jpcoar.N001": RuleText(
        _CHANGED,
        "ルート要素 {field} に名前空間がありません。JPCOAR 2.1 とみなして読み取りました。",
        "The root element {field} has no namespace. It was read as JPCOAR 2.1.",
        "使っている版の名前空間を宣言してください（2.1 なら https://github.com/JPCOAR/schema/blob/master/2.1/）。",
        "Declare the namespace of the version used, for 2.1 https://github.com/JPCOAR/schema/blob/master/2.1/.",
        f"{_SCHEMA}, XSD; {_IRDB} (no_jpcoar_namespace)",
        example='<jpcoar xmlns:dc="http://purl.org/dc/elements/1.1/"> … </jpcoar>',
    ),
    "jpcoar.W001": RuleText(
        _WARNING,
        f"{{field}} の {{value}} は正の整数ではありません。{_KEPT_JA}",
        f"{{value}} in {{field}} is not a positive whole number. {_KEPT}",
        "数字だけを入力してください（例: 24）。",
        "Enter digits only, e.g. 24.",
        f"{_SCHEMA}, XSD",
        profiles=STYLE,
        example="<jpcoar:numPages>xii, 240p</jpcoar:numPages>",
    ),
    "jpcoar.E002": RuleText(
        _RECORD,
        f"必須の dc:title（タイトル）がないか、空です。{_OUT_JA}",
        f"The mandatory dc:title (title) is missing or empty. {_OUT}",
        "タイトルを入力してください。",
        "Enter the title.",
        f"{_SCHEMA} 1; {_IRDB}",
        example="<jpcoar:jpcoar> … <dc:title/> … </jpcoar:jpcoar>",
    ),
    "jpcoar.E003": RuleText(
        _RECORD,
        f"[タイトル] {{field}} の言語が重複しています（{{value}}）。{_OUT_JA}",
        f"{{field}} appears more than once in the same language ({{value}}). {_OUT}",
        "同じ言語のタイトルは1つだけにし、ほかは「その他のタイトル」（dcterms:alternative）に入力してください。",
        "Keep one title in each language and enter the others as dcterms:alternative.",
        f"{_SCHEMA} 1; {_IRDB} (xmllang_duplicated)",
        profiles=ITEM_ERROR_IN_LAX,
        example='<dc:title xml:lang="ja">見本研究</dc:title> <dc:title xml:lang="ja">見本の研究</dc:title>',
    ),
    "jpcoar.E103": RuleText(
        _ITEM,
        "{field} の言語が重複しています（{value}）。最初の値を使い、ほかは別の形として残しました。",
        "{field} appears more than once in the same language ({value}). The first one is used as the main value; the others are kept as further values.",
        "同じ言語の値は1つだけにし、xml:lang を確認してください。",
        "Keep one value in each language, and check xml:lang.",
        f"{_SCHEMA}; {_IRDB} (xmllang_duplicated)",
        example='<jpcoar:affiliationName xml:lang="ja">見本大学</jpcoar:affiliationName> <jpcoar:affiliationName xml:lang="ja">見本大</jpcoar:affiliationName>',
    ),
    "jpcoar.E004": RuleText(
        _RECORD,
        f"[タイトル] 読み（ja-Kana、ja-Latn）があるのに、日本語（ja）の {{field}} がありません（{{value}}）。{_OUT_JA}",
        f"{{field}} has a reading (ja-Kana, ja-Latn) but no Japanese form (ja): {{value}}. {_OUT}",
        '日本語のタイトルに xml:lang="ja" を付けて入力してください。',
        'Enter the Japanese title with xml:lang="ja".',
        f"{_SCHEMA} 1; {_IRDB} (xmllang_nojapanese_with_yomi)",
        profiles=ITEM_ERROR_IN_LAX,
        example='<dc:title xml:lang="ja-Kana">ミホン ケンキュウ</dc:title> <dc:title xml:lang="en">Sample studies</dc:title>',
    ),
    "jpcoar.E104": RuleText(
        _ITEM,
        "読み（ja-Kana、ja-Latn）があるのに、日本語（ja）の {field} がありません（{value}）。読みを名前として使います。",
        "{field} has a reading (ja-Kana, ja-Latn) but no Japanese form (ja): {value}. The reading is used as the name.",
        '日本語の名前に xml:lang="ja" を付けて入力してください。',
        'Enter the Japanese name with xml:lang="ja".',
        f"{_SCHEMA}; {_IRDB} (xmllang_nojapanese_with_yomi)",
        example='<jpcoar:creatorName xml:lang="ja-Kana">ミホン, タロウ</jpcoar:creatorName>',
    ),
    "jpcoar.W005": RuleText(
        _WARNING,
        f"{{field}} に言語（xml:lang）がありません。{_KEPT_JA}",
        f"{{field}} has no language (xml:lang). {_KEPT}",
        "xml:lang に言語を設定してください（ja、en、読みは ja-Kana）。",
        "Give the language in xml:lang: ja, en, or ja-Kana for readings.",
        f"{_SCHEMA}, xml:lang; {_IRDB} (xmllang_not_found)",
        profiles=STYLE,
        example="<jpcoar:sourceTitle>見本大学紀要</jpcoar:sourceTitle>",
    ),
    "jpcoar.W006": RuleText(
        _WARNING,
        f"{{field}} の xml:lang の {{value}} は言語コード（ISO 639-1）ではありません。{_KEPT_JA}",
        f"xml:lang {{value}} of {{field}} is not a language code of ISO 639-1. {_KEPT}",
        "ISO 639-1 のコード（ja、en など）、または ja-Kana、ja-Latn を使ってください。",
        "Use codes of ISO 639-1 (ja, en …), ja-Kana or ja-Latn.",
        f"{_SCHEMA}, xml:lang; BCP 47",
        example='<dc:title xml:lang="jpn">見本研究</dc:title>',
    ),
    "jpcoar.E007": RuleText(
        _RECORD,
        f"必須の {{field}}（資源タイプ）がないか、語彙にない値です（{{value}}）。{_OUT_JA}",
        f"The mandatory {{field}} (resource type) is missing or not in the vocabulary ({{value}}). {_OUT}",
        "資源タイプの語彙から選び、rdf:resource も設定してください。",
        "Choose a term of the resource type vocabulary, with its rdf:resource.",
        f"{_SCHEMA} 15; {_IRDB}",
        profiles=WARNING_IN_LAX,
        example="<dc:type>paper</dc:type>",
    ),
    "jpcoar.E107": RuleText(
        _ITEM,
        "{field}（資源タイプ）が2つ以上あります。最初のものを使い、{value} は使いませんでした。",
        "There is more than one {field} (resource type). The first one is used; {value} is not used.",
        "資源タイプは1つだけにしてください。",
        "Give one resource type.",
        f"{_SCHEMA} 15",
        example="<dc:type>journal article</dc:type> <dc:type>book</dc:type>",
    ),
    "jpcoar.N007": RuleText(
        _CHANGED,
        "{field} が資源タイプの値と一致しません（{value}）。値のほうを使い、{result} としました。",
        "{field} does not match the text of the resource type ({value}). The text was used: {result}.",
        "rdf:resource を資源タイプに合わせて直してください。",
        "Change rdf:resource to match the resource type.",
        f"{_SCHEMA} 15",
        example='<dc:type rdf:resource="http://purl.org/coar/resource_type/c_2f33">journal article</dc:type>',
    ),
    "jpcoar.N207": RuleText(
        _CHANGED,
        "{field} の「{value}」は資源タイプの語彙にないため、rdf:resource から「{result}」と読み取りました。",
        "“{value}” in {field} is not in the vocabulary; the resource type “{result}” was taken from rdf:resource.",
        "資源タイプの語彙にある値を入力してください。",
        "Enter a term of the resource type vocabulary.",
        f"{_SCHEMA} 15",
        example='<dc:type rdf:resource="http://purl.org/coar/resource_type/c_2f33">本</dc:type>',
    ),
    "jpcoar.N307": RuleText(
        _CHANGED,
        "{field} の「{value}」は古い版の語彙です。「{result}」として読み取りました。",
        "“{value}” in {field} is a term of an earlier version. It was read as “{result}”.",
        "この版の資源タイプの語彙から選び直してください。",
        "Choose a term of the vocabulary of this version.",
        f"{_SCHEMA} 15, change log 2.0",
        example='<dc:type rdf:resource="http://purl.org/coar/resource_type/c_2659">periodical</dc:type>',
    ),
    "jpcoar.W107": RuleText(
        _WARNING,
        "{field}（{value}）に rdf:resource がありません。値から資源タイプを読み取りました。",
        "{field} ({value}) has no rdf:resource. The resource type was taken from the text.",
        "資源タイプの URI を rdf:resource に設定してください。2.0 からは必須です。",
        "Give the URI of the resource type in rdf:resource; it is mandatory since 2.0.",
        f"{_SCHEMA} 15",
        profiles=STYLE,
        example="<dc:type>journal article</dc:type>",
    ),
    "jpcoar.E008": RuleText(
        _RECORD,
        f"学位論文（{{value}}）に {{field}}（作成者）がありません。{_OUT_JA}",
        f"The thesis ({{value}}) has no {{field}} (creator). {_OUT}",
        "学位論文の著者を jpcoar:creator に入力してください。",
        "Enter the author of the thesis as jpcoar:creator.",
        f"{_IRDB} (no_creator_in_thesis)",
        profiles=WARNING_IN_LAX,
        example='<dc:type rdf:resource="http://purl.org/coar/resource_type/c_46ec">thesis</dc:type> (no jpcoar:creator)',
    ),
    "jpcoar.W009": RuleText(
        _WARNING,
        "{field}（識別子）がありません。この資料へのリンクは、リポジトリに登録されたリンクの形から作ります。",
        "There is no {field}. The link to the resource is made from the repository's link template.",
        "DOI、HDL、URI のいずれかを入力してください。2.0 からは必須です。",
        "Enter a DOI, handle or URI; it is mandatory since 2.0.",
        f"{_SCHEMA} 18",
        example="<jpcoar:jpcoar> … </jpcoar:jpcoar> (no jpcoar:identifier)",
    ),
}
