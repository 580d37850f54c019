"""Messages for the rules of JPCOAR 1.0, 2.0 and 2.1: the record's own identifiers and the registration of its DOI."""

from metadata.formats.jpcoar.messages.profiles import IRDB_SERVICES
from metadata.issue import Severity
from metadata.validation.message import RuleText

_ITEM = Severity.ITEM_ERROR
_WARNING = Severity.WARNING
_CHANGED = Severity.NORMALISED
_KEPT_JA, _KEPT = "そのまま登録しました。", "It was kept as it is."
_SCHEMA = "JPCOAR schema"
_IRDB = "IRDB error check"

JPCOAR_IDENTIFIERS = {
    "jpcoar.E010": RuleText(
        _ITEM,
        "{field} の {value} は identifierType の形に合いません。URL ならページとして扱い、それ以外は書誌同定に使いません。",
        "{value} in {field} does not have the form of its identifierType. A URL is used as the link to a page; any other value is "
        "not used for matching.",
        "DOI は https://doi.org/10. から、HDL は https://hdl.handle.net/ から入力してください。",
        "Begin a DOI with https://doi.org/10. and a handle with https://hdl.handle.net/.",
        f"{_SCHEMA} 18; {_IRDB} (identifier_type_mismatch)",
        example='<jpcoar:identifier identifierType="HDL">https://repo.example.jp/1</jpcoar:identifier>',
    ),
    "jpcoar.E110": RuleText(
        _ITEM,
        "{field} の {value} は identifierType の形に合いません。カタログの識別子としては使いません。",
        "{value} in {field} does not have the form of its identifierType. It is not used as an identifier of the catalogue.",
        "DOI は https://doi.org/10. から、HDL は https://hdl.handle.net/ から入力してください。",
        "Begin a DOI with https://doi.org/10. and a handle with https://hdl.handle.net/.",
        f"{_SCHEMA} 44.2; {_IRDB} (identifier_type_mismatch)",
        example='<jpcoar:catalog><jpcoar:identifier identifierType="DOI">10.12345/1</jpcoar:identifier></jpcoar:catalog>',
    ),
    "jpcoar.N010": RuleText(
        _CHANGED,
        "{field} の {value} を {result} に直しました。",
        "{value} in {field} was changed to {result}.",
        "DOI は https://doi.org/10. から始まる形で入力してください。",
        "Enter DOIs as URLs that begin with https://doi.org/10.",
        f"{_SCHEMA} 18; {_IRDB} (identifier_type_mismatch)",
        example='<jpcoar:identifier identifierType="DOI">10.12345/678</jpcoar:identifier>',
    ),
    "jpcoar.E011": RuleText(
        _ITEM,
        "{field} の {value} は prefix/suffix の形の DOI ではありません。DOI を読み取れなければ使いません。",
        "{value} in {field} is not a DOI in the form prefix/suffix. It is used only if a DOI can be read from it.",
        "10. から始まる prefix/suffix の形で入力してください（例: 10.12345/678）。",
        "Enter it as prefix/suffix beginning with 10., e.g. 10.12345/678.",
        f"{_SCHEMA} 19; {_IRDB} (identifier_type_mismatch)",
        example='<jpcoar:identifierRegistration identifierType="JaLC">https://doi.org/10.12345/678</jpcoar:identifierRegistration>',
    ),
    "jpcoar.E111": RuleText(
        _ITEM,
        "{field} に PMID（{value}）があります。DOI の登録としては扱いません。",
        "{field} holds a PMID ({value}). It is not treated as the registration of a DOI.",
        "PMID は使われなくなりました。関連情報（jpcoar:relation）に入力してください。",
        "PMID is no longer in use; enter it as jpcoar:relation.",
        f"{_SCHEMA} 19; {_IRDB} (identifier_type_pmid)",
        example='<jpcoar:identifierRegistration identifierType="PMID">12345678</jpcoar:identifierRegistration>',
    ),
    "jpcoar.E211": RuleText(
        _ITEM,
        "{field} の {value} は DOI 登録機関ではありません。DOI だけを使います。",
        "{value} in {field} is not a registration agency. Only the DOI is used.",
        "JaLC、Crossref、DataCite のいずれかを設定してください。",
        "Give JaLC, Crossref or DataCite.",
        f"{_SCHEMA} 19",
        example='<jpcoar:identifierRegistration identifierType="DOI">10.12345/678</jpcoar:identifierRegistration>',
    ),
    "jpcoar.W011": RuleText(
        _WARNING,
        f"{{field}} の DOI（{{value}}）と同じ DOI が jpcoar:identifier にありません。{_KEPT_JA}",
        f"The DOI in {{field}} ({{value}}) is missing from jpcoar:identifier. {_KEPT}",
        "登録した DOI を確認し、jpcoar:identifier にも https://doi.org/ の形で入力してください。",
        "Check which DOI is registered, and enter it in jpcoar:identifier too, beginning with https://doi.org/.",
        f"{_SCHEMA} 19; {_IRDB} (identifier_registration_doi_mismatch)",
        example='<jpcoar:identifier identifierType="DOI">https://doi.org/10.12345/1</jpcoar:identifier> <jpcoar:identifierRegistration identifierType="JaLC">10.12345/2</jpcoar:identifierRegistration>',
    ),
    "jpcoar.W012": RuleText(
        _WARNING,
        f"{{field}} の DOI を登録するために必要な項目がありません（{{value}}）。{_KEPT_JA}",
        f"What is needed to register the DOI of {{field}} is missing: {{value}}. {_KEPT}",
        "DOI を登録する場合は、足りない項目を入力してください。出版者がわからなければ「出版社不明」、開始ページがなければ none とします。",
        "To register the DOI, enter what is missing. Enter 出版社不明 for an unknown publisher, and the word none for a missing first page.",
        f"JPCOAR/JaLC table 1.5; {_IRDB}",
        profiles=IRDB_SERVICES,
        example='<jpcoar:identifierRegistration identifierType="JaLC">10.12345/1</jpcoar:identifierRegistration> (no jpcoar:volume, no jpcoar:file)',
    ),
    "jpcoar.W212": RuleText(
        _WARNING,
        f"{{field}} が2つ以上あります（{{value}}）。登録できる DOI は1つです。{_KEPT_JA}",
        f"{{field}} is given more than once ({{value}}). A record registers one DOI. {_KEPT}",
        "登録する DOI を1つだけ残し、ほかの DOI は jpcoar:relation に入力してください。",
        "Keep the DOI to be registered, and enter other DOIs as jpcoar:relation.",
        f"{_SCHEMA} 19",
        example='<jpcoar:identifierRegistration identifierType="JaLC">10.12345/1</jpcoar:identifierRegistration> <jpcoar:identifierRegistration identifierType="JaLC">10.12345/2</jpcoar:identifierRegistration>',
    ),
    "jpcoar.W112": RuleText(
        _WARNING,
        f"資源タイプが「{{value}}」のため、{{field}} の DOI は登録できません。{_KEPT_JA}",
        f"The DOI of {{field}} cannot be registered for the resource type “{{value}}”. {_KEPT}",
        "JaLC または DataCite での登録を検討してください。",
        "Consider JaLC or DataCite for it.",
        f"JPCOAR/JaLC table 1.5; {_IRDB}",
        profiles=IRDB_SERVICES,
        example='<dc:type>dataset</dc:type> <jpcoar:identifierRegistration identifierType="Crossref">10.12345/1</jpcoar:identifierRegistration>',
    ),
}
