"""Messages about the OAI-PMH envelope of a record: header, status, provenance."""

from metadata.issue import Severity
from metadata.validation.message import RuleText

ENVELOPE = {
    "oai.W013": RuleText(
        Severity.WARNING,
        "{field} の {value} は URI ではありません。そのまま登録しました。",
        "{value} in {field} is not a URI. It was kept as it is.",
        "identifier は oai:（ホスト名）:（ローカル ID）のような、変わらない URI にしてください。",
        "Make the identifier a lasting URI, such as oai:(host name):(local identifier).",
        "OAI-PMH 2.0, 2.4",
        example="<identifier>bib 0012</identifier>",
    ),
    "oai.I013": RuleText(
        Severity.INFORMATION,
        "{field} の {value} は oai: で始まりますが、oai:（ホスト名）:（ローカル ID）の形ではありません。そのまま登録しました。",
        "{value} in {field} begins with oai: but is not oai:(host name):(local identifier). It was kept as it is.",
        "oai: で始めるときは、自機関のドメイン名を入れて oai:opac.example.jp:0012 のように書いてください。",
        "After oai:, write your own domain name and the local identifier, as in oai:opac.example.jp:0012.",
        "OAI-PMH guidelines, oai-identifier 2.0",
        example="<identifier>oai:0012</identifier>",
    ),
    "oai.W016": RuleText(
        Severity.WARNING,
        "{field} の {value} には setSpec で使えない文字があります。そのまま登録しました。",
        "{value} in {field} holds characters that a setSpec cannot have. It was kept as it is.",
        "setSpec は英数字と - _ . ! ~ * ' ( ) だけを使い、階層はコロンで区切ってください。名称は setName に書きます。",
        "Write setSpec with letters, digits and - _ . ! ~ * ' ( ) only, and separate levels by colons; names belong into setName.",
        "OAI-PMH 2.0, 2.6 and OAI-PMH.xsd",
        example="<setSpec>Audio (Music)</setSpec>",
    ),
    "oai.W017": RuleText(
        Severity.WARNING,
        "{field} の値「{value}」は使えません（deleted だけが使えます）。削除されていないレコードとして扱いました。",
        "“{value}” is not allowed in {field}; the only allowed value is “deleted”. The record is treated as not deleted.",
        '削除したレコードには status="deleted" を、それ以外には status を付けないでください。',
        'Write status="deleted" for a deleted record, and no status for any other.',
        "OAI-PMH 2.0, 2.5.1; NDL guideline 3.1.9",
        example='<header status="active"><identifier>oai:opac.example.jp:1</identifier></header>',
    ),
    "oai.W117": RuleText(
        Severity.WARNING,
        "削除されたレコードに {field} があります。削除として受け付け、{field} は使いませんでした。",
        "A deleted record has {field}. The deletion was accepted, and {field} was not used.",
        '削除していないレコードなら status="deleted" を外し、削除したレコードなら metadata を出力しないでください。',
        'Remove status="deleted" if the record is not deleted; otherwise send no metadata with it.',
        "OAI-PMH 2.0, 2.5.1; NDL guideline 3.1.9",
        example='<header status="deleted">…</header><metadata>…</metadata>',
    ),
    "oai.I027": RuleText(
        Severity.INFORMATION,
        "{field}（元の提供元の情報）に {value} がありません。",
        "{field} (the origin of the record) lacks {value}.",
        "他機関からハーベストしたレコードを再提供するときは、元の baseURL、identifier、datestamp、metadataNamespace を出力してください。",
        "When you redistribute harvested records, give the origin's baseURL, identifier, datestamp and metadataNamespace.",
        "OAI-PMH guidelines, provenance",
        example="<originDescription><baseURL>https://a.example.jp/oai</baseURL></originDescription>",
    ),
}
