"""Messages for the rules of JPCOAR 1.0, 2.0 and 2.1: access, dates, languages, versions."""

from metadata.formats.jpcoar.messages.profiles import STYLE
from metadata.issue import Severity
from metadata.validation.message import RuleText

_ITEM = Severity.ITEM_ERROR
_WARNING = Severity.WARNING
_CHANGED = Severity.NORMALISED
_INFORMATION = Severity.INFORMATION
_KEPT_JA, _KEPT = "そのまま登録しました。", "It was kept as it is."
_SCHEMA = "JPCOAR schema"
_IRDB = "IRDB error check"

JPCOAR_TERMS = {
    "jpcoar.E013": RuleText(
        _ITEM,
        "{field} に rdf:resource がありません。「{value}」から補いました。",
        "{field} has no rdf:resource. The access right was taken from the text “{value}”.",
        "アクセス権の URI を rdf:resource に設定してください。",
        "Give the URI of the access right in rdf:resource.",
        f"{_SCHEMA} 5; {_IRDB} (access_rights_without_rdf_resource)",
        example="<dcterms:accessRights>open access</dcterms:accessRights>",
    ),
    "jpcoar.E113": RuleText(
        _ITEM,
        "{field} の値と rdf:resource が一致しません（{value}）。「{result}」として登録しました。",
        "The text and the rdf:resource of {field} do not match ({value}). It is registered as “{result}”.",
        "どちらが正しいか確認し、rdf:resource と値を合わせてください。",
        "Find out which one is right, and change the other one to match it.",
        f"{_SCHEMA} 5; {_IRDB} (access_rights_mismatch)",
        example='<dcterms:accessRights rdf:resource="http://purl.org/coar/access_right/c_14cb">open access</dcterms:accessRights>',
    ),
    "jpcoar.E213": RuleText(
        _ITEM,
        "{field} の rdf:resource の {value} はアクセス権の URI ではありません。値から読み取れないときは使いません。",
        "The rdf:resource {value} of {field} is not the URI of an access right. The access right is used only if the text gives it.",
        "COAR のアクセス権の URI（http://purl.org/coar/access_right/c_abf2 など）を設定してください。",
        "Give the URI of COAR, e.g. http://purl.org/coar/access_right/c_abf2.",
        f"{_SCHEMA} 5; {_IRDB} (access_rights_wrong_uri)",
        example='<dcterms:accessRights rdf:resource="https://example.jp/open">open access</dcterms:accessRights>',
    ),
    "jpcoar.E313": RuleText(
        _ITEM,
        "{field} の「{value}」はアクセス権の語彙になく、rdf:resource からも読み取れません。使いませんでした。",
        "“{value}” in {field} is not an access right of the vocabulary, and rdf:resource does not give one either. It was not used.",
        "open access、embargoed access、restricted access、metadata only access のいずれかを入力してください。",
        "Enter open access, embargoed access, restricted access or metadata only access.",
        f"{_SCHEMA} 5; {_IRDB} (access_rights_mismatch)",
        example='<dcterms:accessRights rdf:resource="https://example.jp/free">free</dcterms:accessRights>',
    ),
    "jpcoar.N113": RuleText(
        _CHANGED,
        "{field} の「{value}」を「{result}」に直しました。",
        "“{value}” in {field} was changed to “{result}”.",
        "アクセス権は語彙のとおり小文字で入力してください。",
        "Enter the access right as it is in the vocabulary, in lower case.",
        f"{_SCHEMA} 5; {_IRDB} (access_rights_mismatch)",
        example='<dcterms:accessRights rdf:resource="http://purl.org/coar/access_right/c_abf2">Open Access</dcterms:accessRights>',
    ),
    "jpcoar.E014": RuleText(
        _ITEM,
        "エンバーゴ（embargoed access）なのに、公開予定日の {field} がありません。公開日は不明として登録しました。",
        "The access is embargoed, but {field}, the date on which the embargo ends, is missing. The record was registered without this date.",
        'dateType="Available" の datacite:date に公開予定日を入力してください。',
        'Enter the date as datacite:date with dateType="Available".',
        f"{_IRDB} (embargoed_access_no_available_date)",
        example='<dcterms:accessRights rdf:resource="http://purl.org/coar/access_right/c_f1cf">embargoed access</dcterms:accessRights> (no datacite:date[@Available])',
    ),
    "jpcoar.I015": RuleText(
        _INFORMATION,
        "「{value}」ですが、{field}（ファイル）も識別子もありません。",
        "The access is “{value}”, but there is neither a {field} (file) nor an identifier.",
        "本文ファイルの URL があれば入力してください。",
        "Enter the URL of the full text if there is one.",
        f"{_SCHEMA} 43",
        example='<dcterms:accessRights rdf:resource="http://purl.org/coar/access_right/c_abf2">open access</dcterms:accessRights> (no jpcoar:file)',
    ),
    "jpcoar.E016": RuleText(
        _ITEM,
        "{field} の dateType がないか、語彙にない値です（{value}）。種類のわからない日付として登録しました。",
        "The dateType of {field} is missing or not in the vocabulary ({value}). It is registered as a date of unknown kind.",
        "Issued、Available など、日付の種類を dateType に設定してください。",
        "Give the kind of the date in dateType: Issued, Available ….",
        f"{_SCHEMA} 12; {_IRDB}",
        example="<datacite:date>2017-03-25</datacite:date>",
    ),
    "jpcoar.I016": RuleText(
        _INFORMATION,
        "{field}（発行日）がないか、年を読み取れません（{value}）。",
        "{field} (date of issue) is missing or has no year ({value}).",
        "発行日がわかれば入力してください。年での絞り込みと書誌同定に使います。",
        "Enter the date of issue if it is known; it is used for filtering and matching.",
        f"{_SCHEMA} 12; {_IRDB} (2022-07-27)",
        example="<jpcoar:jpcoar> … </jpcoar:jpcoar> (no datacite:date[@Issued])",
    ),
    "jpcoar.E017": RuleText(
        _ITEM,
        "{field} の {value} は日付として読み取れません。書かれたままの日付として残しました。",
        "{value} in {field} cannot be read as a date. It was kept as text, not as a date.",
        "YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter YYYY, YYYY-MM or YYYY-MM-DD.",
        f"{_SCHEMA} 12",
        example='<datacite:date dateType="Created">古い時代</datacite:date>',
    ),
    "jpcoar.E117": RuleText(
        _ITEM,
        "{field} の {value} は日付の形ではありません。書かれたままの日付として残しました。",
        "{value} in {field} does not have the form of a date. It was kept as text, not as a date.",
        "YYYY-MM-DD の形で入力してください。",
        "Enter it as YYYY-MM-DD.",
        f"{_SCHEMA} 33",
        example="<dcndl:dateGranted>平成29年</dcndl:dateGranted>",
    ),
    "jpcoar.N017": RuleText(
        _CHANGED,
        "{field} の {value} を {result} と読み取りました。",
        "{value} in {field} was read as {result}.",
        "YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter YYYY, YYYY-MM or YYYY-MM-DD.",
        f"{_SCHEMA} 12",
        example='<datacite:date dateType="Issued">2017/03/25</datacite:date>',
    ),
    "jpcoar.W017": RuleText(
        _WARNING,
        f"{{field}} の {{value}} は期間です。この種類の日付は1つの日で表します。{_KEPT_JA}",
        f"{{value}} in {{field}} is a period, but this kind of date must be a single date. {_KEPT}",
        "1つの日付を YYYY、YYYY-MM、YYYY-MM-DD のいずれかで入力してください。",
        "Enter one date as YYYY, YYYY-MM or YYYY-MM-DD.",
        f"{_SCHEMA} 12",
        example='<datacite:date dateType="Accepted">2016/2017</datacite:date>',
    ),
    "jpcoar.E018": RuleText(
        _ITEM,
        "{field} の {value} は言語コードではありません。言語不明（{result}）としました。",
        "{value} in {field} is not a language code. It was registered as undetermined ({result}).",
        "ISO 639-3 の3文字のコード（jpn、eng など）で入力してください。",
        "Enter the three-letter code of ISO 639-3 (jpn, eng …).",
        f"{_SCHEMA} 14; {_IRDB}",
        example="<dc:language>やまとことば</dc:language>",
    ),
    "jpcoar.N018": RuleText(
        _CHANGED,
        "{field} の {value} を {result} に直しました。",
        "{value} in {field} was changed to {result}.",
        "ISO 639-3 の3文字のコード（jpn、eng など）で入力してください。",
        "Enter the three-letter code of ISO 639-3 (jpn, eng …).",
        f"{_SCHEMA} 14",
        example="<dc:language>ja</dc:language>",
    ),
    "jpcoar.E019": RuleText(
        _ITEM,
        "{field}（出版タイプ）の値と rdf:resource が一致しないか、語彙にありません（{value}）。rdf:resource を優先しました。",
        "The text and the rdf:resource of {field} (version) do not match, or are not in the vocabulary ({value}). "
        "rdf:resource was used.",
        "AO、SMUR、AM、P、VoR、CVoR、EVoR、NA のいずれかを、その rdf:resource とともに入力してください。",
        "Enter AO, SMUR, AM, P, VoR, CVoR, EVoR or NA with its rdf:resource.",
        f"{_SCHEMA} 17; {_IRDB} (coar_version_type_mismatch)",
        example='<oaire:version rdf:resource="http://purl.org/coar/version/c_970fb48d4fbd8a85">AM</oaire:version>',
    ),
    "jpcoar.W020": RuleText(
        _WARNING,
        "出版タイプが {value} ですが、出版社版への関連（{field}）がありません。",
        "The version is {value}, but {field}, the link to the published version, is missing.",
        '出版社版の DOI を relationType="isVersionOf" の jpcoar:relation に入力してください。',
        'Enter the DOI of the published version as jpcoar:relation with relationType="isVersionOf".',
        f"{_IRDB} (vor_relation_not_found)",
        profiles=STYLE,
        example='<oaire:version rdf:resource="http://purl.org/coar/version/c_ab4af688f83e57aa">AM</oaire:version> (no jpcoar:relation[@isVersionOf])',
    ),
}
