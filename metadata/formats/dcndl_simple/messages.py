"""Messages for the rules of DC-NDL (Simple) that DC-NDL(RDF) does not have."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

DCNDL_SIMPLE = {
    "dcndl_simple.E002": RuleText(
        Severity.RECORD_ERROR,
        "必須の {field}（タイトル）がないか、空です。レコードを登録しませんでした。",
        "The mandatory {field} (title) is missing or empty. The record was not registered.",
        "dc:title にタイトルを出力してください。",
        "Write the title into dc:title.",
        "NDL guideline 2.2, table 2-1; DC-NDL (Simple) 2.0",
        example="<dc:title></dc:title>",
    ),
    "dcndl_simple.W004": RuleText(
        Severity.WARNING,
        "{field} の {value} は、xsi:type が知られていない種類です。そのまま登録しました。",
        "The xsi:type of {value} in {field} is not known. The value was kept as it is.",
        "xsi:type には、DC-NDL にある種類（dcndl:NDC10、dcndl:NDLSH など）を設定してください。",
        "Use an xsi:type that DC-NDL has (dcndl:NDC10, dcndl:NDLSH …).",
        "DC-NDL (Simple) 2.0; NDL Metadata Terms",
        example='<dc:subject xsi:type="dcndl:ABC">猫</dc:subject>',
    ),
    "dcndl_simple.W005": RuleText(
        Severity.WARNING,
        "{field} の数が、読みを付ける要素の数と合いません（{value}）。どの値の読みか分からないため、読みは使いませんでした。",
        "The number of {field} elements differs from the number of elements to which they belong ({value}). "
        "The readings were not used, because it is not clear which element each of them belongs to.",
        "読みは、対応する要素と同じ数だけ、同じ順に出力してください。読みのない値には空の要素を置いてください。",
        "Write as many readings as values, in the same order, with an empty element for a value without reading.",
        "DC-NDL (Simple) 2.0",
        example="<dc:title>草枕</dc:title><dcndl:titleTranscription>クサ</dcndl:titleTranscription><dcndl:titleTranscription>マクラ</dcndl:titleTranscription>",
    ),
    "dcndl_simple.N006": RuleText(
        Severity.NORMALISED_SILENTLY,
        "{field} の {value} は W3CDTF の形ではありません。印刷どおりの日付として扱いました。",
        "{value} in {field} does not have the form of W3CDTF. It was treated as the date as printed.",
        "dcterms:issued は YYYY、YYYY-MM、YYYY-MM-DD で書き、印刷どおりの表記は dc:date に書いてください。",
        "Write dcterms:issued as YYYY, YYYY-MM or YYYY-MM-DD; the printed form belongs into dc:date.",
        "DC-NDL (Simple) 2.0",
        example='<dcterms:issued xsi:type="dcterms:W3CDTF">2022.2</dcterms:issued>',
    ),
    "dcndl_simple.W007": RuleText(
        Severity.WARNING,
        "出版年が読み取れません（{value}）。年による絞り込みと書誌同定に使えません。",
        "No year of publication can be read ({value}). The record cannot be filtered by year, and matching cannot compare the year.",
        "出版年を dcterms:issued（YYYY、YYYY-MM、YYYY-MM-DD）で出力してください。",
        "Write the date of publication in dcterms:issued (YYYY, YYYY-MM or YYYY-MM-DD).",
        "NDL guideline table 2-1",
        example="<dc:date>不明</dc:date>",
    ),
    "dcndl_simple.W008": RuleText(
        Severity.WARNING,
        "提供元の書誌詳細画面の URL（{field}）がありません。リンクは OpenURL かトップページになります。",
        "The URL of the provider's own page ({field}) is missing. Links are made by OpenURL or lead to the home page.",
        "rdfs:seeAlso/@rdf:resource に、詳細画面の固定 URL を設定してください。",
        "Write the permanent URL of the record's page into rdfs:seeAlso/@rdf:resource.",
        "NDL guideline 2.1.2 (7)",
        profiles={"lax": Severity.INFORMATION},
        example="<dcndl_simple:dc><dc:title>草枕</dc:title></dcndl_simple:dc>",
    ),
    "dcndl_simple.W009": RuleText(
        Severity.WARNING,
        "{field} の中に {value} があります。DC-NDL(RDF) の書き方ですが、値は読み取りました。",
        "{field} contains {value}, as in DC-NDL(RDF). Its value was read nevertheless.",
        "DC-NDL(Simple) では値を要素の中に直接書いてください。構造を持たせるときは DC-NDL(RDF) で提供してください。",
        "Write values directly into the elements of DC-NDL (Simple), or send DC-NDL(RDF).",
        "DC-NDL (Simple) 2.0",
        example="<dc:title><rdf:Description><rdf:value>草枕</rdf:value></rdf:Description></dc:title>",
    ),
    "dcndl_simple.W104": RuleText(
        Severity.WARNING,
        "{field} の xsi:type「{value}」の接頭辞は、dcndl または dcterms の名前空間を指していません。名前だけで種類を判断しました。",
        "The prefix of xsi:type “{value}” in {field} is not declared as the namespace of dcndl or dcterms. "
        "The kind was recognised only by the name.",
        "xmlns:dcndl と xmlns:dcterms を宣言し、xsi:type は dcndl:ISBN、dcterms:W3CDTF のように書いてください。",
        "Declare xmlns:dcndl and xmlns:dcterms, and write xsi:type as dcndl:ISBN or dcterms:W3CDTF.",
        "DC-NDL (Simple) 2.0",
        example='<dc:identifier xsi:type="ndl:ISBN">978-4-10-101001-4</dc:identifier>',
    ),
}
