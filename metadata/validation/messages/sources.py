"""The sources of rules in Japanese.

`RuleText.source` names standards and guidelines in English, with their sections; only a few words differ.
"""

# English → Japanese, replaced in this order: a term precedes those that it contains.
TERMS = {
    "NDL guideline": "国立国会図書館サーチ連携ガイドライン",
    "OAI-PMH guidelines": "OAI-PMHガイドライン",
    "junii2 guideline": "junii2ガイドライン",
    "IRDB error check": "IRDBエラーチェック",
    "JPCOAR schema": "JPCOARスキーマ",
    "MARCXML schema": "MARCXMLスキーマ",
    "W3C XML Schema": "W3C XMLスキーマ",
    "XML namespaces": "XML名前空間",
    "RDF/XML syntax": "RDF/XML構文",
    "the official schema of the record's format": "レコードの形式の公式スキーマ",
    "our own format of records in JSON": "本システムのJSON形式",
    "our own: a record is recognised by its identifier": "本システムの規則:識別子で同じレコードと認める",
    "our own: a record without a title cannot be shown": "本システムの規則:タイトルのないレコードは表示できない",
    "our own: the year serves facets and matching": "本システムの規則:出版年を絞り込みと書誌同定に使う",
    "our own limit": "本システムの上限",
    "our own rule": "本システムの規則",
    "deposit of doctoral theses with the NDL": "博士論文の国立国会図書館への送付",
    "table of junii2 and JPCOAR": "junii2・JPCOAR対応表",
    "vocabularies by version": "版ごとの語彙",
    "list of changes": "変更点一覧",
    "change log": "変更履歴",
    "not repeatable": "繰返し不可",
    "appendix ": "付録",
    "leader": "リーダー",
    "tables ": "表",
    "table ": "表",
    "figure ": "図",
    "note ": "注",
    " and ": "、",
    ", ": "、",
    "; ": "；",
}


def japanese_source(source: str) -> str:
    """Return a source in Japanese; names of standards stay as they are."""
    for english, japanese in TERMS.items():
        source = source.replace(english, japanese)
    return source
